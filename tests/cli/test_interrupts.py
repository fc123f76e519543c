"""Ctrl+c and polite kills in each phase: a clear line, the right exit code, nothing half-written."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import pytest

from bpe_tui.session.job import Job

from .conftest import CORPUS, ROOT, RunCommand, files_below


@pytest.fixture
def interrupt_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, signal.Signals], list[str]]:
    """Send this process a signal from within a job, the first time that it reports a step that starts like this."""

    def prepare(step: str, number: signal.Signals = signal.SIGINT) -> list[str]:
        report = Job._report
        sent: list[str] = []

        def interrupting(self: Job[Any], name: str, done: int, total: int) -> None:
            if name.startswith(step) and not sent:
                sent.append(name)
                os.kill(os.getpid(), number)
                # The job goes on only when the main thread has told it to stop, so that it is always caught right here.
                assert self._cancel.wait(30)
            report(self, name, done, total)

        monkeypatch.setattr(Job, "_report", interrupting)
        return sent

    return prepare


@pytest.mark.parametrize(
    "step",
    [
        "reading train",
        "loading the compiled code",
        "writing the tokenizer",
        "checking val",
        "encoding train",
        "checking and writing",
        "saving",
    ],
)
def test_ctrl_c_in_each_phase_of_build(
    step: str, command: RunCommand, corpus: Path, at_home: Path, interrupt_at: Callable[..., list[str]]
) -> None:
    before = files_below(at_home)
    sent = interrupt_at(step)
    result = command("build", "--target-vocab-size", 30)
    assert sent, f"no job ever came to {step!r}"
    assert result.code == 130, result.err
    assert result.error == "interrupted: nothing is half-written"
    after = files_below(at_home)
    # Once it stands, the tokenizer is whole; the encoded splits come together or not at all.
    assert set(after) - set(before) <= {"tokenizer/bpe_tokenizer.json"}
    assert not (at_home / "data/encoded_bpe").exists()
    again = command("build", "--target-vocab-size", 30)
    assert again.code == 0, again.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_polite_kills(
    number: signal.Signals, code: int, command: RunCommand, corpus: Path, interrupt_at: Callable[..., list[str]]
) -> None:
    interrupt_at("encoding val", number)
    result = command("build", "--target-vocab-size", 30)
    assert result.code == code
    assert result.error.startswith("interrupted: ")
    assert not Path("data/encoded_bpe").exists()


def test_handlers_are_put_back(command: RunCommand, corpus: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert command("build", "--target-vocab-size", 30).code == 0
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_no_thread_is_left_behind(command: RunCommand, corpus: Path, interrupt_at: Callable[..., list[str]]) -> None:
    interrupt_at("encoding train")
    command("build", "--target-vocab-size", 30)
    names = {thread.name for thread in threading.enumerate()}
    assert not [name for name in names if name.startswith(("bpe-tui", "encode"))]


@pytest.fixture
def long_corpus(at_home: Path) -> Path:
    """Enough distinct text that training to a large vocabulary lasts longer than the test takes to interrupt it."""
    folder = at_home / "long"
    folder.mkdir()
    text = "".join(f"{n * 7919 % 99991} {n * 104729 % 65537:x} " for n in range(400_000))
    for name in ("train", "val", "test"):
        (folder / f"{name}.txt").write_text(text if name == "train" else CORPUS["val"], encoding="utf-8")
    return folder


LONG = ["--target-vocab-size", "1000000", "--training-characters", "all"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_while_training(
    number: signal.Signals, code: int, process: Callable[..., subprocess.Popen[bytes]], long_corpus: Path, at_home: Path
) -> None:
    before = files_below(at_home)
    running = process("train", long_corpus, *LONG)
    assert running.stdout is not None
    for line in running.stdout:
        if line.startswith(b"merge    20"):
            break
    running.send_signal(number)
    _, err = running.communicate(timeout=60)
    assert running.returncode == code
    assert err.decode().splitlines()[-1] == "interrupted: nothing is half-written"
    assert "Traceback" not in err.decode()
    assert files_below(at_home) == before


def test_ctrl_c_while_compiling(
    process: Callable[..., subprocess.Popen[bytes]], corpus: Path, at_home: Path, tmp_path: Path
) -> None:
    before = files_below(at_home)
    running = process("build", environment={"NUMBA_CACHE_DIR": str(tmp_path / "cold")})
    assert running.stderr is not None
    assert running.stderr.readline().startswith(b"compiling for the first start")
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err.decode() == "interrupted: nothing is half-written\n"
    assert files_below(at_home) == before


def test_ctrl_c_while_training_keeps_a_checkpoint(
    process: Callable[..., subprocess.Popen[bytes]], command: RunCommand, long_corpus: Path
) -> None:
    running = process("train", long_corpus, *LONG, "--checkpoint", "run.json")
    assert running.stdout is not None
    for line in running.stdout:
        if line.startswith(b"merge   100"):
            break
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    kept = re.search(r"interrupted: ([\d,]+) merges are kept in run\.json; give --resume run\.json", err.decode())
    assert kept is not None, err
    from bpe_tui.session.checkpoint import read_checkpoint

    assert len(read_checkpoint(Path("run.json")).merges) == int(kept[1].replace(",", "")) >= 100


def on_a_terminal(*arguments: str) -> pexpect.spawn:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    return pexpect.spawn(
        sys.executable,
        ["-m", "bpe_tui", *arguments],
        env=environment,
        encoding="utf-8",
        timeout=60,
        dimensions=(24, 100),
    )


@pytest.mark.usefixtures("tokenizer_file")
def test_ctrl_c_while_waiting_for_standard_input() -> None:
    terminal = on_a_terminal("encode")
    terminal.expect("reading standard input; end it with ctrl\\+d")
    terminal.sendintr()
    terminal.expect("interrupted: nothing is half-written")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130


@pytest.mark.usefixtures("tokenizer_file")
def test_typing_on_a_terminal() -> None:
    terminal = on_a_terminal("tokenize")
    terminal.expect("end it with ctrl\\+d")
    terminal.sendline("lower")
    terminal.sendeof()
    terminal.expect("lower\r\n")
    terminal.expect("⏎")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


@pytest.mark.usefixtures("tokenizer_file")
def test_decoding_to_a_terminal_sends_no_control_characters() -> None:
    from bpe_tui import BPETokenizer

    ids = BPETokenizer.from_file("tokenizer/bpe_tokenizer.json").encode("low\n\x1b[\u202elow")
    terminal = on_a_terminal("decode", *map(str, ids))
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.before.endswith("low\r\n\\x1b[\\u202elow\r\n")


def test_a_bar_on_a_terminal_leaves_no_trace_and_keeps_to_standard_error(long_corpus: Path) -> None:
    terminal = on_a_terminal("train", str(long_corpus), *LONG)
    terminal.expect("training")
    terminal.expect(r"\d+%")
    terminal.sendintr()
    terminal.expect("interrupted: ")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130


def test_an_ignored_signal_stays_ignored(
    process: Callable[..., subprocess.Popen[bytes]], corpus: Path, at_home: Path
) -> None:
    """`nohup` means what it says."""
    running = process(
        "build",
        "--target-vocab-size",
        30,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert running.stdout is not None
    running.stdout.readline()
    running.send_signal(signal.SIGHUP)
    running.communicate(timeout=60)
    assert running.returncode == 0
    assert (at_home / "data/encoded_bpe/manifest.json").exists()
