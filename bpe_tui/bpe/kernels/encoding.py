"""Replaying a merge list over a text in time that grows with the text, not with the text times the merges.

Every rank has a list of the places where its pair stands. The ranks are taken in order; each joins what its list still
finds true, and every pair that a join brings about is entered in the list of the first rank *after* the present one
that merges this pair. So a rank meets exactly the occurrences that a walk over the whole text at its turn would meet,
whatever the merge list: a pair that comes about after its turn finds no list, or the list of its next turn.

Occurrences of one pair cannot overlap unless left and right are the same token; only then does the order matter, and
the list is put in ascending order first.

The text is cut into chunks where two characters meet that stand side by side in no token. No merge can cross such a
place, so chunks are independent: each is small enough for the processor's cache, and two threads can share a text.
"""

from __future__ import annotations

import numpy as np
from numba import int32, int64, njit, types, void

from bpe_tui.bpe.kernels.machine import OUTER, Array
from bpe_tui.bpe.kernels.training import DEAD, pair_slot

_i32 = int32[::1]
_i64 = int64[::1]


@njit(types.Tuple((_i64, _i32, _i32))(_i32, _i32), **OUTER)
def index_ranks(left: Array, right: Array) -> tuple[Array, Array, Array]:
    """Index the merges by their pair: give (keys, ranks, again).

    `keys` and `ranks` are an open-addressed table from left << 32 | right to the first rank of that pair (key -1 where
    empty); `again[rank]` is the next rank of the same pair, or -1.
    """
    merges = len(left)
    size = 16
    while size < 4 * merges:
        size *= 2
    keys = np.full(size, -1, np.int64)
    ranks = np.full(size, -1, np.int32)
    again = np.full(merges, -1, np.int32)
    mask = size - 1
    for rank in range(merges - 1, -1, -1):
        key = np.int64(left[rank]) << 32 | np.int64(right[rank])
        slot = pair_slot(key, mask)
        while keys[slot] >= 0 and keys[slot] != key:
            slot = (slot + 1) & mask
        again[rank] = ranks[slot]
        keys[slot] = key
        ranks[slot] = rank
    return keys, ranks, again


@njit(int32(_i64, _i32, int64), **OUTER)
def first_rank(keys: Array, ranks: Array, key: int) -> int:
    """Give the first rank of the pair `key`, or -1."""
    mask = len(keys) - 1
    slot = pair_slot(key, mask)
    while True:
        found = keys[slot]
        if found == key:
            return ranks[slot]
        if found < 0:
            return np.int32(-1)
        slot = (slot + 1) & mask


@njit(types.Tuple((_i32, _i32))(_i32, _i32, _i32, int64), **OUTER)
def token_ends(left: Array, right: Array, new: Array, tokens: int) -> tuple[Array, Array]:
    """Give the first and the last base symbol of every token. Base tokens are their own."""
    first = np.arange(tokens).astype(np.int32)
    last = np.arange(tokens).astype(np.int32)
    for rank in range(len(left)):
        first[new[rank]] = first[left[rank]]
        last[new[rank]] = last[right[rank]]
    return first, last


@njit(int64(_i32, int64, int64, _i64, _i32), **OUTER)
def find_cut(symbols: Array, start: int, stop: int, joint_keys: Array, joint_ranks: Array) -> int:
    """Give the first place from `start` on where the text can be cut, or `stop`.

    A place p lies before symbol p. It is a cut if symbols p - 1 and p meet inside no token.
    """
    for place in range(max(start, 1), stop):
        key = np.int64(symbols[place - 1]) << 32 | np.int64(symbols[place])
        if first_rank(joint_keys, joint_ranks, key) < 0:
            return place
    return stop


