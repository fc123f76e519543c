"""Ids back to text: copying each token's code points, or its bytes, one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import int64, njit, types, uint8, uint32, void
from numba.extending import intrinsic

from bpe_tui.bpe.kernels.machine import OUTER, Array, pointer

WIDE = 16
"""Bytes that are copied at once."""

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


@intrinsic
def copy_sixteen_bytes(context: Any, source: Any, start: Any, target: Any, place: Any) -> Any:  # noqa: ARG001
    """Copy the sixteen bytes at `source[start:]` to `target[place:]`, wherever they lie. Looks at no bounds."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, start, target, place = arguments
        block = ir.VectorType(ir.IntType(8), WIDE)
        content = builder.load(pointer(context, builder, signature.args[0], source, start, block), align=1)
        builder.store(content, pointer(context, builder, signature.args[2], target, place, block), align=1)
        return context.get_dummy_value()

    return void(source, start, target, place), code


@njit([void(_i64, _i64, _u32, _u32), void(_i64, _i64, _u8, _u8)], **OUTER)
def spell(ids: Array, offsets: Array, characters: Array, text: Array) -> None:
    """Write the characters or bytes of every id to `text`; token t's are `characters[offsets[t]:offsets[t + 1]]`."""
    wide = WIDE // text.itemsize
    # Up to there, a block that begins within a token ends within the array.
    last_source = len(characters) - wide
    last_place = len(text) - wide
    position = 0
    for index in range(len(ids)):
        token = ids[index]
        source = offsets[token]
        length = offsets[token + 1] - source
        if source + length <= last_source and position + length <= last_place:
            # Too much is copied; the next token is written over it. Nearly every token is one block.
            copy_sixteen_bytes(characters, source, text, position)
            for done in range(wide, length, wide):
                copy_sixteen_bytes(characters, source + done, text, position + done)
        else:
            for place in range(length):
                text[position + place] = characters[source + place]
        position += length
