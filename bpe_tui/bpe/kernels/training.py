"""Learning merges fast: each occurrence of a pair is visited only when its pair is merged.

How it works, for a text of n symbols:

- One int32 array holds the sequence, and nothing is ever moved in it. A token covers the stretch of its base symbols;
  its id stands at the first and at the last position of that stretch. From a token's start the next token starts
  `length[id]` further, and the token before ends one position earlier, so no links are needed, and all that a merge
  touches usually lies in one cache line. Where the right part of a merge started, `DEAD` is written if its id does not
  stand there anyway; so a position that still reads `left`, with `right` behind that, really is an occurrence.
- Every pair has a record (key, count, and where its list of occurrences lies). A list holds positions in ascending
  order. It is never corrected: an entry that no longer is an occurrence is passed over when met. Lists are only made
  when a pair comes up: at the start, and for the neighbours of a new token.
- A heap offers the most frequent pair. Its entries are upper bounds: counts and first positions only get worse until
  an entry is pushed again, so an entry that is out of date when popped goes back with its present value, and one that
  is up to date is the best of all.
- A pass over a list adds up what changes for each neighbour in one small table (a cache line a symbol) and settles with
  the records once a neighbour, not once an occurrence.

Two pairs can spell the same string ("a"+"bc", "ab"+"c"). Then the merge makes an old id. Whether a string exists is
asked by a hash of it; on a hit the caller, who has the strings, decides. Only then can lists of a pair come from two
passes, and they are merged in ascending order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, njit, types, uint64, void

BOUNDARY = -1
"""Stands before, between and after stretches; no merge crosses it."""
DEAD = -2
"""Stands where a token of several symbols used to start."""

# Why a call of `learn` came back.
LEARNED_ENOUGH, TARGET, NO_PAIRS, MINIMUM_FREQUENCY, NEED_ROOM, ASK_STRING, CANCELLED = range(7)

# How ties are broken.
TIES_FIRST, TIES_LOWEST_ID = range(2)

# Places in `info`, the int64 array of everything that is one number.
(
    LENGTH,  # tokens in the sequence, weighted
    VOCABULARY,  # ids given out
    PAIRS_ALIVE,  # pairs with a count above 0
    RECORDS,  # pair records in use
    ARENA_TOP,  # entries of the arena in use
    HEAP_SIZE,
    MERGES,  # rows of the log in use
    FORCED_NEXT,  # how many of the forced merges are done
    CANDIDATE,  # the record whose string the caller is asked about, or -1
    ANSWER,  # the caller's answer: the id of that string, or -1 for a new one
    INFO_SIZE,
) = range(11)

# Columns of a pair record.
KEY, COUNT, START, END = range(4)

# Columns of the table of neighbours.
LEFT_WEIGHT, LEFT_POSITIONS, REMOVED_WEIGHT, ADDED_WEIGHT, ADDED_POSITIONS, TOUCHED, LEFT_FILL, RIGHT_FILL = range(8)

HASH_BASE = np.uint64(0x9E3779B97F4A7C15)
_POLL = 16384  # occurrences between two looks at the cancel flag: well under a millisecond

_i32 = int32[::1]
_i64 = int64[::1]
_i64_2 = int64[:, ::1]
_u64 = uint64[::1]

Array = Any  # Numba sees the exact types in the signatures below; there is nothing more for mypy to check here.


@njit(int64(int64, int64), cache=True, nogil=True, inline="never")
def pair_slot(key: int, mask: int) -> int:
    """Give the first slot to look at for `key` in a table of `mask` + 1 slots."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(mask))


@njit(int64(_i32, _i64_2, int64), cache=True, nogil=True)
def find_record(table: Array, records: Array, key: int) -> int:
    """Give the record of the pair `key` (left << 32 | right), or -1."""
    mask = len(table) - 1
    slot = pair_slot(key, mask)
    while True:
        record = table[slot]
        if record < 0 or records[record, KEY] == key:
            return record
        slot = (slot + 1) & mask


