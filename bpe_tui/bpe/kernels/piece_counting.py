"""Counting the distinct pieces of a text, in the order in which they first come."""

from __future__ import annotations

import numpy as np
from numba import int64, njit, types, uint8

from bpe_tui.bpe.kernels.machine import LOOP, OUTER, Array
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
from bpe_tui.bpe.kernels.splitting import BLOCK, split

# Places in `used`: how much of the table and of the store is taken, and how long the piece is that found no room.
ROWS_USED, BYTES_USED, NEEDED, USED_SIZE = range(4)

_u8 = uint8[::1]
_i64 = int64[::1]
_EMPTY = np.uint64(0)


@njit(types.UniTuple(int64, 2)(BYTES, int64, _i64, int64, WORDS, WORDS, WORDS, WORDS, _u8), **LOOP)
def count_batch(
    data: Array, start: int, ends: Array, number: int, firsts: Array, seconds: Array, rows: Array, table: Array,
    store: Array,
) -> tuple[int, int]:  # fmt: skip
    """Count pieces, from `number` on, until one is new; give its number and where it begins."""
    for index in range(np.uint64(number), np.uint64(len(ends))):
        stop = ends[index]
        row = rows[index]
        if not is_there(firsts[index], seconds[index], stop - start, row, table):
            row = find_row(data, start, stop, firsts[index], seconds[index], row, table, store)
            if table[row + np.uint64(META)] == _EMPTY:
                rows[index] = row
                return np.int64(index), start
        table[row + np.uint64(VALUE)] += np.uint64(1)
        start = stop
    return len(ends), start


@njit(int64(BYTES, int64, _i64, int64, WORDS, _u8, _i64, _i64, int64, _i64, _i64), **OUTER)
def count_pieces(
    data: Array, start: int, ends: Array, count: int, table: Array, store: Array, counts: Array, places: Array,
    before: int, first_places: Array, used: Array,
) -> int:  # fmt: skip
    """Count the `count` pieces of `data` that begin at `start` and end at `ends`, by their bytes.

    A row's value is how often its piece came, its number how many distinct ones came before; `first_places` has, by
    that number, where it came first. `counts` and `places` say how often each counts and where it came first; if they
    are empty, it counts once and comes `before` bytes behind its place in `data`, behind all that were counted. Gives
    how many were counted: fewer than `count` when five eighths of the table are full, or `store` cannot hold a piece.
    """
    firsts = np.empty(BATCH, np.uint64)
    seconds = np.empty(BATCH, np.uint64)
    rows = np.empty(BATCH, np.uint64)
    weight = np.uint64(1)
    for first in range(0, count, BATCH):
        last = min(first + BATCH, count)
        batch = ends[first:last]
        look_ahead(data, start, batch, table, firsts, seconds, rows)
        number = 0
        while True:
            if not len(counts):
                number, start = count_batch(data, start, batch, number, firsts, seconds, rows, table, store)
            if number == len(batch):
                break
            stop = batch[number]
            one = firsts[number]
            two = seconds[number]
            row = find_row(data, start, stop, one, two, rows[number], table, store)
            place = before + start
            if len(counts):
                weight = np.uint64(counts[first + number])
                place = places[first + number]
            meta = table[row + np.uint64(META)]
            if meta != _EMPTY:
                table[row + np.uint64(VALUE)] += weight
                known = np.int64(meta >> UPPER_HALF)
                first_places[known] = min(first_places[known], place)
            else:
                if 32 * used[ROWS_USED] >= 5 * len(table) or used[BYTES_USED] + stop - start > len(store):
                    used[NEEDED] = stop - start
                    return first + number
                used[BYTES_USED] = write_row(
                    data, start, stop, one, two, row, weight, np.uint64(used[ROWS_USED]), table, store,
                    used[BYTES_USED],
                )  # fmt: skip
                first_places[used[ROWS_USED]] = place
                used[ROWS_USED] += 1
            start = stop
            number += 1
    return count


@njit(
    int64(int64, BYTES, int64, int64, BYTES, WORDS, _u8, int64, _i64, _i64, _i64),
    **OUTER,
)
def count_stretch(
    rule: int, data: Array, start: int, stop: int, classes: Array, table: Array, store: Array, before: int,
    first_places: Array, used: Array, control: Array,
) -> int:  # fmt: skip
    """Cut the bytes from `start` to `stop`, where pieces begin and end, by the rule of that number, and count them.

    What follows on `stop` is not looked at. `classes` is `character_classes.table()`. Gives up to where it has come:
    not to `stop` when there is no room, see `count_pieces`, or when `control` is set.
    """
    nothing = np.empty(0, np.int64)
    ends = np.empty(BLOCK, np.int64)
    size = BLOCK
    while start < stop and control[0] == 0:
        block_stop = min(start + size, stop)
        pieces, resume = split(rule, data, start, block_stop, block_stop == stop, ends, classes)
        if pieces == 0:
            # A piece longer than the block: it must be seen whole.
            size *= 2
            continue
        size = BLOCK
        counted = count_pieces(data, start, ends, pieces, table, store, nothing, nothing, before, first_places, used)
        if counted < pieces:
            return ends[counted - 1] if counted else start
        start = resume
    return start


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
