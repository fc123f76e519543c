"""A person at the app: opens it, presses keys, waits until something is to be seen."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from bpe_tui.session.snapshot import Snapshot
from bpe_tui.tui.app import BpeTuiApp

DEADLINE = 60.0
"""Seconds after which a wait is given up; the very first run on a machine compiles for some of them."""


def _verses(seed: int, lines: int) -> str:
    """Text that never repeats itself for long: words made of syllables, chosen by a seeded die."""
    die = random.Random(seed)
    syllables = ["wa", "ter", "low", "er", "est", "new", "wid", "the", "riv", "and", "in", "be", "gin", "ning", "s"]
    words = ["the", "water", "and"] + ["".join(die.choices(syllables, k=die.randint(1, 4))) for _ in range(300)]
    return "".join(" ".join(die.choices(words, k=die.randint(4, 11))).capitalize() + ".\n" for _ in range(lines))


VERSES = _verses(1, 400)
OTHERS = _verses(2, 12)


@dataclass
class Person:
    app: BpeTuiApp
    pilot: Pilot[Any]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        names = {" ": "space", ".": "full_stop", "/": "slash", "_": "underscore", "-": "minus"}
        await self.press(*[names.get(character, character) for character in text])

    async def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.pilot.pause()

    async def until(self, predicate: Callable[[], object], what: str = "") -> None:
        end = time.monotonic() + DEADLINE
        while not predicate():
            if time.monotonic() > end:
                raise TimeoutError(f"waited for {what or predicate}; on screen:\n{self.text()}")
            await self.pilot.pause()
        await self.pilot.pause()

    async def until_text(self, *wanted: str) -> None:
        await self.until(lambda: all(word in self.text() for word in wanted), f"the words {wanted}")

    async def rest(self) -> None:
        await self.until(lambda: not self.app.situation().working and not self.app._flows, "rest")

    async def train(self) -> None:
        await self.press("t")
        await self.until(lambda: self.snapshot.state.ended, "the end of training")
        await self.rest()

    @property
    def snapshot(self) -> Snapshot:
        return self.app.workspace.snapshot()

    async def until_told(self, wanted: str) -> None:
        await self.until(lambda: wanted in self.toasts(), f"the message {wanted!r}")

    def text(self) -> str:
        """What is on the screen, and nothing that is not: the cells as they would go to a terminal."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    def toasts(self) -> str:
        return "\n".join(f"{note.title}: {note.message}" for note in self.app._notifications)

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.pilot.pause()


OpenApp = Callable[..., contextlib.AbstractAsyncContextManager[Person]]


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Everything that the app writes by itself lands in a folder of this test."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for variable in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    return here


def write_corpus(folder: Path, train: str = VERSES, val: str = OTHERS, test: str = OTHERS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("train", train), ("val", val), ("test", test)):
        (folder / f"{name}.txt").write_bytes(text.encode())
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "verses")


@pytest.fixture
def make_corpus(tmp_path: Path) -> Callable[..., Path]:
    return lambda name="other", **texts: write_corpus(tmp_path / name, **texts)


@pytest.fixture
def verses() -> str:
    return VERSES


def _end_trainings(app: BpeTuiApp) -> None:
    """End what would train on behind the test: the app itself never does."""
    for run in app.models.runs if app.models is not None else ():
        if run.process is not None:
            run.stop()
            run.process.wait(DEADLINE)


@pytest.fixture
def open_app(corpus: Path) -> OpenApp:
    @contextlib.asynccontextmanager
    async def opened(size: tuple[int, int] = (120, 40), **arguments: Any) -> AsyncIterator[Person]:
        app = BpeTuiApp(**{"corpus": corpus, **arguments})
        async with app.run_test(size=size) as pilot:
            person = Person(app, pilot)
            await person.until(lambda: app.workspace.corpus is not None or app._notifications, "the corpus")
            await person.rest()
            try:
                yield person
            finally:
                _end_trainings(app)
                if not app._left:
                    app.leave()

    return opened
