"""A training does what is asked of it by way of its folder, and comes to the same numbers whatever was asked."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bpe_tui.errors import Cancelled
from bpe_tui.lm import loop as loop_module
from bpe_tui.lm.checkpoint import read_checkpoint
from bpe_tui.lm.control import Wish, ask, asked
from bpe_tui.lm.data import ModelData
from bpe_tui.lm.errors import RunFolderError
from bpe_tui.lm.process import TrainingProcess
from bpe_tui.lm.run_folder import RunFolder, Status, TrainingState, read_status
from bpe_tui.lm.runs import begin_run, resume_run
from bpe_tui.lm.watching import RunWatcher

from .conftest import SHAPE, settings
from .test_training import same

DEADLINE = 60.0
ENDLESS = "2000000"


@pytest.fixture
def looks_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a training look at what is asked of it at each report, not ten times a second."""
    monkeypatch.setattr(loop_module, "_LOOK", 0.0)


def until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + DEADLINE
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        pause.wait(0.02)


def test_what_is_asked_is_meant_for_one_process(tmp_path: Path) -> None:
    assert asked(tmp_path, 7) is None
    ask(tmp_path, 7, Wish.PAUSE)
    assert (asked(tmp_path, 7), asked(tmp_path, 8)) == (Wish.PAUSE, None)
    ask(tmp_path, 7, Wish.STOP)
    assert asked(tmp_path, 7) is Wish.STOP
    ask(tmp_path, 7, None)
    ask(tmp_path, 7, None)
    assert asked(tmp_path, 7) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 7}', '{"pid": 7, "wish": "dance"}', '{"wish": "pause"}'])
def test_a_file_that_asks_for_nothing_is_passed_over(tmp_path: Path, content: str) -> None:
    (tmp_path / "control.json").write_text(content, encoding="utf-8")
    assert asked(tmp_path, 7) is None


def test_what_cannot_be_asked_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RunFolderError, match=r"cannot write .*file"):
        ask(tmp_path / "file", 7, Wish.PAUSE)


@pytest.mark.usefixtures("looks_always")
def test_a_training_that_is_held_anywhere_comes_to_the_same_numbers(data: ModelData, tmp_path: Path) -> None:
    begin_run(data, tmp_path / "whole", SHAPE, settings()).run()
    folder = tmp_path / "held"
    seen: list[str] = []

    def report(step: str, *_: int) -> None:
        if step == "paused":
            status = read_status(folder)
            assert status is not None
            assert status.alive
            assert status.state is TrainingState.PAUSED
            assert read_checkpoint(folder).state["progress"]["step"] == status.step
            ask(folder, os.getpid(), None)
        else:
            ask(folder, os.getpid(), Wish.PAUSE)
        seen.append(step)

    begin_run(data, folder, SHAPE, settings(), report=report).run()
    assert {"training", "validating", "sampling", "evaluating the whole val split"} < set(seen)
    assert seen.count("paused") > 12, "it was held before every step, and within all that is not a step"
    same(tmp_path / "whole", folder)
    assert not (folder / "control.json").exists()


@pytest.mark.usefixtures("looks_always")
def test_a_training_that_is_asked_to_stop_keeps_a_checkpoint(data: ModelData, tmp_path: Path) -> None:
    begin_run(data, tmp_path / "whole", SHAPE, settings()).run()
    folder = tmp_path / "stopped"
    loop = begin_run(data, folder, SHAPE, settings(), report=lambda _, done, __: stop_at_four(done))

    def stop_at_four(done: int) -> None:
        if done == 4:
            ask(folder, os.getpid(), Wish.STOP)

    with pytest.raises(Cancelled):
        loop.run()
    status = read_status(folder)
    assert status is not None
    assert status.state is TrainingState.STOPPED
    assert not (folder / "control.json").exists()
    resume_run(data, folder).run()
    same(tmp_path / "whole", folder)


