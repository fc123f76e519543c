"""From a folder, a file or three files to the three splits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui.corpus import SplitFiles, Splits, cut_text, find_splits, read_splits
from bpe_tui.errors import Cancelled, CorpusError

if TYPE_CHECKING:
    from pathlib import Path

CLEANED = ("wikitext2_train_clean.txt", "wikitext2_val_clean.txt", "wikitext2_test_clean.txt")
TOKENS = ("wiki.train.tokens", "wiki.valid.tokens", "wiki.test.tokens")
RAW = ("wiki.train.raw", "wiki.valid.raw", "wiki.test.raw")
PLAIN = ("train.txt", "val.txt", "test.txt")


def fill(folder: Path, names: tuple[str, ...]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(f"text of {name}\n")
    return folder


@pytest.mark.parametrize(
    "names",
    [
        CLEANED,
        TOKENS,
        RAW,
        PLAIN,
        ("train.txt", "valid.txt", "test.txt"),
        ("train.txt", "validation.txt", "test.txt"),
    ],
)
def test_splits_are_found_by_name(tmp_path: Path, names: tuple[str, ...]) -> None:
    splits = read_splits(fill(tmp_path / "my corpus, größe", (*names, "README.md", "trainer.txt")))
    assert [split.name for split in splits] == ["train", "val", "test"]
    assert [split.text for split in splits] == [f"text of {name}\n" for name in names]
    assert [split.source.name for split in splits] == list(names)
    assert splits.name == "my corpus, größe"
    assert splits.notes == ()


def test_the_order_of_the_schemes_is_documented_and_told(tmp_path: Path) -> None:
    for names in (PLAIN, RAW, TOKENS, CLEANED):  # each goes before the ones already there
        splits = read_splits(fill(tmp_path, names))
        assert [split.source.name for split in splits] == list(names)
        assert bool(splits.notes) == (names != PLAIN)
    assert splits.notes[0].startswith("took wikitext2_train_clean.txt, ")
    for name in (*TOKENS, *RAW, *PLAIN):
        assert name in splits.notes[0]


def test_a_half_set_does_not_win(tmp_path: Path) -> None:
    fill(tmp_path, CLEANED[:2])
    splits = read_splits(fill(tmp_path, PLAIN))
    assert [split.source.name for split in splits] == list(PLAIN)
    assert "also holds wikitext2_train_clean.txt, wikitext2_val_clean.txt, not used" in splits.notes[0]


def test_two_names_for_val(tmp_path: Path) -> None:
    splits = read_splits(fill(tmp_path, (*PLAIN, "valid.txt")))
    assert splits.val.source.name == "val.txt"
    assert "valid.txt, not used" in splits.notes[0]


def test_a_missing_split_is_named_with_what_was_looked_for_and_where(tmp_path: Path) -> None:
    fill(tmp_path, ("train.txt", "test.txt"))
    with pytest.raises(CorpusError) as raised:
        read_splits(tmp_path)
    message = str(raised.value)
    for part in (
        str(tmp_path),
        "no val",
        "val.txt or valid.txt or validation.txt",
        "train.txt, test.txt",
        "--val FILE",
    ):
        assert part in message
    assert "\n" not in message
    assert raised.value.file == tmp_path


def test_an_empty_folder_names_all_that_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as raised:
        read_splits(tmp_path)
    for part in ("no train, val and test", "wiki.{train,valid,test}.tokens", "{train,val|valid|validation,test}.txt"):
        assert part in str(raised.value)


def test_one_folder_too_high(tmp_path: Path) -> None:
    fill(tmp_path / "wikitext-2", TOKENS)
    with pytest.raises(CorpusError, match=r"did you mean .*wikitext-2"):
        read_splits(tmp_path)


def test_three_files_named_one_by_one(tmp_path: Path) -> None:
    fill(tmp_path, ("a.txt", "b b.txt", "ç.txt"))
    splits = read_splits(train=tmp_path / "a.txt", val=str(tmp_path / "b b.txt"), test=tmp_path / "ç.txt")
    assert [split.source.name for split in splits] == ["a.txt", "b b.txt", "ç.txt"]
    assert splits.name == tmp_path.name


def test_what_is_not_named_is_looked_for_in_the_folder(tmp_path: Path) -> None:
    fill(tmp_path / "folder", ("val.txt", "test.txt"))
    fill(tmp_path, ("mine.txt",))
    splits = read_splits(tmp_path / "folder", train=tmp_path / "mine.txt")
    assert [split.source.name for split in splits] == ["mine.txt", "val.txt", "test.txt"]
    with pytest.raises(CorpusError, match="no train"):
        read_splits(tmp_path / "folder", val=tmp_path / "mine.txt")


def test_named_files_without_the_rest(tmp_path: Path) -> None:
    fill(tmp_path, ("mine.txt",))
    with pytest.raises(CorpusError, match=r"val and test not named.*--val FILE, --test FILE"):
        read_splits(train=tmp_path / "mine.txt")
    with pytest.raises(CorpusError, match="no corpus named"):
        read_splits()
    with pytest.raises(CorpusError, match=r"none\.txt does not exist"):
        read_splits(train=tmp_path / "none.txt", val=tmp_path / "mine.txt", test=tmp_path / "mine.txt")


def test_the_same_file_twice_is_told(tmp_path: Path) -> None:
    fill(tmp_path, ("a.txt", "b.txt"))
    splits = read_splits(train=tmp_path / "a.txt", val=tmp_path / "b.txt", test=tmp_path / "b.txt")
    assert splits.notes == (f"val and test are the same file, {tmp_path / 'b.txt'}",)


def test_a_folder_in_the_place_of_a_file(tmp_path: Path) -> None:
    fill(tmp_path, ("train.txt", "val.txt"))
    (tmp_path / "test.txt").mkdir()
    with pytest.raises(CorpusError, match=r"test\.txt is a folder"):
        read_splits(tmp_path)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="does not exist"):
        read_splits(tmp_path / "nowhere")


def test_an_invalid_byte_in_one_split(tmp_path: Path) -> None:
    fill(tmp_path, PLAIN)
    (tmp_path / "val.txt").write_bytes(b"caf\xe9")
    with pytest.raises(CorpusError, match=r"val\.txt: byte 0xE9"):
        read_splits(tmp_path)
    splits = read_splits(tmp_path, invalid="replace")
    assert splits.val.text == "caf\ufffd"
    assert splits.val.notes
    assert not splits.train.notes


def test_cancelling_between_splits(tmp_path: Path) -> None:
    def report(step: str, done: int, total: int) -> None:
        if step == "reading val.txt":
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        read_splits(fill(tmp_path, PLAIN), report=report)


def test_base_characters_are_those_of_all_splits(tmp_path: Path) -> None:
    for name, text in zip(PLAIN, ("banana", "ζ", "😀a"), strict=True):
        (tmp_path / name).write_text(text, "utf-8")
    assert read_splits(tmp_path).base_characters() == ["a", "b", "n", "ζ", "😀"]


# -- one file


def test_one_file_is_cut_at_line_ends_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a book.txt"
    lines = [f"line {number:03} größe\n" for number in range(1000)]
    path.write_text("".join(lines), "utf-8")
    splits = read_splits(path)
    assert "".join(split.text for split in splits) == "".join(lines)
    assert [split.text.count("\n") for split in splits] == [900, 50, 50]
    assert [split.source for split in splits] == [path] * 3
    assert sum(split.bytes for split in splits) == path.stat().st_size
    assert splits.name == "a book"
    assert splits.notes == ("one file, cut into three at line ends: train 90.0%, val 5.0%, test 5.0%",)


def test_one_file_and_a_named_split_make_no_sense(tmp_path: Path) -> None:
    fill(tmp_path, ("book.txt", "val.txt"))
    with pytest.raises(CorpusError, match="is one file"):
        read_splits(tmp_path / "book.txt", val=tmp_path / "val.txt")


def test_one_long_line_is_cut_at_spaces() -> None:
    cut = cut_text("word " * 1000)
    assert (len(cut.train), len(cut.val), len(cut.test)) == (4500, 250, 250)
    assert "at spaces" in cut.note


def test_a_text_without_spaces_is_cut_anywhere() -> None:
    cut = cut_text("x" * 100)
    assert (len(cut.train), len(cut.val), len(cut.test)) == (90, 5, 5)
    assert "between characters" in cut.note


def test_old_line_ends() -> None:
    cut = cut_text("line\r" * 100)
    assert cut.test == "line\r" * 5
    assert "at line ends" in cut.note


def test_three_lines_make_three_splits() -> None:
    cut = cut_text("a\nbb\nccc\n")
    assert (cut.train, cut.val, cut.test) == ("a\n", "bb\n", "ccc\n")


@pytest.mark.parametrize("text", ["", "x", "xy", "\n", "\n\n"])
def test_too_short_to_cut(text: str) -> None:
    cut = cut_text(text)
    assert cut.train + cut.val + cut.test == text
    assert "too short" in cut.note


@settings(max_examples=500)
@given(st.text(st.sampled_from("ab \n\r"), max_size=60) | st.text(max_size=60))
def test_the_parts_joined_are_the_text(text: str) -> None:
    cut = cut_text(text)
    assert cut.train + cut.val + cut.test == text
    if len(text) >= 3:
        assert cut.train
        assert cut.val
        assert cut.test
    lines = text.split("\n")
    if "\n" in text and sum(1 for _ in lines) - (lines[-1] == "") >= 3:
        assert cut.train.endswith("\n")
        assert cut.val.endswith("\n")


@settings(max_examples=200)
@given(st.lists(st.integers(0, 30), min_size=40, max_size=200))
def test_no_line_end_is_nearer_to_the_first_cut(lengths: list[int]) -> None:
    text = "".join("x" * length + "\n" for length in lengths)
    cut = cut_text(text)
    target = round(len(text) * 0.9)
    ends = [place + 1 for place, character in enumerate(text) if character == "\n"][:-2]
    assert abs(len(cut.train) - target) <= min(abs(end - target) for end in ends)


def test_wikitext_2(shared: Path) -> None:
    splits = read_splits(shared / "data" / "wikitext-2")
    assert [split.bytes for split in splits] == [10_797_148, 1_121_681, 1_256_449]
    assert len(splits.base_characters()) == 283
    assert splits.name == "wikitext-2"


# -- splits that are found, and read on the way


def test_what_is_found_is_what_would_be_read(tmp_path: Path) -> None:
    folder = fill(tmp_path, (*PLAIN, *RAW))
    (folder / RAW[1]).write_bytes("\ufeffgröße\r\n".encode("utf-16-le"))
    found, read = find_splits(folder), read_splits(folder)
    assert isinstance(found, SplitFiles)
    assert (found.name, found.notes) == (read.name, read.notes)
    for split, text in zip(found, read, strict=True):
        assert (split.name, split.source, split.facts()) == (text.name, text.source, text.facts())
        for _ in range(2):  # as often as it is asked for
            assert "".join(split.blocks()) == "".join(text.blocks()) == text.text
            assert b"".join(split.utf8_blocks()) == b"".join(text.utf8_blocks()) == text.text.encode()


def test_a_single_file_is_read_since_it_is_to_be_cut(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("a line\n" * 100)
    found = find_splits(tmp_path / "book.txt")
    assert isinstance(found, Splits)
    assert found == read_splits(tmp_path / "book.txt")


def test_files_that_cannot_be_read_are_refused_before_any_is(tmp_path: Path) -> None:
    folder = fill(tmp_path, PLAIN)
    with pytest.raises(CorpusError, match=r"none\.txt does not exist"):
        find_splits(folder, test=folder / "none.txt")
    (folder / "val.txt").unlink()
    (folder / "val.txt").mkdir()
    with pytest.raises(CorpusError):
        find_splits(folder)


def test_a_reading_that_breaks_off_says_where(tmp_path: Path) -> None:
    folder = fill(tmp_path, PLAIN)
    (folder / "val.txt").write_bytes(b"fine\n" * 1_000_000 + b"\xff")
    given = find_splits(folder).val.utf8_blocks()
    assert next(given).startswith(b"fine\n")
    with pytest.raises(CorpusError) as caught:
        for _ in given:
            pass
    assert (caught.value.byte_offset, caught.value.line) == (5_000_000, 1_000_001)
    replaced = find_splits(folder, invalid="replace").val
    assert b"".join(replaced.utf8_blocks()) == b"fine\n" * 1_000_000 + "\ufffd".encode()
    assert replaced.facts().characters == 5_000_001