@njit(
    int64(
        _i32,
        int64,
        int64,
        int64,
        _i32,
        int64,
        _i64,
        _i32,
        _i32,
        _i64,
        _i32,
        _i32,
        _i32,
        _i32,
        _i32,
        _i64,
        int64,
        _i32,
        _i64,
    ),
    **OUTER,
)
def encode_range(
    symbols: Array,
    start: int,
    stop: int,
    chunk: int,
    base_ranks: Array,
    base_size: int,
    keys: Array,
    ranks: Array,
    again: Array,
    joint_keys: Array,
    joint_ranks: Array,
    left: Array,
    right: Array,
    new: Array,
    length: Array,
    ids: Array,
    ids_start: int,
    joins: Array,
    control: Array,
) -> int:
    """Encode `symbols[start:stop]`, whose ends are cuts, into `ids` from `ids_start` on; give where the ids end.

    `symbols` is overwritten. `base_ranks` is a dense table from a pair of base symbols to its first rank, or empty.
    `length` has the symbols of each token. `ids` (int64) needs room for one id a symbol. Work is done in chunks of
    about `chunk` symbols; `control[0]` other than 0 ends it early with -1. `joins`, if it is not empty, is as long as
    `symbols` and gets, at each symbol that a merge joined to the symbol before it, the rank of that merge.
    """
    dense = len(base_ranks) > 0
    merges = len(left)
    head = np.full(merges, -1, np.int32)
    tail = np.full(merges, -1, np.int32)
    room = 0
    place = np.empty(0, np.int32)
    follower = np.empty(0, np.int32)
    begin = start
    while begin < stop:
        end = stop
        if stop - begin > chunk + chunk // 2:
            end = find_cut(symbols, begin + chunk, stop, joint_keys, joint_ranks)
        # A place list entry for each symbol, and at most two more for each of fewer joins than symbols.
        if 3 * (end - begin) > room:
            room = 3 * (end - begin)
            place = np.empty(room, np.int32)
            follower = np.empty(room, np.int32)
        used = 0
        before = np.int64(symbols[begin])
        for position in range(begin + 1, end):
            after = np.int64(symbols[position])
            if dense:
                rank = np.int64(base_ranks[before * base_size + after])
            else:
                rank = np.int64(first_rank(keys, ranks, before << 32 | after))
            before = after
            if rank >= 0:
                place[used] = position - 1 - begin
                follower[used] = -1
                if head[rank] < 0:
                    head[rank] = used
                else:
                    follower[tail[rank]] = used
                tail[rank] = used
                used += 1
        for rank in range(merges):
            entry = np.int64(head[rank])
            if entry < 0:
                continue
            if control[0] != 0:
                return -1
            head[rank] = -1
            left_id = np.int64(left[rank])
            right_id = np.int64(right[rank])
            new_id = np.int64(new[rank])
            left_length = np.int64(length[left_id])
            right_length = np.int64(length[right_id])
            if left_id == right_id:
                # Put the list in ascending order if it is not: gather, sort, write back over the same entries.
                ascending = True
                entries = 0
                last = -1
                walk = entry
                while walk >= 0:
                    if place[walk] < last:
                        ascending = False
                    last = place[walk]
                    entries += 1
                    walk = np.int64(follower[walk])
                if not ascending:
                    gathered = np.empty(entries, np.int32)
                    walk = entry
                    for index in range(entries):
                        gathered[index] = place[walk]
                        walk = np.int64(follower[walk])
                    gathered.sort()
                    walk = entry
                    for index in range(entries):
                        place[walk] = gathered[index]
                        walk = np.int64(follower[walk])
            while entry >= 0:
                position = begin + place[entry]
                entry = np.int64(follower[entry])
                if symbols[position] != left_id:
                    continue
                middle = position + left_length
                if middle >= end or symbols[middle] != right_id:
                    continue
                behind = middle + right_length
                if len(joins):
                    joins[middle] = rank
                if right_length > 1:
                    symbols[middle] = DEAD
                symbols[position] = new_id
                symbols[behind - 1] = new_id
                if position > begin:
                    other = np.int64(symbols[position - 1])
                    next_rank = np.int64(first_rank(keys, ranks, other << 32 | new_id))
                    while next_rank >= 0 and next_rank <= rank:
                        next_rank = np.int64(again[next_rank])
                    if next_rank >= 0:
                        place[used] = position - length[other] - begin
                        follower[used] = -1
                        if head[next_rank] < 0:
                            head[next_rank] = used
                        else:
                            follower[tail[next_rank]] = used
                        tail[next_rank] = used
                        used += 1
                if behind < end:
                    other = np.int64(symbols[behind])
                    next_rank = np.int64(first_rank(keys, ranks, new_id << 32 | other))
                    while next_rank >= 0 and next_rank <= rank:
                        next_rank = np.int64(again[next_rank])
                    if next_rank >= 0:
                        place[used] = position - begin
                        follower[used] = -1
                        if head[next_rank] < 0:
                            head[next_rank] = used
                        else:
                            follower[tail[next_rank]] = used
                        tail[next_rank] = used
                        used += 1
        position = begin
        while position < end:
            token = symbols[position]
            ids[ids_start] = token
            ids_start += 1
            position += length[token]
        begin = end
    return ids_start


@njit(void(_i32, _i32, _i32, int64), **OUTER)
def fill_base_ranks(left: Array, right: Array, base_ranks: Array, base_size: int) -> None:
    """Fill the dense table of first ranks of pairs of base symbols, which comes filled with -1."""
    for rank in range(len(left) - 1, -1, -1):
        if left[rank] < base_size and right[rank] < base_size:
            base_ranks[np.int64(left[rank]) * base_size + right[rank]] = rank
