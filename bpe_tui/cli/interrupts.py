"""Signals that end a job: ctrl+c, a polite kill, a lost terminal. The job gets the chance to clean up behind itself."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

from bpe_tui.session.signals import ENDING, on_signals


class Interrupted(KeyboardInterrupt):
    """A signal came. Its text, if any, says what became of the job."""

    def __init__(self, number: int, outcome: str = "") -> None:
        self.number = number
        super().__init__(outcome)

    @property
    def exit_code(self) -> int:
        """The exit code that shells expect of a program that a signal ended: 130 for ctrl+c."""
        return 128 + self.number


class _Received:
    """What came so far. Kept beside the exception, which Python swallows if it happens to rise in a finaliser."""

    number: int | None = None
    times: int = 0


@contextlib.contextmanager
def signals_interrupt() -> Iterator[None]:
    """Let the first signal raise Interrupted in the main thread; the next is ignored while the job cleans up.

    A third one ends the process at once. Signals that the parent wants ignored stay ignored (`nohup`).
    """
    _Received.number, _Received.times = None, 0
    try:
        with on_signals((signal.SIGINT, *ENDING), _receive):
            yield
    finally:
        _Received.number = None


def raise_if_interrupted() -> None:
    """Raise Interrupted if a signal came and its exception was lost on the way."""
    if _Received.number is not None:
        raise Interrupted(_Received.number)


def _receive(number: signal.Signals) -> None:
    _Received.times += 1
    if _Received.times == 1:
        _Received.number = number
        raise Interrupted(number)
    if _Received.times >= 3:
        os._exit(128 + number)
