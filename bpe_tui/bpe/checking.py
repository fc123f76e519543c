"""Whether bytes are UTF-8: ten times as fast as by making a text of them, and without Python's lock."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bpe_tui.bpe import character_classes


class Noticed(NamedTuple):
    """What stands in bytes, as far as they are UTF-8."""

    bytes: int
    """How many are UTF-8: all, or those before the first that is none, or before a character that is cut off."""
    characters: int
    line_ends: int
    nuls: int
    returns: int


def check_utf8(content: bytes | memoryview) -> Noticed:
    """Look through bytes up to where they cease to be UTF-8."""
    from bpe_tui.bpe.kernels import checking as kernel

    noticed = np.zeros(kernel.NOTICED, np.int64)
    stop = kernel.check(np.frombuffer(content, np.uint8), character_classes.table(), noticed)
    return Noticed(stop, *noticed.tolist())
