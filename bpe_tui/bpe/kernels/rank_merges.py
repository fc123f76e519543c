"""How each token of a rank file comes about: the two tokens that lower ranks make of its bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, njit, types, uint8

from bpe_tui.bpe.kernels.byte_encoding import SHORT
from bpe_tui.bpe.kernels.piece_merging import empty_table, enter_pair, merge_long, merge_short

Array = Any

_data = types.Array(uint8, 1, "C", readonly=True)
_i64 = int64[::1]


@njit(int64(_data, _i64, _i64, _i64, _i64, _i64), cache=True, nogil=True)
def derive(data: Array, ends: Array, ids: Array, byte_ids: Array, lefts: Array, rights: Array) -> int:
    """Write the ids of both parts of each token to `lefts` and `rights`, or -1 for a token that is not made of two.

    Token t is the bytes of `data` up to `ends[t]`, of which there are two at least; `ids` ascend. Gives how many tokens
    are not made of two.
    """
    table = empty_table(len(ids))
    symbols = np.empty(SHORT, np.int64)
    found = np.empty(SHORT, np.int64)
    control = np.zeros(1, np.int64)
    failed = 0
    start = np.int64(0)
    for token in range(len(ids)):
        length = ends[token] - start
        if length <= SHORT:
            for index in range(length):
                symbols[index] = byte_ids[data[start + index]]
            count = merge_short(symbols, found, length, table)
            left, right = symbols[0], symbols[1]
        else:
            many = np.empty(length, np.int64)
            for index in range(length):
                many[index] = byte_ids[data[start + index]]
            count = merge_long(many, length, table, control)
            left, right = many[0], many[1]
        start = ends[token]
        if count != 2:
            lefts[token] = rights[token] = -1
            failed += 1
            continue
        lefts[token] = left
        rights[token] = right
        enter_pair(table, left << 32 | right, ids[token] << 32 | ids[token])
    return failed
