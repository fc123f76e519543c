"""Merging one piece of bytes: lowest rank first, leftmost first among equals, in three ways that give the same.

A handful of symbols is searched for its best pair again and again. A longer piece keeps its pairs in a heap. One of
many thousands keeps a list of places for each rank, since going through the ranks in order needs no comparing: a heap
of millions of entries misses the cache at every step.
"""

from __future__ import annotations

import numpy as np
from numba import int32, int64, njit, void

from bpe_tui.bpe.kernels.machine import INNER, OUTER, POLL, Array
from bpe_tui.bpe.kernels.training import pair_slot

_i32 = int32[::1]
_i64 = int64[::1]
_i64_2 = int64[:, ::1]

NO_PAIR = 1 << 62
"""What the table gives for a pair that is never merged; what it gives otherwise is rank << 32 | new id."""
MANY = 1 << 13
"""Symbols from which on a list for each rank is worth its while."""
MOST = 1 << 29
"""Symbols up to which places fit the lists."""
MOST_RANKS = 1 << 24
"""Ranks up to which there is a list for each."""


@njit(_i64(int64), **INNER)
def empty_table(count: int) -> Array:
    """Give a table that `count` pairs fill by half at the most."""
    size = 16
    while size < 2 * count:
        size *= 2
    table = np.full(2 * size, -1, np.int64)
    table[1::2] = NO_PAIR
    return table


@njit(void(_i64, int64, int64), **INNER)
def enter_pair(table: Array, key: int, value: int) -> None:
    """Enter a pair, if it is not in the table."""
    mask = len(table) // 2 - 1
    slot = pair_slot(key, mask)
    while table[2 * slot] >= 0:
        if table[2 * slot] == key:
            return
        slot = (slot + 1) & mask
    table[2 * slot] = key
    table[2 * slot + 1] = value


@njit(_i64(_i64, _i64), **OUTER)
def index_pairs(pairs: Array, merges: Array) -> Array:
    """Index a merge table: pairs (left << 32 | right), and for each rank << 32 | new id.

    Gives an open-addressed table of pairs, each before its merge; -1 where there is none. Of a pair that stands twice,
    the first counts.
    """
    table = empty_table(len(pairs))
    for place in range(len(pairs)):
        enter_pair(table, pairs[place], merges[place])
    return table


@njit(int64(_i64, int64, int64), **INNER)
def find_pair(table: Array, left: int, right: int) -> int:
    """Give rank << 32 | new id of a pair, or NO_PAIR."""
    key = left << 32 | right
    mask = len(table) // 2 - 1
    slot = pair_slot(key, mask)
    while table[2 * slot] != key:
        if table[2 * slot] < 0:
            return NO_PAIR
        slot = (slot + 1) & mask
    return table[2 * slot + 1]


@njit(int64(_i64, _i64, int64, _i64), **INNER)
def merge_found(symbols: Array, found: Array, count: int, table: Array) -> int:
    """Merge the first `count` of `symbols` in place; give how many are left.

    `found` holds what the table gives for each symbol and the next, and is changed, too.
    """
    while count > 1:
        best = 0
        for index in range(1, count - 1):
            if found[index] < found[best]:
                best = index
        if found[best] == NO_PAIR:
            break
        symbols[best] = found[best] & 0xFFFFFFFF
        count -= 1
        for index in range(best + 1, count):
            symbols[index] = symbols[index + 1]
            found[index] = found[index + 1]
        if best > 0:
            found[best - 1] = find_pair(table, symbols[best - 1], symbols[best])
        if best + 1 < count:
            found[best] = find_pair(table, symbols[best], symbols[best + 1])
    return count


@njit(int64(_i64, _i64, int64, _i64), **INNER)
def merge_short(symbols: Array, found: Array, count: int, table: Array) -> int:
    """Do the same without knowing of any pair: `found` is scratch."""
    for index in range(count - 1):
        found[index] = find_pair(table, symbols[index], symbols[index + 1])
    return merge_found(symbols, found, count, table)


@njit(void(_i64_2, int64, int64, int64), **INNER)
def push(heap: Array, size: int, value: int, position: int) -> None:
    """Enter (value, position) into a heap of `size` entries with the least on top."""
    hole = size
    while hole > 0:
        parent = (hole - 1) >> 1
        if heap[parent, 0] < value or (heap[parent, 0] == value and heap[parent, 1] <= position):
            break
        heap[hole, 0] = heap[parent, 0]
        heap[hole, 1] = heap[parent, 1]
        hole = parent
    heap[hole, 0] = value
    heap[hole, 1] = position


@njit(void(_i64_2, int64), **INNER)
def drop_top(heap: Array, size: int) -> None:
    """Take the top entry off a heap of `size` entries."""
    value = heap[size - 1, 0]
    position = heap[size - 1, 1]
    size -= 1
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and (
            heap[child + 1, 0] < heap[child, 0]
            or (heap[child + 1, 0] == heap[child, 0] and heap[child + 1, 1] < heap[child, 1])
        ):
            child += 1
        if value < heap[child, 0] or (value == heap[child, 0] and position <= heap[child, 1]):
            break
        heap[hole, 0] = heap[child, 0]
        heap[hole, 1] = heap[child, 1]
        hole = child
    heap[hole, 0] = value
    heap[hole, 1] = position


@njit([int64(_i64, _i32, int64), int64(_i64, _i64, int64)], **INNER)
def close_gaps(symbols: Array, after: Array, count: int) -> int:
    """Move what is left of the symbols to the front, going from each to the one `after` it; give how many are left."""
    left = 0
    index = np.int64(0)
    while index < count:
        symbols[left] = symbols[index]
        left += 1
        index = np.int64(after[index])
    return left


