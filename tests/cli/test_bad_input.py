"""Bad input: one line that names the file, the place and the cure, exit code 1, and nothing left behind."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch

from .conftest import RunCommand, files_below


def write_splits(folder: Path, train: bytes, val: bytes = b"low\n", test: bytes = b"low\n") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in (("train", train), ("val", val), ("test", test)):
        (folder / f"{name}.txt").write_bytes(data)


PROCESSED = Path("data/processed")


def test_an_empty_training_text(command: RunCommand, at_home: Path) -> None:
    write_splits(PROCESSED, b"")
    for result in (command("build"), command("train", PROCESSED)):
        assert result.code == 1
        assert "empty" in result.error
    assert set(files_below(at_home)) == {f"data/processed/{name}.txt" for name in ("train", "val", "test")}


@pytest.mark.usefixtures("corpus")
def test_a_target_below_the_base_vocabulary_says_the_least_possible(command: RunCommand) -> None:
    result = command("build", "--target-vocab-size", 5)
    assert result.code == 1
    # The characters of all three splits are base tokens.
    assert "least possible target is 15" in result.error
    assert not Path("tokenizer").exists()


def test_missing_splits_are_named(command: RunCommand) -> None:
    PROCESSED.mkdir(parents=True)
    (PROCESSED / "train.txt").write_text("low")
    result = command("build")
    assert result.code == 1
    assert "val" in result.error
    assert "test" in result.error
    assert str(PROCESSED) in result.error
    missing = command("train", "nowhere")
    assert missing.code == 1
    assert "nowhere" in missing.error


def test_an_invalid_byte_is_placed_and_can_be_replaced(command: RunCommand) -> None:
    write_splits(PROCESSED, b"low\nlower\nlo\xffwest\n")
    result = command("build", "--target-vocab-size", 20)
    assert result.code == 1
    assert "train.txt" in result.error
    assert "offset 12, line 3" in result.error
    assert "--invalid replace" in result.error
    replaced = command("build", "--target-vocab-size", 20, "--invalid", "replace")
    assert replaced.code == 0, replaced.err
    assert "1 invalid byte replaced" in replaced.out


@pytest.mark.usefixtures("tokenizer_file")
def test_missing_characters_are_named_before_any_work(command: RunCommand) -> None:
    result = command("encode", "low höw ü")
    assert result.code == 1
    assert result.raw == b""
    for words in ("'h' (U+0068, once, first at character 4)", "'ö' (U+00F6", "'ü' (U+00FC", "first at character 8"):
        assert words in result.error
    write_splits(PROCESSED, b"low\n", val="löw\n".encode())
    result = command("encode", "--splits", PROCESSED)
    assert result.code == 1
    assert "val split" in result.error
    assert "U+00F6" in result.error
    assert not Path("data/encoded_bpe").exists()


@pytest.mark.usefixtures("tokenizer_file")
@pytest.mark.parametrize("bad", ["18", "-1", "99999999999", "9" * 30])
def test_ids_out_of_range(command: RunCommand, bad: str) -> None:
    result = command("decode", "0", "1", bad)
    assert result.code == 1
    assert bad[:20] in result.error
    assert result.raw == b""


@pytest.mark.usefixtures("tokenizer_file")
@pytest.mark.parametrize("bad", ["x", "1.5", "0x10", "1e3", "\x1b[2J"])
def test_words_that_are_no_ids(command: RunCommand, bad: str) -> None:
    for result in (command("decode", "0", "1", bad), command("decode", stdin=f"[0, 1, {bad}]")):
        assert result.code == 1
        assert "number 3" in result.error
        assert "\x1b" not in result.err


def good_tokenizer() -> dict[str, object]:
    return {"type": "character_bpe", "base_tokens": ["a", "b"], "merges": [["a", "b"]], "vocab_size": 3}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "empty"),
        ("{", "line 1"),
        (json.dumps(good_tokenizer())[:-20], "cut off"),
        ("[]", "list"),
        (json.dumps({**good_tokenizer(), "type": "word_piece"}), "type"),
        (json.dumps({**good_tokenizer(), "fingerprint": "0" * 64}), "fingerprint"),
        (json.dumps({**good_tokenizer(), "vocab_size": 4}), "vocab_size"),
        (json.dumps({**good_tokenizer(), "merges": [["a", "c"]]}), "merges"),
        (json.dumps({**good_tokenizer(), "merges": "ab"}), "merges"),
        (json.dumps({**good_tokenizer(), "base_tokens": ["ab"]}), "base_tokens"),
        (json.dumps({**good_tokenizer(), "base_tokens": ["\ud800"]}), "base_tokens"),
    ],
)
@pytest.mark.parametrize("job", [["encode", "a", "--tokenizer"], ["inspect"], ["fingerprint"]])
def test_damaged_tokenizer_files_are_named_with_the_field(
    command: RunCommand, content: str, words: str, job: list[str]
) -> None:
    Path("bad one.json").write_text(content, encoding="utf-8")
    result = command(*job, "bad one.json")
    assert result.code == 1
    assert "bad one.json" in result.error
    assert words in result.error


@pytest.mark.parametrize("place", ["none.json", "."])
def test_a_tokenizer_that_is_not_there(command: RunCommand, place: str) -> None:
    result = command("inspect", place)
    assert result.code == 1
    assert place in result.error


def test_a_file_without_fingerprint_loads(command: RunCommand) -> None:
    Path("old.json").write_text(json.dumps(good_tokenizer()), encoding="utf-8")
    assert command("encode", "abba", "--tokenizer", "old.json").out == "2 1 0\n"


@pytest.mark.usefixtures("tokenizer_file")
def test_an_argument_that_is_not_utf8(command: RunCommand) -> None:
    """Python hands such bytes over as lone surrogates."""
    result = command("encode", "low\udcff")
    assert result.code == 1
    assert "argument 1 is not valid UTF-8 at character 3" in result.error


@pytest.mark.usefixtures("tokenizer_file")
def test_standard_input_that_is_not_utf8(command: RunCommand) -> None:
    result = command("encode", stdin=b"low\nlo\xed\xa0\x80")
    assert result.code == 1
    assert "standard input" in result.error
    assert "offset 6, line 2" in result.error


def test_files_in_place_of_folders(command: RunCommand, corpus: Path, at_home: Path) -> None:
    (at_home / "file").write_text("mine", encoding="utf-8")
    before = files_below(at_home)
    small = ["--target-vocab-size", 30]
    for options in (
        ["--tokenizer-output", "file/t.json"],
        ["--encoded-output-dir", "file"],
        ["--encoded-output-dir", "file/x"],
    ):
        result = command("build", *small, *options)
        assert result.code == 1
        assert "file" in result.error
        assert "not a folder" in result.error
        assert "name another" in result.error
    assert files_below(at_home) == before
    assert command("train", corpus, *small, "--output", corpus).code == 1
    assert files_below(at_home) == before


needs_fifos = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@needs_fifos
@pytest.mark.usefixtures("tokenizer_file")
def test_pipes_and_circles_of_links_are_not_replaced(command: RunCommand, corpus: Path) -> None:
    """A rename over a pipe or, for root, over /dev/null would take it away from everybody who uses it."""
    os.mkfifo("pipe")
    Path("circle").symlink_to("other")
    Path("other").symlink_to("circle")
    small = ["--target-vocab-size", 30, "--overwrite"]
    for place, words in (("pipe", "a device or pipe stands there"), ("circle", "go round in a circle")):
        for arguments in (
            ["train", corpus, *small, "--output", place],
            ["train", corpus, *small, "--output", "good.json", "--checkpoint", place],
            ["build", *small, "--tokenizer-output", place],
            ["decode", "0", "--output", place],
        ):
            result = command(*arguments)
            assert result.code == 1
            assert place in result.error
            assert words in result.error
    assert Path("pipe").is_fifo()
    assert Path("circle").is_symlink()
    assert not Path("good.json").exists()


@needs_fifos
@pytest.mark.usefixtures("tokenizer_file")
def test_pipes_are_not_waited_for(command: RunCommand, corpus: Path) -> None:
    """Nobody writes into them: whoever opened one plainly would wait for ever."""
    os.mkfifo("pipe.pt")
    for arguments in (
        ["decode", "--file", "pipe.pt"],
        ["train", corpus, "--resume", "pipe.pt"],
        ["inspect", "pipe.pt"],
        ["corpus", "show", "pipe.pt"],
    ):
        result = command(*arguments)
        assert result.code == 1
        assert "pipe.pt" in result.error


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc, in which nobody may make folders")
def test_a_folder_that_cannot_be_written(command: RunCommand, corpus: Path, at_home: Path) -> None:
    before = files_below(at_home)
    result = command("build", "--target-vocab-size", 30, "--tokenizer-output", "/proc/bpe-tui/t.json")
    assert result.code == 1
    assert "/proc/bpe-tui" in result.error
    assert files_below(at_home) == before


@pytest.mark.usefixtures("tokenizer_file")
def test_tensors_that_are_none(command: RunCommand) -> None:
    Path("text.pt").write_text("no tensor", encoding="utf-8")
    torch.save(torch.tensor([[0.5]]), "floats.pt")
    for name in ("text.pt", "floats.pt", "none.pt"):
        result = command("decode", "--file", name)
        assert result.code == 1
        assert name in result.error


def test_wrong_usage_has_exit_code_2(command: RunCommand, tokenizer_file: Path) -> None:
    for arguments in (
        ["no-such-command"],
        ["build", "--no-such-option"],
        ["build", "--target-vocab-size", "many"],
        ["build", "--target-vocab-size", "0"],
        ["train"],
        ["encode", "text", "--file", "x"],
        ["encode", "text", "--splits", "x"],
        ["inspect"],
        ["fingerprint", tokenizer_file, "--check", "xyz"],
        ["build", "--\x1b[31m"],
    ):
        result = command(*arguments)
        assert result.code == 2, arguments
        assert result.error.startswith("error: ")
        assert "\x1b" not in result.err
