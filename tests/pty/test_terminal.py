"""What only a real terminal can tell: it is left as it was found, signals lose nothing, idle is silent."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.corpus import shipped
from bpe_tui.session.checkpoint import read_checkpoint

OpenTerminal = Callable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")


def small_corpus() -> str:
    return str(next(entry.path for entry in shipped() if entry.name == "code-like"))


def train_slowly(terminal) -> None:
    terminal.see("1 Corpus", "code-like")
    terminal.settle()
    terminal.press("vvvv")
    terminal.settle()
    terminal.press("t")
    terminal.see("training", "left + right → token")
    terminal.until(lambda: " →" in terminal.text().split("left + right → token")[-1], "a merge")


def test_train_save_quit(open_terminal: OpenTerminal, here: Path) -> None:
    terminal = open_terminal(size=(120, 40))
    terminal.see("king-james-bible", "train", "menu", "quit")
    assert b"\x1b[?1049h" in terminal.written
    terminal.press("t")
    terminal.see("500 of 500", "done")
    terminal.press("s")
    terminal.until((here / "tokenizer" / "bpe_tokenizer.json").exists, "the file")
    terminal.settle()
    terminal.press("q")
    assert terminal.ends() == 0
    assert terminal.left_clean()
    told = terminal.after_the_app()
    fingerprint = BPETokenizer.from_file(here / "tokenizer" / "bpe_tokenizer.json").fingerprint()
    assert "trained    king-james-bible: " in told
    assert "saved      tokenizer/bpe_tokenizer.json" in told
    assert fingerprint in told
    assert "Traceback" not in told
    assert "Warning" not in told


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_a_checkpoint(open_terminal: OpenTerminal, here: Path, number: signal.Signals) -> None:
    terminal = open_terminal("--corpus", small_corpus(), size=(120, 40))
    train_slowly(terminal)
    os.kill(terminal.process.pid, number)
    assert terminal.ends() == 128 + number
    assert terminal.left_clean()
    files = list((here.parent / "state").rglob("checkpoints/*.json"))
    assert len(files) == 1
    kept = read_checkpoint(files[0])
    assert kept.merges
    assert "checkpoint" in terminal.after_the_app()

    again = open_terminal("--corpus", small_corpus(), size=(120, 40))
    again.see("R resumes it")
    again.press("R")
    again.see("done")
    again.press("q")
    again.see("not saved")
    again.press("d")
    assert again.ends() == 0


def test_a_terminal_that_vanishes_loses_nothing(open_terminal: OpenTerminal, here: Path) -> None:
    terminal = open_terminal("--corpus", small_corpus(), size=(120, 40))
    train_slowly(terminal)
    os.close(terminal.process.child_fd)
    terminal.process.child_fd = -1
    os.waitpid(terminal.process.pid, 0)
    terminal.process.terminated = True
    kept = [read_checkpoint(file) for file in (here.parent / "state").rglob("checkpoints/*.json")]
    assert kept
    assert kept[0].merges


def test_idle_writes_nothing(open_terminal: OpenTerminal) -> None:
    terminal = open_terminal("--corpus", small_corpus())
    terminal.see("1 Corpus", "code-like")
    terminal.settle()
    assert terminal.quiet(4.0) == 0
    terminal.press("t")
    terminal.see("done")
    terminal.settle()
    assert terminal.quiet(4.0) == 0
    terminal.press("i")
    terminal.settle()
    assert terminal.quiet(3.0) == 0, "no cursor blinks"


def test_nothing_hostile_is_written(open_terminal: OpenTerminal, tmp_path: Path) -> None:
    corpus = tmp_path / "hostile"
    corpus.mkdir()
    for name in ("train", "val", "test"):
        (corpus / f"{name}.txt").write_text("\x1b]0;owned\x07\x1b[5n\x9b6n [/x] \u202eab \x0e\n" * 50, encoding="utf-8")
    terminal = open_terminal("--corpus", str(corpus), size=(140, 40))
    terminal.see("hostile", "owned")
    terminal.press("t")
    terminal.see("done")
    terminal.settle()
    for forbidden in (b"\x1b]0;owned", b"\x1b[5n", b"\x9b", b"\x0e", "\u202e".encode()):
        # 0x9b may be the second byte of a harmless character; C1 is written as U+009B.
        if forbidden == b"\x9b":
            assert "\x9b".encode() not in terminal.written
        else:
            assert forbidden not in terminal.written
    terminal.press("q")
    terminal.see("not saved", "Discard")
    terminal.press("d")
    assert terminal.ends() == 0


def test_no_terminal_is_a_clear_line(here: Path) -> None:
    import subprocess

    ended = subprocess.run(
        [sys.executable, "-m", "bpe_tui"],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: the app needs a terminal")
    assert ended.stdout == ""
