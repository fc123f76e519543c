"""`bpe-tui lm`: from a text to a sample, with every refusal in words and nothing lost on the way."""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from bpe_tui.dataset import read_manifest
from bpe_tui.session.job import Job

from .conftest import RunCommand
from .test_import_hygiene import loaded_by

TINY = ["--block-size", 8, "--embedding-dim", 16, "--num-heads", 2, "--num-layers", 1, "--batch-size", 4]
SHORT = [*TINY, "--steps", 12, "--evaluations", 2, "--samples", 1]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def encoded(command: RunCommand, corpus: Path) -> Path:
    """What `build` leaves: a tokenizer and encoded splits where the commands look for them."""
    result = command("build", "--target-vocab-size", 40, "--quiet")
    assert result.code == 0, result.err
    return Path("data/encoded_bpe")


@pytest.fixture
def trained(command: RunCommand, encoded: Path) -> Path:
    result = command("lm", "train", *SHORT)
    assert result.code == 0, result.err
    return Path("checkpoints/bpe")


def test_from_a_text_to_a_sample(command: RunCommand, corpus: Path) -> None:
    assert command("build", "--target-vocab-size", 40).code == 0
    trained = command("lm", "train", *TINY, "--steps", 150, "--learning-rate", 0.01, "--json")
    assert trained.code == 0, trained.err
    document = trained.document
    assert document["vocab_size"] == 40
    assert document["progress"]["step"] == 150
    measured = command("lm", "eval", "--split", "val", "--json")
    assert measured.code == 0, measured.err
    assert {key: measured.document[key] for key in document["validation"]} == document["validation"]
    assert measured.document["characters"] == read_manifest(Path("data/encoded_bpe")).splits[1].characters
    # It has learned something: on what it saw, a third of what knowing nothing costs.
    split = read_manifest(Path("data/encoded_bpe")).splits[0]
    learned = command("lm", "eval", "--split", "train", "--json").document
    assert learned["bits_per_character"] < 0.33 * math.log2(40) * split.tokens / split.characters
    sampled = command("lm", "sample", "--prompt", "low ", "--tokens", 30, "--seed", 3)
    assert sampled.code == 0, sampled.err
    assert sampled.out.startswith("low ")
    assert len(sampled.out) > 4 + 30 // 2
    assert command("lm", "sample", "--prompt", "low ", "--tokens", 30, "--seed", 3).raw == sampled.raw


@pytest.mark.parametrize("alphabet", ["bytes", "words"])
def test_tokenizers_of_other_kinds(command: RunCommand, corpus: Path, alphabet: str) -> None:
    size = {"bytes": 280, "words": 40}[alphabet]
    built = command("build", "--alphabet", alphabet, "--target-vocab-size", size, "--quiet")
    assert built.code == 0, built.err
    trained = command("lm", "train", *SHORT)
    assert trained.code == 0, trained.err
    measured = command("lm", "eval", "--split", "val", "--json")
    assert measured.code == 0, measured.err
    # The corpus has one space or newline behind each word, so words lose nothing of its length.
    assert measured.document["characters"] == read_manifest(Path("data/encoded_bpe")).splits[1].characters
    sampled = command("lm", "sample", "--prompt", "low", "--tokens", 30)
    assert sampled.code == 0, sampled.err
    assert sampled.out.startswith("low ") if alphabet == "words" else sampled.out.startswith("low")


def test_what_training_says(command: RunCommand, encoded: Path) -> None:
    result = command("lm", "train", *SHORT)
    assert result.code == 0, result.err
    for words in (
        "parameters in embeddings and",
        "budget: 12 steps",
        "step 6 (50%)  val ",
        "step 12 (100%)  val ",
        "bits per character",
        "tokens/s",
        "characters/s",
        "ETA",
        "sample:",
        "in windows of 8 that move on by 4",
    ):
        assert words in result.out
    assert command("lm", "train", *SHORT, "--overwrite", "--quiet").out == ""


