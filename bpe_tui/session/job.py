"""The one shape of every long job other than training: progress, cancel, error, done.

Threads. A job owns one thread. Its function reports how far it is; the report leaves one tuple behind, replaced whole,
which snapshots read. Cancelling sets a flag that the next report turns into `Cancelled`, so a job ends as fast as it
reports. Nobody is called back: a user interface pulls snapshots, a script waits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from bpe_tui.errors import Cancelled
from bpe_tui.progress import Report
from bpe_tui.session.failure import explain

T = TypeVar("T")


class JobState(StrEnum):
    """Where a job is. The values are the words that people read."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing happens any more."""
        return self is not JobState.RUNNING


@dataclass(frozen=True, slots=True)
class JobSnapshot(Generic[T]):
    """A job at one moment."""

    name: str
    state: JobState
    step: str
    """What it is at, for people."""
    done: int
    total: int
    """Units of the present step; 0 while not known."""
    error: str | None
    """Why it failed, for people; None unless it did."""
    result: T | None
    """What it gave; None until it is done."""
    seconds: float
    cancelling: bool = False
    """Whether it is told to stop but has not come to it yet."""

    @property
    def progress(self) -> float | None:
        """0 to 1 within the present step; 1 when done; None while not known."""
        if self.state is JobState.DONE:
            return 1.0
        return min(1.0, self.done / self.total) if self.total > 0 else None


class Job(Generic[T]):
    """A job named `name` that runs `function(report)` in a thread of its own. A job that was not started is running."""

    def __init__(self, name: str, function: Callable[[Report], T]) -> None:
        self.name = name
        self._function = function
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self._progress = (name, 0, 0)
        self._state = JobState.RUNNING
        self._result: T | None = None
        self._error: str | None = None
        self._exception: BaseException | None = None
        self._begun: float | None = None
        self._seconds = 0.0

    def start(self) -> Job[T]:
        """Set it going and give it back; a second call does nothing."""
        with self._lock:
            if self._thread is None:
                self._begun = time.monotonic()
                self._thread = threading.Thread(target=self._work, name=f"bpe-tui {self.name}")
                self._thread.start()
        return self

    def cancel(self) -> None:
        """Tell it to stop at its next report. Nothing happens if it has ended."""
        self._cancel.set()

    def snapshot(self) -> JobSnapshot[T]:
        """Give the job as it is right now. Cheap; any thread."""
        with self._lock:
            running = self._state is JobState.RUNNING and self._begun is not None
            step, done, total = self._progress
            return JobSnapshot(
                name=self.name,
                state=self._state,
                step=step,
                done=done,
                total=total,
                error=self._error,
                result=self._result,
                seconds=time.monotonic() - self._begun if running and self._begun is not None else self._seconds,
                cancelling=self._cancel.is_set() and self._state is JobState.RUNNING,
            )

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended, at most `timeout` seconds, and give whether it has."""
        if not self._ended.wait(timeout):
            return False
        if self._thread is not None:
            self._thread.join()
        return True

    def outcome(self) -> T:
        """Wait for the result and give it; raises the very error that the job ended with, `Cancelled` included.

        An interrupt (ctrl+c) while waiting cancels the job, waits for it to end, and goes on upwards.
        """
        try:
            self.wait()
        except BaseException:
            self.cancel()
            self.wait()
            raise
        if self._exception is not None:
            raise self._exception
        return self._result  # type: ignore[return-value]

    def _report(self, step: str, done: int, total: int) -> None:
        # The interpreter waits for this thread when the program ends; a job must not keep it.
        if self._cancel.is_set() or not threading.main_thread().is_alive():
            raise Cancelled(f"{self.name}: cancelled")
        self._progress = (step, done, total)

    def _work(self) -> None:
        try:
            if self._cancel.is_set():
                raise Cancelled(f"{self.name}: cancelled")
            result = self._function(self._report)
        except Cancelled as error:
            self._end(JobState.CANCELLED, None, None, error)
        except BaseException as error:  # whatever it is, the job must say so instead of vanishing
            self._end(JobState.FAILED, None, explain(error, self.name), error)
        else:
            self._end(JobState.DONE, result, None, None)

    def _end(self, state: JobState, result: T | None, error: str | None, exception: BaseException | None) -> None:
        with self._lock:
            self._state, self._result, self._error, self._exception = state, result, error, exception
            self._seconds = time.monotonic() - self._begun if self._begun is not None else 0.0
        self._ended.set()
