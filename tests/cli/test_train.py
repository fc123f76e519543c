"""`bpe-tui train`: a corpus in, a tokenizer out; interrupted and gone on with, it is the same tokenizer."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.bpe import reference

from .conftest import CORPUS, RunCommand, files_below


def test_train_a_folder(command: RunCommand, corpus: Path) -> None:
    result = command("train", corpus, "--target-vocab-size", 40, "--output", "new folder/t.json")
    assert result.code == 0, result.err
    base_tokens = sorted(set("".join(CORPUS.values())))
    merges, _ = reference.train(CORPUS["train"], 40, 2, base_tokens)
    tokenizer = BPETokenizer.from_file("new folder/t.json")
    assert tokenizer.merges == [merge.pair for merge in merges]
    assert f"fingerprint {tokenizer.fingerprint()}" in result.out
    assert "new folder/t.json" in result.out


def test_a_shipped_corpus_goes_by_its_name(command: RunCommand) -> None:
    result = command("train", "low-lower-lowest", "--output", "t.json")
    assert result.code == 0, result.err
    assert BPETokenizer.from_file("t.json").merges[:2] == [("l", "o"), ("lo", "w")]


def test_a_folder_of_the_users_goes_before_a_shipped_corpus(command: RunCommand) -> None:
    Path("low-lower-lowest").write_text("aaaa\n" * 20, "utf-8")
    assert command("train", "low-lower-lowest", "--output", "t.json").code == 0
    assert BPETokenizer.from_file("t.json").merges[0] == ("a", "a")


def test_train_a_single_file_says_how_it_was_cut(command: RunCommand) -> None:
    Path("one.txt").write_text("low lower lowest\n" * 100, encoding="utf-8")
    result = command("train", "one.txt", "--target-vocab-size", 20, "--json")
    assert result.code == 0, result.err
    characters = [split["characters"] for split in result.document["splits"]]
    assert sum(characters) == 1700
    assert characters == [17 * 90, 17 * 5, 17 * 5]
    assert "note: " in result.err


def test_all_training_characters(command: RunCommand, corpus: Path) -> None:
    result = command("train", corpus, "--training-characters", "all", "--target-vocab-size", 20, "--json")
    assert result.document["training"]["training_characters"] == len(CORPUS["train"])
    result = command("train", corpus, "--training-characters", "1,000", "--target-vocab-size", 20, "--json")
    assert result.document["training"]["training_characters"] == 1000


def test_the_corpus_may_be_named_before_the_command(command: RunCommand, corpus: Path) -> None:
    assert command("--corpus", corpus, "train", "--target-vocab-size", 20).code == 0


def test_another_tokenizer_is_kept_unless_overwrite(command: RunCommand, corpus: Path) -> None:
    output = Path("tokenizer/bpe_tokenizer.json")
    assert command("train", corpus, "--target-vocab-size", 20).code == 0
    before = output.read_bytes()
    result = command("train", corpus, "--target-vocab-size", 25)
    assert result.code == 1
    assert "holds another tokenizer" in result.error
    assert output.read_bytes() == before
    assert command("train", corpus, "--target-vocab-size", 25, "--overwrite").code == 0
    assert BPETokenizer.from_file(output).vocab_size == 25


@pytest.fixture
def checkpoint(command: RunCommand, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint left behind by ctrl+c after some merges."""
    from bpe_tui.cli.figures import MergeLines

    def interrupt_after_some(self: MergeLines, snapshot: object) -> None:
        if snapshot.merges:  # type: ignore[attr-defined]
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(MergeLines, "__call__", interrupt_after_some)
        result = command("train", corpus, "--target-vocab-size", 40, "--checkpoint", "kept/run.json")
    assert result.code == 130
    assert "--resume kept/run.json" in result.error
    assert not Path("tokenizer").exists()
    return Path("kept/run.json")


def test_resuming_gives_what_never_stopping_gives(command: RunCommand, corpus: Path, checkpoint: Path) -> None:
    resumed = command("train", corpus, "--resume", checkpoint, "--output", "resumed.json")
    assert resumed.code == 0, resumed.err
    assert "going on from kept/run.json" in resumed.out
    assert command("train", corpus, "--target-vocab-size", 40, "--output", "straight.json").code == 0
    assert Path("resumed.json").read_bytes() == Path("straight.json").read_bytes()


def test_resuming_to_a_larger_target(command: RunCommand, corpus: Path, checkpoint: Path) -> None:
    assert command("train", corpus, "--resume", checkpoint, "--target-vocab-size", 50, "--output", "a.json").code == 0
    assert command("train", corpus, "--target-vocab-size", 50, "--output", "b.json").code == 0
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()


def test_resuming_with_other_settings_is_refused(command: RunCommand, corpus: Path, checkpoint: Path) -> None:
    result = command("train", corpus, "--resume", checkpoint, "--minimum-pair-frequency", 3)
    assert result.code == 2
    assert "--minimum-pair-frequency 2, which cannot change now" in result.error
    smaller = command("train", corpus, "--resume", checkpoint, "--target-vocab-size", 30)
    assert smaller.code == 1
    assert "not larger than the present one of 40" in smaller.error


def test_resuming_on_another_corpus_is_refused(
    command: RunCommand, corpus: Path, checkpoint: Path, at_home: Path
) -> None:
    (corpus / "train.txt").write_text(CORPUS["train"].replace("low", "owl"), encoding="utf-8")
    before = files_below(at_home)
    result = command("train", corpus, "--resume", checkpoint)
    assert result.code == 1
    assert "not the one that this checkpoint was trained on" in result.error
    assert files_below(at_home) == before


def test_a_checkpoint_that_is_none(command: RunCommand, corpus: Path) -> None:
    Path("none.json").write_text("{}", encoding="utf-8")
    result = command("train", corpus, "--resume", "none.json")
    assert result.code == 1
    assert "none.json" in result.error
