"""A table of pieces, by their bytes: encoding and counting look pieces up in it, some 200 million times a gigabyte.

Nearly all pieces of a text are a few bytes long. So a row, half a cache line, holds up to 16 bytes themselves as two
words, and finding a piece is two loads, two masks, a multiplication and one look at one row. A longer piece has its
hash for a word and its bytes in a store. Rows are found by open addressing.

`look_ahead` works out a batch of pieces and asks the processor for their rows; `find_row` then finds them there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import boolean, int64, njit, types, uint8, uint64, void

from bpe_tui.bpe.kernels.machine import INNER, LOOP, OUTER, Array, intrinsic, prefetch
from bpe_tui.bpe.kernels.windows import eight_bytes

BYTES = types.Array(uint8, 1, "C", readonly=True)  # read-only, so that bytes and mapped files serve, too
WORDS = uint64[::1]
_u8 = uint8[::1]
_i64 = int64[::1]

ROW = 4
"""Words of a row:"""
FIRST, SECOND, VALUE, META = range(ROW)
"""the bytes of the piece, or its hash and where its bytes lie in the store; what it stands for; its length in the lower
half and a number in the upper. A row without a length is empty."""
INLINE = 16
"""Bytes of the longest piece whose bytes are in the row."""
BATCH = 256
"""Pieces that are looked at together."""

_ALL = 0xFFFFFFFFFFFFFFFF
_FIRST_MASKS = np.array([_ALL >> (64 - 8 * min(size, 8)) if size else 0 for size in range(INLINE + 1)], np.uint64)
_SECOND_MASKS = np.array([_ALL >> (128 - 8 * size) if size > 8 else 0 for size in range(INLINE + 1)], np.uint64)
LOWER = np.uint64(0xFFFFFFFF)
"""The lower half of a word,"""
UPPER_HALF = np.uint64(32)
"""and how far it is to the upper one."""
_EIGHT = np.uint64(8)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_SPREAD_SECOND = np.uint64(0xD6E8FEB86659FD93)
_EMPTY = np.uint64(0)
_LONG = np.uint64(_ALL)
"""The second word of a longer piece: no row has it, for it is no place in a store."""
_STEP = np.uint64(ROW)


@intrinsic
def folded_product(context: Any, one: Any, two: Any) -> Any:  # noqa: ARG001
    """Give the upper half of the product of two words and its lower half, one of two where they differ."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        word, wide = ir.IntType(64), ir.IntType(128)
        one, two = (builder.zext(argument, wide) for argument in arguments)
        product = builder.mul(one, two)
        upper = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
        return builder.xor(upper, builder.trunc(product, word))

    return uint64(uint64, uint64), code


@njit(uint64(uint64, uint64), **INNER)
def spread(first: int, second: int) -> int:
    """Give a hash of two words, much as wyhash has it: all of its bits depend on all of theirs."""
    # The words themselves tell pieces apart even where one factor is 0, which someone may have seen to.
    return folded_product(first ^ _SPREAD, second ^ _SPREAD_SECOND) ^ first ^ second


@njit(uint64(uint64, int64), **INNER)
def home(mixed: int, size: int) -> int:
    """Give where the row of a hash begins in a table of `size` words, a power of two."""
    return mixed & np.uint64(size - ROW)


@njit(uint64(BYTES, int64, int64), **INNER)
def word_at(data: Array, start: int, stop: int) -> int:
    """Give the bytes from `start` to `stop`, eight at most, as `eight_bytes` would, without looking behind them."""
    word = np.uint64(0)
    for index in range(stop - 1, start - 1, -1):
        word = word << _EIGHT | np.uint64(data[index])
    return word


@njit(uint64(BYTES, int64, int64), **INNER)
def hash_bytes(data: Array, start: int, stop: int) -> int:
    """Give a hash of more than 16 bytes."""
    mixed = np.uint64(stop - start)
    for place in range(start, stop - 7, 8):
        mixed = spread(mixed, eight_bytes(data, place))
    # The last eight bytes: some of them a second time.
    return spread(mixed, eight_bytes(data, stop - 8))


