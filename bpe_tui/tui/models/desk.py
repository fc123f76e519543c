"""The trainings that the app knows: started, stopped and followed here, whichever screen is in front."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bpe_tui.lm.errors import RunFolderError
from bpe_tui.lm.run_folder import CHECKPOINT_NAME, METRICS_NAME, RUN_NAME, read_status
from bpe_tui.session import trainings
from bpe_tui.terminal import count
from bpe_tui.tui import pacing
from bpe_tui.tui.dialogs.question import shown_path
from bpe_tui.tui.models.run import ModelRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.timer import Timer

    from bpe_tui.tui.app import BpeTuiApp

RUNS_FOLDER: Final = Path("checkpoints")
"""Where trainings are unless somebody says otherwise."""
_MOST_FOUND: Final = 200
MOST_RUNS: Final = 8
"""More curves than that nobody tells apart."""
_LOOK: Final = 2.0
"""Seconds between two looks for trainings that other programs have begun."""


class ModelDesk:
    """Belongs to the app, not to a screen: a training goes on when its screen is left."""

    def __init__(self, app: BpeTuiApp) -> None:
        self._app = app
        self._timer: Timer | None = None
        self._rate = 0.0
        self._looked_at = 0.0
        self._dropped: set[Path] = set()
        self.runs: list[ModelRun] = []
        self.selected = 0
        self.version = 0
        """Grows whenever there is something new to draw."""
        self.on_change: Callable[[], None] | None = None
        """Called after that, while a screen shows the runs."""

    @property
    def training(self) -> ModelRun | None:
        """The training of this app that is at work."""
        return next((run for run in self.runs if run.own), None)

    @property
    def chosen(self) -> ModelRun | None:
        """The run that the cursor is on."""
        return self.runs[self.selected] if self.runs else None

    def select(self, step: int) -> None:
        """Move the cursor."""
        if self.runs:
            self.selected = (self.selected + step) % len(self.runs)
            self._changed()

    def start(self, folder: Path, arguments: Sequence[str]) -> None:
        """Begin a training in `folder`. Raises RunFolderError."""
        self._one_at_a_time()
        run = ModelRun(folder)
        run.start([*arguments, *threads()])
        trainings.note(folder)
        self._put(run)

    def go_on(self, run: ModelRun) -> None:
        """Go on with a training: at once if its process holds, else by a new one. Raises RunFolderError."""
        if run.running:
            run.unpause()
        else:
            self._one_at_a_time()
            run.go_on(threads())
            trainings.note(run.folder)
        self._changed()
        self.follow()

    def add(self, folder: Path) -> None:
        """Show the training of a folder too. Raises RunFolderError."""
        if not folder.is_dir():
            raise RunFolderError(f"{folder} is no folder; name the folder that a training has written")
        if not (folder / RUN_NAME).is_file() and not (folder / METRICS_NAME).is_file():
            raise RunFolderError(f"{folder} holds no {RUN_NAME}: no training was written there; name another folder")
        known = next((run for run in self.runs if run.folder.resolve() == folder.resolve()), None)
        if known is not None:
            raise RunFolderError(f"{folder} is shown already")
        self._put(ModelRun(folder))

    def remove(self, run: ModelRun) -> None:
        """Show a run no longer; its folder stays. Raises RunFolderError while it trains."""
        if run.own:
            raise RunFolderError(f"this run is {run.state}: x stops it first")
        self.runs.remove(run)
        self._dropped.add(run.folder.resolve())
        trainings.forget(run.folder)
        self.selected = min(self.selected, max(0, len(self.runs) - 1))
        self._changed()

    def follow(self) -> None:
        """Look at the runs on every tick for as long as one of them is at work or a screen shows them."""
        if self._timer is not None and self._rate != self._app.rate:
            self._timer.stop()
            self._timer = None
        if self._timer is None:
            self._rate = self._app.rate
            self._timer = self._app.set_interval(1 / self._rate, self._tick)
        else:
            self._timer.resume()

    def let_go(self) -> None:
        """Note for the end of the app where its trainings are. One that is at work goes on."""
        if self._timer is not None:
            self._timer.stop()
        for run in self.runs:
            if run.process is not None:
                run.poll()
                self._app.workspace.summary.models[run.folder] = left(run) if run.running else told(run)

    def find(self) -> None:
        """Show the trainings at work that nobody added: left by an earlier app, or begun here by `lm train`."""
        self._looked_at = time.monotonic()
        if len(self.runs) >= MOST_RUNS:
            # What is shown was chosen; nothing of it makes room by itself.
            return
        known = {run.folder.resolve() for run in self.runs} | self._dropped
        for folder in trainings.noted():
            if folder.resolve() not in known and (folder / RUN_NAME).is_file():
                known.add(folder.resolve())
                self._put(found := ModelRun(folder), choose=not self.runs)
                if not found.running:
                    # It ended while no app looked; now it is seen.
                    trainings.forget(folder)
        for folder in known_folders():
            if folder.resolve() not in known and (status := read_status(folder)) is not None and status.alive:
                self._put(ModelRun(folder), choose=not self.runs)

    def _tick(self) -> None:
        if pacing.writer_is_behind(self._app):
            return
        if time.monotonic() - self._looked_at >= _LOOK:
            self.find()
        changed = [run for run in self.runs if run.poll()]
        if changed:
            self._changed()
        for run in [run for run in self.runs if run.has_ended()]:
            self._tell_end(run)
        if self._timer is not None and self.on_change is None and not any(run.running for run in self.runs):
            self._timer.pause()

    def _tell_end(self, run: ModelRun) -> None:
        run.poll()
        trainings.forget(run.folder)
        self._changed()
        where = shown_path(run.folder)
        if run.trouble:
            self._app.tell(run.trouble, title=f"Training in {where} failed", severity="error")
        else:
            self._app.tell(f"{where} {told(run)}", title="Language model")

    def _put(self, run: ModelRun, *, choose: bool = True) -> None:
        others = [other for other in self.runs if other.folder != run.folder]
        while len(others) >= MOST_RUNS:
            # The one that was there first makes room, but never one that this app trains.
            others.remove(next(other for other in others if not other.own))
        chosen = self.chosen
        self._dropped.discard(run.folder.resolve())
        self.runs = [*others, run]
        if choose or chosen not in self.runs:
            self.selected = len(self.runs) - 1
        else:
            self.selected = self.runs.index(chosen)
        run.poll()
        self._changed()
        self.follow()

    def _changed(self) -> None:
        self.version += 1
        if self.on_change is not None:
            self.on_change()

    def _one_at_a_time(self) -> None:
        busy = self.training
        if busy is not None:
            raise RunFolderError(f"a training is at work in {busy.folder} already: x stops it")


def known_folders() -> list[Path]:
    """Give the folders of trainings below `checkpoints`, where they are unless somebody says otherwise."""
    try:
        return sorted(folder for folder in RUNS_FOLDER.iterdir() if (folder / RUN_NAME).is_file())[:_MOST_FOUND]
    except OSError:
        return []


def left(run: ModelRun) -> str:
    """Say of a training that is at work what becomes of it when the app is left."""
    if run.state in {"paused", "pausing"}:
        return "stays paused by itself; M shows it the next time"
    if run.state == "stopping":
        return f"is being stopped; its checkpoint will be {run.folder / CHECKPOINT_NAME}"
    return "trains on by itself; M shows it the next time"


def told(run: ModelRun) -> str:
    """Say how a training of this app ended and where its checkpoint is."""
    step = count(run.status.step) if run.status is not None else "0"
    checkpoint = run.folder / CHECKPOINT_NAME
    if not checkpoint.is_file():
        return f"{run.state}; there is no checkpoint yet"
    return f"{run.state} at step {step}; the checkpoint is {checkpoint}"


def threads() -> list[str]:
    """Give the arguments that leave one processor to the screen."""
    return ["--threads", str(max(1, (os.cpu_count() or 2) - 1))]