def test_a_batch_size_changes_no_figure(command: RunCommand, trained: Path) -> None:
    figures = [command("lm", "eval", "--batch-size", size, "--json").document["nats"] for size in (1, 5, 64)]
    assert figures == pytest.approx([figures[0]] * 3, rel=1e-7)


def test_evaluating_says_window_and_stride(command: RunCommand, trained: Path) -> None:
    result = command("lm", "eval", "--stride", 2)
    assert result.code == 0, result.err
    assert "in windows of 8 that move on by 2" in result.out
    assert command("lm", "eval", "--stride", 9).error.startswith("error: stride is 9")


def test_a_training_that_is_there_is_neither_lost_nor_changed(command: RunCommand, trained: Path) -> None:
    before = (trained / "checkpoint.pt").read_bytes()
    refused = command("lm", "train", *SHORT)
    assert refused.code == 1
    assert "give --resume to go on with it" in refused.error
    changed = command("lm", "train", "--resume", "--learning-rate", 0.5)
    assert changed.code == 2
    assert "with its own --learning-rate" in changed.error
    assert command("lm", "train", "--resume", "--overwrite").code == 2
    assert (trained / "checkpoint.pt").read_bytes() == before
    assert command("lm", "train", "--resume").code == 0


def test_ctrl_c_keeps_the_training_and_it_comes_to_the_same(
    command: RunCommand, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("lm", "train", *SHORT, "--out", "whole").code == 0
    report = Job._report
    sent: list[int] = []

    def interrupting(self: Job[Any], name: str, done: int, total: int) -> None:
        if name == "training" and done == 7 and not sent:
            sent.append(done)
            os.kill(os.getpid(), signal.SIGINT)
            assert self._cancel.wait(30)
        report(self, name, done, total)

    with monkeypatch.context() as patch:
        patch.setattr(Job, "_report", interrupting)
        result = command("lm", "train", *SHORT, "--out", "broken")
    assert result.code == 130
    assert result.error == "interrupted: the training is kept in broken at step 7; give --resume to go on"
    assert json.loads(Path("broken/status.json").read_text(encoding="utf-8"))["state"] == "stopped"
    going_on = command("lm", "train", "--resume", "--out", "broken")
    assert going_on.code == 0, going_on.err
    assert "going on from step 7" in going_on.out
    whole, broken = (
        json.loads(Path(f"{name}/result.json").read_text(encoding="utf-8")) for name in ("whole", "broken")
    )
    assert whole["validation"] == broken["validation"]


def test_another_tokenizer_is_refused_everywhere(command: RunCommand, trained: Path, corpus: Path) -> None:
    own = read_manifest(Path("data/encoded_bpe")).fingerprint
    again = command(
        "build",
        "--target-vocab-size",
        30,
        "--tokenizer-output",
        "other.json",
        "--encoded-output-dir",
        "other",
        "--quiet",
    )
    assert again.code == 0, again.err
    other = read_manifest(Path("other")).fingerprint
    for arguments in (
        ["train", *SHORT, "--out", "new", "--tokenizer", "other.json"],
        ["train", *SHORT, "--out", "new", "--data", "other"],
        ["train", "--resume", "--tokenizer", "other.json", "--data", "other"],
        ["eval", "--data", "other"],
        ["eval", "--data", "other", "--tokenizer", "other.json"],
        ["sample", "--tokenizer", "other.json"],
    ):
        result = command("lm", *arguments)
        assert result.code == 1, arguments
        assert own[:16] in result.error
        assert other[:16] in result.error
        assert not Path("new").exists()
    assert (
        "vocabulary of 40 tokens, the tokenizer one of 30" in command("lm", "sample", "--tokenizer", "other.json").error
    )


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["train", "--num-heads", 3], 1, "cannot be shared out among 3 heads"),
        (["train", "--data", "nowhere"], 1, "holds no manifest.json"),
        (["train", "--block-size", 100_000], 1, "choose a block size of at most"),
        (["train", "--device", "mps"], 1, "there is no device 'mps' here"),
        (["train", "--minutes", 0], 1, "larger than 0"),
        (["train", "--minutes", 1, "--steps", 1], 2, "not allowed with"),
        (["train", "--steps", "many"], 2, "is not a whole number"),
        (["train", "--resume"], 1, "no checkpoint.pt to go on from"),
        (["eval"], 1, "there is no checkpoint"),
        (["sample", "--checkpoint", "nowhere"], 1, "there is no checkpoint"),
        (["compare", "nowhere"], 1, "nowhere"),
        (["compare", "--sizes", "characters,few"], 2, "'few' is not a whole number"),
        ([], 2, "ACTION"),
    ],
)
@pytest.mark.usefixtures("encoded")
def test_what_cannot_be_is_said_in_one_line(
    command: RunCommand, arguments: list[object], code: int, words: str
) -> None:
    if "mps" in arguments and torch.backends.mps.is_available():
        pytest.skip("this machine has an MPS device")
    result = command("lm", *arguments)
    assert result.code == code
    assert words in result.error
    assert not Path("checkpoints").exists()


