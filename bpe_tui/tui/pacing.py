"""How often the screen is drawn: as often as it helps, never faster than the line to the terminal can take.

This is the one place that knows Textual's writer thread, which is not part of its public face.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

LOCAL_RATE: Final = 10.0
"""Ticks per second on a local terminal."""

REMOTE_RATE: Final = 4.0
"""Ticks per second over SSH, where every byte travels."""

LEAST_RATE: Final = 0.5
MOST_RATE: Final = 30.0

_SSH_VARIABLES: Final = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")


def is_remote(environment: Mapping[str, str]) -> bool:
    """Tell whether the terminal is at the other end of an SSH connection."""
    return any(environment.get(variable) for variable in _SSH_VARIABLES)


def ticks_per_second(environment: Mapping[str, str], chosen: float | None = None) -> float:
    """Give the ticks per second: what the user chose, kept between 0.5 and 30, or what suits the connection."""
    if chosen is None or not math.isfinite(chosen):
        return REMOTE_RATE if is_remote(environment) else LOCAL_RATE
    return min(MOST_RATE, max(LEAST_RATE, chosen))


def tick_interval(environment: Mapping[str, str], chosen: float | None = None) -> float:
    """Give the seconds between two ticks."""
    return 1.0 / ticks_per_second(environment, chosen)


def writer_is_behind(app: object) -> bool:
    """Tell whether output still waits to be written to the terminal; a tick that finds it so should draw nothing.

    False when there is nothing to ask, as in tests or with a driver of another kind.
    """
    # Drawing more than the line takes fills the queue, and a full queue blocks the whole app.
    thread = getattr(getattr(app, "_driver", None), "_writer_thread", None)
    waiting = getattr(getattr(thread, "_queue", None), "qsize", None)
    if not callable(waiting):
        return False
    pending = waiting()
    return isinstance(pending, int) and pending > 0
