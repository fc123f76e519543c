"""Files that are no tokenizer files, or no longer: one clear error with the place, never a panic, a hang or a load."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpe_tui import BPEError, BPETokenizer, TokenizerFileError
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer

from .conftest import ranks_of, tiny

HTML = b"<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found</body></html>\n"
NAMES = ["tokenizer.json", "x.json", "x.tiktoken", "x.model", "vocab.json", "merges.txt", "vocab.bpe", "x", "x.bin"]


def refused(path: Path, split: str | None = "gpt2") -> TokenizerFileError:
    with pytest.raises(TokenizerFileError) as caught:
        BPETokenizer.from_file(path, split=split)
    message = str(caught.value)
    assert str(path.parent) in message
    assert "\n" not in message
    assert len(message) < 600
    return caught.value


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\n\n  \n", "empty"),
        (HTML, r"web page \(HTML\)"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n", "pointer of Git LFS"),
        (b"\x1f\x8b\x08\x00" + bytes(50), "compressed by gzip"),
        (b"PK\x03\x04" + bytes(50), "ZIP"),
        (b"\x00" * 5000, "."),
        (b"\xff\xfe{\x00}\x00", "."),
        (b"{", "."),
        (b"[1, 2, 3]", "."),
        (b"[" * 200_000, "."),
        (b'{"model": {"type": "BPE", "vocab": ' + b"[" * 200_000, "."),
        (b'{"a": 1' + b"0" * 5000 + b"}", "."),
        (b"null", "."),
        (b"just some words\nand more\n", "."),
        (b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", "."),
    ],
)
def test_what_is_no_tokenizer_file(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    error = refused(tmp_path / name)
    assert re.search(message, str(error)), error


def test_things_that_are_no_files(tmp_path: Path) -> None:
    assert "does not exist" in str(refused(tmp_path / "absent.json"))
    assert "neither tokenizer.json nor" in str(refused(tmp_path / "."))
    os.mkfifo(tmp_path / "pipe.json")
    assert "no regular file" in str(refused(tmp_path / "pipe.json"))


@pytest.mark.parametrize(
    ("line", "new", "message"),
    [
        (b"IQ== 33\n", b"IQ=! 33\n", "line 34: .*is not base64"),
        (b"IQ== 33\n", b"IQ 33\n", "line 34: .*is not base64"),
        (b"IQ== 33\n", b"IQ==\n", "line 34: .*not a token in base64 and a rank"),
        (b"IQ== 33\n", b"IQ== 33 1\n", "line 34: .*not a token in base64 and a rank"),
        (b"IQ== 33\n", b"IQ== x\n", "line 34: 'x' is not a rank"),
        (b"IQ== 33\n", b"IQ== -1\n", "line 34: '-1' is not a rank"),
        (b"IQ== 33\n", b"IQ== 32\n", "line 34: the rank 32 is there already, in line 33"),
        (b"IQ== 33\n", b"IA== 33\n", "line 34: the token .* is there already, in line 33"),
        (b"IQ== 33\n", b"", "1 of the 256 single bytes have no token: 0x21"),
        (b"IQ== 33\n", b"IQ== 999999999\n", "the highest id is 999,999,999"),
    ],
)
def test_damaged_ranks(tmp_path: Path, line: bytes, new: bytes, message: str) -> None:
    content = ranks_of(tiny())
    assert content.count(line) == 1
    (tmp_path / "x.tiktoken").write_bytes(content.replace(line, new))
    with pytest.raises(TokenizerFileError, match=message):
        BPETokenizer.from_file(tmp_path / "x.tiktoken", split="gpt2")


WRITERS: dict[str, Callable[[ByteBPETokenizer], ByteBPETokenizer]] = {
    "x.json": lambda tokenizer: tokenizer,
    "tokenizer.json": lambda tokenizer: tokenizer,
    "x.tiktoken": lambda tokenizer: tokenizer.with_changes(special_tokens={}),
    "x.model": lambda tokenizer: tokenizer,
    "vocab.json": lambda tokenizer: tokenizer,
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_cut_off_anywhere_never_load_wrongly(small: ByteBPETokenizer, tmp_path: Path, name: str) -> None:
    whole = WRITERS[name](small)
    path = tmp_path / name
    whole.save(path)
    content = path.read_bytes().rstrip()
    dice = random.Random(7)
    for length in sorted({*dice.sample(range(len(content)), 60), *range(len(content) - 20, len(content))}):
        path.write_bytes(content[:length])
        try:
            read = BPETokenizer.from_file(path, split="gpt2" if name == "x.tiktoken" else None)
        except TokenizerFileError:
            continue
        # Formats of lines do not tell an end from a cut between two lines: what came before is a tokenizer, too.
        assert name in ("x.tiktoken", "x.model")
        assert read.merges == whole.merges[: len(read.merges)]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), name=st.sampled_from(list(WRITERS)))
def test_a_flipped_byte_is_refused_or_harmless(
    small: ByteBPETokenizer, tmp_path: Path, name: str, data: st.DataObject
) -> None:
    path = tmp_path / name
    WRITERS[name](small).save(path)
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        read = BPETokenizer.from_file(path, split="gpt2" if name == "x.tiktoken" else None)
        assert read.decode(read.encode("the lowest")) == "the lowest"
    except BPEError as error:
        assert "\n" not in str(error)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300), name=st.sampled_from(NAMES))
def test_no_bytes_at_all_do_worse_than_an_error(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TokenizerFileError):
        BPETokenizer.from_file(tmp_path / name, split="gpt2")


@pytest.mark.parametrize(
    "start",
    [b"", b"{", b'{"model": ', b"minbpe v1\n\n0\n", b"\x0a\x0e\x0a\x05<unk>\x15\x00\x00\x00\x00\x18\x02", b"IQ== 0\n"],
)
def test_a_hundred_megabytes_of_nonsense(tmp_path: Path, start: bytes) -> None:
    block = random.Random(1).randbytes(1 << 20)
    path = tmp_path / "nonsense.json"
    with path.open("wb") as file:
        file.write(start)
        for _ in range(100):
            file.write(block)
    refused(path)


def test_a_hundred_megabytes_of_text(tmp_path: Path) -> None:
    path = tmp_path / "nonsense.tiktoken"
    path.write_bytes(b"aGVsbG8= 7\n" * (100 << 17))
    assert "line 2: the rank 7 is there already" in str(refused(path))
    path = tmp_path / "words.txt"
    path.write_bytes(b"some words in a line\n" * (100 << 15))
    refused(path)


def test_merges_that_double_do_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.model"
    lines = ["minbpe v1", "", "0", "97 97", *(f"{number} {number}" for number in range(256, 400))]
    path.write_text("\n".join(lines) + "\n")
    assert "no tokenizer has such tokens" in str(refused(path, None))


def test_a_panic_of_another_program_is_an_error_like_any_other() -> None:
    from bpe_tui.formats.foreign import ForeignEncoderError, guarded

    class PanicException(BaseException):  # noqa: N818 - as pyo3 names it
        pass

    def panic() -> Any:
        raise PanicException("index out of\nbounds")

    with pytest.raises(ForeignEncoderError, match="tokenizers failed to encode: index out of bounds"):
        guarded("tokenizers", "encode", panic)
    with pytest.raises(KeyboardInterrupt):
        guarded("tokenizers", "encode", lambda: (_ for _ in ()).throw(KeyboardInterrupt()))
