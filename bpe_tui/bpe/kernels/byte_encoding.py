"""Encoding pieces of bytes: lowest rank first, leftmost first among equals, each piece by itself.

This is what tiktoken and Hugging Face's tokenizers do. How one piece is merged is told in `piece_merging`. What a short
piece became is remembered with its bytes, which are compared: text repeats itself.
"""

from __future__ import annotations

import numpy as np
from numba import int32, int64, njit, types, uint8, uint64, void

from bpe_tui.bpe.kernels.machine import INNER, LOOP, OUTER, POLL, Array
from bpe_tui.bpe.kernels.piece_merging import NO_PAIR, drop_top, find_pair, merge_found, merge_long, push
from bpe_tui.bpe.kernels.piece_table import (
    BATCH,
    BYTES,
    LOWER,
    META,
    UPPER_HALF,
    VALUE,
    WORDS,
    find_row,
    home,
    is_there,
    look_ahead,
    spread,
    write_row,
)
from bpe_tui.bpe.kernels.splitting import BLOCK, split

_u8 = uint8[::1]
_i32 = int32[::1]
_i64 = int64[::1]

SHORT = 48
"""Bytes of the longest piece that is merged by searching it; longer ones are merged in other ways."""
REMEMBERED = 256
"""Bytes of the longest piece that is remembered: runs of blanks and dashes come again, longer ones hardly do."""

# Places in `used`: how much of a memory is taken.
ROWS_USED, BYTES_USED, IDS_USED, USED_SIZE = range(4)

_EMPTY = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
NO_ID = -1


@njit(int64(BYTES, int64, int64, uint64, uint64, WORDS, _u8), **INNER)
def find_token(data: Array, start: int, stop: int, one: int, two: int, tokens: Array, token_store: Array) -> int:
    """Give the id of a piece that is taken whole, or NO_ID. `one` and `two` are its words."""
    if len(tokens) == 0:
        return NO_ID
    row = find_row(data, start, stop, one, two, home(spread(one, two), len(tokens)), tokens, token_store)
    if tokens[row + np.uint64(META)] == _EMPTY:
        return NO_ID
    return np.int64(tokens[row + np.uint64(VALUE)])


@njit(int64(BYTES, int64, int64, uint64, uint64, WORDS, _u8, _i64, _i64, int64), **INNER)
def recall(
    data: Array, start: int, stop: int, one: int, two: int, memory: Array, store: Array, id_store: Array, ids: Array,
    ids_start: int,
) -> int:  # fmt: skip
    """Write what a piece became if a memory has it; give where its ids end, which is `ids_start` if it has not."""
    if len(memory) == 0:
        return ids_start
    row = find_row(data, start, stop, one, two, home(spread(one, two), len(memory)), memory, store)
    many = np.int64(memory[row + np.uint64(META)] >> UPPER_HALF)
    value = np.int64(memory[row + np.uint64(VALUE)])
    if many == 0:
        return ids_start
    if many <= 2:
        # If there is no second one, the next piece is written over it.
        ids[ids_start] = value << 32 >> 32
        ids[ids_start + 1] = value >> 32
    else:
        for index in range(many):
            ids[ids_start + index] = id_store[value + index]
    return ids_start + many


