"""Whoever follows a training from outside sees each line once and whole, also when the training starts over."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_tui.lm.control import asked
from bpe_tui.lm.data import ModelData
from bpe_tui.lm.process import TrainingProcess
from bpe_tui.lm.run_folder import RunFolder, Status, TrainingState, process_exists, read_status
from bpe_tui.lm.runs import begin_run, resume_run
from bpe_tui.lm.watching import RunWatcher

from .conftest import SHAPE, settings


def test_a_folder_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    watcher = RunWatcher(tmp_path / "nowhere")
    assert (watcher.poll(), watcher.status(), watcher.result(), watcher.description()) == ([], None, None, None)


def test_each_line_comes_once_and_only_when_it_is_whole(tmp_path: Path) -> None:
    watcher = RunWatcher(tmp_path)
    folder = RunFolder(tmp_path)
    folder.metric("train", loss=1.0)
    folder.metric("sample", text="zwei\nZeilen ☃")
    assert [entry["kind"] for entry in watcher.poll()] == ["train", "sample"]
    assert watcher.poll() == []
    with (tmp_path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"kind": "train", ')
        file.flush()
        assert watcher.poll() == []
        file.write(b'"loss": 2}\n')
    assert watcher.poll() == [{"kind": "train", "loss": 2}]
    assert watcher.generation == 0


def test_files_that_are_nested_without_end_say_nothing(tmp_path: Path) -> None:
    endless = "[" * 200_000 + "\n"
    for name in ("status.json", "run.json", "result.json", "metrics.jsonl", "control.json"):
        (tmp_path / name).write_text(endless)
    watcher = RunWatcher(tmp_path)
    assert (watcher.poll(), watcher.status(), watcher.result(), watcher.description()) == ([], None, None, None)
    assert asked(tmp_path, 1) is None


def test_metrics_that_are_replaced_come_again_from_the_start(tmp_path: Path) -> None:
    watcher = RunWatcher(tmp_path)
    folder = RunFolder(tmp_path)
    for number in range(4):
        folder.metric("train", loss=number)
    assert len(watcher.poll()) == 4
    folder.resume(2)
    folder.metric("train", loss=9)
    folder.metric("train", loss=10)
    folder.metric("train", loss=11)
    assert [entry["loss"] for entry in watcher.poll()] == [0, 1, 9, 10, 11]
    assert watcher.generation == 1
    folder.resume(1)
    assert [entry["loss"] for entry in watcher.poll()] == [0]
    assert watcher.generation == 2


def test_a_training_that_is_followed_while_it_goes_on(data: ModelData, tmp_path: Path) -> None:
    watcher = RunWatcher(tmp_path / "run")
    seen = []
    states = set()

    def look(*_: object) -> None:
        seen.extend(watcher.poll())
        status = watcher.status()
        assert status is not None
        states.add(status.state)
        assert status.alive
        assert status.pid == os.getpid()

    begin_run(data, tmp_path / "run", SHAPE, settings(), report=look).run()
    seen.extend(watcher.poll())
    assert seen == RunWatcher(tmp_path / "run").poll()
    assert states == {TrainingState.TRAINING, TrainingState.EVALUATING}
    status = watcher.status()
    assert status is not None
    assert (status.state, status.fraction, status.step) == (TrainingState.DONE, 1.0, 12)


def test_a_status_of_a_process_that_is_gone_is_not_alive(tmp_path: Path) -> None:
    RunFolder(tmp_path).status(Status(TrainingState.TRAINING, pid=2**22 + 12345))
    status = read_status(tmp_path)
    assert status is not None
    assert not status.alive
    assert process_exists(os.getpid())
    (tmp_path / "status.json").write_text("{", encoding="utf-8")
    assert read_status(tmp_path) is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_what_is_left_of_a_process_is_no_process() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not process_exists(child.pid)


def test_a_training_in_a_process_of_its_own(data: ModelData, tmp_path: Path) -> None:
    """Started, followed, stopped and taken up again, as a screen does it."""
    folder = tmp_path / "run"
    data.tokenizer.save(tmp_path / "tokenizer.json")
    given = ["--data", str(data.dataset.folder), "--tokenizer", str(tmp_path / "tokenizer.json"), "--threads", "1"]
    tiny = ["--block-size", "8", "--embedding-dim", "16", "--num-layers", "1", "--batch-size", "4"]
    process = TrainingProcess(folder, [*given, *tiny, "--steps", "20000", "--samples", "0", "--evaluations", "0"])
    try:
        watcher = RunWatcher(folder)
        while process.running and not watcher.poll():
            process.wait(0.05)
        assert process.running, process.error
        process.stop()
        assert process.wait(60)
    finally:
        process.stop()
    assert process.exit_code == 143
    assert "the training is kept" in str(process.error)
    status = watcher.status()
    assert status is not None
    assert status.state is TrainingState.STOPPED
    # Here another process takes it up: this one.
    assert resume_run(data, folder).training.progress.step == status.step
