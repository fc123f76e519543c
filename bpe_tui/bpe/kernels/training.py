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

import numpy as np
from numba import int32, int64, njit, types, uint64, void

from bpe_tui.bpe.kernels.machine import INNER, OUTER, POLL, Array, prefetch
from bpe_tui.bpe.sequence import BOUNDARY

DEAD = -2
"""Stands where a token of several symbols used to start."""

# Why a call of `learn` came back.
LEARNED_ENOUGH, TARGET, NO_PAIRS, MINIMUM_FREQUENCY, NEED_ROOM, ASK_STRING, CANCELLED = range(7)

# How ties are broken.
TIES_FIRST, TIES_LOWEST_ID, TIES_LARGEST_STRING = range(3)

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
    NEED_RECORDS,  # with NEED_ROOM: pair records, heap entries and arena entries that the next merge may take, in all
    NEED_HEAP,
    NEED_ARENA,
    MERGED_END,  # set by `visit`: where the positions that were really merged end in the arena,
    JOINED,  # how many there were, weighted,
    LEFT_TOUCHED,  # and how many different neighbours there were on each side
    RIGHT_TOUCHED,
    INFO_SIZE,
) = range(18)

# Columns of a pair record.
KEY, COUNT, START, END = range(4)

# Columns of the table of neighbours. As the left neighbour of what is merged, a symbol loses LEFT_WEIGHT occurrences of
# its pair with `left` and gains as many of its pair with the new token. On the right, the two can differ.
LEFT_WEIGHT, LEFT_POSITIONS, REMOVED_WEIGHT, ADDED_WEIGHT, ADDED_POSITIONS, TOUCHED, LEFT_FILL, RIGHT_FILL = range(8)

HASH_BASE = np.uint64(0x9E3779B97F4A7C15)
AHEAD = 12  # list entries between fetching a place of the sequence to the cache and working on it

_i32 = int32[::1]
_i64 = int64[::1]
_i64_2 = int64[:, ::1]
_u64 = uint64[::1]


