"""Cleaning WikiText: each rule, the laws they keep, and what happens to files."""

from __future__ import annotations

import errno
import os
import re
from typing import IO, TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bpe_tui.corpus import clean, clean_splits
from bpe_tui.corpus.cleaning import clean_blocks, is_heading
from bpe_tui.errors import Cancelled, CorpusError

if TYPE_CHECKING:
    from pathlib import Path

WIKITEXT = """ \n = Robert <unk> = \n \n Robert <unk> is an English film actor . He had a guest @-@ starring role . \n
 = = Career = = \n \n \n In 2006 , it took 1 @,@ 234 @.@ 5 pounds . \n"""
CLEANED = (
    "= Robert <unk> =\n\nRobert <unk> is an English film actor . He had a guest-starring role .\n\n"
    "= = Career = =\n\nIn 2006 , it took 1,234.5 pounds .\n"
)


def test_an_example() -> None:
    assert clean(WIKITEXT) == CLEANED


def test_without_headings() -> None:
    assert clean(WIKITEXT, headings=False) == (
        "Robert <unk> is an English film actor . He had a guest-starring role .\n\nIn 2006 , it took 1,234.5 pounds .\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a @-@ b\n", "a-b\n"),
        ("a @-@ b @-@ c\n", "a-b-c\n"),
        ("1 @,@ 000 @.@ 5\n", "1,000.5\n"),
        ("a @-@b @ - @ c\n", "a @-@b @ - @ c\n"),  # only the marks themselves
        ("mail @ example , x\n", "mail @ example , x\n"),
        (" a \t\n\tb\r\n", "a\nb\n"),
        ("a\u00a0\n", "a\u00a0\n"),  # other spaces are text
        ("a\n\n \n\n\nb\n", "a\n\nb\n"),
        ("\n \n\na\n\n\n", "a\n"),
        ("a", "a\n"),
        ("", ""),
        (" \n \n", ""),
        ("= A =\n= B =\n", "= A =\n= B =\n"),
    ],
)
def test_rules(before: str, after: str) -> None:
    assert clean(before) == after


@pytest.mark.parametrize("line", ["= A =", "= = A b = =", "= = = A = = =", "= A = B ="])
def test_headings(line: str) -> None:
    assert is_heading(line)


@pytest.mark.parametrize("line", ["A", "= A", "A =", "= = A =", "= =", "=", "=A=", "", "x = y", "= = ="])
def test_no_headings(line: str) -> None:
    assert not is_heading(line)


LINES = st.lists(
    st.sampled_from(["a", " ", "\t", "\n", "\r", "=", "= ", " =", " @-@ ", " @,@ ", "@", "-"]), max_size=60
).map("".join)
MARKED = re.compile(" @[-,.]@ ")


@settings(max_examples=500)
@given(LINES, st.booleans())
def test_cleaning_twice_is_cleaning_once(text: str, headings: bool) -> None:
    once = clean(text, headings=headings)
    assume(not MARKED.search(once))  # made-up text, in which undoing a mark forms another
    assert clean(once, headings=headings) == once


@settings(max_examples=500)
@given(LINES, st.booleans(), st.integers(1, 20))
def test_blocks_do_not_matter(text: str, headings: bool, characters: int) -> None:
    blocks = clean_blocks(text, headings=headings, block_characters=characters)
    assert "".join(blocks) == clean(text, headings=headings)


@settings(max_examples=300)
@given(LINES)
def test_a_clean_text_is_tidy(text: str) -> None:
    lines = clean(text).split("\n")
    assert lines[-1] == ""
    assert all(line == line.strip(" \t\r") for line in lines)
    assert "\n\n\n" not in "\n".join(lines)
    assert lines == [""] or (lines[0] and lines[-2])


# -- files

