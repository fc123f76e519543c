"""Characters in UTF-8 bytes: their classes, and runs of them.

Bytes that are no UTF-8 (stray, overlong, surrogates, above U+10FFFF, cut off) are each a character of its own, of class
OTHER. As no byte below 0x80 and no first byte is ever taken for a part of the character before, every byte that is no
continuation byte starts a character.

`table` is `character_classes.table()` everywhere.
"""

from __future__ import annotations

from numba import int64, njit, types, uint8

from bpe_tui.bpe.character_classes import BYTES, NON_ASCII, OTHER, PAGE, PAGES
from bpe_tui.bpe.kernels.machine import INNER, Array

BYTE_ARRAY = types.Array(uint8, 1, "C", readonly=True)
"""The type of texts; read-only, so that mapped files serve, too."""

FOLD = 0x20
"""The bit by which ASCII's small letters differ from its capitals."""


@njit(int64(BYTE_ARRAY, int64, int64, BYTE_ARRAY), **INNER)
def long_character(data: Array, place: int, stop: int, table: Array) -> int:
    """Give class | bytes << 8 of the character at `place`, which is not ASCII; a byte of class OTHER if it is none."""
    first = int64(data[place])
    left = stop - place
    invalid = OTHER | 1 << 8
    if first < 0xC2 or first > 0xF4 or left < 2:
        return invalid
    second = int64(data[place + 1])
    if second & 0xC0 != 0x80:
        return invalid
    if first < 0xE0:
        point = (first & 0x1F) << 6 | second & 0x3F
        width = 2
    else:
        if left < 3:
            return invalid
        third = int64(data[place + 2])
        if third & 0xC0 != 0x80:
            return invalid
        if first < 0xF0:
            point = (first & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F
            width = 3
            if point < 0x800 or 0xD800 <= point < 0xE000:
                return invalid
        else:
            if left < 4:
                return invalid
            fourth = int64(data[place + 3])
            if fourth & 0xC0 != 0x80:
                return invalid
            point = (first & 0x07) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | fourth & 0x3F
            width = 4
            if point < 0x10000 or point > 0x10FFFF:
                return invalid
    block = int64(table[BYTES + point // PAGE])
    return int64(table[BYTES + PAGES + block * PAGE + point % PAGE]) | width << 8


@njit(int64(BYTE_ARRAY, int64, int64, BYTE_ARRAY), **INNER)
def character(data: Array, place: int, stop: int, table: Array) -> int:
    """Give class | bytes << 8 of the character at `place`."""
    kind = int64(table[data[place]])
    if kind == NON_ASCII:
        return long_character(data, place, stop, table)
    return kind | 1 << 8


@njit(int64(BYTE_ARRAY, int64, int64, BYTE_ARRAY, int64), **INNER)
def run_end(data: Array, place: int, stop: int, table: Array, wanted: int) -> int:
    """Give where the run of characters of the classes `wanted` that starts at `place` ends."""
    while place < stop:
        kind = int64(table[data[place]])
        if kind & wanted:
            place += 1
        elif kind == NON_ASCII:
            found = long_character(data, place, stop, table)
            if found & wanted == 0:
                return place
            place += found >> 8
        else:
            return place
    return place


@njit(int64(BYTE_ARRAY, int64, int64, int64), **INNER)
def contraction(data: Array, place: int, stop: int, fold: int) -> int:
    """Give the bytes of the contraction ('s 't 'm 'd 'll 've 're) at the apostrophe at `place`, or 0.

    `fold` is FOLD to take capitals too, and the long s (U+017F), which folds to s; else 0.
    """
    if place + 1 >= stop:
        return 0
    first = int64(data[place + 1]) | fold
    if first == 0x73 or first == 0x74 or first == 0x6D or first == 0x64:  # s, t, m, d
        return 2
    if place + 2 >= stop:
        return 0
    if first == 0xE5 and fold and data[place + 1] == 0xC5 and data[place + 2] == 0xBF:  # the long s
        return 3
    second = int64(data[place + 2]) | fold
    if first == 0x6C and second == 0x6C:  # ll
        return 3
    if (first == 0x76 or first == 0x72) and second == 0x65:  # ve, re
        return 3
    return 0