@njit(int64(int64, int64), **INNER)
def pair_slot(key: int, mask: int) -> int:
    """Give the first slot to look at for `key` in a table of `mask` + 1 slots."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(mask))


@njit(void(_i32, _i64, _i64, _i32, _i32), **OUTER)
def lay_out(symbols: Array, lengths: Array, counts: Array, sequence: Array, weights: Array) -> None:
    """Copy stretches, which follow on each other in `symbols`, to `sequence`, each behind a boundary that is there.

    If there is a weight for each place of the sequence, a stretch's count becomes the weight of its places.
    """
    source = 0
    place = 1
    for number in range(len(lengths)):
        for _ in range(lengths[number]):
            sequence[place] = symbols[source]
            if len(weights) > 1:
                weights[place] = counts[number]
            source += 1
            place += 1
        place += 1


@njit(int64(_i32, _i64_2, int64), **INNER)
def find_record(table: Array, records: Array, key: int) -> int:
    """Give the record of the pair `key` (left << 32 | right), or -1."""
    mask = len(table) - 1
    slot = pair_slot(key, mask)
    while True:
        record = table[slot]
        if record < 0 or records[record, KEY] == key:
            return record
        slot = (slot + 1) & mask


@njit(int64(_i32, _i64_2, int64, _i64), **INNER)
def find_or_add_record(table: Array, records: Array, key: int, info: Array) -> int:
    """Give the record of the pair `key`; a new one, with count 0 and no list, if there was none."""
    mask = len(table) - 1
    slot = pair_slot(key, mask)
    while table[slot] >= 0:
        if records[table[slot], KEY] == key:
            return table[slot]
        slot = (slot + 1) & mask
    record = info[RECORDS]
    info[RECORDS] = record + 1
    table[slot] = record
    records[record, KEY] = key
    records[record, COUNT] = 0
    records[record, START] = 0
    records[record, END] = 0
    return record


@njit(void(_i32, _i64_2, int64), **OUTER)
def index_records(table: Array, records: Array, used: int) -> None:
    """Enter the first `used` records into the table, which comes filled with -1."""
    mask = len(table) - 1
    for record in range(used):
        slot = pair_slot(records[record, KEY], mask)
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = record


@njit(types.boolean(int64, int64, int64, int64), **INNER)
def better(count: int, tie: int, other_count: int, other_tie: int) -> bool:
    """Whether a pair of (`count`, `tie`) goes before another: more frequent, or as frequent with a lower tie."""
    return count > other_count or (count == other_count and tie < other_tie)


@njit(void(_i64_2, int64, int64, int64, int64), **INNER)
def heap_sift_up(heap: Array, hole: int, count: int, tie: int, record: int) -> None:
    """Place an entry at `hole` or above."""
    while hole > 0:
        parent = (hole - 1) >> 1
        if not better(count, tie, heap[parent, 0], heap[parent, 1]):
            break
        for column in range(3):
            heap[hole, column] = heap[parent, column]
        hole = parent
    heap[hole, 0] = count
    heap[hole, 1] = tie
    heap[hole, 2] = record


@njit(void(_i64_2, int64, int64, int64, int64), **INNER)
def heap_replace_top(heap: Array, size: int, count: int, tie: int, record: int) -> None:
    """Put an entry in the place of the top one and let it sink to where it belongs."""
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and better(heap[child + 1, 0], heap[child + 1, 1], heap[child, 0], heap[child, 1]):
            child += 1
        if not better(heap[child, 0], heap[child, 1], count, tie):
            break
        for column in range(3):
            heap[hole, column] = heap[child, column]
        hole = child
    heap[hole, 0] = count
    heap[hole, 1] = tie
    heap[hole, 2] = record


@njit(int64(_i64_2, int64, _i32, _i32, _i32, _i32, int64), **INNER)
def tie_of(records: Array, record: int, arena: Array, sequence: Array, length: Array, order: Array, ties: int) -> int:
    """Give what breaks ties for a pair, the lowest wins: its first position in the sequence, its ids, or the places of
    its strings among all strings, from the end. Moves START past dead ones.
    """
    key = records[record, KEY]
    if ties == TIES_LOWEST_ID:
        return key
    left = key >> 32
    right = key & 0xFFFFFFFF
    if ties == TIES_LARGEST_STRING:
        return -(np.int64(order[left]) << 32 | np.int64(order[right]))
    left_length = length[left]
    entry = records[record, START]
    end = records[record, END]
    while entry < end:
        position = arena[entry]
        if sequence[position] == left and sequence[position + left_length] == right:
            break
        entry += 1
    records[record, START] = entry
    return arena[entry] if entry < end else 0


@njit(_i64(_i32, _i32, int64), **OUTER)
def count_symbols(sequence: Array, weights: Array, base_size: int) -> Array:
    """Give how often each base symbol occurs, weighted."""
    counts = np.zeros(base_size, np.int64)
    weighted = len(weights) > 1
    for position in range(len(sequence)):
        if sequence[position] >= 0:
            counts[sequence[position]] += weights[position] if weighted else 1
    return counts


@njit(types.boolean(_i32, _i32, int64, _i32, _i32, _i64_2, _i64, _i64), **OUTER)
def count_pairs(
    sequence: Array,
    weights: Array,
    base_size: int,
    record_of: Array,
    table: Array,
    records: Array,
    info: Array,
    control: Array,
) -> bool:
    """Count all pairs of a sequence of base symbols, which begins and ends with `BOUNDARY`.

    `weights` has one entry for all positions, or one for each. Pairs are looked up in `record_of`, a dense table of
    base_size squared entries filled with -1, or in `table` if that is empty. Puts into the records the counts and, as
    END, the number of positions. Gives whether there was room: if not, begin again with larger tables.
    """
    weighted = len(weights) > 1
    dense = len(record_of) > 0
    weight = np.int64(1)
    left = np.int64(BOUNDARY)
    for position in range(len(sequence)):
        if position % POLL == 0 and control[0] != 0:
            return True
        right = np.int64(sequence[position])
        if left >= 0 and right >= 0:
            if 2 * info[RECORDS] + 2 > len(table) or info[RECORDS] == len(records):
                return False
            if dense:
                record = np.int64(record_of[left * base_size + right])
                if record < 0:
                    record = find_or_add_record(table, records, left << 32 | right, info)
                    record_of[left * base_size + right] = record
            else:
                record = find_or_add_record(table, records, left << 32 | right, info)
            if weighted:
                weight = weights[position - 1]
            records[record, COUNT] += weight
            records[record, END] += 1
        left = right
    # `learn` counts on a free record: a forced pair that the text does not have takes one before room is asked for.
    return info[RECORDS] < len(records)


@njit(void(_i32, int64, _i32, _i32, _i64_2, _i32, _i32, _i32, _i64_2, int64, _i64, _i64), **OUTER)
def list_pairs(
    sequence: Array,
    base_size: int,
    record_of: Array,
    table: Array,
    records: Array,
    arena: Array,
    length: Array,
    order: Array,
    heap: Array,
    ties: int,
    info: Array,
    control: Array,
) -> None:
    """List where each counted pair stands, in `arena` (one entry a position), and enter every pair into the heap."""
    dense = len(record_of) > 0
    top = np.int64(0)
    for record in range(info[RECORDS]):
        positions = records[record, END]
        records[record, START] = top
        records[record, END] = top
        top += positions
    left = np.int64(BOUNDARY)
    for position in range(len(sequence)):
        if position % POLL == 0 and control[0] != 0:
            return
        right = np.int64(sequence[position])
        if left >= 0 and right >= 0:
            if dense:
                record = np.int64(record_of[left * base_size + right])
            else:
                record = find_record(table, records, left << 32 | right)
            arena[records[record, END]] = position - 1
            records[record, END] += 1
        left = right
    info[ARENA_TOP] = top
    info[PAIRS_ALIVE] = info[RECORDS]
    for record in range(info[RECORDS]):
        tie = tie_of(records, record, arena, sequence, length, order, ties)
        heap_sift_up(heap, record, records[record, COUNT], tie, record)
    info[HEAP_SIZE] = info[RECORDS]


@njit(types.boolean(_u64, uint64), **OUTER)
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


@njit(void(_u64, _u64), **OUTER)
def remember_hashes(hashes: Array, values: Array) -> None:
    """Enter the hashes of many tokens' strings."""
    for number in range(len(values)):
        remember_hash(hashes, values[number])


