"""Counting the distinct pieces of a text, in the order in which they first come."""

from __future__ import annotations

import numpy as np
from numba import int64, njit, types, uint8

from bpe_tui.bpe.kernels.machine import OUTER, Array
from bpe_tui.bpe.kernels.piece_table import (
    BATCH,
    BYTES,
    FIRST,
    INLINE,
    LOWER,
    META,
    ROW,
    SECOND,
    UPPER_HALF,
    VALUE,
    WORDS,
    find_row,
    is_there,
    look_ahead,
    write_row,
)

# Places in `used`: how much of the table and of the store is taken.
ROWS_USED, BYTES_USED, USED_SIZE = range(3)

_u8 = uint8[::1]
_i64 = int64[::1]
_EMPTY = np.uint64(0)


@njit(int64(BYTES, int64, _i64, int64, WORDS, _u8, _i64, _i64, int64, _i64, _i64), **OUTER)
def count_pieces(
    data: Array, start: int, ends: Array, count: int, table: Array, store: Array, counts: Array, places: Array,
    before: int, first_places: Array, used: Array,
) -> int:  # fmt: skip
    """Count the `count` pieces of `data` that begin at `start` and end at `ends`, by their bytes.

    A row's value is how often its piece came, its number how many distinct ones came before; `first_places` has, by
    that number, where it came first. `counts` and `places` say how often each counts and where it came first; if they
    are empty, it counts once and comes `before` bytes behind its place in `data`, behind all that were counted. Gives
    how many were counted: fewer than `count` when the table is half full or `store` cannot hold a piece.
    """
    firsts = np.empty(BATCH, np.uint64)
    seconds = np.empty(BATCH, np.uint64)
    rows = np.empty(BATCH, np.uint64)
    weight = np.uint64(1)
    for first in range(0, count, BATCH):
        last = min(first + BATCH, count)
        look_ahead(data, start, ends[first:last], table, firsts, seconds, rows)
        for number in range(first, last):
            stop = ends[number]
            one = firsts[number - first]
            two = seconds[number - first]
            row = rows[number - first]
            if not is_there(one, two, stop - start, row, table):
                row = find_row(data, start, stop, one, two, row, table, store)
            place = before + start
            if len(counts):
                weight = np.uint64(counts[number])
                place = places[number]
            meta = table[row + np.uint64(META)]
            if meta != _EMPTY:
                table[row + np.uint64(VALUE)] += weight
                if len(counts):
                    known = np.int64(meta >> UPPER_HALF)
                    first_places[known] = min(first_places[known], place)
            else:
                if 8 * used[ROWS_USED] >= len(table) or used[BYTES_USED] + stop - start > len(store):
                    return number
                used[BYTES_USED] = write_row(
                    data, start, stop, one, two, row, weight, np.uint64(used[ROWS_USED]), table, store,
                    used[BYTES_USED],
                )  # fmt: skip
                first_places[used[ROWS_USED]] = place
                used[ROWS_USED] += 1
            start = stop
    return count


@njit(types.Tuple((_u8, _i64, _i64))(WORDS, _u8, int64, _i64), **OUTER)
def list_pieces(table: Array, store: Array, count: int, order: Array) -> tuple[Array, Array, Array]:
    """Give the bytes of the `count` pieces of a table one after another, their lengths and counts.

    They come by the numbers of `order`, or, if that is empty, by their own.
    """
    turns = np.arange(count)
    for turn in range(len(order)):
        turns[order[turn]] = turn
    lengths = np.empty(count, np.int64)
    counts = np.empty(count, np.int64)
    rows = np.empty(count, np.int64)
    total = 0
    for row in range(0, len(table), ROW):
        meta = table[row + META]
        if meta != _EMPTY:
            number = turns[np.int64(meta >> UPPER_HALF)]
            rows[number] = row
            lengths[number] = np.int64(meta & LOWER)
            counts[number] = np.int64(table[row + VALUE])
            total += lengths[number]
    content = np.empty(total, np.uint8)
    place = 0
    for number in range(count):
        length = lengths[number]
        first = table[rows[number] + FIRST]
        second = table[rows[number] + SECOND]
        if length > INLINE:
            stored = np.int64(second)
            for index in range(length):
                content[place + index] = store[stored + index]
        else:
            for index in range(length):
                word = first if index < 8 else second
                content[place + index] = np.uint8(word >> np.uint64(8 * (index & 7)) & np.uint64(0xFF))
        place += length
    return content, lengths, counts
