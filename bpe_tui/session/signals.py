"""Being told to go: a closed terminal (SIGHUP) and a polite kill (SIGTERM), handled the same by every face."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name))
"""The signals that end a session, as far as this system has them (Windows has no SIGHUP)."""

HANG_UP = tuple(number for number in ENDING if number.name == "SIGHUP")
"""The signal that the terminal is gone, where there is one."""


@contextlib.contextmanager
def on_ending_signal(callback: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Call `callback(signal)` instead of dying, within the block; see `on_signals`.

    For programs that draw on a terminal: they hear of its end even where it is to be ignored, since without a terminal
    they can neither be seen nor be told to go.
    """
    with on_signals(ENDING, callback, even_ignored=HANG_UP):
        yield


@contextlib.contextmanager
def on_signals(
    numbers: Iterable[signal.Signals],
    callback: Callable[[signal.Signals], None],
    *,
    even_ignored: Iterable[signal.Signals] = (),
) -> Iterator[None]:
    """Call `callback(signal)` for each of `numbers` that comes within the block; afterwards everything is as it was.

    The callback runs in the main thread between two instructions of whatever that thread is doing: it must only set an
    event, hand work to a loop, or raise. A signal that was ignored before stays ignored (`nohup` means what it says),
    but for those of `even_ignored`. Outside the main thread, where Python allows no handlers, the block runs without.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _frame: FrameType | None) -> None:
        callback(signal.Signals(number))

    before = {}
    heard_always = frozenset(even_ignored)
    try:
        for number in numbers:
            # None: a handler that was not set by Python, and could not be put back by it.
            present = signal.getsignal(number)
            if present is not None and (present is not signal.SIG_IGN or number in heard_always):
                before[number] = signal.signal(number, handle)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