@njit(void(_i64_2, _i64_2, _i32, int64), **OUTER)
def order_again(heap: Array, records: Array, order: Array, size: int) -> None:
    """Set the heap right after the numbers in `order` were given out anew, for TIES_LARGEST_STRING."""
    for entry in range(size):
        record = heap[entry, 2]
        key = records[record, KEY]
        tie = -(np.int64(order[key >> 32]) << 32 | np.int64(order[key & 0xFFFFFFFF]))
        heap_sift_up(heap, entry, heap[entry, 0], tie, record)


@njit(int64(_i32, _i64_2, _i32, _i64_2, _i32, _i32, int64, _i64, _i64), **INNER)
def best_record(
    sequence: Array,
    records: Array,
    arena: Array,
    heap: Array,
    length: Array,
    order: Array,
    ties: int,
    info: Array,
    control: Array,
) -> int:
    """Give the record of the most frequent pair, which stays at the top of the heap, or -1 if there is none."""
    while info[HEAP_SIZE] > 0 and control[0] == 0:
        record = heap[0, 2]
        count = records[record, COUNT]
        if count == 0:
            # Merged away meanwhile: drop the entry.
            size = info[HEAP_SIZE] - 1
            info[HEAP_SIZE] = size
            heap_replace_top(heap, size, heap[size, 0], heap[size, 1], heap[size, 2])
            continue
        if count == heap[0, 0]:
            tie = tie_of(records, record, arena, sequence, length, order, ties)
            if tie == heap[0, 1]:
                return record
        else:
            # The count alone decides where it goes; the old tie is a bound as good as any.
            tie = heap[0, 1]
        heap_replace_top(heap, info[HEAP_SIZE], count, tie, record)
    return -1


