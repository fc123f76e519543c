"""Encoding pieces of bytes: lowest rank first, leftmost first among equals, each piece by itself.

This is what tiktoken and Hugging Face's tokenizers do. How one piece is merged is told in `piece_merging`. What a short
piece became is remembered with its bytes, which are compared: text repeats itself.
"""

from __future__ import annotations

import numpy as np
from numba import int32, int64, njit, types, uint8, void

from bpe_tui.bpe.kernels.machine import INNER, OUTER, POLL, Array
from bpe_tui.bpe.kernels.piece_merging import NO_PAIR, drop_top, find_pair, merge_long, merge_short, push

_u8 = uint8[::1]
_data = types.Array(uint8, 1, "C", readonly=True)  # read-only, so that bytes and mapped files serve, too
_i32 = int32[::1]
_i64 = int64[::1]
_i64_2 = int64[:, ::1]

SHORT = 48
"""Bytes of the longest piece that is searched and remembered; longer ones go through a heap."""

# Columns of a remembered piece.
HASH, BYTES_AT, BYTES_LENGTH, IDS_AT, IDS_LENGTH = range(5)
# Places in `used`: how much of the memory is taken.
PIECES_USED, BYTES_USED, IDS_USED, USED_SIZE = range(4)


@njit(int64(_data, int64, int64), **INNER)
def hash_bytes(data: Array, start: int, stop: int) -> int:
    """Give a hash of some bytes, 63 bits, never 0."""
    value = np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(stop - start)
    position = start
    while position < stop:
        word = np.uint64(0)
        for index in range(position, min(position + 8, stop)):
            word = word << np.uint64(8) | np.uint64(data[index])
        value = (value ^ word) * np.uint64(0xD6E8FEB86659FD93)
        value ^= value >> np.uint64(32)
        position += 8
    value *= np.uint64(0x9E3779B97F4A7C15)
    value ^= value >> np.uint64(29)
    return np.int64(value >> np.uint64(1) | np.uint64(1))


@njit(int64(_data, int64, int64, _i64_2, _u8, int64), **INNER)
def find_piece(data: Array, start: int, stop: int, pieces: Array, store: Array, value: int) -> int:
    """Give the row of a remembered piece with hash `value`, or of the empty row where it belongs (its HASH is 0)."""
    mask = len(pieces) - 1
    row = (value >> 3) & mask
    while pieces[row, HASH] != 0:
        if pieces[row, HASH] == value and pieces[row, BYTES_LENGTH] == stop - start:
            place = pieces[row, BYTES_AT]
            same = True
            for index in range(stop - start):
                if store[place + index] != data[start + index]:
                    same = False
                    break
            if same:
                return row
        row = (row + 1) & mask
    return row


@njit(void(_data, int64, int64, _i64, int64, int64, _i64_2, _u8, _i64, int64, int64, _i64), **INNER)
def remember(
    data: Array, start: int, stop: int, ids: Array, ids_start: int, ids_stop: int,
    pieces: Array, store: Array, id_store: Array, row: int, value: int, used: Array,
) -> None:  # fmt: skip
    """Remember what a piece became, at an empty row, if there is room."""
    length = stop - start
    if (
        2 * used[PIECES_USED] >= len(pieces)
        or used[BYTES_USED] + length > len(store)
        or used[IDS_USED] + ids_stop - ids_start > len(id_store)
    ):
        return
    pieces[row, HASH] = value
    pieces[row, BYTES_AT] = used[BYTES_USED]
    pieces[row, BYTES_LENGTH] = length
    pieces[row, IDS_AT] = used[IDS_USED]
    pieces[row, IDS_LENGTH] = ids_stop - ids_start
    for index in range(length):
        store[used[BYTES_USED] + index] = data[start + index]
    for index in range(ids_stop - ids_start):
        id_store[used[IDS_USED] + index] = ids[ids_start + index]
    used[PIECES_USED] += 1
    used[BYTES_USED] += length
    used[IDS_USED] += ids_stop - ids_start


@njit(
    int64(_data, int64, _i64, int64, _i64, _i64, _i64, _i64_2, _u8, _i64, _i64, _i64, int64, _i64),
    **OUTER,
)
def encode_pieces(
    data: Array,
    start: int,
    ends: Array,
    count: int,
    byte_ids: Array,
    keys: Array,
    values: Array,
    pieces: Array,
    store: Array,
    id_store: Array,
    used: Array,
    ids: Array,
    ids_start: int,
    control: Array,
) -> int:
    """Encode the `count` pieces of `data` that begin at `start` and end at `ends`; give where their ids end in `ids`.

    `byte_ids` has the id of each single byte. `pieces`, `store`, `id_store` and `used` are the memory of earlier
    pieces; entries that the caller made beforehand (whole tokens) are taken as they are, whatever their length. `ids`
    needs room for one id a byte. Gives -1 when cancelled.
    """
    symbols = np.empty(SHORT, np.int64)
    found = np.empty(SHORT, np.int64)
    for number in range(count):
        if number % POLL == 0 and control[0] != 0:
            return -1
        stop = ends[number]
        length = stop - start
        if length == 1:
            ids[ids_start] = byte_ids[data[start]]
            ids_start += 1
            start = stop
            continue
        value = hash_bytes(data, start, stop)
        row = find_piece(data, start, stop, pieces, store, value)
        if pieces[row, HASH] != 0:
            place = pieces[row, IDS_AT]
            for index in range(pieces[row, IDS_LENGTH]):
                ids[ids_start] = id_store[place + index]
                ids_start += 1
        elif length <= SHORT:
            for index in range(length):
                symbols[index] = byte_ids[data[start + index]]
            left = merge_short(symbols, found, length, keys, values)
            ids[ids_start : ids_start + left] = symbols[:left]
            remember(data, start, stop, ids, ids_start, ids_start + left, pieces, store, id_store, row, value, used)
            ids_start += left
        else:
            many = np.empty(length, np.int64)
            for index in range(length):
                many[index] = byte_ids[data[start + index]]
            left = merge_long(many, length, keys, values, control)
            if left < 0:
                return -1
            ids[ids_start : ids_start + left] = many[:left]
            ids_start += left
        start = stop
    return ids_start