def test_sampling_by_the_rules(command: RunCommand, trained: Path) -> None:
    greedy = command("lm", "sample", "--temperature", 0, "--json").document
    assert command("lm", "sample", "--top-k", 1, "--seed", 9, "--json").document["text"] == greedy["text"]
    stop = greedy["text"][5:7]
    stopped = command("lm", "sample", "--temperature", 0, "--stop", stop, "--json").document
    assert stopped["text"] == greedy["text"][: greedy["text"].index(stop)]
    assert command("lm", "sample", "--top-p", 2).error == "error: top_p is 2.0; it must be larger than 0 and at most 1"
    missing = command("lm", "sample", "--prompt", "low ☃")
    assert missing.code == 1
    assert "U+2603" in missing.error
    assert missing.out == ""


def test_comparing(command: RunCommand, corpus: Path) -> None:
    given = [
        "lm",
        "compare",
        corpus,
        *TINY,
        "--sizes",
        "characters,30",
        "--characters",
        600,
        "--seeds",
        2,
        "--out",
        "c",
    ]
    result = command(*given)
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("tokenizer "))
    assert [line.split()[0] for line in lines[start + 1 : start + 3]] == ["characters", "bpe-30"]
    assert "every tokenizer had 600 characters" in result.out
    assert Path("c/comparison.svg").is_file()
    again = command(*given, "--json")
    assert again.code == 0, again.err
    assert again.document == json.loads(Path("c/comparison.json").read_text(encoding="utf-8"))
    assert [row["contender"] for row in again.document["summary"]] == ["characters", "bpe-30"]
    other = command(*given[:-4], "--seeds", 1, "--out", "c")
    assert other.code == 1
    assert "holds another comparison, which differs in seeds" in other.error


@pytest.mark.parametrize("arguments", [["lm", "--help"], ["lm", "train", "--help"], ["lm", "compare", "--wrong"]])
def test_help_and_complaints_load_nothing_heavy(arguments: list[str]) -> None:
    assert loaded_by(f"import bpe_tui.__main__ as program; program.main({arguments!r})") == set()


def test_following_a_training_loads_no_torch() -> None:
    assert "torch" not in loaded_by(
        "import bpe_tui.lm, bpe_tui.lm.watching, bpe_tui.lm.process, bpe_tui.lm.chart, bpe_tui.lm.settings"
    )


def test_what_a_model_writes_is_made_harmless_on_a_terminal(
    command: RunCommand, trained: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    import io
    import sys
    from argparse import Namespace

    from bpe_tui.cli.console import Console
    from bpe_tui.cli.lm_measure import _Stream

    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    stream = _Stream(Console(Namespace()))
    for piece in ("a\x1b[31m", "b\tc\n", "\u202ed"):
        stream.write(piece)
    stream.finish()
    assert terminal.getvalue() == "a\\x1b[31mb\tc\n\\u202ed\n"
