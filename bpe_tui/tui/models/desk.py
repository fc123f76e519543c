"""The trainings that the app knows: started, stopped and followed here, whichever screen is in front."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bpe_tui.lm.errors import RunFolderError
from bpe_tui.lm.run_folder import CHECKPOINT_NAME, METRICS_NAME, RUN_NAME
from bpe_tui.terminal import count
from bpe_tui.tui import pacing
from bpe_tui.tui.dialogs.question import shown_path
from bpe_tui.tui.models.run import ModelRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.timer import Timer

    from bpe_tui.tui.app import BpeTuiApp

MOST_RUNS: Final = 8
"""More curves than that nobody tells apart."""


class ModelDesk:
    """Belongs to the app, not to a screen: a training goes on when its screen is left."""

    def __init__(self, app: BpeTuiApp) -> None:
        self._app = app
        self._timer: Timer | None = None
        self._rate = 0.0
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
        self._put(run)

    def go_on(self, run: ModelRun) -> None:
        """Go on with a training. Raises RunFolderError."""
        self._one_at_a_time()
        run.go_on(threads())
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
            raise RunFolderError("this run is training: x stops it first")
        self.runs.remove(run)
        self.selected = min(self.selected, max(0, len(self.runs) - 1))
        self._changed()

    def follow(self) -> None:
        """Look at the runs on every tick for as long as one of them is at work."""
        if self._timer is not None and self._rate != self._app.rate:
            self._timer.stop()
            self._timer = None
        if self._timer is None:
            self._rate = self._app.rate
            self._timer = self._app.set_interval(1 / self._rate, self._tick)
        else:
            self._timer.resume()

    def let_go(self) -> None:
        """Note for the end of the app where trainings are, after telling them to stop; does not wait for that."""
        run = self.training
        if self._timer is not None:
            self._timer.stop()
        for known in self.runs:
            if known.process is not None and known is not run:
                known.poll()
                self._app.workspace.summary.models[known.folder] = told(known)
        if run is None:
            return
        if not run.detached:
            run.stop("stopped")
            words = f"is being stopped; its checkpoint will be {run.folder / CHECKPOINT_NAME}"
        else:
            words = "trains on by itself"
        self._app.workspace.summary.models[run.folder] = words

    def _tick(self) -> None:
        if pacing.writer_is_behind(self._app):
            return
        changed = [run for run in self.runs if run.poll()]
        if changed:
            self._changed()
        ended = [run for run in self.runs if run.process is not None and not run.own and run.ended_unsaid()]
        for run in ended:
            self._tell_end(run)
        if self._timer is not None and not any(run.running for run in self.runs):
            self._timer.pause()

    def _tell_end(self, run: ModelRun) -> None:
        run.poll()
        self._changed()
        where = shown_path(run.folder)
        if run.trouble:
            self._app.tell(run.trouble, title=f"Training in {where} failed", severity="error")
        else:
            self._app.tell(f"{where} {told(run)}", title="Language model")

    def _put(self, run: ModelRun) -> None:
        others = [other for other in self.runs if other.folder != run.folder]
        while len(others) >= MOST_RUNS:
            # The one that was there first makes room, but never one that this app trains.
            others.remove(next(other for other in others if not other.own))
        self.runs = others
        self.runs.append(run)
        self.selected = len(self.runs) - 1
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
