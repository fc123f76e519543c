"""Giving the screen its turn in the middle of long work on the UI's own thread."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.widget import Widget

_PAUSE: Final = 0.002
"""Seconds in which keys are taken and the screen is drawn."""


def after_a_turn(widget: Widget, go_on: Callable[[], None]) -> None:
    """Call `go_on` once the screen has had its turn, unless the widget is gone by then.

    A timer of Textual's is no good here: one whose time is over before it first looks at the clock, as on a busy
    machine, is skipped and never calls anybody.
    """

    async def wait() -> None:
        await asyncio.sleep(_PAUSE)
        go_on()

    widget.run_worker(wait(), group="turns")
