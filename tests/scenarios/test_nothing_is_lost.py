"""Leaving, dropping and overwriting: every loss is asked about, and every answer is honoured."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support.waiting import turn, until
from textual.widgets import Input

from bpe_tui import BPETokenizer
from bpe_tui.session import checkpoint
from bpe_tui.session.state import RunState
from bpe_tui.tui import app as app_module
from bpe_tui.tui import startup

OpenApp = Callable


async def begin_slowly(person) -> None:
    await person.press("v", "v", "v", "v", "t")
    await person.until(lambda: person.snapshot.merges > 0, "the first merge")


async def test_leaving_an_idle_app_asks_nothing(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("q")
        await person.until(lambda: person.app._left, "the end")
    assert person.app.workspace.summary.lines() == []


async def test_leaving_a_busy_run_asks(open_app: OpenApp) -> None:
    async with open_app() as person:
        await begin_slowly(person)
        await person.press("q")
        await person.until_text("Leave while busy?", "keep a checkpoint", "Discard", "Stay")
        await person.press("escape")
        assert not person.app._left
        assert person.snapshot.state is RunState.TRAINING
        await person.press("ctrl+q")
        await person.until_text("Leave while busy?")
        await person.press("d")
        await person.until(lambda: person.app._left, "the end")
    assert checkpoint.stored() == []


async def test_a_kept_run_goes_on_as_if_it_had_never_stopped(open_app: OpenApp, verses: str) -> None:
    expected = BPETokenizer.train(verses, 500, 2, sorted(set(verses)), verbose=False)
    async with open_app() as person:
        await begin_slowly(person)
        await person.press("q")
        await person.until_text("Leave while busy?")
        await person.press("k")
        await person.until(lambda: person.app._left, "the end")
    assert "checkpoint" in "\n".join(person.app.workspace.summary.lines())
    kept = checkpoint.latest()
    assert kept is not None
    assert list(kept.merges) == expected.merges[: len(kept.merges)]

    async with open_app() as person:
        await person.until_told("R resumes it")
        await person.press("R")
        await person.until(lambda: person.snapshot.state is RunState.DONE, "the end of training")
        await person.rest()
        assert person.app.workspace.tokenizer().fingerprint() == expected.fingerprint()
        await person.press("s")
        await person.until_told("Saved")
    assert checkpoint.stored() == [], "what is saved needs no checkpoint"


async def test_an_unsaved_tokenizer_is_asked_about(open_app: OpenApp, own_place: Path) -> None:
    async with open_app() as person:
        await person.train()
        await person.press("q")
        await person.until_text("The tokenizer is not saved")
        await person.press("escape")
        assert not person.app._left
        for key in ("t", "o"):
            await person.press(key)
            if key == "o":
                await person.press("down", "enter")
            await person.until_text("The tokenizer is not saved")
            await person.press("escape")
            assert person.snapshot.merges > 0
        await person.press("q")
        await person.until_text("The tokenizer is not saved")
        await person.press("s")
        await person.until(lambda: person.app._left, "the end")
    assert (own_place / "tokenizer" / "bpe_tokenizer.json").exists()


async def test_saving_over_a_foreign_file_asks(open_app: OpenApp, own_place: Path) -> None:
    target = own_place / "tokenizer" / "bpe_tokenizer.json"
    target.parent.mkdir()
    target.write_text("mine")
    async with open_app() as person:
        await person.train()
        await person.press("s")
        await person.until_text("Overwrite?")
        await person.press("escape")
        await person.rest()
        assert target.read_text() == "mine"
        await person.press("s")
        await person.until_text("Overwrite?")
        await person.press("o")
        await person.until_told("Saved")
        assert target.read_text() != "mine"
        await person.press("S")
        await person.until_text("Save tokenizer as")
        await person.press("enter")
        await person.until_text("Overwrite?")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc, in which nobody may make folders")
@pytest.mark.parametrize("name", ["nul\0.json", "lone\ud800.json", "/proc/none/x.json"])
@pytest.mark.parametrize("action", ["save-as", "screenshot", "encode-to"])
async def test_names_that_cannot_be_written_are_refused(
    action: str, name: str, open_app: OpenApp, own_place: Path
) -> None:
    async with open_app() as person:
        await person.train()
        person.app.perform(action)
        await person.until(lambda: person.app.screen is not person.app.main, "the dialog")
        person.app.screen.query_one(Input).value = name
        await person.press("enter")
        await person.until(lambda: not person.app._flows or "cannot" in person.text(), "an answer")
        await person.press("escape", "escape")
        await person.rest()
        assert person.app.screen is person.app.main
        assert person.app.situation().unsaved
    assert person.app._exception is None
    assert list(own_place.iterdir()) == []


async def test_a_folder_that_cannot_be_written_is_named(open_app: OpenApp, own_place: Path) -> None:
    (own_place / "tokenizer").write_text("a file where a folder should be")
    async with open_app() as person:
        await person.train()
        await person.press("s")
        await person.until_told("Saving the tokenizer failed")
        assert person.app.situation().unsaved


async def test_ctrl_c_stops_the_run_then_says_how_to_quit(open_app: OpenApp) -> None:
    async with open_app() as person:
        await begin_slowly(person)
        await person.press("i", "ctrl+c")
        await person.until(lambda: person.snapshot.state is RunState.STOPPED, "the stop")
        await person.press("ctrl+c")
        assert "q quits" in person.toasts()
        assert not person.app._left
        await person.press("escape", "space")
        await person.until(lambda: person.snapshot.state is RunState.TRAINING, "going on")


async def test_a_failed_start_says_why(open_app: OpenApp) -> None:
    async with open_app() as person:
        person.app.workspace.set_settings(type(person.app.workspace.settings)(None, 5, 2))
        await person.press("t")
        await person.until(lambda: person.snapshot.state is RunState.FAILED, "the failure")
        await person.until_told("Training failed")


async def test_idle_rests(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.train()
        drawn = []
        original = person.app.draw
        person.app.draw = lambda: drawn.append(1) or original()
        assert not person.app._ticks._active.is_set()


async def test_nobody_wakes_up_when_the_app_was_told_to_go(
    monkeypatch: pytest.MonkeyPatch, open_app: OpenApp, corpus: Path
) -> None:
    """A corpus that is read just when the terminal is closed has no pane any more to be shown in."""
    # The grace that a signal gives ends the whole process, and here that is the tests.
    monkeypatch.setattr(app_module, "_GRACE", 3600.0)
    read, told_to_go = startup.read, threading.Event()

    def slowly(*arguments) -> object:
        assert told_to_go.wait(60)
        return read(*arguments)

    async with open_app() as person:
        app = person.app
        monkeypatch.setattr(startup, "read", slowly)
        opening = app.run_worker(app.read(corpus), exit_on_error=True)
        await person.until(lambda: app.situation().working, "reading")
        app.end_by_signal(signal.SIGTERM)
        await turn()
        told_to_go.set()
        await until(lambda: app._left, "the app to be left")
        assert opening.is_cancelled or opening.is_finished
    assert app._exception is None
