"""`encode`, `decode`, `tokenize`, `inspect`, `fingerprint`: texts and ids in and out, in every way they can come."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer
from bpe_tui.bpe import reference
from bpe_tui.dataset import read_manifest

from .conftest import RunCommand

pytestmark = pytest.mark.usefixtures("tokenizer_file")


@pytest.fixture
def tokenizer(tokenizer_file: Path) -> BPETokenizer:
    return BPETokenizer.from_file(tokenizer_file)


def by_reference(text: str, tokenizer: BPETokenizer) -> list[int]:
    return [tokenizer.stoi[token] for token in reference.encode(text, tokenizer.merges)]


def test_encode_arguments_file_and_standard_input_alike(command: RunCommand, tokenizer: BPETokenizer) -> None:
    text = "low lower\nslow\n"
    Path("a text.txt").write_bytes(text.encode())
    expected = " ".join(map(str, by_reference(text, tokenizer))) + "\n"
    assert command("encode", text).out == expected
    assert command("encode", "--file", "a text.txt").out == expected
    assert command("encode", stdin=text).out == expected
    assert command("encode", "-", stdin=text).out == expected
    assert command("encode", "--file", "-", stdin=text).out == expected


def test_encode_one_line_for_each_argument(command: RunCommand, tokenizer: BPETokenizer) -> None:
    texts = ["low", "", "slower"]
    lines = command("encode", *texts).out.splitlines()
    assert lines == [" ".join(map(str, by_reference(text, tokenizer))) for text in texts]


def test_texts_may_look_like_options(command: RunCommand) -> None:
    tokenizer = BPETokenizer("-er", [("-", "e")])
    tokenizer.save("dash.json")
    assert command("encode", "--tokenizer", "dash.json", "--", "-er").out == "3 2\n"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text("\n [/]elorstw\x1b\u202e", max_size=80))
def test_encode_then_decode_gives_the_same_bytes(text: str, command: RunCommand) -> None:
    encoded = command("encode", stdin=text)
    assert encoded.code == 0, encoded.err
    decoded = command("decode", stdin=encoded.raw)
    assert decoded.raw == text.encode("utf-8")


def test_decode_takes_ids_in_every_way(command: RunCommand, tokenizer: BPETokenizer) -> None:
    text = "lower low"
    ids = by_reference(text, tokenizer)
    words = [str(token_id) for token_id in ids]
    Path("ids.json").write_text(json.dumps(ids), encoding="utf-8")
    Path("ids.txt").write_text("\n".join(words), encoding="utf-8")
    for result in (
        command("decode", *words),
        command("decode", ",".join(words)),
        command("decode", stdin=" ".join(words)),
        command("decode", "--file", "ids.json"),
        command("decode", "--file", "ids.txt"),
    ):
        assert result.code == 0, result.err
        assert result.raw == text.encode()
    assert command("decode", stdin="").raw == b""


def test_decode_a_tensor_file_to_a_file(command: RunCommand, at_home: Path) -> None:
    for name in ("train", "val", "test"):
        (at_home / f"{name}.txt").write_bytes(b"low lower\r\nslow" * 9)
    BPETokenizer("\n\r elorsw", [("l", "o")]).save("crlf.json")
    result = command("encode", "--splits", at_home, "--tokenizer", "crlf.json")
    assert result.code == 0, result.err
    assert "round trip exact" in result.out
    result = command(
        "decode", "--file", "data/encoded_bpe/val_ids.pt", "--tokenizer", "crlf.json", "--output", "new/text.txt"
    )
    assert result.code == 0, result.err
    assert Path("new/text.txt").read_bytes() == b"low lower\r\nslow" * 9


def test_encode_splits_into_arrays_and_decode_one(command: RunCommand, at_home: Path, tokenizer: BPETokenizer) -> None:
    for name in ("train", "val", "test"):
        (at_home / f"{name}.txt").write_bytes(b"\xef\xbb\xbflow lower\n" * (name != "test"))
    splits = ("--train", "train.txt", "--val", "val.txt", "--test", "test.txt")
    result = command("encode", *splits, "--format", "npy", "--output-dir", "a")
    assert result.code == 0, result.err
    assert "train:           13 bytes  train.txt" in result.out
    assert "train: note: byte order mark dropped" in result.out
    assert "test:  note: the file is empty" in result.out
    assert np.load("a/train_ids.npy").tolist() == by_reference("low lower\n", tokenizer)
    assert [split.path.name for split in read_manifest(Path("a")).splits] == [
        "train_ids.npy", "val_ids.npy", "test_ids.npy",
    ]  # fmt: skip
    assert command("decode", "--file", "a/train_ids.npy").out == "low lower\n"


def test_a_folder_of_splits_that_cannot_all_be_read_is_refused_at_once(command: RunCommand, at_home: Path) -> None:
    for name in ("train", "val"):
        (at_home / f"{name}.txt").write_bytes(b"low lower\n")
    assert "test" in command("encode", "--splits", ".", "--output-dir", "a").error
    assert (
        "none.txt does not exist"
        in command(
            "encode", "--train", "train.txt", "--val", "val.txt", "--test", "none.txt", "--output-dir", "a"
        ).error
    )
    assert not Path("a").exists()


def test_a_byte_that_is_no_text_is_named_or_replaced(command: RunCommand, at_home: Path) -> None:
    BPETokenizer("low\n\ufffd", [("l", "o")]).save("replaced.json")
    for name in ("train", "val", "test"):
        (at_home / f"{name}.txt").write_bytes(b"low\nl\xe9w")
    arguments = ("encode", "--splits", ".", "--output-dir", "a", "--tokenizer", "replaced.json")
    error = command(*arguments).error
    assert "val.txt: byte 0xE9 at byte offset 5, line 2, is not UTF-8" in error
    result = command(*arguments, "--invalid", "replace", "--json")
    assert [split["notes"] for split in result.document["splits"]] == [
        ["1 invalid byte replaced by U+FFFD, the first at byte offset 5, line 2"]
    ] * 3
    assert [split["characters"] for split in result.document["splits"]] == [7, 7, 7]
    assert [split["bytes"] for split in result.document["splits"]] == [7, 7, 7]


def test_encode_splits_as_json(command: RunCommand, at_home: Path, tokenizer: BPETokenizer) -> None:
    for name in ("train", "val", "test"):
        (at_home / f"{name}.txt").write_bytes(b"low lower\n" * 9)
    result = command("encode", "--splits", ".", "--output-dir", "encoded", "--json")
    encoded = result.document["encoded"]
    assert encoded["fingerprint"] == tokenizer.fingerprint() == read_manifest(Path("encoded")).fingerprint
    assert [split["tokens"] for split in encoded["splits"]] == [36, 36, 36]


def test_encode_as_json(command: RunCommand, tokenizer: BPETokenizer) -> None:
    document = command("encode", "low", "lower", "--json").document
    assert document["fingerprint"] == tokenizer.fingerprint()
    assert [entry["ids"] for entry in document["texts"]] == [[tokenizer.stoi["low"]], [tokenizer.stoi["lower"]]]
    assert document["texts"][1]["compression_factor"] == 5.0
    decoded = command("decode", *document["texts"][1]["ids"], "--json").document
    assert (decoded["text"], decoded["tokens"]) == ("lower", 1)


def test_a_byte_order_mark_is_dropped_and_reported(command: RunCommand) -> None:
    result = command("encode", stdin=b"\xef\xbb\xbflow")
    assert result.code == 0
    assert "byte order mark dropped" in result.err
    assert len(result.out.split()) == 1


def test_tokenize_shows_each_token_with_its_id(command: RunCommand, tokenizer: BPETokenizer) -> None:
    text = "lower low\n\x1b[/\u202e"
    result = command("tokenize", text)
    rows = [line.split() for line in result.out.splitlines()]
    pieces = reference.encode(text, tokenizer.merges)
    assert [int(row[0]) for row in rows] == [tokenizer.stoi[piece] for piece in pieces]
    assert [row[1] for row in rows] == ["lower", "·", "low", "⏎", r"\x1b", "[", "/", r"\u202e"]
    assert f"{len(pieces)} tokens of {len(text)} characters" in result.err
    document = command("tokenize", text, "--json").document
    assert [token["token"] for token in document["texts"][0]["tokens"]] == pieces


def test_the_tokenizer_may_be_named_before_the_command(command: RunCommand) -> None:
    BPETokenizer("ab", []).save("other.json")
    assert command("--tokenizer", "other.json", "encode", "ab").out == "0 1\n"
    assert command("--ascii", "tokenize", "low low").out.isascii()


def test_inspect(command: RunCommand, tokenizer: BPETokenizer, tokenizer_file: Path) -> None:
    result = command("inspect", tokenizer_file, "--longest", 2)
    assert result.code == 0, result.err
    assert tokenizer.fingerprint() in result.out
    assert [line.split()[-1] for line in result.out.splitlines()[-2:]] == ["lower", "low"]
    document = command("inspect", tokenizer_file, "--json").document
    assert document["vocab_size"] == tokenizer.vocab_size
    assert [entry["token"] for entry in document["longest_tokens"]] == ["lower", "low", "lo", "er"]


def test_inspect_one_token(command: RunCommand, tokenizer: BPETokenizer, tokenizer_file: Path) -> None:
    by_text = command("inspect", tokenizer_file, "--token", "lower")
    by_id = command("inspect", tokenizer_file, "--id", tokenizer.stoi["lower"])
    assert by_text.out == by_id.out
    assert by_text.out.splitlines()[0].startswith(f"lower: id {tokenizer.stoi['lower']}, 5 characters, made by merge 4")
    assert [line.split()[-1] for line in by_text.out.splitlines()[1:]] == [
        "lower", "low", "lo", "l", "o", "w", "er", "e", "r",
    ]  # fmt: skip
    document = command("inspect", tokenizer_file, "--token", "low", "--json").document
    assert document["merge_rank"] == 1
    missing = command("inspect", tokenizer_file, "--token", "wol")
    assert missing.code == 1
    assert "holds no token 'wol'" in missing.error


def test_fingerprint(command: RunCommand, tokenizer: BPETokenizer, tokenizer_file: Path) -> None:
    BPETokenizer("ab", []).save("a b.json")
    result = command("fingerprint", tokenizer_file, "a b.json")
    first, second = result.out.splitlines()
    assert first.split() == [tokenizer.fingerprint(), str(tokenizer_file)]
    assert second.endswith("  a b.json")
    assert command("fingerprint", tokenizer_file, "--check", tokenizer.fingerprint()).code == 0
    assert command("fingerprint", tokenizer_file, "--check", tokenizer.fingerprint()[:12].upper()).code == 0
    wrong = command("fingerprint", tokenizer_file, "a b.json", "--check", tokenizer.fingerprint(), "--json")
    assert wrong.code == 1
    assert "a b.json has the fingerprint" in wrong.error
    assert wrong.document["equal"] is False
