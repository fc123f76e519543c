"""Whether ids stand for given bytes, without writing these anew: the proof of every gigabyte that is encoded.

Tokens are a few bytes long, mostly. So a row of two words has the first eight bytes of a token, and where all of them
begin and how many they are; comparing is one look at a row and one at the text, and no loop over bytes.
"""

from __future__ import annotations

import numpy as np
from numba import int64, njit, uint8

from bpe_tui.bpe.kernels.machine import OUTER, Array
from bpe_tui.bpe.kernels.piece_table import BYTES, WORDS
from bpe_tui.bpe.kernels.windows import eight_bytes

_i64 = int64[::1]
_u8 = uint8[::1]

LENGTH_BITS = np.uint64(32)
_LENGTH = np.uint64((1 << 32) - 1)
_ALL = 0xFFFFFFFFFFFFFFFF
_MASKS = np.array([_ALL >> (64 - 8 * size) if size else 0 for size in range(9)], np.uint64)


@njit(WORDS(_i64, _u8), **OUTER)
def token_rows(offsets: Array, characters: Array) -> Array:
    """Give the rows of tokens: token t's bytes are `characters[offsets[t]:offsets[t + 1]]`."""
    tokens = len(offsets) - 1
    rows = np.zeros(2 * tokens, np.uint64)
    for token in range(tokens):
        begin, end = offsets[token], offsets[token + 1]
        for place in range(min(begin + 8, end) - 1, begin - 1, -1):
            rows[2 * token] = rows[2 * token] << np.uint64(8) | np.uint64(characters[place])
        rows[2 * token + 1] = np.uint64(begin) << LENGTH_BITS | np.uint64(end - begin)
    return rows


@njit(int64(_i64, WORDS, _u8, BYTES, int64), **OUTER)
def follow(ids: Array, rows: Array, characters: Array, content: Array, place: int) -> int:
    """Give where the bytes of all `ids` end in `content`, if they stand there from `place` on; else -1.

    An id that is out of range or has no bytes stands nowhere.
    """
    tokens = len(rows) // 2
    room = len(content) - 8
    for index in range(len(ids)):
        token = ids[index]
        if token < 0 or token >= tokens:
            return np.int64(-1)
        where = rows[2 * token + 1]
        length = np.int64(where & _LENGTH)
        if length == 0 or place + length > len(content):
            return np.int64(-1)
        if length <= 8 and place <= room:
            if (eight_bytes(content, place) ^ rows[2 * token]) & _MASKS[length] != np.uint64(0):
                return np.int64(-1)
        else:
            begin = np.int64(where >> LENGTH_BITS)
            for step in range(length):
                if content[place + step] != characters[begin + step]:
                    return np.int64(-1)
        place += length
    return place
