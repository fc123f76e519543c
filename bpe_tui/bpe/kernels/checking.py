"""Whether bytes are UTF-8, and what else there is to notice in them, without making a text of them."""

from __future__ import annotations

import numpy as np
from numba import int64, njit

from bpe_tui.bpe.kernels.characters import BYTE_ARRAY, long_character
from bpe_tui.bpe.kernels.machine import OUTER, Array
from bpe_tui.bpe.kernels.windows import WINDOW, between, members

CHARACTERS, LINE_ENDS, NULS, RETURNS, NOTICED = range(5)
"""Places in what was noticed: how many there are of each."""

_i64 = int64[::1]


@njit(int64(BYTE_ARRAY, BYTE_ARRAY, _i64), **OUTER)
def check(data: Array, classes: Array, noticed: Array) -> int:
    """Give where the bytes cease to be UTF-8: at a byte that is none, or in a character that is cut off.

    What stands before that is added to `noticed`. `classes` is `character_classes.table()`.
    """
    place = 0
    while place < len(data):
        if place + WINDOW <= len(data) and between(data, place, 0x80, 0x80) == np.uint64(0):
            noticed[CHARACTERS] += WINDOW
            noticed[LINE_ENDS] += members(between(data, place, 0x0A, 1))
            noticed[NULS] += members(between(data, place, 0x00, 1))
            noticed[RETURNS] += members(between(data, place, 0x0D, 1))
            place += WINDOW
            continue
        stop = min(place + WINDOW, len(data))
        while place < stop:
            byte = data[place]
            width = 1
            if byte >= 0x80:
                width = long_character(data, place, len(data), classes) >> 8
                if width == 1:
                    return place
            elif byte < 0x20:
                noticed[LINE_ENDS] += byte == 0x0A
                noticed[NULS] += byte == 0x00
                noticed[RETURNS] += byte == 0x0D
            noticed[CHARACTERS] += 1
            place += width
    return place
