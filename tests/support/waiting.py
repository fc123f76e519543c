"""Waiting for conditions on the event loop, never for a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

DEADLINE = 60.0
"""Seconds after which a condition that does not come true is a failure: far more than any needs."""


async def turn() -> None:
    """Let everything that is due on the event loop have its turn."""
    done = asyncio.Event()
    asyncio.get_running_loop().call_soon(done.set)
    await done.wait()


async def until(condition: Callable[[], object], what: str) -> None:
    """Wait until something is so. Raises TimeoutError if it never is."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited in vain for {what}")
        await turn()