def test_a_checkpoint_that_cannot_be_kept_at_the_end_is_no_clean_stop(
    data: ModelData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise RunFolderError("the disk is full")

    def report(_: str, done: int, __: int) -> None:
        if done == 3:
            raise Cancelled("stopped")

    loop = begin_run(data, tmp_path / "run", SHAPE, settings(), report=report)
    monkeypatch.setattr(loop_module, "write_checkpoint", full)
    with pytest.raises(RunFolderError, match="the disk is full"):
        loop.run()
    status = read_status(tmp_path / "run")
    assert status is not None
    assert (status.state, status.error) == (TrainingState.FAILED, "the disk is full")


@pytest.fixture
def started(data: ModelData, tmp_path: Path) -> Iterator[TrainingProcess]:
    """A training in a process of its own that lasts longer than any test, and has made its first steps."""
    data.tokenizer.save(tmp_path / "tokenizer.json")
    given = ["--data", str(data.dataset.folder), "--tokenizer", str(tmp_path / "tokenizer.json"), "--threads", "1"]
    tiny = ["--block-size", "8", "--embedding-dim", "16", "--num-layers", "1", "--batch-size", "4"]
    options = ["--steps", ENDLESS, "--samples", "0", "--evaluations", "0"]
    process = TrainingProcess(tmp_path / "run", [*given, *tiny, *options])
    try:
        until(lambda: _step(process.folder) or not process.running, "the first steps")
        assert process.running, process.error
        yield process
    finally:
        process.stop()
        process.wait(DEADLINE)


def _step(folder: Path) -> int:
    status = read_status(folder)
    return status.step if status is not None else 0


def _state(folder: Path) -> TrainingState | None:
    status = read_status(folder)
    return status.state if status is not None else None


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize(
    ("name", "held"), [("SIGTERM", False), ("SIGHUP", False), ("SIGINT", False), ("SIGTERM", True)]
)
def test_signals_end_it_with_a_checkpoint(started: TrainingProcess, data: ModelData, name: str, held: bool) -> None:
    import signal

    folder = started.folder
    if held:
        ask(folder, started.pid, Wish.PAUSE)
        until(lambda: _state(folder) is TrainingState.PAUSED, "the pause")
    number = signal.Signals[name]
    os.kill(started.pid, number)
    assert started.wait(DEADLINE)
    assert started.exit_code == 128 + number
    status = read_status(folder)
    assert status is not None
    assert status.state is TrainingState.STOPPED
    log = (folder / "train.log").read_text(encoding="utf-8")
    assert log == f"interrupted: the training is kept in {folder} at step {status.step:,}; give --resume to go on\n"
    assert resume_run(data, folder).training.progress.step == status.step


def test_a_process_holds_goes_on_and_stops_when_asked(started: TrainingProcess, data: ModelData) -> None:
    folder = started.folder
    ask(folder, started.pid, Wish.PAUSE)
    until(lambda: _state(folder) is TrainingState.PAUSED, "the pause")
    reached = _step(folder)
    lines = len(RunWatcher(folder).poll())
    assert started.running
    ask(folder, started.pid, None)
    until(lambda: _step(folder) > reached, "going on")
    ask(folder, started.pid, Wish.STOP)
    assert started.wait(DEADLINE)
    assert started.exit_code == 143
    assert _state(folder) is TrainingState.STOPPED
    assert len(RunWatcher(folder).poll()) >= lines
    assert resume_run(data, folder).training.progress.step == _step(folder)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_it_outlives_whoever_started_it(data: ModelData, tmp_path: Path) -> None:
    """The starter ends as a lost connection ends it: by SIGHUP to all of its session."""
    import signal

    data.tokenizer.save(tmp_path / "tokenizer.json")
    given = ["--data", str(data.dataset.folder), "--tokenizer", str(tmp_path / "tokenizer.json"), "--threads", "1"]
    tiny = ["--block-size", "8", "--embedding-dim", "16", "--num-layers", "1", "--batch-size", "4"]
    options = [*given, *tiny, "--steps", ENDLESS, "--samples", "0", "--evaluations", "0"]
    folder = tmp_path / "run"
    code = f"""
import sys
from pathlib import Path
from bpe_tui.lm.process import TrainingProcess
process = TrainingProcess(Path({str(folder)!r}), {options!r})
process.wait()
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with subprocess.Popen([sys.executable, "-P", "-c", code], env=environment, start_new_session=True) as starter:
        until(lambda: _step(folder) or starter.poll() is not None, "the first steps")
        os.killpg(starter.pid, signal.SIGHUP)
    assert starter.returncode == -signal.SIGHUP
    reached = _step(folder)
    assert reached
    until(lambda: _step(folder) > reached, "its going on alone")
    status = read_status(folder)
    assert status is not None
    assert status.alive
    ask(folder, status.pid, Wish.STOP)
    until(lambda: _state(folder) is TrainingState.STOPPED, "the stop")


def test_the_rest_of_a_line_does_not_spoil_the_next(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for number in range(3):
        folder.metric("train", loss=number)
    file = tmp_path / "metrics.jsonl"
    file.write_bytes(file.read_bytes()[:-5])
    folder.resume(3)
    folder.metric("train", loss=9)
    assert [entry["loss"] for entry in RunWatcher(tmp_path).poll()] == [0, 1, 9]


@pytest.mark.parametrize(
    "changes",
    [
        {"pid": "x"},
        {"pid": None},
        {"pid": 10**400},
        {"step": []},
        {"fraction": "half"},
        {"fraction": float("nan")},
        {"tokens_per_second": 10**400},
        {"error": 5},
        {"colour": "red"},
        {"state": "dancing"},
    ],
)
def test_a_status_from_anywhere_is_sound_or_none(tmp_path: Path, changes: dict[str, Any]) -> None:
    import json
    from dataclasses import asdict

    content = {**asdict(Status(TrainingState.TRAINING, pid=1)), **changes}
    (tmp_path / "status.json").write_text(json.dumps(content), encoding="utf-8")
    assert read_status(tmp_path) is None


def test_a_folder_that_is_gone_is_not_made_anew_by_asking(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    for wish in (Wish.PAUSE, Wish.STOP, None):
        with pytest.raises(RunFolderError, match="gone: the training in it ends by itself"):
            ask(folder, 1, wish)
    assert not folder.exists()
