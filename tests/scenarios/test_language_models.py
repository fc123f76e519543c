"""A person trains a small language model beside the tokenizer, watches it, holds it, and compares it with another."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from textual.widgets import Input, Select

from bpe_tui.tui.models.desk import ModelDesk
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


async def test_a_training_that_is_paused_goes_on_from_there(open_app: OpenApp) -> None:
    async with open_app() as person:
        await encode(person)
        await start(person, 200_000, "long")
        run = desk(person).runs[0]
        await person.until(lambda: run.status is not None and run.status.step > 0, "the first steps")
        await person.press("escape")
        assert run.running, "leaving the screen ends nothing"
        await person.press("M", "space")
        await person.until(lambda: run.state == "paused" and not run.running, "the pause")
        await person.until_told("checkpoint.pt")
        reached = run.status.step if run.status is not None else 0
        await person.press("space")
        await person.until(lambda: run.status is not None and run.status.step > reached, "going on")
        await person.press("ctrl+q")
        await person.until_text("A language model is training")
        await person.press("escape")
        assert run.running
        await person.press("ctrl+q", "k")
        await person.until(lambda: not run.running, "the end of the process")
        await person.until_text("The tokenizer is not saved")
        await person.press("d")
        await person.until(lambda: person.app._left, "the end")
    assert "checkpoint.pt" in "\n".join(person.app.workspace.summary.lines())


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
