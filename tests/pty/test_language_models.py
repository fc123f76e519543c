"""The connection is lost while a language model trains: the app ends, the training does not, and is found again."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.corpus import read_splits
from bpe_tui.dataset import encode_splits
from bpe_tui.lm.run_folder import Status, read_status

from .conftest import Terminal
from .test_terminal import small_corpus

RUN = "checkpoints/model-1"


def status(here: Path) -> Status:
    found = read_status(here / RUN)
    assert found is not None
    return found


@pytest.mark.parametrize("vanishes", [False, True])
def test_a_training_outlives_the_terminal(open_terminal: Callable[..., Terminal], here: Path, vanishes: bool) -> None:
    splits = read_splits(Path(small_corpus()))
    tokenizer = BPETokenizer(splits.base_characters(), [])
    tokenizer.save(here / "tokenizer/bpe_tokenizer.json")
    encode_splits(tokenizer, splits, here / "data/encoded_bpe")
    terminal = open_terminal("--tokenizer", "tokenizer/bpe_tokenizer.json", size=(100, 30))
    terminal.settle()
    terminal.press("M")
    terminal.see("No model here yet")
    terminal.press("n")
    terminal.see("Train a language model")
    terminal.press("\r")
    try:
        terminal.until(lambda: (now := read_status(here / RUN)) is not None and now.step > 0, "the first step")
        terminal.see("model-1", "training")
        if vanishes:
            os.close(terminal.process.child_fd)
            terminal.process.child_fd = -1
            os.waitpid(terminal.process.pid, 0)
        else:
            os.kill(terminal.process.pid, signal.SIGHUP)
            assert terminal.ends() == 128 + signal.SIGHUP
            assert terminal.left_clean()
            told = terminal.after_the_app()
            assert f"model      {RUN}: trains on by itself" in told
            assert "Warning" not in told
        assert status(here).alive
        reached = status(here).step
        again = open_terminal("--tokenizer", "tokenizer/bpe_tokenizer.json", size=(80, 24))
        again.settle()
        again.press("M")
        again.see("model-1", "training")
        again.until(lambda: status(here).step > reached, "its progress")
        again.press("x")
        again.see("stopped")
        assert not status(here).alive
    finally:
        left = read_status(here / RUN)
        if left is not None and left.alive:
            os.kill(left.pid, signal.SIGTERM)