@njit(types.boolean(_i32, _i32, _i64_2, _i32, _i32, _i64_2, _i32, int64, int64, _i64, _i64), **INNER)
def visit(
    sequence: Array,
    weights: Array,
    records: Array,
    arena: Array,
    length: Array,
    neighbours: Array,
    touched: Array,
    record: int,
    new: int,
    info: Array,
    control: Array,
) -> bool:
    """Join every occurrence of a pair from left to right, and add up what changes for each neighbour.

    The pair's list is overwritten with the positions that were really joined. Gives False when cancelled half-way.
    """
    weighted = len(weights) > 1
    left = records[record, KEY] >> 32
    right = records[record, KEY] & 0xFFFFFFFF
    left_length = np.int64(length[left])
    right_length = np.int64(length[right])
    start = records[record, START]
    stop = records[record, END]
    merged = start
    joined = np.int64(0)
    touched_left = 0
    touched_right = 0
    half = len(touched) // 2
    previous_end = np.int64(-1)
    weight = np.int64(1)
    for entry in range(start, stop):
        if entry % POLL == 0 and control[0] != 0:
            return False
        if entry + AHEAD < stop:
            prefetch(sequence, np.int64(arena[entry + AHEAD]))
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
    info[MERGED_END] = merged
    info[JOINED] = joined
    info[LEFT_TOUCHED] = touched_left
    info[RIGHT_TOUCHED] = touched_right
    return True


@njit(void(_i32, _i64_2, _i64_2, _i32, int64, _i64), **INNER)
def settle(table: Array, records: Array, neighbours: Array, touched: Array, record: int, info: Array) -> None:
    """Take from the counts of the pairs that lost occurrences to the merge of `record`, whose own count becomes 0."""
    left = records[record, KEY] >> 32
    right = records[record, KEY] & 0xFFFFFFFF
    half = len(touched) // 2
    if records[record, COUNT] > 0:
        info[PAIRS_ALIVE] -= 1
    records[record, COUNT] = 0
    records[record, END] = info[MERGED_END]
    for side in range(2):
        for index in range(info[LEFT_TOUCHED + side]):
            symbol = np.int64(touched[index + side * half])
            lost = neighbours[symbol, LEFT_WEIGHT if side == 0 else REMOVED_WEIGHT]
            if lost == 0:
                continue
            other = find_record(table, records, symbol << 32 | left if side == 0 else right << 32 | symbol)
            if other != record:
                records[other, COUNT] -= lost
                if records[other, COUNT] == 0:
                    info[PAIRS_ALIVE] -= 1


@njit(int64(_i32, _i64_2, int64, int64, int64, int64), **INNER)
def merge_lists(arena: Array, records: Array, record: int, other: int, other_end: int, top: int) -> int:
    """Merge the list of `record` with the entries from `other` to `other_end` into one at `top`; give its end."""
    first = records[record, START]
    first_end = records[record, END]
    records[record, START] = top
    while first < first_end or other < other_end:
        if other >= other_end or (first < first_end and arena[first] < arena[other]):
            arena[top] = arena[first]
            first += 1
        else:
            arena[top] = arena[other]
            other += 1
        top += 1
    records[record, END] = top
    return top


