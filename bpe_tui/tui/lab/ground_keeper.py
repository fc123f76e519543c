"""Keeps the ground of the Lab up with the tokenizer at hand, in threads, and without taking much from the run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypeVar, cast

from bpe_tui.session.job import Job
from bpe_tui.tui.lab.ground import Ground, Measured, make_ground, measure, measured_by_run

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.session.run import Run
    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.lab.screen import LabScreen

T = TypeVar("T")

_REST: Final = 6.0
"""How many times as long as making a ground took nothing is made while the run is busy."""


class GroundKeeper:
    """The newest ground that is ready, what is known of the training text, and the Lab's own jobs."""

    def __init__(self, screen: LabScreen) -> None:
        self._screen = screen
        self.ground: Ground | None = None
        self.trouble = ""
        """Why the last ground could not be made."""
        self._measured: tuple[object, Measured] | None = None
        self._jobs: list[Job[object]] = []
        self._making = False
        self._not_before = 0.0
        self._failed: object = None
        self._asked: object = None
        self.unmeasured = ""
        """Why the training text is not measured."""

    @property
    def _app(self) -> BpeTuiApp:
        return self._screen.bench

    def follow(self, snapshot: Snapshot) -> None:
        """Move on to the state of a snapshot, now or soon."""
        workspace = self._app.workspace
        key = workspace.key(snapshot)
        if not workspace.situation(snapshot, "", "").tokenizer or (
            self.ground is not None and not workspace.belongs(self.ground.key)
        ):
            self.ground = None
        if workspace.situation(snapshot, "", "").tokenizer and (self.ground is None or self.ground.key != key):
            self._want(key, snapshot)

    def measured(self, snapshot: Snapshot) -> Measured | None:
        """Give what is known of the training text."""
        workspace = self._app.workspace
        if workspace.run is not None:
            return measured_by_run(snapshot, len(workspace.training_text()))
        ground, found = self.ground, self._measured
        known = ground is not None and found is not None and found[0] == (ground.key, workspace.corpus)
        return found[1] if known and found is not None else None

    def busy(self) -> Job[object] | None:
        """Give a job that is at work, and not told to stop already."""
        return next((job for job in self._jobs if not ((now := job.snapshot()).state.ended or now.cancelling)), None)

    def start(self, job: Job[T]) -> None:
        """Start a job of the Lab's own: ctrl+c cancels it, and so does leaving."""
        self._jobs = [old for old in self._jobs if not old.snapshot().state.ended]
        self._jobs.append(cast("Job[object]", job))
        job.start()

    def cancel(self) -> bool:
        """Cancel the jobs; gives whether there were any."""
        running = [job for job in self._jobs if not ((now := job.snapshot()).state.ended or now.cancelling)]
        for job in running:
            job.cancel()
        return bool(running)

    def _want(self, key: object, snapshot: Snapshot) -> None:
        """Make a ground for the state `key`, unless one is being made or it is too early."""
        if self._making or self._failed == key or (snapshot.state.busy and time.monotonic() < self._not_before):
            return
        workspace = self._app.workspace
        sample = workspace.training_text()
        self._making = True
        # Of the very run or file that the key speaks of, whatever is at hand by the time the thread asks.
        run, loaded = workspace.run, workspace.loaded

        def make() -> BPETokenizer:
            return loaded.tokenizer if loaded is not None else cast("Run", run).tokenizer()

        job = Job("preparing the tokenizer", lambda report: make_ground(key, make, sample, report))
        self._screen.run_worker(self._make(key, job), group="lab-ground")

    async def _make(self, key: object, job: Job[Ground]) -> None:
        self.start(job)
        outcome = await self._app.ended(job)
        self._making = False
        self._not_before = time.monotonic() + _REST * outcome.seconds
        workspace = self._app.workspace
        if outcome.result is not None and workspace.belongs(key):
            self.ground, self.trouble = outcome.result, ""
        elif outcome.result is None:
            self._failed, self.trouble = key, outcome.error or "stopped: leave the Lab and come back to try again"
        self._app.wake()

    def want_measured(self) -> None:
        """Measure the training text with a loaded tokenizer, once."""
        workspace, ground = self._app.workspace, self.ground
        if workspace.loaded is None or ground is None or ground.dial is None or workspace.corpus is None:
            return
        asked = (ground.key, workspace.corpus)
        if asked == self._asked:
            return
        self._asked = asked
        text = workspace.training_text()
        job = Job("measuring the training text", lambda report: measure(ground.tokenizer, text, report))
        self._screen.run_worker(self._measure(asked, job), group="lab-measure", exclusive=True)

    async def _measure(self, asked: object, job: Job[Measured]) -> None:
        self.start(job)
        outcome = await self._app.ended(job)
        if outcome.result is not None:
            self._measured = (asked, outcome.result)
            self.unmeasured = ""
        else:
            self.unmeasured = outcome.error or "the training text was not measured: that was stopped"
        self._app.wake()
