"""The last words of a session: what was trained, saved, encoded and put aside, safe to print."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.session.checkpoint import write_checkpoint
from bpe_tui.session.jobs import save_tokenizer
from bpe_tui.session.run import Run
from bpe_tui.session.settings import RunSettings
from bpe_tui.session.summary import SessionSummary


@dataclass(frozen=True)
class Split:
    name: str
    characters: int
    tokens: int

    @property
    def compression_factor(self) -> float:
        return self.characters / self.tokens


@dataclass(frozen=True)
class Dataset:
    folder: Path
    fingerprint: str
    splits: tuple[Split, ...]


def test_a_session_that_did_nothing_says_nothing(make_splits) -> None:
    summary = SessionSummary()
    summary.add_run("idle", Run(make_splits("ab"), RunSettings()).snapshot())
    assert summary.lines() == []


def test_a_session_is_told_in_order(make_splits, tmp_path) -> None:
    run = Run(make_splits("low lower lowest " * 5), RunSettings(None, 15))
    run.start()
    run.wait_until(lambda seen: seen.state.ended, 120)
    tokenizer = run.tokenizer()
    summary = SessionSummary()
    summary.add_run("low lower lowest", run.snapshot(), tokenizer.fingerprint())
    summary.add_saved(save_tokenizer(tokenizer, tmp_path / "one.json"))
    summary.add_saved(save_tokenizer(tokenizer, tmp_path / "one.json"))
    summary.add_encoded(Dataset(tmp_path / "ids", tokenizer.fingerprint(), (Split("train", 12_345, 5_000),)))
    summary.add_checkpoint(write_checkpoint(tmp_path / "run.json", run))
    run.close()

    text = "\n".join(summary.lines())
    assert "low lower lowest: 7 merges, 15 tokens (8 base) from 85 characters" in text
    assert "done: the vocabulary has reached its target size" in text
    assert text.count("one.json") == 1
    assert text.count(tokenizer.fingerprint()) == 3
    assert "train: 12,345 characters, 5,000 tokens, 2.47 characters per token" in text
    assert "run.json: 7 merges" in text


@pytest.mark.parametrize("ascii_only", [False, True])
def test_hostile_names_do_not_reach_the_terminal(tmp_path, ascii_only) -> None:
    summary = SessionSummary()
    tokenizer = BPETokenizer(["a"], [])
    summary.add_saved(save_tokenizer(tokenizer, tmp_path / "a \x1b[31m\u202e name.json"))
    (line,) = summary.lines(ascii_only=ascii_only)
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "a \\x1b[31m" in line