@njit(
    types.boolean(_i32, _i32, _i64_2, _i32, _i64_2, _i32, _i32, _i64_2, _i32, int64, int64, int64, _i64, _i64), **INNER
)
def list_neighbours(
    sequence: Array,
    table: Array,
    records: Array,
    arena: Array,
    heap: Array,
    length: Array,
    order: Array,
    neighbours: Array,
    touched: Array,
    record: int,
    new: int,
    ties: int,
    info: Array,
    control: Array,
) -> bool:
    """List where the pairs with the new token stand, count them, and enter them into the heap.

    The merged positions are ascending, so every list comes out ascending. Clears the table of neighbours.
    Gives False when cancelled half-way.
    """
    half = len(touched) // 2
    top = info[ARENA_TOP]
    for side in range(2):
        for index in range(info[LEFT_TOUCHED + side]):
            symbol = np.int64(touched[index + side * half])
            neighbours[symbol, LEFT_FILL + side] = top
            top += neighbours[symbol, LEFT_POSITIONS if side == 0 else ADDED_POSITIONS]
    new_length = np.int64(length[new])
    previous_end = np.int64(-1)
    stop = records[record, END]
    for entry in range(records[record, START], stop):
        if entry % POLL == 0 and control[0] != 0:
            return False
        if entry + AHEAD < stop:
            prefetch(sequence, np.int64(arena[entry + AHEAD]))
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
        for index in range(info[LEFT_TOUCHED + side]):
            symbol = np.int64(touched[index + side * half])
            end = neighbours[symbol, LEFT_FILL + side]
            if side == 0:
                positions = neighbours[symbol, LEFT_POSITIONS]
                gained = neighbours[symbol, LEFT_WEIGHT]
                key = symbol << 32 | new
                neighbours[symbol, LEFT_POSITIONS] = 0
                neighbours[symbol, LEFT_WEIGHT] = 0
            else:
                positions = neighbours[symbol, ADDED_POSITIONS]
                gained = neighbours[symbol, ADDED_WEIGHT]
                key = new << 32 | symbol
                neighbours[symbol, ADDED_POSITIONS] = 0
                neighbours[symbol, ADDED_WEIGHT] = 0
                neighbours[symbol, REMOVED_WEIGHT] = 0
                neighbours[symbol, TOUCHED] = 0
            if positions == 0:
                continue
            other = find_or_add_record(table, records, key, info)
            if records[other, COUNT] == 0:
                info[PAIRS_ALIVE] += 1
                records[other, START] = end - positions
                records[other, END] = end
            else:
                # Only an old id, made a second way, has occurrences already.
                top = merge_lists(arena, records, other, end - positions, end, top)
            records[other, COUNT] += gained
            tie = tie_of(records, other, arena, sequence, length, order, ties)
            heap_sift_up(heap, info[HEAP_SIZE], records[other, COUNT], tie, other)
            info[HEAP_SIZE] += 1
    info[ARENA_TOP] = top
    return True


