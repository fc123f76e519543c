"""Encoding block by block gives what encoding the whole gives, and never holds more than a few blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer, MissingCharactersError
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.preparation import AddedToken, Preparation
from bpe_tui.bpe.pretokenize import rule
from bpe_tui.bpe.special import SpecialTokenError
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.corpus import SplitFile, SplitFiles, Splits, SplitText, find_splits, read_splits
from bpe_tui.dataset import EncodedDataset, coding, encode_splits, encoding
from bpe_tui.dataset.tensors import read_ids
from bpe_tui.errors import Cancelled, CorpusError, DatasetError
from bpe_tui.progress import Report, silent

from .conftest import MakeSplits

PROSE = "the lower, the slower: 42 lows und größere Höhen.\n 日本語 😀  "
SPECIALS = ("<|end|>", "the lower")
BYTES = ByteBPETokenizer.train(PROSE * 3, 300, verbose=False)
WITH_SPECIALS = ByteBPETokenizer.train(PROSE * 3, 300, verbose=False, special_tokens=SPECIALS)
TOKENIZERS: dict[str, BPETokenizer] = {
    "characters": BPETokenizer.train(PROSE * 3, 60, verbose=False),
    "words": WordBPETokenizer.train(PROSE * 3, 90, verbose=False, special_tokens=SPECIALS),
    "separated words": WordBPETokenizer.train(PROSE * 3, 90, verbose=False, punctuation="separate"),
    "bytes": BYTES,
    "bytes with special tokens": WITH_SPECIALS,
    "bytes with added tokens": WITH_SPECIALS.with_changes(preparation=Preparation((AddedToken("low 4", 400),))),
    "bytes, normalised": BYTES.with_changes(preparation=Preparation(normalization="NFC", prefix_space=True)),
    "bytes, none": ByteBPETokenizer.train(PROSE, 270, verbose=False, rule="none"),
    "bytes, own pattern": ByteBPETokenizer.train(PROSE, 270, verbose=False, rule=rule("pattern", r"\w+| ")),
}
PARTS = ["the lower", "the low", "er", " ", "\n", "slower", "größere", "日本", "😀", ", ", "42", "low", "<|end|>"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    make_small(monkeypatch)


def make_small(monkeypatch: pytest.MonkeyPatch, size: int = 16) -> None:
    monkeypatch.setattr(coding, "TEXT_BLOCK", size)
    monkeypatch.setattr(coding, "BYTE_BLOCK", size)
    monkeypatch.setattr("bpe_tui.corpus.model.BLOCK", 5)
    monkeypatch.setattr("bpe_tui.bpe.cuts.WINDOW", 3)


def outcome(dataset: EncodedDataset) -> list[Any]:
    """Everything there is to say but where it lies."""
    return [
        (replace(split, path=Path()), split.special_tokens, read_ids(split.path).tolist()) for split in dataset.splits
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(list(TOKENIZERS)),
    parts=st.tuples(*[st.lists(st.sampled_from(PARTS), max_size=30)] * 3),
    size=st.integers(1, 40),
    special=st.sampled_from(["text", "special"]),
)
def test_blocks_of_any_size_give_what_the_whole_gives(
    kind: str,
    parts: tuple[list[str], ...],
    size: int,
    special: str,
    make_splits: MakeSplits,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tokenizer = TOKENIZERS[kind]
    texts = ["".join(part for part in found if tokenizer.covers(part)) for found in parts]
    splits = make_splits(*texts)
    whole = encode_splits(tokenizer, splits, tmp_path_factory.mktemp("whole"), special=special)
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch, size)
        folder = tmp_path_factory.mktemp("blocks")
        blocks = encode_splits(tokenizer, splits, folder, special=special, file_format="npy")
    assert outcome(blocks) == outcome(whole)
    for split, encoded in zip(splits, whole.splits, strict=True):
        assert read_ids(encoded.path).tolist() == tokenizer.encode_array(split.text, special=special).tolist()


@pytest.mark.parametrize("kind", ["characters", "words", "bytes", "bytes with special tokens"])
def test_a_file_that_is_read_on_the_way_gives_what_its_text_gives(kind: str, tmp_path: Path) -> None:
    """More than one piece of a file, more than one block, with a byte order mark and a byte that is no text."""
    for name, text in (("train", PROSE * 40_000), ("val", PROSE), ("test", "")):
        (tmp_path / f"{name}.txt").write_bytes(b"\xef\xbb\xbf" + text.encode())
    tokenizer = TOKENIZERS[kind]
    read, found = read_splits(tmp_path), find_splits(tmp_path)
    assert isinstance(found, SplitFiles)
    one = encode_splits(tokenizer, read, tmp_path / "one")
    other = encode_splits(tokenizer, found, tmp_path / "other")
    assert outcome(one) == outcome(other)
    for name in ("train", "val", "test"):
        first, second = (tmp_path / folder / f"{name}_ids.pt" for folder in ("one", "other"))
        assert first.read_bytes() == second.read_bytes()
    assert [split.facts() for split in found] == [split.facts() for split in read]


def test_a_byte_that_is_no_text_in_the_last_file_leaves_nothing(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name in ("train", "val", "test"):
        (corpus / f"{name}.txt").write_bytes(b"low" if name != "test" else b"low\nl\xe9w")
    with pytest.raises(CorpusError, match=r"test\.txt: byte 0xE9 at byte offset 5, line 2"):
        encode_splits(BYTES, find_splits(corpus), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("small")
def test_missing_characters_of_all_blocks_are_named_with_their_places_in_the_split(
    make_splits: MakeSplits, tmp_path: Path
) -> None:
    tokenizer = BPETokenizer("abc ", [("a", "b")])
    text = "abc " * 10 + "é" + "abc " * 10 + "ü" + "abc é"
    for texts in ((text, "", ""), ("abc", text, "")):
        with pytest.raises(MissingCharactersError) as caught:
            encode_splits(tokenizer, make_splits(*texts), tmp_path / "out")
        found = [(entry.character, entry.count, entry.first_position) for entry in caught.value.missing]
        assert found == [("é", 2, 40), ("ü", 1, 81)]


@pytest.mark.usefixtures("small")
def test_characters_that_only_special_tokens_have_are_not_missing(make_splits: MakeSplits, tmp_path: Path) -> None:
    tokenizer = WordBPETokenizer.train("low lower", 20, verbose=False, special_tokens=["<|end|>"])
    text = "low <|end|> lower " * 20
    dataset = encode_splits(tokenizer, make_splits(text, text, text), tmp_path, special="special")
    assert [split.special_tokens for split in dataset.splits] == [20, 20, 20]
    with pytest.raises(MissingCharactersError, match=r"the val split, .* first at character 363"):
        encode_splits(tokenizer, make_splits(text, text + "lowé<", text), tmp_path, special="special")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", ["bytes with special tokens", "words"])
def test_a_refused_special_token_is_named_with_its_place_in_the_split(
    kind: str, make_splits: MakeSplits, tmp_path: Path
) -> None:
    text = "slower " * 20 + "the lower"
    with pytest.raises(SpecialTokenError, match=r"'the lower' stands in the text at character 140"):
        encode_splits(TOKENIZERS[kind], make_splits(text), tmp_path / "out", special="error")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("file_format", ["pt", "npy"])
def test_cancelling_at_any_report_of_many_blocks_leaves_nothing(
    file_format: Any, make_splits: MakeSplits, tmp_path: Path
) -> None:
    splits = make_splits("low lower lowest\n" * 5, "lowest low\n" * 3)
    for allowed in range(1000):
        left = allowed

        def report(*_: object) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Cancelled("by the test")

        try:
            encode_splits(BYTES, splits, tmp_path / "out", file_format=file_format, report=report)
        except Cancelled:
            assert list(tmp_path.iterdir()) == []
        else:
            break
    assert allowed > 20


@pytest.mark.usefixtures("small")
def test_a_block_that_decodes_to_something_else_is_found(
    make_splits: MakeSplits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    splits = make_splits("low lower lowest\n" * 5, "lowest low\n" * 3)
    encode = BYTES.encoder().encode_bytes

    def wrong(content: bytes, report: Report = silent) -> Any:
        ids = encode(content, report)
        return ids if b"lowest low" not in content else np.roll(ids, 1)

    monkeypatch.setattr(BYTES.encoder(), "encode_bytes", wrong)
    with pytest.raises(DatasetError, match="the val split did not survive encoding and decoding; nothing was written"):
        encode_splits(BYTES, splits, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


class Watched(SplitText):
    """A split that takes down how many blocks were asked for, and how many of them were written by then."""

    given = 0
    written = 0
    most = 0

    def utf8_blocks(self, report: Report = silent) -> Iterator[bytes]:
        for block in super().utf8_blocks(report):
            Watched.given += 1
            Watched.most = max(Watched.most, Watched.given - Watched.written)
            yield block


def test_only_a_few_blocks_are_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "BYTE_BLOCK", 1)
    monkeypatch.setattr("bpe_tui.corpus.model.BLOCK", 10)
    write = encoding._Work.write

    def slowly(self: Any, ids: Any) -> None:
        write(self, ids)
        Watched.written += 1

    monkeypatch.setattr(encoding._Work, "write", slowly)
    text = "0 2 4 6 8\n" * 500
    train, val, test = (Watched(name, text, tmp_path, len(text)) for name in ("train", "val", "test"))  # type: ignore[arg-type]
    encode_splits(BYTES, Splits(train, val, test), tmp_path / "out")
    assert Watched.given == 1500
    # Those the helpers have, the one that is encoded and the one that is read.
    assert Watched.most <= encoding.AHEAD + 3


def test_another_format_takes_the_place_of_the_first(splits: Splits, tokenizer: BPETokenizer, tmp_path: Path) -> None:
    first = encode_splits(tokenizer, splits, tmp_path)
    second = encode_splits(tokenizer, splits, tmp_path, file_format="npy")
    assert replace(first, splits=second.splits) == second
    assert [split.ids_sha256 for split in first.splits] == [split.ids_sha256 for split in second.splits]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "manifest.json", "test_ids.npy", "train_ids.npy", "val_ids.npy",
    ]  # fmt: skip


def test_a_split_file_knows_what_reading_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffgröße\r\n".encode("utf-16-le"))
    split = SplitFile("train", tmp_path / "a.txt", 18)
    facts = split.facts()
    assert (facts.characters, facts.bytes) == (7, 16)
    assert facts.notes == ("decoded as UTF-16 little-endian", "1 carriage return (U+000D) kept")
    assert b"".join(split.utf8_blocks()) == "größe\r\n".encode()


@pytest.mark.parametrize("kind", ["bytes", "characters"])
def test_a_split_that_is_cut_short_while_it_is_encoded_gives_no_data_set(kind: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.txt" for name in ("train", "val", "test")]
    for file in files:
        file.write_text(PROSE * 20_000, encoding="utf-8")
    reports = 0

    def report(step: str, _: int, __: int) -> None:
        nonlocal reports
        reports += step == "encoding train"
        if reports == 3:
            files[0].write_text(PROSE, encoding="utf-8")

    train, val, test = (SplitFile(file.stem, file, file.stat().st_size) for file in files)  # type: ignore[arg-type]
    with pytest.raises(CorpusError, match=r"train\.txt was written to while it was read"):
        encode_splits(TOKENIZERS[kind], SplitFiles(train, val, test), tmp_path / "out" / "deep", report=report)
    assert not (tmp_path / "out").exists()