@njit(int64(_i32, _i32, _i32, _i32, int64, int64, int64), **INNER)
def list_place(first: Array, last: Array, following: Array, places: Array, entries: int, rank: int, place: int) -> int:
    """Add a place to the list of its rank; give how many entries there are now in all lists."""
    places[entries] = place
    following[entries] = -1
    if first[rank] < 0:
        first[rank] = entries
    else:
        following[last[rank]] = entries
    last[rank] = entries
    return entries + 1


@njit(int64(_i64, int64, _i64, int64, _i64), **OUTER)
def merge_by_rank(symbols: Array, count: int, table: Array, ranks: int, control: Array) -> int:
    """Like `merge_long`, rank after rank. `ranks` is one more than the highest rank."""
    after = np.arange(1, count + 1).astype(np.int32)
    before = np.arange(-1, count - 1).astype(np.int32)
    first = np.full(ranks, -1, np.int32)
    last = np.full(ranks, -1, np.int32)
    # At most one entry a pair at the start and two a merge. Memory that is not touched costs nothing.
    following = np.empty(3 * count, np.int32)
    places = np.empty(3 * count, np.int32)
    entries = np.int64(0)
    for index in range(count - 1):
        value = find_pair(table, symbols[index], symbols[index + 1])
        if value != NO_PAIR:
            entries = list_place(first, last, following, places, entries, value >> 32, index)
    # Pairs that came about with a rank that is over; a merge list that was trained has none.
    late = np.empty((2 * count, 2), np.int64)
    late_size = np.int64(0)
    waiting = np.empty(3 * count, np.int32)
    steps = 0
    for rank in range(ranks):
        many = 0
        ordered = True
        entry = np.int64(first[rank])
        while entry >= 0:
            waiting[many] = places[entry]
            ordered = ordered and (many == 0 or waiting[many - 1] <= waiting[many])
            many += 1
            entry = np.int64(following[entry])
        if not ordered:
            waiting[:many].sort()
        turn = 0
        while turn < many or late_size > 0:
            steps += 1
            if steps % POLL == 0 and control[0] != 0:
                return -1
            is_late = late_size > 0 and (turn == many or late[0, 0] >> 32 < rank or late[0, 1] < waiting[turn])
            if is_late:
                value = late[0, 0]
                index = late[0, 1]
                drop_top(late, late_size)
                late_size -= 1
            else:
                index = np.int64(waiting[turn])
                turn += 1
            right = np.int64(after[index])
            # An entry is out of date if its left part was merged away, or either part has become another token.
            if symbols[index] < 0 or right >= count:
                continue
            found = find_pair(table, symbols[index], symbols[right])
            if found == NO_PAIR or (found != value if is_late else found >> 32 != rank):
                continue
            symbols[index] = found & 0xFFFFFFFF
            symbols[right] = -1
            beyond = np.int64(after[right])
            after[index] = beyond
            for side in range(2):
                left = np.int64(before[index]) if side else index
                neighbour = index if side else beyond
                if left < 0 or neighbour >= count:
                    continue
                if not side:
                    before[beyond] = index
                made = find_pair(table, symbols[left], symbols[neighbour])
                if made == NO_PAIR:
                    continue
                if made >> 32 > rank:
                    entries = list_place(first, last, following, places, entries, made >> 32, left)
                else:
                    push(late, late_size, made, left)
                    late_size += 1
    return close_gaps(symbols, after, count)


@njit(int64(_i64, int64, _i64, _i64), **OUTER)
def merge_long(symbols: Array, count: int, table: Array, control: Array) -> int:
    """Like `merge_short`, for any length: n log n at most. Gives -1 when cancelled."""
    if MANY <= count < MOST:
        ranks = np.int64(0)
        for slot in range(0, len(table), 2):
            if table[slot] >= 0:
                ranks = max(ranks, (table[slot + 1] >> 32) + 1)
        if ranks <= MOST_RANKS:
            return merge_by_rank(symbols, count, table, ranks, control)
    after = np.arange(1, count + 1)
    before = np.arange(-1, count - 1)
    # At most one entry a pair at the start and two a merge.
    heap = np.empty((3 * count, 2), np.int64)
    size = 0
    for index in range(count - 1):
        value = find_pair(table, symbols[index], symbols[index + 1])
        if value != NO_PAIR:
            push(heap, size, value, index)
            size += 1
    steps = 0
    while size > 0:
        steps += 1
        if steps % POLL == 0 and control[0] != 0:
            return -1
        value = heap[0, 0]
        index = heap[0, 1]
        drop_top(heap, size)
        size -= 1
        right = np.int64(after[index])
        # An entry is out of date if its left part was merged away, or either part has become another token.
        if symbols[index] < 0 or right >= count:
            continue
        if find_pair(table, symbols[index], symbols[right]) != value:
            continue
        symbols[index] = value & 0xFFFFFFFF
        symbols[right] = -1
        beyond = np.int64(after[right])
        after[index] = beyond
        if beyond < count:
            before[beyond] = index
            value = find_pair(table, symbols[index], symbols[beyond])
            if value != NO_PAIR:
                push(heap, size, value, index)
                size += 1
        if before[index] >= 0:
            value = find_pair(table, symbols[before[index]], symbols[index])
            if value != NO_PAIR:
                push(heap, size, value, np.int64(before[index]))
                size += 1
    return close_gaps(symbols, after, count)