NAMES = ["wikitext2_train_clean.txt", "wikitext2_val_clean.txt", "wikitext2_test_clean.txt"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "wiki text, größe"
    folder.mkdir()
    for name in ("wiki.train.tokens", "wiki.valid.tokens", "wiki.test.tokens"):
        (folder / name).write_text(f" = {name} = \n" + WIKITEXT, newline="")
    return folder


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_three_files_are_written(source: Path, tmp_path: Path) -> None:
    heard: set[object] = set()
    cleaned = clean_splits(source, tmp_path / "a" / "b", report=lambda *step: heard.add(step[0]))
    assert names_in(tmp_path / "a" / "b") == sorted(NAMES)
    assert [split.path.name for split in cleaned.splits] == NAMES
    for split in cleaned.splits:
        content = split.path.read_bytes().decode()
        assert content == f"= {split.source.name} =\n\n" + CLEANED
        assert len(content) == split.characters < split.characters_before
    assert heard >= {"reading wiki.train.tokens", "cleaning train", "cleaning val", "cleaning test"}


def test_cleaned_files_are_a_corpus(source: Path, tmp_path: Path) -> None:
    from bpe_tui.corpus import read_splits

    clean_splits(source, tmp_path / "out", headings=False)
    assert [split.source.name for split in read_splits(tmp_path / "out")] == NAMES
    assert "= =" not in read_splits(tmp_path / "out").train.text


def test_nothing_is_replaced_unasked(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / NAMES[1]).write_text("precious")
    with pytest.raises(CorpusError, match=r"already holds wikitext2_val_clean\.txt.*--overwrite"):
        clean_splits(source, out)
    assert names_in(out) == [NAMES[1]]
    assert (out / NAMES[1]).read_text() == "precious"
    clean_splits(source, out, overwrite=True)
    assert (out / NAMES[1]).read_text().startswith("= wiki.valid")


def test_cleaning_into_the_same_folder_takes_the_published_text(source: Path) -> None:
    first = [split.path.read_bytes() for split in clean_splits(source, source).splits]
    again = clean_splits(source, source, overwrite=True)
    assert [split.source.suffix for split in again.splits] == [".tokens"] * 3
    assert [split.path.read_bytes() for split in again.splits] == first


def test_a_single_file_is_cut_and_cleaned(tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text(" a line @-@ here \n" * 100)
    cleaned = clean_splits(tmp_path / "all.txt", tmp_path / "out")
    assert "".join(split.path.read_text() for split in cleaned.splits) == "a line-here\n" * 100
    assert "one file" in cleaned.notes[0]


def test_a_full_disk_leaves_nothing(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    calls = []

    def fsync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(CorpusError, match=f"{re.escape(str(out))} cannot be written: No space left"):
        clean_splits(source, out)
    assert names_in(out) == []


def test_cancelling_leaves_nothing(source: Path, tmp_path: Path) -> None:
    def report(step: str, done: int, total: int) -> None:
        if step == "cleaning test" and done:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        clean_splits(source, tmp_path / "out", report=report)
    assert names_in(tmp_path / "out") == []


def test_a_destination_that_is_a_file(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(CorpusError, match="cannot be written"):
        clean_splits(source, tmp_path / "out")


def test_a_source_without_splits(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="looked for"):
        clean_splits(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_writer_that_fails_midway(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old files stay whole when the new ones cannot be written."""
    out = tmp_path / "out"
    clean_splits(source, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def blocks(text: str, *, headings: bool) -> IO[bytes]:
        if "wiki.test.tokens" in text:
            raise OSError(errno.EIO, "Input/output error")
        return iter(["new\n"])  # type: ignore[return-value]

    monkeypatch.setattr("bpe_tui.corpus.cleaning.clean_blocks", blocks)
    with pytest.raises(CorpusError, match="nothing was changed"):
        clean_splits(source, out, overwrite=True)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_wikitext_2(shared: Path, tmp_path: Path) -> None:
    cleaned = clean_splits(shared / "data" / "wikitext-2", tmp_path)
    for split in cleaned.splits:
        text = split.path.read_text("utf-8")
        assert not MARKED.search(text)
        assert clean(text) == text
        # Nothing but spaces, line ends and marks went.
        kept = re.sub(r"\s", "", split.source.read_text("utf-8"))
        assert re.sub("@([-,.])@", r"\1", kept) == re.sub(r"\s", "", text)