@njit(void(_data, _i64, _i64, _i64_2, _u8, _i64, _i64), **OUTER)
def remember_tokens(
    data: Array, ends: Array, ids: Array, pieces: Array, store: Array, id_store: Array, used: Array
) -> None:
    """Remember tokens as pieces of one id: token t is the bytes of `data` up to `ends[t]`, its id is `ids[t]`."""
    start = np.int64(0)
    for number in range(len(ends)):
        stop = ends[number]
        if stop > start:
            value = hash_bytes(data, start, stop)
            row = find_piece(data, start, stop, pieces, store, value)
            if pieces[row, HASH] == 0:
                remember(data, start, stop, ids, number, number + 1, pieces, store, id_store, row, value, used)
        start = stop


@njit(types.Tuple((_i64_2, int64))(_data, int64, _i64, int64, _i64_2, _u8, _i64, _i64), **OUTER)
def count_pieces(
    data: Array, start: int, ends: Array, count: int, pieces: Array, store: Array, weights: Array, used: Array
) -> tuple[Array, int]:
    """Count pieces by their bytes, in the memory that `encode_pieces` uses: IDS_AT holds how often a piece occurred,
    IDS_LENGTH the number of pieces met before it. `weights` says how often each counts; if it is empty, once. Gives
    (pieces, how many were counted): fewer than `count` when `store` is full. `pieces` grows by itself.
    """
    for number in range(count):
        stop = ends[number]
        if used[BYTES_USED] + stop - start > len(store):
            return pieces, number
        value = hash_bytes(data, start, stop)
        row = find_piece(data, start, stop, pieces, store, value)
        if pieces[row, HASH] == 0:
            if 2 * used[PIECES_USED] >= len(pieces):
                larger = np.zeros((2 * len(pieces), 5), np.int64)
                mask = len(larger) - 1
                for old in range(len(pieces)):
                    if pieces[old, HASH] != 0:
                        place = (pieces[old, HASH] >> 3) & mask
                        while larger[place, HASH] != 0:
                            place = (place + 1) & mask
                        larger[place] = pieces[old]
                pieces = larger
                row = find_piece(data, start, stop, pieces, store, value)
            pieces[row, HASH] = value
            pieces[row, BYTES_AT] = used[BYTES_USED]
            pieces[row, BYTES_LENGTH] = stop - start
            pieces[row, IDS_LENGTH] = used[PIECES_USED]
            for index in range(stop - start):
                store[used[BYTES_USED] + index] = data[start + index]
            used[PIECES_USED] += 1
            used[BYTES_USED] += stop - start
        pieces[row, IDS_AT] += weights[number] if len(weights) else 1
        start = stop
    return pieces, count


@njit(
    void(
        _data, int64, _i64, int64, _i64, _i64, _i64, _i32, _i64_2, _u8, _i64, _i32, _i32, _i32, _i32, _i32, int64, _i64
    ),
    cache=True,
    nogil=True,
)
def join_pieces(
    data: Array,
    start: int,
    ends: Array,
    count: int,
    byte_ids: Array,
    keys: Array,
    values: Array,
    places: Array,
    pieces: Array,
    store: Array,
    id_store: Array,
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
    `values`, or is empty where they are the same. `pieces`, `store`, `id_store` hold pieces that are tokens and taken
    whole, `token_places` the places of the merges that make those tokens; all empty if none are.
    """
    never = np.int64(2147483647)
    told = len(left) > 0
    room = 64
    symbols = np.empty(room, np.int64)
    after = np.empty(room, np.int64)
    before = np.empty(room, np.int64)
    heap = np.empty((3 * room, 2), np.int64)
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
            value = find_pair(keys, values, symbols[index], symbols[index + 1])
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
            if find_pair(keys, values, symbols[index], symbols[right]) != value:
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
                value = find_pair(keys, values, symbols[index], symbols[beyond])
                if value != NO_PAIR:
                    push(heap, size, value, index)
                    size += 1
            if before[index] >= 0:
                value = find_pair(keys, values, symbols[before[index]], symbols[index])
                if value != NO_PAIR:
                    push(heap, size, value, np.int64(before[index]))
                    size += 1
        if len(pieces) and length > 1:
            found = find_piece(data, start, stop, pieces, store, hash_bytes(data, start, stop))
            if pieces[found, HASH] != 0:
                token = id_store[pieces[found, IDS_AT]]
                whole = np.int64(token_places[token])
                for index in range(1, length):
                    if ranks[row + index] > whole:
                        ranks[row + index] = whole
                        if told:
                            rounds[row + index] = never
                            left[row + index] = -1
                            new[row + index] = token
        start = stop
