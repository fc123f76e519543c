"""Reading a `str` where it lies: its characters as UTF-8, without a copy of the whole on the way.

A `str` holds its characters as numbers of one, two or four bytes each, all alike. Python's own `encode` holds the lock
while it writes; this does not, so threads can each write the part of a text that they work on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, int64, njit, types, uint8, void
from numba.cpython.unicode import (
    PY_UNICODE_1BYTE_KIND,
    PY_UNICODE_2BYTE_KIND,
    deref_uint8,
    deref_uint16,
    deref_uint32,
)

from bpe_tui.bpe.kernels.machine import INNER, OUTER, Array, pointer

TEXT = types.unicode_type
intrinsic: Any = extending.intrinsic  # typed as if it could not be called
_u8 = uint8[::1]
_i64 = int64[::1]

RUN = 32
"""Characters that are looked at together: most are ASCII, and written as they are."""


@njit(int64(int64, _u8, int64), **INNER)
def write_character(point: int, room: Array, size: int) -> int:
    """Write a code point behind `size` bytes; give how many there are then. A surrogate becomes three bytes."""
    if point < 0x80:
        room[size] = point
        return size + 1
    if point < 0x800:
        room[size] = 0xC0 | point >> 6
        room[size + 1] = 0x80 | point & 0x3F
        return size + 2
    if point < 0x10000:
        room[size] = 0xE0 | point >> 12
        room[size + 1] = 0x80 | point >> 6 & 0x3F
        room[size + 2] = 0x80 | point & 0x3F
        return size + 3
    room[size] = 0xF0 | point >> 18
    room[size + 1] = 0x80 | point >> 12 & 0x3F
    room[size + 2] = 0x80 | point >> 6 & 0x3F
    room[size + 3] = 0x80 | point & 0x3F
    return size + 4


def _ascii_run(bits: int) -> Any:
    """Give what reads RUN characters of so many bits each."""

    @intrinsic
    def ascii_run(context: Any, text: Any, index: Any, room: Any, size: Any) -> Any:  # noqa: ARG001
        """Write the RUN characters at `text[index:]` to `room[size:]` and give whether all of them are ASCII."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            text, index, room, size = arguments
            wide = ir.IntType(bits)
            place = builder.gep(builder.bitcast(text, wide.as_pointer()), [index])
            run = ir.VectorType(wide, RUN)
            found = builder.load(builder.bitcast(place, run.as_pointer()), align=bits // 8)
            narrow = ir.VectorType(ir.IntType(8), RUN)
            to = pointer(context, builder, signature.args[2], room, size, narrow)
            builder.store(found if bits == 8 else builder.trunc(found, narrow), to, align=1)
            inside = builder.icmp_unsigned("<", found, ir.Constant(run, [0x80] * RUN))
            return builder.icmp_unsigned(
                "==", builder.bitcast(inside, ir.IntType(RUN)), ir.Constant(ir.IntType(RUN), -1)
            )

        return types.boolean(text, int64, room, int64), code

    return ascii_run


ascii_run_8, ascii_run_16, ascii_run_32 = (_ascii_run(bits) for bits in (8, 16, 32))


@njit(int64(TEXT, int64, int64, _u8), **OUTER)
def write_utf8(text: Any, start: int, stop: int, room: Array) -> int:
    """Write the characters `start` to `stop` of a text as UTF-8 to `room`; give how many bytes they are.

    There is room for four bytes a character, or one if all of the text is ASCII.
    """
    size = 0
    place = start
    while place < stop:
        end = min(place + RUN, stop)
        whole = end - place == RUN
        if text._kind == PY_UNICODE_1BYTE_KIND:
            if whole and ascii_run_8(text._data, place, room, size):
                size += RUN
            else:
                for index in range(place, end):
                    size = write_character(np.int64(deref_uint8(text._data, index)), room, size)
        elif text._kind == PY_UNICODE_2BYTE_KIND:
            if whole and ascii_run_16(text._data, place, room, size):
                size += RUN
            else:
                for index in range(place, end):
                    size = write_character(np.int64(deref_uint16(text._data, index)), room, size)
        elif whole and ascii_run_32(text._data, place, room, size):
            size += RUN
        else:
            for index in range(place, end):
                size = write_character(np.int64(deref_uint32(text._data, index)), room, size)
        place = end
    return size


@njit(void(TEXT, _i64, _u8), **OUTER)
def write_texts(text: Any, stops: Array, room: Array) -> None:
    """Write texts that follow on each other in `text` and end at `stops`, which become where their bytes end."""
    start = np.int64(0)
    size = np.int64(0)
    for number in range(len(stops)):
        stop = stops[number]
        size += write_utf8(text, start, stop, room[size:])
        stops[number] = size
        start = stop