@njit(types.UniTuple(uint64, 2)(BYTES, int64, int64), **LOOP)
def unusual_words(data: Array, start: int, stop: int) -> tuple[int, int]:
    """Give the two words of a piece that is longer than INLINE or near the end of `data`."""
    if stop - start > INLINE:
        return hash_bytes(data, start, stop), _LONG
    return word_at(data, start, min(start + 8, stop)), word_at(data, start + 8, stop)


@njit(void(BYTES, int64, _i64, WORDS, WORDS, WORDS, WORDS), **LOOP)
def look_ahead(data: Array, start: int, ends: Array, table: Array, firsts: Array, seconds: Array, homes: Array) -> None:
    """Write the two words of each of the pieces that end at `ends`, and where its row is to be looked for in `table`.

    The first of them begins at `start`.
    """
    size = len(table)
    room = len(data) - INLINE
    for index in range(np.uint64(len(ends))):
        stop = ends[index]
        length = stop - start
        if length <= INLINE and start <= room:
            one = eight_bytes(data, start) & _FIRST_MASKS[np.uint64(length)]
            two = eight_bytes(data, start + 8) & _SECOND_MASKS[np.uint64(length)]
        else:
            one, two = unusual_words(data, start, stop)
        firsts[index] = one
        seconds[index] = two
        row = home(spread(one, two), size)
        prefetch(table, np.int64(row))
        homes[index] = row
        start = stop


@njit(boolean(uint64, uint64, int64, uint64, WORDS), **INNER)
def is_there(one: int, two: int, length: int, row: int, table: Array) -> bool:
    """Whether a row holds that piece of INLINE bytes at the most; False for longer ones, which `find_row` looks at."""
    other = table[row] ^ one | table[row + np.uint64(SECOND)] ^ two
    return other | (table[row + np.uint64(META)] & LOWER ^ np.uint64(length)) == _EMPTY


@njit(uint64(BYTES, int64, int64, uint64, uint64, uint64, WORDS, _u8), **LOOP)
def find_row(data: Array, start: int, stop: int, one: int, two: int, row: int, table: Array, store: Array) -> int:
    """Give the row of a piece, or the empty row where it belongs; `row` is the one where the search begins."""
    length = np.uint64(stop - start)
    mask = np.uint64(len(table) - ROW)
    while True:
        held = table[row + np.uint64(META)] & LOWER
        if held == _EMPTY:
            return row
        if table[row] == one and held == length:
            if length <= np.uint64(INLINE):
                if table[row + np.uint64(SECOND)] == two:
                    return row
            else:
                place = np.int64(table[row + np.uint64(SECOND)])
                same = True
                for index in range(stop - start):
                    if store[place + index] != data[start + index]:
                        same = False
                        break
                if same:
                    return row
        row = (row + _STEP) & mask


@njit(int64(BYTES, int64, int64, uint64, uint64, uint64, uint64, uint64, WORDS, _u8, int64), **INNER)
def write_row(
    data: Array, start: int, stop: int, one: int, two: int, row: int, value: int, number: int,
    table: Array, store: Array, stored: int,
) -> int:  # fmt: skip
    """Fill an empty row. `stored` bytes of `store` are taken, and there is room; gives how many are taken then."""
    length = stop - start
    if length > INLINE:
        two = np.uint64(stored)
        for index in range(length):
            store[stored + index] = data[start + index]
        stored += length
    table[row] = one
    table[row + np.uint64(SECOND)] = two
    table[row + np.uint64(VALUE)] = value
    table[row + np.uint64(META)] = np.uint64(length) | number << UPPER_HALF
    return stored


@njit(void(WORDS, WORDS), **OUTER)
def move_rows(table: Array, larger: Array) -> None:
    """Enter all rows of a table into a larger, empty one."""
    mask = np.uint64(len(larger) - ROW)
    for old in range(0, len(table), ROW):
        meta = table[old + META]
        if meta == _EMPTY:
            continue
        two = table[old + SECOND] if meta & LOWER <= np.uint64(INLINE) else _LONG
        row = home(spread(table[old], two), len(larger))
        while larger[row + np.uint64(META)] != _EMPTY:
            row = (row + _STEP) & mask
        for word in range(ROW):
            larger[row + np.uint64(word)] = table[old + word]