@njit(
    int64(
        _i32, _i32, _i32, _i64_2, _i32, _i64_2, _i32, _i32, _u64, _u64, _u64, _i64, _i64_2, _i32, _i64,
        _i32, _i32, _i32, _i64, _i64, int64, int64, int64, int64, int64, _i64, _i64,
    ),
    **OUTER,
)  # fmt: skip
def learn(
    sequence: Array,
    weights: Array,
    table: Array,
    records: Array,
    arena: Array,
    heap: Array,
    length: Array,
    order: Array,
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
    target: int,
    minimum_frequency: int,
    ties: int,
    max_merges: int,
    max_work: int,
    info: Array,
    control: Array,
) -> int:
    """Learn merges until one of the limits is met; give which: LEARNED_ENOUGH, TARGET, and so on.

    `forced` lists pairs (left << 32 | right) that are merged first, in that order, whatever their frequency.
    `max_work` bounds the list entries visited, which is what time goes into; a merge that has begun is finished.
    NEED_ROOM asks for larger arrays: those with a row a token or a merge, or see NEED_RECORDS and what follows it.
    ASK_STRING asks whether the string of the pair of record `info[CANDIDATE]` is a token already, see ANSWER; with
    TIES_LARGEST_STRING it is asked for every merge, and a new string must have its place in `order` before the answer.
    After CANCELLED the arrays are of no more use; the log rows below `info[MERGES]` are.
    """
    work = np.int64(0)
    learned = 0
    while True:
        is_forced = info[FORCED_NEXT] < len(forced)
        if not is_forced and info[VOCABULARY] >= target:
            return TARGET
        if learned >= max_merges or work >= max_work:
            return LEARNED_ENOUGH
        if info[MERGES] >= len(log_left) or info[VOCABULARY] >= len(length):
            return NEED_ROOM

        # The pair to merge, and whether there is room for all that its merge can bring about.
        record = info[CANDIDATE]
        if record < 0:
            if is_forced:
                # A pair that does not occur in this text is on the list all the same.
                record = find_or_add_record(table, records, forced[info[FORCED_NEXT]], info)
            else:
                record = best_record(sequence, records, arena, heap, length, order, ties, info, control)
                if control[0] != 0:
                    return CANCELLED
                if record < 0:
                    return NO_PAIRS
                if records[record, COUNT] < minimum_frequency:
                    return MINIMUM_FREQUENCY
        left = records[record, KEY] >> 32
        right = records[record, KEY] & 0xFFFFFFFF
        entries = records[record, END] - records[record, START]
        new_pairs = 2 * min(entries, info[VOCABULARY] + 1) + 1
        info[NEED_RECORDS] = info[RECORDS] + new_pairs
        info[NEED_HEAP] = info[HEAP_SIZE] + new_pairs
        # Only the lists of an old id are ever copied; all lists together take no more than what is in use now.
        info[NEED_ARENA] = info[ARENA_TOP] + 2 * entries
        if info[CANDIDATE] >= 0 and info[ANSWER] >= 0:
            info[NEED_ARENA] += info[ARENA_TOP] + 4 * entries
            twice = find_record(table, records, info[ANSWER] << 32 | info[ANSWER])
            if twice >= 0:
                # This pair can gain on both sides, and its list be copied twice.
                info[NEED_ARENA] += records[twice, END] - records[twice, START]
        if (
            info[NEED_RECORDS] > len(records)
            or 2 * info[NEED_RECORDS] > len(table)
            or info[NEED_HEAP] > len(heap)
            or info[NEED_ARENA] > len(arena)
        ):
            return NEED_ROOM

        # The id of what they become.
        joined_hash = string_hash[left] * string_power[right] + string_hash[right]
        new = np.int64(-1)
        if info[CANDIDATE] >= 0:
            new = info[ANSWER]
            info[CANDIDATE] = -1
        elif ties == TIES_LARGEST_STRING or remember_hash(hashes, joined_hash):
            info[CANDIDATE] = record
            return ASK_STRING
        if new < 0:
            new = info[VOCABULARY]
            info[VOCABULARY] += 1
            length[new] = length[left] + length[right]
            string_hash[new] = joined_hash
            string_power[new] = string_power[left] * string_power[right]

        # The merge.
        work += entries + 64
        frequency = records[record, COUNT]
        if not visit(sequence, weights, records, arena, length, neighbours, touched, record, new, info, control):
            return CANCELLED
        settle(table, records, neighbours, touched, record, info)
        if not list_neighbours(
            sequence, table, records, arena, heap, length, order, neighbours, touched, record, new, ties, info, control
        ):
            return CANCELLED

        # Write it down.
        token_counts[left] -= info[JOINED]
        token_counts[right] -= info[JOINED]
        token_counts[new] += info[JOINED]
        info[LENGTH] -= info[JOINED]
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
