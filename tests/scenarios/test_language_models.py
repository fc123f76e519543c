"""A person trains a small language model beside the tokenizer, watches it, holds it, and compares it with another."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from textual.widgets import Input, Select

from bpe_tui.lm.run_folder import RunFolder
from bpe_tui.tui.models.desk import ModelDesk
from bpe_tui.tui.models.run import ModelRun
from bpe_tui.tui.models.screen import ModelsScreen

from .conftest import OpenApp, Person

TINY = {"block-size": "8", "embedding-dim": "16", "num-heads": "2", "num-layers": "1", "batch-size": "4"}


def desk(person: Person) -> ModelDesk:
    assert person.app.models is not None
    return person.app.models


async def encode(person: Person) -> None:
    await person.train()
    await person.press("e")
    await person.until_text("every split decodes")
    await person.press("escape")
    await person.until(lambda: person.app.screen is person.app.main, "the main screen")


async def start(person: Person, steps: int, out: str) -> None:
    if not isinstance(person.app.screen, ModelsScreen):
        await person.press("M")
        await person.until(lambda: isinstance(person.app.screen, ModelsScreen), "the screen")
    await person.press("n")
    await person.until_text("Train a language model")
    screen = person.app.screen
    screen.query_one("#unit", Select).value = "steps"
    for name, value in {**TINY, "amount": str(steps), "out": out}.items():
        screen.query_one(f"#{name}", Input).value = value
    await person.press("enter")
    await person.until(lambda: isinstance(person.app.screen, ModelsScreen), "the start of the training")


async def test_the_arrows_go_through_all_fields_of_the_start(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("M", "n")
        await person.until_text("Train a language model")
        names = ["data", "tokenizer", "out", "amount", "unit", *TINY]
        passed = []
        for _ in names:
            passed.append(person.app.screen.focused.id)
            await person.press("down")
        assert sorted(passed) == sorted(names)
        await person.press(*["up"] * (len(names) - names.index("unit")), "enter")
        await person.until(lambda: person.app.screen.query_one("#unit", Select).expanded, "the list of units")


async def test_curves_samples_and_another_run_over_them(open_app: OpenApp) -> None:
    async with open_app() as person:
        await encode(person)
        await start(person, 40, "first")
        await person.until(lambda: desk(person).runs[0].state == "done", "the end of training")
        await person.until_text("loss, nats per token", "bits per character", "bits/char", "Sample 5 of 5")
        assert any(0x2800 < ord(character) < 0x2900 for character in person.text())
        await start(person, 20, "second")
        await person.until(lambda: desk(person).runs[1].state == "done", "the end of the other training")
        await person.until_text("a/A", "b/B", "first", "second")
        await person.press("d")
        assert "second" not in person.text()
        await person.press("a")
        await person.until_text("Add a run")
        await person.type("second")
        await person.press("enter")
        await person.until_text("b/B")
        for size in ((80, 24), (200, 50)):
            await person.resize(*size)
            await person.until_text("a/A", "b/B", "Language models", "loss, nats per token")


def step(run: ModelRun) -> int:
    return run.status.step if run.status is not None else 0


async def begin_long(person: Person, out: str = "long") -> ModelRun:
    """Start a training that lasts longer than any test, and wait until it works."""
    await encode(person)
    await start(person, 2_000_000, out)
    run = desk(person).runs[0]
    await person.until(lambda: step(run) > 0, "the first steps")
    return run


async def test_pausing_holds_the_process_and_stopping_ends_it(open_app: OpenApp) -> None:
    async with open_app() as person:
        run = await begin_long(person)
        await person.press("escape")
        assert run.running, "leaving the screen ends nothing"
        await person.press("M", "space")
        await person.until(lambda: run.state == "paused", "the pause")
        assert run.process is not None
        process, reached = run.process.pid, step(run)
        assert run.running
        assert (run.folder / "checkpoint.pt").is_file(), "a pause loses nothing if the machine goes down"
        await person.until_text("paused", "go on")
        await person.press("space")
        await person.until(lambda: step(run) > reached, "going on")
        assert run.process.pid == process, "the same process goes on"
        await person.press("x")
        await person.until(lambda: run.state == "stopped", "the stop")
        await person.until_told("checkpoint.pt")
        assert not run.running
        reached = step(run)
        await person.press("space")
        await person.until(lambda: step(run) > reached, "going on from the checkpoint")
        assert run.process.pid != process


async def test_leaving_asks_and_can_stop_the_training(open_app: OpenApp) -> None:
    async with open_app() as person:
        run = await begin_long(person)
        await person.press("ctrl+q")
        await person.until_text("A language model is training", "Let it train on", "Stop and keep it", "Stay")
        await person.press("escape")
        assert run.running
        await person.resize(80, 24)
        await person.press("ctrl+q")
        await person.until_text("Let it train on", "Stop and keep it", "Stay")
        await person.press("k")
        await person.until(lambda: not run.running, "the end of the process")
        await person.until_text("The tokenizer is not saved")
        await person.press("d")
        await person.until(lambda: person.app._left, "the end")
    assert "checkpoint.pt" in "\n".join(person.app.workspace.summary.lines())


async def test_a_paused_training_outlives_the_app_and_is_found_again(open_app: OpenApp) -> None:
    with_end = contextlib.ExitStack()
    async with open_app() as person:
        run = await begin_long(person)
        assert run.process is not None
        process = run.process
        # The first app is left as it is; what it started is ended by this test.
        with_end.callback(process.wait, 60)
        with_end.callback(process.stop)
        await person.press("space")
        await person.until(lambda: run.state == "paused", "the pause")
        await person.press("ctrl+q")
        await person.until_text("Leave it paused")
        await person.press("l")
        await person.until_text("The tokenizer is not saved")
        await person.press("d")
        await person.until(lambda: person.app._left, "the end")
        desk(person).runs.clear()
    with with_end:
        assert "stays paused by itself" in "\n".join(person.app.workspace.summary.lines())
        assert process.running
        async with open_app() as later:
            await later.press("M")
            await later.until(lambda: bool(desk(later).runs), "the training of the earlier app")
            again = desk(later).runs[0]
            assert again.process is None
            await later.until(lambda: again.state == "paused", "the pause")
            await later.press("space")
            reached = step(again)
            await later.until(lambda: step(again) > reached, "its progress")
            await later.press("x")
            await later.until(lambda: again.state == "stopped", "the stop")
            await later.until_told("checkpoint.pt")
            await later.until(lambda: not process.running, "the end of the process")
            assert process.exit_code == 143
        async with open_app() as last:
            await last.press("M")
            await last.until(lambda: isinstance(last.app.screen, ModelsScreen), "the screen")
            assert not desk(last).runs, "whose end is known is not shown by itself"


async def test_the_end_that_nobody_saw_is_shown(open_app: OpenApp) -> None:
    """A training that ended while no app was open is there when the next one is."""
    async with open_app() as person:
        await encode(person)
        await start(person, 20, "short")
        run = desk(person).runs[0]
        assert run.process is not None
        person.app.leave()
        assert run.process.wait(60)
    async with open_app() as later:
        await later.press("M")
        await later.until_text("short", "done", "bits/char")


async def test_a_training_begun_on_the_command_line_is_followed(open_app: OpenApp, own_place: Path) -> None:
    async with open_app() as person:
        await encode(person)
        person.app.workspace.tokenizer().save(own_place / "t.json")
        await person.press("M")
        await person.until_text("No model here yet")
        options = [word for name, value in TINY.items() for word in (f"--{name}", value)]
        command = [sys.executable, "-P", "-m", "bpe_tui", "lm", "train", "--out", "checkpoints/elsewhere"]
        command += ["--data", "data/encoded_bpe", "--tokenizer", "t.json", "--steps", "2000000", *options]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        with subprocess.Popen(
            [*command, "--threads", "1"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as other:
            try:
                await person.until_text("elsewhere", "training")
                run = desk(person).runs[0]
                await person.until(lambda: step(run) > 0, "the first steps")
                await person.press("space")
                await person.until(lambda: run.state == "paused", "the pause")
                await person.press("space")
                reached = step(run)
                await person.until(lambda: step(run) > reached, "going on")
                await person.press("x")
                await person.until(lambda: other.poll() is not None, "the end of the other program")
                await person.until(lambda: run.state == "stopped", "the word of it")
            finally:
                other.kill()
                _, said = other.communicate()
        assert other.returncode == 143
        assert b"interrupted: the training is kept in checkpoints/elsewhere at step" in said
        assert b"Traceback" not in said


async def test_a_start_that_failed_takes_no_name(open_app: OpenApp, own_place: Path) -> None:
    async with open_app() as person:
        await encode(person)
        # Stopped before it has come to begin anything.
        await start(person, 5, "checkpoints/model-1")
        run = desk(person).runs[0]
        run.stop()
        await person.until(lambda: not run.running, "the end before the beginning")
        assert not (own_place / "checkpoints/model-1/run.json").exists()
        await person.press("n")
        await person.until_text("Train a language model")
        assert person.app.screen.query_one("#out", Input).value == "checkpoints/model-1"
        await person.press("escape")
        await start(person, 5, "checkpoints/model-1")
        again = desk(person).runs[0]
        await person.until(lambda: again.state == "done", "the end of training")
        assert len(desk(person).runs) == 1


async def test_stopping_at_once_is_no_failure(open_app: OpenApp) -> None:
    async with open_app() as person:
        await encode(person)
        await start(person, 5, "hasty")
        run = desk(person).runs[0]
        # Its process has not even loaded what it needs to hear that.
        run.stop()
        await person.until(lambda: not run.running, "the end before the beginning")
        assert (run.state, run.trouble) == ("stopped", "")
        await person.until_text("hasty", "stopped")


@pytest.mark.skipif(os.name != "posix", reason="removes files that are open")
async def test_a_folder_that_is_removed_ends_the_training_in_a_sentence(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        run = await begin_long(person)
        while run.folder.exists():
            # Something may be written into it just now.
            shutil.rmtree(run.folder, ignore_errors=True)
        await person.press("space")
        assert not run.folder.exists(), "a pause makes no new folder without the run in it"
        await person.until(lambda: not run.running, "its end")
        await person.until(lambda: run.state == "failed", "the word of it")
        await person.until_told("was removed while the training wrote in it")


async def test_paths_are_completed_with_tab(open_app: OpenApp, own_place: Path) -> None:
    for name in ("data/encoded_bpe", "data/encoded_words"):
        (own_place / name).mkdir(parents=True)
    async with open_app() as person:
        await person.press("M", "n")
        await person.until_text("Train a language model")
        field = person.app.screen.query_one("#data", Input)
        field.value = "da"
        await person.press("end", "tab")
        assert field.value == "data/"
        await person.press("tab")
        assert field.value == "data/encoded_"
        await person.press("tab")
        await person.until_text("encoded_bpe/  encoded_words/")
        await person.type("b")
        await person.press("tab")
        assert field.value == "data/encoded_bpe/"
        await person.press("tab")
        await person.until(lambda: person.app.screen.focused is not field, "the next field")


async def test_folders_of_anything_do_no_harm(open_app: OpenApp, own_place: Path) -> None:
    broken = own_place / "broken"
    broken.mkdir()
    for name in ("run.json", "status.json", "tokenizer.json", "result.json", "checkpoint.pt"):
        (broken / name).write_bytes(b"\x1b[31m\xff{[")
    (broken / "metrics.jsonl").write_text(
        '[]\n{"kind": "train", "step": 1e999}\n{"kind": "sample", "step": Infinity, "ids": [1], "text": "x"}\n'
        '{"kind": "train", "step": 1, "characters": 1, "seconds": 1, "loss": NaN, "bits_per_character": 2}\n'
        '{"kind": "sample", "step": 3, "ids": [99999], "text": "\\u001b[31m[/x]"}\n{"kind": "train", "st',
        encoding="utf-8",
    )
    async with open_app(size=(80, 24)) as person:
        await person.press("M")
        await person.until(lambda: isinstance(person.app.screen, ModelsScreen), "the screen")
        desk(person).add(Path("broken"))
        await person.until_text("a/A broken", "no loss yet", "\\x1b[31m[/x]")
        await person.press("space")
        run = desk(person).runs[0]
        await person.until(lambda: run.state == "failed", "the refusal")
        assert "space goes on" not in run.trouble, "it would fail the same way"
        assert "Traceback" not in (broken / "train.log").read_text(encoding="utf-8")
        await person.until_text("failed")


async def test_many_runs_at_once_on_a_small_screen(open_app: OpenApp, own_place: Path) -> None:
    for number in range(8):
        folder = RunFolder(own_place / f"run-{number}")
        folder.path.mkdir()
        (folder.path / "run.json").write_text("{}", encoding="utf-8")
        for at in range(1, 5):
            figures = {"characters": at, "seconds": at, "loss": 3 - number / 9, "bits_per_character": 2 - number / 9}
            folder.metric("validation", step=at, **figures)
    async with open_app(size=(80, 24)) as person:
        await person.press("M")
        await person.until(lambda: isinstance(person.app.screen, ModelsScreen), "the screen")
        for number in range(8):
            desk(person).add(Path(f"run-{number}"))
        await person.until_text("h/H run-7", "loss, nats per token")
        for number in range(8):
            await person.press("down")
            await person.until_text(f"run-{number}", f"{'abcdefgh'[number]}/{'ABCDEFGH'[number]}")
            await person.until(lambda: "▸" in person.text(), "the cursor")
        assert "text" in person.text().splitlines()[-1]
        assert "run" in person.text().splitlines()[-1]


async def test_what_cannot_work_is_said_before_it_starts(open_app: OpenApp, own_place: Path) -> None:
    async with open_app() as person:
        await person.press("M", "n")
        await person.until_text("Train a language model")
        await person.press("enter")
        await person.until_text("there is no folder data/encoded_bpe")
        await person.press("escape", "escape")
        await encode(person)
        await person.press("plus", "enter")
        await person.rest()
        await person.press("M", "n")
        await person.until_text("Train a language model")
        await person.press("enter")
        await person.until_text("was encoded by another tokenizer")
        await person.press("escape", "a")
        await person.until_text("Add a run")
        await person.type("nowhere")
        await person.press("enter")
        await person.until_told("nowhere is no folder")
    assert not (own_place / "checkpoints").exists()


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
async def test_a_process_that_dies_is_told_in_a_sentence(open_app: OpenApp) -> None:
    async with open_app() as person:
        await encode(person)
        await start(person, 200_000, "doomed")
        run = desk(person).runs[0]
        await person.until(lambda: run.status is not None and run.status.step > 0, "the first steps")
        assert run.status is not None
        os.kill(run.status.pid, signal.SIGKILL)
        await person.until_told("the training process was killed (signal 9)")
        await person.until_text("failed")
