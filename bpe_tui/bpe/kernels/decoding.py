"""Ids back to text: copying each token's code points, or its bytes, one after another."""

from __future__ import annotations

import numpy as np
from numba import int64, njit, types, uint8, uint32, void

from bpe_tui.bpe.kernels.machine import OUTER, Array

_i64 = int64[::1]
_u8 = uint8[::1]
_u32 = uint32[::1]


@njit(types.UniTuple(int64, 2)(_i64, _i64), **OUTER)
def measure(ids: Array, offsets: Array) -> tuple[int, int]:
    """Give (characters or bytes that `ids` stand for, index of the first id that is out of range or -1)."""
    tokens = len(offsets) - 1
    total = np.int64(0)
    for index in range(len(ids)):
        token = ids[index]
        if token < 0 or token >= tokens:
            return total, index
        total += offsets[token + 1] - offsets[token]
    return total, np.int64(-1)


@njit([void(_i64, _i64, _u32, _u32), void(_i64, _i64, _u8, _u8)], **OUTER)
def spell(ids: Array, offsets: Array, characters: Array, text: Array) -> None:
    """Write the characters or bytes of every id to `text`; token t's are `characters[offsets[t]:offsets[t + 1]]`."""
    position = 0
    for index in range(len(ids)):
        token = ids[index]
        for source in range(offsets[token], offsets[token + 1]):
            text[position] = characters[source]
            position += 1
