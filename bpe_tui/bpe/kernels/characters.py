"""Characters in UTF-8 bytes: their classes, and runs of them, eight bytes at a time where those are ASCII.

Bytes that are no UTF-8 (stray, overlong, surrogates, above U+10FFFF, cut off) are each a character of its own, of class
OTHER. As no byte below 0x80 and no first byte is ever taken for a part of the character before, every byte that is no
continuation byte starts a character.

`table` is `character_classes.table()` everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import int64, njit, types, uint8, uint64
from numba.core import cgutils
from numba.extending import intrinsic

from bpe_tui.bpe.character_classes import BYTES, NON_ASCII, OTHER, PAGE, PAGES

Array = Any

BYTE_ARRAY = types.Array(uint8, 1, "C", readonly=True)
"""The type of texts; read-only, so that mapped files serve, too."""

# Kernels that only kernels call need no entry from Python, which halves the time to compile them.
INNER: dict[str, Any] = {"cache": True, "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

ONES = np.uint64(0x0101010101010101)
SEVENS = np.uint64(0x7F7F7F7F7F7F7F7F)
TOPS = np.uint64(0x8080808080808080)
FOLDS = np.uint64(0x2020202020202020)
TOP = np.uint64(0x80)


@intrinsic
def eight_bytes(context: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Give the eight bytes at `array[index:]` as one number, the first lowest, wherever they lie."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(pointer, align=1)

    return uint64(array, int64), code


@intrinsic
def trailing_zeros(context: Any, bits: Any) -> Any:  # noqa: ARG001
    """Give how many zero bits stand below the lowest one bit of a uint64; 64 for 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.cttz(arguments[0], cgutils.false_bit)

    return int64(uint64), code


@njit(int64(uint64, uint64, uint64), **INNER)
def leading(eight: int, lowest: int, beyond: int) -> int:
    """Give how many of eight bytes, the lowest first, lie in `lowest` <= byte < `beyond`, which is at most 0x80."""
    low = eight & SEVENS
    inside = (low + (TOP - lowest) * ONES) & ~(low + (TOP - beyond) * ONES) & ~eight
    return trailing_zeros(~inside & TOPS) >> 3


@njit(int64(BYTE_ARRAY, int64, int64), **INNER)
def letters(data: Array, place: int, stop: int) -> int:
    """Give how many of the eight bytes at `place` are ASCII letters before the first that is none; 0 near `stop`."""
    if place + 8 > stop:
        return 0
    return leading(eight_bytes(data, place) | FOLDS, np.uint64(0x61), np.uint64(0x7B))


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
