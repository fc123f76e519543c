"""How far a job is, on standard error: a bar on a terminal, plain lines in a log file, nothing when nobody wants it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class ShowProgress(Protocol):
    """Takes how far the job is. Whoever waits for the job calls it about ten times a second."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show it; `total` is 0 while nobody knows."""

    def clear(self) -> None:
        """Take away what is shown, so that a line can be printed, or for good. It may be shown again."""


class ShowNothing:
    """For `--quiet`."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show nothing."""

    def clear(self) -> None:
        """Take nothing away."""


class PlainLines:
    """A line when a step begins that lasts, and one every ten seconds while it does."""

    interval = 10.0

    def __init__(self, say: Callable[[str], None], message: Callable[[object], str]) -> None:
        self._say = say
        self._message = message
        self._step = ""
        self._said = 0.0

    def __call__(self, step: str, done: int, total: int) -> None:
        """Print a line if one is due."""
        now = time.monotonic()
        if step and (step != self._step or now - self._said >= self.interval):
            how_far = f": {done:,} of {total:,}" if total and step == self._step else ""
            self._step, self._said = step, now
            self._say(f"{self._message(step)}{how_far}")

    def clear(self) -> None:
        """Leave the lines where they are."""


class Bar:
    """A bar at the bottom of the terminal that leaves no trace behind."""

    def __init__(self, message: Callable[[object], str], *, ascii_only: bool) -> None:
        self._message = message
        self._ascii_only = ascii_only
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, step: str, done: int, total: int) -> None:
        """Draw the bar."""
        if self._progress is None:
            self._progress = _rich_bar(ascii_only=self._ascii_only)
        if self._task is None:
            # Without a thread of its own: it is redrawn here and nowhere else.
            self._task = self._progress.add_task("", total=None)
            self._progress.start()
        self._progress.update(self._task, description=self._message(step), completed=done, total=total or None)
        self._progress.refresh()

    def clear(self) -> None:
        """Erase the bar."""
        if self._progress is not None and self._task is not None:
            self._progress.stop()
            self._progress.remove_task(self._task)
            self._task = None


def _rich_bar(*, ascii_only: bool) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    class AsciiConsole(Console):
        @property
        def encoding(self) -> str:
            return "ascii"

    console = (AsciiConsole if ascii_only else Console)(stderr=True)
    return Progress(
        # Steps name files, and a file may be called [red].
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        auto_refresh=False,
        # Lines for people are our own business: rich would send standard output to standard error.
        redirect_stdout=False,
        redirect_stderr=False,
    )