@njit(void(_i32, _i64_2, int64), cache=True, nogil=True)
def insert_record(table: Array, records: Array, record: int) -> None:
    """Enter `record`, whose key the table does not hold yet."""
    mask = len(table) - 1
    slot = pair_slot(records[record, KEY], mask)
    while table[slot] >= 0:
        slot = (slot + 1) & mask
    table[slot] = record


@njit(types.boolean(int64, int64, int64, int64), cache=True, nogil=True)
def better(count: int, tie: int, other_count: int, other_tie: int) -> bool:
    """Whether a pair of (`count`, `tie`) goes before another: more frequent, or as frequent with a lower tie."""
    return count > other_count or (count == other_count and tie < other_tie)


@njit(void(_i64_2, int64, int64, int64, int64), cache=True, nogil=True)
def heap_sift_up(heap: Array, hole: int, count: int, tie: int, record: int) -> None:
    """Place an entry at `hole` or above."""
    while hole > 0:
        parent = (hole - 1) >> 1
        if not better(count, tie, heap[parent, 0], heap[parent, 1]):
            break
        heap[hole, 0] = heap[parent, 0]
        heap[hole, 1] = heap[parent, 1]
        heap[hole, 2] = heap[parent, 2]
        hole = parent
    heap[hole, 0] = count
    heap[hole, 1] = tie
    heap[hole, 2] = record


@njit(void(_i64_2, int64, int64, int64, int64, int64), cache=True, nogil=True)
def heap_sift_down(heap: Array, size: int, hole: int, count: int, tie: int, record: int) -> None:
    """Place an entry at `hole` or below."""
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and better(heap[child + 1, 0], heap[child + 1, 1], heap[child, 0], heap[child, 1]):
            child += 1
        if not better(heap[child, 0], heap[child, 1], count, tie):
            break
        heap[hole, 0] = heap[child, 0]
        heap[hole, 1] = heap[child, 1]
        heap[hole, 2] = heap[child, 2]
        hole = child
    heap[hole, 0] = count
    heap[hole, 1] = tie
    heap[hole, 2] = record


@njit(int64(_i64_2, int64, _i32, _i32, _i32, int64), cache=True, nogil=True)
def tie_of(records: Array, record: int, arena: Array, sequence: Array, length: Array, ties: int) -> int:
    """Give what breaks ties for a pair: its first position in the sequence, or its ids. Moves START past dead ones."""
    key = records[record, KEY]
    if ties == TIES_LOWEST_ID:
        return key
    left = key >> 32
    right = key & 0xFFFFFFFF
    entry = records[record, START]
    end = records[record, END]
    while entry < end:
        position = arena[entry]
        if sequence[position] == left and sequence[position + length[left]] == right:
            break
        entry += 1
    records[record, START] = entry
    return arena[entry] if entry < end else 0


