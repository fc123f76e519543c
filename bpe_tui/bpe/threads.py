"""How many threads share the work on one text."""

from __future__ import annotations

import os

MOST = 8
"""More would wait for each other's memory, and each has tables of its own."""


def thread_count() -> int:
    """Give one thread for each processor that this process may use, MOST at the most."""
    if hasattr(os, "sched_getaffinity"):
        return min(MOST, len(os.sched_getaffinity(0)))
    return min(MOST, os.cpu_count() or 1)
