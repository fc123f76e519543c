"""Being told to go: a closed terminal (SIGHUP) and a polite kill (SIGTERM), handled the same by every face."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name))
"""The signals that end a session, as far as this system has them (Windows has no SIGHUP)."""


@contextlib.contextmanager
def on_ending_signal(callback: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Call `callback(signal)` instead of dying, within the block; see `on_signals`."""
    with on_signals(ENDING, callback):
        yield


@contextlib.contextmanager
def on_signals(numbers: Iterable[signal.Signals], callback: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Call `callback(signal)` for each of `numbers` that comes within the block; afterwards everything is as it was.

    The callback runs in the main thread between two instructions of whatever that thread is doing: it must only set an
    event, hand work to a loop, or raise. A signal that was ignored before stays ignored: `nohup` means what it says.
    Outside the main thread, where Python allows no handlers, the block runs without them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _frame: FrameType | None) -> None:
        callback(signal.Signals(number))

    before = {}
    try:
        for number in numbers:
            # None: a handler that was not set by Python, and could not be put back by it.
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, handle)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