@njit(types.Tuple((_i32, _i64_2, _i32, _i64_2))(_i32, _i64, int64, _i64, _i64), cache=True, nogil=True)
def count_pairs(sequence: Array, weights: Array, base_size: int, info: Array, control: Array) -> tuple[Array, ...]:
    """Count all pairs of a sequence of base symbols and list where they stand.

    `sequence` begins and ends with `BOUNDARY`. `weights` has one entry for all positions or one for each. Gives
    (table, records, arena, heap); the heap is left empty, see `fill_heap`. Sets `info` RECORDS, ARENA_TOP, PAIRS_ALIVE.
    `control[0]` other than 0 makes it return early with nothing of use.
    """
    weighted = len(weights) > 1
    n = len(sequence)
    dense = base_size <= 2048
    record_of = np.full(base_size * base_size if dense else 1, -1, np.int32)
    table = np.full(1 << 12, -1, np.int32)
    records = np.zeros((1 << 11, 4), np.int64)
    used = 0
    total = 0
    left = np.int64(sequence[0])
    for position in range(1, n):
        if position % _POLL == 0 and control[0] != 0:
            break
        right = np.int64(sequence[position])
        if left >= 0 and right >= 0:
            key = left << 32 | right
            record = np.int64(record_of[left * base_size + right]) if dense else find_record(table, records, key)
            if record < 0:
                if used == len(records):
                    grown = np.zeros((2 * used, 4), np.int64)
                    grown[:used] = records
                    records = grown
                record = used
                used += 1
                records[record, KEY] = key
                if dense:
                    record_of[left * base_size + right] = record
                else:
                    if 2 * used > len(table):
                        table = np.full(2 * len(table), -1, np.int32)
                        for other in range(used - 1):
                            insert_record(table, records, other)
                    insert_record(table, records, record)
            records[record, COUNT] += weights[position - 1] if weighted else 1
            records[record, END] += 1
            total += 1
        left = right
    if dense:
        while 2 * used > len(table):
            table = np.full(2 * len(table), -1, np.int32)
        for record in range(used):
            insert_record(table, records, record)
    # END holds how many positions a pair has: turn that into where its list starts, and fill in.
    arena = np.empty(total + total // 2 + 1024, np.int32)
    top = 0
    for record in range(used):
        positions = records[record, END]
        records[record, START] = top
        records[record, END] = top
        top += positions
    left = np.int64(sequence[0])
    for position in range(1, n):
        if position % _POLL == 0 and control[0] != 0:
            break
        right = np.int64(sequence[position])
        if left >= 0 and right >= 0:
            key = left << 32 | right
            record = np.int64(record_of[left * base_size + right]) if dense else find_record(table, records, key)
            arena[records[record, END]] = position - 1
            records[record, END] += 1
        left = right
    info[RECORDS] = used
    info[ARENA_TOP] = top
    info[PAIRS_ALIVE] = used
    return table, records, arena, np.zeros((max(1024, 2 * used), 3), np.int64)


@njit(void(_i64_2, _i64_2, _i32, _i32, _i32, int64, _i64), cache=True, nogil=True)
def fill_heap(
    heap: Array, records: Array, arena: Array, sequence: Array, length: Array, ties: int, info: Array
) -> None:
    """Enter every counted pair into the empty heap."""
    size = 0
    for record in range(info[RECORDS]):
        heap_sift_up(heap, size, records[record, COUNT], tie_of(records, record, arena, sequence, length, ties), record)
        size += 1
    info[HEAP_SIZE] = size


@njit(void(_i32, int64, int64, int64, int64, int64), cache=True, nogil=True)
def merge_runs(arena: Array, first: int, first_end: int, second: int, second_end: int, target: int) -> None:
    """Merge two ascending runs of the arena into one at `target`."""
    while first < first_end or second < second_end:
        if second >= second_end or (first < first_end and arena[first] < arena[second]):
            arena[target] = arena[first]
            first += 1
        else:
            arena[target] = arena[second]
            second += 1
        target += 1


@njit(types.boolean(_u64, uint64), cache=True, nogil=True)
def remember_hash(hashes: Array, value: int) -> bool:
    """Enter the hash of a token's string; give whether it was there already."""
    mask = np.uint64(len(hashes) - 1)
    value |= np.uint64(1)  # 0 stands for an empty slot
    slot = (value >> np.uint64(17)) & mask
    while hashes[slot] != 0:
        if hashes[slot] == value:
            return True
        slot = (slot + np.uint64(1)) & mask
    hashes[slot] = value
    return False


_state = types.Tuple((int64, _i32, _i64_2, _i32, _i64_2))


@njit(
    _state(
        _i32, _i64, _i32, _i64_2, _i32, _i64_2, _i32, _u64, _u64, _u64, _i64, _i64_2, _i32, _i64,
        _i32, _i32, _i32, _i64, _i64, int64, int64, int64, int64, int64, int64, int64, _i64, _i64,
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def learn(
    sequence: Array,
    weights: Array,
    table: Array,
    records: Array,
    arena: Array,
    heap: Array,
    length: Array,
    string_hash: Array,
    string_power: Array,
    hashes: Array,
    token_counts: Array,
    neighbours: Array,
    touched: Array,
    forced: Array,
    log_left: Array,
    log_right: Array,
    log_new: Array,
    log_frequency: Array,
    log_length: Array,
    log_capacity: int,
    vocabulary_capacity: int,
    target: int,
    minimum_frequency: int,
    ties: int,
    max_merges: int,
    max_work: int,
    info: Array,
    control: Array,
) -> tuple[int, Array, Array, Array, Array]:
    """Learn merges until one of the limits is met; give (why it came back, table, records, arena, heap).

    The last four replace the arrays of the same name, which may have grown. Everything else is changed in place.
    `forced` lists pairs (left << 32 | right) that are merged first, in that order, whatever their frequency.
    `max_work` bounds the occurrences visited, which is what time goes into; a merge that has begun is finished.
    After CANCELLED the arrays are of no more use; the log rows below `info[MERGES]` are.
    """
    weighted = len(weights) > 1
    work = 0
    learned = 0
    while True:
        is_forced = info[FORCED_NEXT] < len(forced)
        if not is_forced and info[VOCABULARY] >= target:
            return TARGET, table, records, arena, heap
        if learned >= max_merges or work >= max_work:
            return LEARNED_ENOUGH, table, records, arena, heap
        if info[MERGES] >= log_capacity or info[VOCABULARY] >= vocabulary_capacity:
            return NEED_ROOM, table, records, arena, heap

        # 1. The pair to merge.
        record = info[CANDIDATE]
        if record < 0:
            if is_forced:
                key = forced[info[FORCED_NEXT]]
                record = find_record(table, records, key)
                if record < 0:
                    # The pair does not occur in this text: it is on the list all the same.
                    if info[RECORDS] == len(records):
                        grown = np.zeros((2 * len(records), 4), np.int64)
                        grown[: info[RECORDS]] = records
                        records = grown
                    record = info[RECORDS]
                    info[RECORDS] += 1
                    records[record, KEY] = key
                    if 2 * info[RECORDS] > len(table):
                        table = np.full(2 * len(table), -1, np.int32)
                        for other in range(info[RECORDS] - 1):
                            insert_record(table, records, other)
                    insert_record(table, records, record)
            else:
                while True:
                    if control[0] != 0:
                        return CANCELLED, table, records, arena, heap
                    size = info[HEAP_SIZE]
                    if size == 0:
                        return NO_PAIRS, table, records, arena, heap
                    record = heap[0, 2]
                    count = records[record, COUNT]
                    if count == 0:
                        # Merged away meanwhile: drop the entry.
                        size -= 1
                        info[HEAP_SIZE] = size
                        heap_sift_down(heap, size, 0, heap[size, 0], heap[size, 1], heap[size, 2])
                        continue
                    tie = tie_of(records, record, arena, sequence, length, ties)
                    if count == heap[0, 0] and tie == heap[0, 1]:
                        break
                    heap_sift_down(heap, size, 0, count, tie, record)
                if records[record, COUNT] < minimum_frequency:
                    return MINIMUM_FREQUENCY, table, records, arena, heap
        left = records[record, KEY] >> 32
        right = records[record, KEY] & 0xFFFFFFFF

        # 2. The id of what they become.
        joined_hash = string_hash[left] * string_power[right] + string_hash[right]
        if info[CANDIDATE] >= 0:
            new = info[ANSWER]
            info[CANDIDATE] = -1
        elif remember_hash(hashes, joined_hash):
            info[CANDIDATE] = record
            return ASK_STRING, table, records, arena, heap
        else:
            new = np.int64(-1)
        is_old = new >= 0
        if not is_old:
            new = info[VOCABULARY]
            length[new] = length[left] + length[right]
            string_hash[new] = joined_hash
            string_power[new] = string_power[left] * string_power[right]

        # 3. Visit the occurrences from left to right, join them, and add up what changes for their neighbours.
        left_length = length[left]
        right_length = length[right]
        start = records[record, START]
        merged = start  # the list is overwritten with the positions that were really merged
        joined = np.int64(0)
        touched_left = 0
        touched_right = 0
        half = len(touched) // 2
        previous_end = -1
        weight = np.int64(1)
        for entry in range(start, records[record, END]):
            if entry % _POLL == 0 and control[0] != 0:
                return CANCELLED, table, records, arena, heap
            position = np.int64(arena[entry])
            if sequence[position] != left:
                continue
            middle = position + left_length
            if sequence[middle] != right:
                continue
            end = middle + right_length
            before = np.int64(sequence[position - 1])
            after = np.int64(sequence[end])
            if weighted:
                weight = weights[position]
            if before >= 0:
                if position == previous_end:
                    # The token before was made in this pass, from left + right, and counted as standing before `left`.
                    neighbours[left, ADDED_WEIGHT] -= weight
                    neighbours[left, ADDED_POSITIONS] -= 1
                    neighbours[new, ADDED_WEIGHT] += weight
                    neighbours[new, ADDED_POSITIONS] += 1
                    if neighbours[new, TOUCHED] == 0:
                        neighbours[new, TOUCHED] = 1
                        touched[half + touched_right] = new
                        touched_right += 1
                else:
                    if neighbours[before, LEFT_POSITIONS] == 0:
                        touched[touched_left] = before
                        touched_left += 1
                    neighbours[before, LEFT_WEIGHT] += weight
                    neighbours[before, LEFT_POSITIONS] += 1
            if after >= 0:
                if neighbours[after, TOUCHED] == 0:
                    neighbours[after, TOUCHED] = 1
                    touched[half + touched_right] = after
                    touched_right += 1
                neighbours[after, REMOVED_WEIGHT] += weight
                neighbours[after, ADDED_WEIGHT] += weight
                neighbours[after, ADDED_POSITIONS] += 1
            if right_length > 1:
                sequence[middle] = DEAD
            sequence[position] = new
            sequence[end - 1] = new
            arena[merged] = position
            merged += 1
            joined += weight
            previous_end = end
        work += records[record, END] - start + 64

        # 4. Settle with the records: the pairs that lost occurrences, and the pairs that now exist.
        frequency = records[record, COUNT]
        if frequency > 0:
            info[PAIRS_ALIVE] -= 1
        records[record, COUNT] = 0
        records[record, START] = merged
        for index in range(touched_left):
            before = np.int64(touched[index])
            other = find_record(table, records, before << 32 | left)
            if other != record:
                records[other, COUNT] -= neighbours[before, LEFT_WEIGHT]
                if records[other, COUNT] == 0:
                    info[PAIRS_ALIVE] -= 1
        for index in range(touched_right):
            after = np.int64(touched[half + index])
            if neighbours[after, REMOVED_WEIGHT] != 0:
                other = find_record(table, records, right << 32 | after)
                if other != record:
                    records[other, COUNT] -= neighbours[after, REMOVED_WEIGHT]
                    if records[other, COUNT] == 0:
                        info[PAIRS_ALIVE] -= 1

        room = info[RECORDS] + touched_left + touched_right
        if room > len(records):
            grown = np.zeros((2 * room, 4), np.int64)
            grown[: info[RECORDS]] = records[: info[RECORDS]]
            records = grown
        if 2 * room > len(table):
            size = len(table)
            while 2 * room > size:
                size *= 2
            table = np.full(size, -1, np.int32)
            for other in range(info[RECORDS]):
                insert_record(table, records, other)
        if info[HEAP_SIZE] + touched_left + touched_right > len(heap):
            grown = np.zeros((2 * (info[HEAP_SIZE] + touched_left + touched_right), 3), np.int64)
            grown[: info[HEAP_SIZE]] = heap[: info[HEAP_SIZE]]
            heap = grown
        # Lists of pairs that had occurrences before (only an old id has) are merged with the new ones: thrice the room.
        needed = np.int64(0)
        for side in range(2):
            for index in range(touched_left if side == 0 else touched_right):
                symbol = np.int64(touched[index + side * half])
                needed += neighbours[symbol, LEFT_POSITIONS if side == 0 else ADDED_POSITIONS]
                if is_old:
                    key = symbol << 32 | new if side == 0 else new << 32 | symbol
                    other = find_record(table, records, key)
                    needed += neighbours[symbol, LEFT_POSITIONS if side == 0 else ADDED_POSITIONS]
                    if other >= 0:
                        needed += records[other, END] - records[other, START]
                        # (new, new) may come from both sides; then its list is merged twice.
                        needed += neighbours[symbol, LEFT_POSITIONS]
        if info[ARENA_TOP] + needed > len(arena):
            bigger = np.empty(max(len(arena) + len(arena) // 2, info[ARENA_TOP] + needed), np.int32)
            bigger[: info[ARENA_TOP]] = arena[: info[ARENA_TOP]]
            arena = bigger
        top = info[ARENA_TOP]
        for index in range(touched_left):
            symbol = np.int64(touched[index])
            neighbours[symbol, LEFT_FILL] = top
            top += neighbours[symbol, LEFT_POSITIONS]
        for index in range(touched_right):
            symbol = np.int64(touched[half + index])
            neighbours[symbol, RIGHT_FILL] = top
            top += neighbours[symbol, ADDED_POSITIONS]
        info[ARENA_TOP] = top

        # 5. List where the new pairs stand, in ascending order since the merged positions are.
        new_length = length[new]
        previous_end = -1
        for entry in range(start, merged):
            if entry % _POLL == 0 and control[0] != 0:
                return CANCELLED, table, records, arena, heap
            position = np.int64(arena[entry])
            before = np.int64(sequence[position - 1])
            end = position + new_length
            after = np.int64(sequence[end])
            if before >= 0 and position != previous_end:
                arena[neighbours[before, LEFT_FILL]] = position - length[before]
                neighbours[before, LEFT_FILL] += 1
            if after >= 0:
                arena[neighbours[after, RIGHT_FILL]] = position
                neighbours[after, RIGHT_FILL] += 1
            previous_end = end
        for side in range(2):
            for index in range(touched_left if side == 0 else touched_right):
                symbol = np.int64(touched[index + side * half])
                if side == 0:
                    positions = neighbours[symbol, LEFT_POSITIONS]
                    gained = neighbours[symbol, LEFT_WEIGHT]
                    list_end = neighbours[symbol, LEFT_FILL]
                    key = symbol << 32 | new
                    neighbours[symbol, LEFT_POSITIONS] = 0
                    neighbours[symbol, LEFT_WEIGHT] = 0
                else:
                    positions = neighbours[symbol, ADDED_POSITIONS]
                    gained = neighbours[symbol, ADDED_WEIGHT]
                    list_end = neighbours[symbol, RIGHT_FILL]
                    key = new << 32 | symbol
                    neighbours[symbol, ADDED_POSITIONS] = 0
                    neighbours[symbol, ADDED_WEIGHT] = 0
                    neighbours[symbol, REMOVED_WEIGHT] = 0
                    neighbours[symbol, TOUCHED] = 0
                if positions == 0:
                    continue
                other = find_record(table, records, key)
                if other < 0:
                    other = info[RECORDS]
                    info[RECORDS] += 1
                    records[other, KEY] = key
                    records[other, COUNT] = 0
                    insert_record(table, records, other)
                if records[other, COUNT] == 0:
                    info[PAIRS_ALIVE] += 1
                    records[other, START] = list_end - positions
                    records[other, END] = list_end
                else:
                    top = info[ARENA_TOP]
                    merge_runs(arena, records[other, START], records[other, END], list_end - positions, list_end, top)
                    info[ARENA_TOP] = top + records[other, END] - records[other, START] + positions
                    records[other, START] = top
                    records[other, END] = info[ARENA_TOP]
                records[other, COUNT] += gained
                size = info[HEAP_SIZE]
                tie = tie_of(records, other, arena, sequence, length, ties)
                heap_sift_up(heap, size, records[other, COUNT], tie, other)
                info[HEAP_SIZE] = size + 1

        # 6. Write it down.
        if not is_old:
            info[VOCABULARY] += 1
        token_counts[left] -= joined
        token_counts[right] -= joined
        token_counts[new] += joined
        info[LENGTH] -= joined
        row = info[MERGES]
        log_left[row] = left
        log_right[row] = right
        log_new[row] = new
        log_frequency[row] = frequency
        log_length[row] = info[LENGTH]
        info[MERGES] = row + 1
        if is_forced:
            info[FORCED_NEXT] += 1
        learned += 1