@njit(
    types.UniTuple(int64, 3)(BYTES, int64, _i64, int64, int64, WORDS, WORDS, WORDS, WORDS, _u8, _i64, _i64, int64),
    **LOOP,
)
def recall_batch(
    data: Array, start: int, ends: Array, number: int, last: int, firsts: Array, seconds: Array, rows: Array,
    memory: Array, store: Array, id_store: Array, ids: Array, ids_start: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Write what pieces became, from `number` on up to `last`, until one is not in the memory.

    Gives its number, where it begins and where the ids end; its row is the empty one where it belongs. Nearly all the
    time that encoding takes is spent here: numbers without a sign are not looked at for being below 0.
    """
    written = np.uint64(ids_start)
    for index in range(np.uint64(number), np.uint64(last)):
        stop = ends[index]
        row = rows[index]
        if not is_there(firsts[index], seconds[index], stop - start, row, memory):
            row = find_row(data, start, stop, firsts[index], seconds[index], row, memory, store)
            if memory[row + np.uint64(META)] == _EMPTY:
                rows[index] = row
                return np.int64(index), start, np.int64(written)
        many = memory[row + np.uint64(META)] >> UPPER_HALF
        value = memory[row + np.uint64(VALUE)]
        if many <= _TWO:
            # If there is no second one, the next piece is written over it.
            ids[written] = np.int64(value & LOWER)
            ids[written + _ONE] = np.int64(value >> UPPER_HALF)
        else:
            for other in range(many):
                ids[written + other] = id_store[value + other]
        written += many
        start = stop
    return last, start, np.int64(written)


@njit(int64(BYTES, int64, int64, _i64, _i64, _i64, _i64, int64, _i64, _i64, _i64), **INNER)
def merge_piece(
    data: Array, start: int, stop: int, byte_ids: Array, byte_pairs: Array, table: Array, ids: Array, ids_start: int,
    symbols: Array, found: Array, control: Array,
) -> int:  # fmt: skip
    """Merge a piece; give where its ids end in `ids`, or -1 when cancelled. `symbols` and `found` are scratch."""
    length = stop - start
    if length <= SHORT:
        for index in range(length):
            symbols[index] = byte_ids[data[start + index]]
        for index in range(length - 1):
            found[index] = byte_pairs[np.int64(data[start + index]) << 8 | np.int64(data[start + index + 1])]
        left = merge_found(symbols, found, length, table)
        for index in range(left):
            ids[ids_start + index] = symbols[index]
        return ids_start + left
    many = np.empty(length, np.int64)
    for index in range(length):
        many[index] = byte_ids[data[start + index]]
    left = merge_long(many, length, table, control)
    if left < 0:
        return -1
    ids[ids_start : ids_start + left] = many[:left]
    return ids_start + left


@njit(void(BYTES, int64, int64, uint64, uint64, uint64, _i64, int64, int64, WORDS, _u8, _i64, _i64), **INNER)
def remember(
    data: Array, start: int, stop: int, one: int, two: int, row: int, ids: Array, ids_start: int, ids_stop: int,
    memory: Array, store: Array, id_store: Array, used: Array,
) -> None:  # fmt: skip
    """Remember what a piece became, at an empty row, if there is room."""
    count = ids_stop - ids_start
    if (
        8 * used[ROWS_USED] >= len(memory)
        or used[BYTES_USED] + stop - start > len(store)
        or used[IDS_USED] + count > len(id_store)
    ):
        return
    value = np.uint64(ids[ids_start]) & LOWER
    if count == 2:
        value |= np.uint64(ids[ids_start + 1]) << UPPER_HALF
    elif count > 2:
        value = np.uint64(used[IDS_USED])
        for index in range(count):
            id_store[used[IDS_USED] + index] = ids[ids_start + index]
        used[IDS_USED] += count
    used[ROWS_USED] += 1
    used[BYTES_USED] = write_row(
        data, start, stop, one, two, row, value, np.uint64(count), memory, store, used[BYTES_USED]
    )


@njit(
    int64(
        BYTES,
        int64,
        _i64,
        int64,
        _i64,
        _i64,
        _i64,
        WORDS,
        _u8,
        WORDS,
        _u8,
        _i64,
        _i64,
        WORDS,
        _u8,
        _i64,
        _i64,
        int64,
        _i64,
        _i64,
        _i64,
    ),
    **OUTER,
)
def encode_pieces(
    data: Array,
    start: int,
    ends: Array,
    count: int,
    byte_ids: Array,
    byte_pairs: Array,
    table: Array,
    tokens: Array,
    token_store: Array,
    memory: Array,
    store: Array,
    id_store: Array,
    used: Array,
    older: Array,
    older_store: Array,
    older_ids: Array,
    ids: Array,
    ids_start: int,
    counts: Array,
    stops: Array,
    control: Array,
) -> int:
    """Encode the `count` pieces of `data` that begin at `start` and end at `ends`; give where their ids end in `ids`.

    Where the pieces are those of several texts, `counts` is how many come up to the end of each, and where its ids end
    is written to `stops`; both may be empty.

    `byte_ids` has the id of each single byte, `byte_pairs` what the merge table has for each two. `tokens` and
    `token_store` hold the pieces that are taken whole, each with its id. `memory`, `store`, `id_store` and `used` are
    what earlier pieces became: one id, two ids in one word, or where more of them lie in `id_store`; what finds no room
    is not remembered. `older`, `older_store` and `older_ids` are a memory that was full before; they may be empty.
    `ids` needs room for one id a byte, and one more. Gives -1 when cancelled.
    """
    symbols = np.empty(SHORT, np.int64)
    found = np.empty(SHORT, np.int64)
    firsts = np.empty(BATCH, np.uint64)
    seconds = np.empty(BATCH, np.uint64)
    rows = np.empty(BATCH, np.uint64)
    text = 0
    for first in range(0, count, BATCH):
        if control[0] != 0:
            return -1
        last = min(first + BATCH, count)
        batch = ends[first:last]
        look_ahead(data, start, batch, memory, firsts, seconds, rows)
        number = 0
        while True:
            limit = len(batch)
            if text < len(counts):
                limit = min(limit, counts[text] - first)
            number, start, ids_start = recall_batch(
                data, start, batch, number, limit, firsts, seconds, rows, memory, store, id_store, ids, ids_start
            )
            if number == limit:
                while text < len(counts) and number == counts[text] - first:
                    stops[text] = ids_start
                    text += 1
                if number == len(batch):
                    break
                continue
            stop = batch[number]
            one = firsts[number]
            two = seconds[number]
            ids_stop = recall(data, start, stop, one, two, older, older_store, older_ids, ids, ids_start)
            token = NO_ID
            if ids_stop == ids_start:
                token = find_token(data, start, stop, one, two, tokens, token_store)
            if token != NO_ID:
                ids[ids_start] = token
                ids_stop = ids_start + 1
            elif ids_stop == ids_start:
                ids_stop = merge_piece(
                    data, start, stop, byte_ids, byte_pairs, table, ids, ids_start, symbols, found, control
                )
                if ids_stop < 0:
                    return -1
            if stop - start <= REMEMBERED:
                remember(
                    data, start, stop, one, two, rows[number], ids, ids_start, ids_stop, memory, store, id_store, used
                )
            ids_start = ids_stop
            start = stop
            number += 1
    stops[text:] = ids_start
    return ids_start


@njit(
    int64(
        int64,
        BYTES,
        int64,
        int64,
        BYTES,
        _i64,
        _i64,
        _i64,
        WORDS,
        _u8,
        WORDS,
        _u8,
        _i64,
        _i64,
        WORDS,
        _u8,
        _i64,
        _i64,
        _i64,
    ),
    **OUTER,
)
def encode_stretch(
    rule: int,
    data: Array,
    start: int,
    stop: int,
    classes: Array,
    byte_ids: Array,
    byte_pairs: Array,
    table: Array,
    tokens: Array,
    token_store: Array,
    memory: Array,
    store: Array,
    id_store: Array,
    used: Array,
    older: Array,
    older_store: Array,
    older_ids: Array,
    ids: Array,
    control: Array,
) -> int:
    """Cut the bytes from `start` to `stop`, where pieces begin and end, by the rule of that number, and encode them.

    What follows on `stop` is not looked at. `classes` is `character_classes.table()`. Gives how many ids were written,
    or -1 when cancelled. See `encode_pieces`.
    """
    nothing = np.empty(0, np.int64)
    ends = np.empty(BLOCK, np.int64)
    size = BLOCK
    written = np.int64(0)
    while start < stop:
        block_stop = min(start + size, stop)
        pieces, resume = split(rule, data, start, block_stop, block_stop == stop, ends, classes)
        if pieces == 0:
            # A piece longer than the block: it must be seen whole.
            size *= 2
            continue
        size = BLOCK
        written = encode_pieces(
            data, start, ends, pieces, byte_ids, byte_pairs, table, tokens, token_store, memory,
            store, id_store, used, older, older_store, older_ids, ids, written, nothing, nothing, control,
        )  # fmt: skip
        if written < 0:
            return -1
        start = resume
    return written


@njit(_i64(_i64, _i64), **OUTER)
def pairs_of_bytes(byte_ids: Array, table: Array) -> Array:
    """Give what the merge table has for each two bytes: at 256 times the first and once the second.

    The table is gone through once: a run in the app makes an encoder ten times a second.
    """
    pairs = np.full(256 * 256, NO_PAIR, np.int64)
    byte_of = np.full(max(0, byte_ids.max()) + 1, -1, np.int64)
    for byte in range(256):
        if byte_ids[byte] >= 0:
            byte_of[byte_ids[byte]] = byte
    for slot in range(0, len(table), 2):
        left, right = table[slot] >> 32, table[slot] & 0xFFFFFFFF
        if 0 <= left < len(byte_of) and right < len(byte_of) and byte_of[left] >= 0 and byte_of[right] >= 0:
            pairs[byte_of[left] << 8 | byte_of[right]] = table[slot + 1]
    return pairs


@njit(int64(BYTES, _i64, _i64, WORDS, _u8), **OUTER)
def remember_tokens(data: Array, ends: Array, ids: Array, tokens: Array, token_store: Array) -> int:
    """Enter the pieces that are taken whole: the n-th is the bytes of `data` up to `ends[n]`, its id is `ids[n]`.

    Empty ones are passed over; of equal ones the first counts. `token_store` needs room for all bytes. Gives how many
    were entered.
    """
    firsts = np.empty(1, np.uint64)
    seconds = np.empty(1, np.uint64)
    rows = np.empty(1, np.uint64)
    start = np.int64(0)
    stored = np.int64(0)
    entered = 0
    for number in range(len(ends)):
        stop = ends[number]
        if stop > start:
            look_ahead(data, start, ends[number : number + 1], tokens, firsts, seconds, rows)
            row = find_row(data, start, stop, firsts[0], seconds[0], rows[0], tokens, token_store)
            if tokens[row + np.uint64(META)] == _EMPTY:
                stored = write_row(
                    data, start, stop, firsts[0], seconds[0], row, np.uint64(ids[number]), np.uint64(1), tokens,
                    token_store, stored,
                )  # fmt: skip
                entered += 1
        start = stop
    return entered


@njit(
    void(BYTES, int64, _i64, int64, _i64, _i64, _i32, WORDS, _u8, _i32, _i32, _i32, _i32, _i32, int64, _i64),
    **OUTER,
)
def join_pieces(
    data: Array,
    start: int,
    ends: Array,
    count: int,
    byte_ids: Array,
    table: Array,
    places: Array,
    tokens: Array,
    token_store: Array,
    token_places: Array,
    ranks: Array,
    rounds: Array,
    left: Array,
    new: Array,
    offset: int,
    control: Array,
) -> None:
    """Merge the `count` pieces of `data` that begin at `start` and end at `ends`, and write down what joined each byte.

    The byte at p is row p - offset of `ranks`, which comes filled with NEVER, and of `rounds`, `left` and `new`, which
    may be empty; see `Joins` and `JoinSteps`. `places` gives the merge's place in the merge list for a rank of
    `table`, or is empty where they are the same. `tokens` and `token_store` hold pieces that are taken whole, and
    `token_places` the places of the merges that make those tokens; all empty if none are.
    """
    never = np.int64(2147483647)
    told = len(left) > 0
    room = 64
    symbols = np.empty(room, np.int64)
    after = np.empty(room, np.int64)
    before = np.empty(room, np.int64)
    heap = np.empty((3 * room, 2), np.int64)
    firsts = np.empty(1, np.uint64)
    seconds = np.empty(1, np.uint64)
    rows = np.empty(1, np.uint64)
    for number in range(count):
        if number % POLL == 0 and control[0] != 0:
            return
        stop = ends[number]
        length = stop - start
        if length > room:
            room = length
            symbols = np.empty(room, np.int64)
            after = np.empty(room, np.int64)
            before = np.empty(room, np.int64)
            heap = np.empty((3 * room, 2), np.int64)
        size = 0
        for index in range(length):
            symbols[index] = byte_ids[data[start + index]]
            after[index] = index + 1
            before[index] = index - 1
        for index in range(length - 1):
            value = find_pair(table, symbols[index], symbols[index + 1])
            if value != NO_PAIR:
                push(heap, size, value, index)
                size += 1
        highest = np.int64(-1)
        last = np.int64(-1)
        turn = np.int64(0)
        steps = 0
        row = start - offset
        while size > 0:
            steps += 1
            if steps % POLL == 0 and control[0] != 0:
                return
            value = heap[0, 0]
            index = heap[0, 1]
            drop_top(heap, size)
            size -= 1
            right = np.int64(after[index])
            if symbols[index] < 0 or right >= length:
                continue
            if find_pair(table, symbols[index], symbols[right]) != value:
                continue
            rank = np.int64(value >> 32)
            if len(places):
                rank = np.int64(places[rank])
            new_id = value & 0xFFFFFFFF
            if rank > highest:
                highest = rank
                turn = 0
            elif last != new_id:
                turn += 1
            last = new_id
            ranks[row + right] = highest
            if told:
                rounds[row + right] = turn
                left[row + right] = symbols[index]
                new[row + right] = new_id
            symbols[index] = new_id
            symbols[right] = -1
            beyond = np.int64(after[right])
            after[index] = beyond
            if beyond < length:
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
        if len(tokens) and length > 1:
            look_ahead(data, start, ends[number : number + 1], tokens, firsts, seconds, rows)
            token = find_token(data, start, stop, firsts[0], seconds[0], tokens, token_store)
            if token != NO_ID:
                whole = np.int64(token_places[token])
                for index in range(1, length):
                    if ranks[row + index] > whole:
                        ranks[row + index] = whole
                        if told:
                            rounds[row + index] = never
                            left[row + index] = -1
                            new[row + index] = token
        start = stop
