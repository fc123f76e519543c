"""Keeping the memory of a long job from growing for no reason.

A job that works block by block takes and gives back some megabytes again and again. The C library of Linux soon serves
such blocks from a heap of its own, where they leave holes that fit no later block: 250 megabytes after a gigabyte of
text. Told to, it asks the system for each of them and gives each back, which costs little.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys

_M_MMAP_THRESHOLD = -3
"""The parameter's number in glibc's `malloc.h`; see mallopt(3)."""
_LARGE = 1 << 20


def give_large_blocks_back() -> None:
    """Have memory of a megabyte and more given back to the system as soon as it is free; glibc only."""
    if sys.platform.startswith("linux"):
        # Other C libraries for Linux have no such function, and need none.
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE)
