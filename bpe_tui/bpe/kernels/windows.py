"""Cutting ASCII text 64 bytes at a time: a class of characters is a uint64 with one bit a byte, the first byte lowest.

Shifting such a set up by one gives the places behind its characters, and down, the places before them. So the rules
become a few operations on whole sets, without a branch that depends on the text. Each function gives the set of places
in the window where pieces start, the first place aside: a piece must start there, and that is all that is known of what
stands before. Places are given only as far as they depend on nothing behind the window or behind its first byte that is
not ASCII, and before `stop`; the scanners of `splitting` do what is left: pieces longer than a window, other scripts,
the end of the text.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import boolean, extending, int64, njit, types, uint64
from numba.core import cgutils

from bpe_tui.bpe.kernels.characters import BYTE_ARRAY, FOLD, contraction
from bpe_tui.bpe.kernels.machine import INNER, LOOP, Array, pointer

WINDOW = 64
"""Bytes that are looked at together."""
AHEAD = 3
"""Bytes behind a place that it can depend on: those of a contraction, counted from its apostrophe."""

ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)
TOPS = np.uint64(0x8080808080808080)

_i64 = int64[::1]

intrinsic: Any = extending.intrinsic  # typed as if it could not be called


@intrinsic
def eight_bytes(context: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Give the eight bytes at `array[index:]` as one number, wherever they lie."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(pointer(context, builder, signature.args[0], *arguments, ir.IntType(64)), align=1)

    return uint64(array, int64), code


@intrinsic
def between(context: Any, array: Any, index: Any, lowest: Any, count: Any) -> Any:  # noqa: ARG001
    """Give the set of those of the 64 bytes at `array[index:]` that are one of `count` values from `lowest` on."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index, lowest, count = arguments
        byte = ir.IntType(8)
        window = ir.VectorType(byte, WINDOW)

        def everywhere(number: Any) -> Any:
            one = builder.insert_element(
                ir.Constant(window, ir.Undefined), builder.trunc(number, byte), ir.Constant(ir.IntType(32), 0)
            )
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), WINDOW), [0] * WINDOW)
            return builder.shuffle_vector(one, one, zeros)

        values = builder.load(pointer(context, builder, signature.args[0], array, index, window), align=1)
        inside = builder.icmp_unsigned("<", builder.sub(values, everywhere(lowest)), everywhere(count))
        return builder.bitcast(inside, ir.IntType(64))

    return uint64(array, int64, int64, int64), code


@intrinsic
def first_place(context: Any, places: Any) -> Any:  # noqa: ARG001
    """Give the lowest place in a set; 64 if it is empty."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.cttz(arguments[0], cgutils.false_bit)

    return int64(uint64), code


@intrinsic
def members(context: Any, places: Any) -> Any:  # noqa: ARG001
    """Give how many places are in a set."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(arguments[0])

    return int64(uint64), code


@intrinsic
def end_of(context: Any, places: Any) -> Any:  # noqa: ARG001
    """Give the place behind the highest one in a set; 0 if it is empty."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        zeros = builder.ctlz(arguments[0], cgutils.false_bit)
        return builder.sub(ir.Constant(ir.IntType(64), WINDOW), zeros)

    return int64(uint64), code


@njit(boolean(BYTE_ARRAY, int64, int64), **INNER)
def ascii_ahead(data: Array, place: int, stop: int) -> bool:
    """Whether there is a window, and its first eight bytes are ASCII and before `stop`, so that it is worth its while.

    The window may reach beyond `stop`, but not beyond `data`.
    """
    return place + WINDOW <= len(data) and place + 8 <= stop and eight_bytes(data, place) & TOPS == np.uint64(0)


@njit(uint64(BYTE_ARRAY, int64, int64), **INNER)
def unknown_ahead(data: Array, place: int, stop: int) -> int:
    """Give the bytes of a window that are not ASCII, or from `stop` on."""
    high = between(data, place, 0x80, 0x80)
    if stop - place < WINDOW:
        high |= ~np.uint64(0) << np.uint64(stop - place)
    return high


@njit(int64(uint64, int64, _i64, int64), **INNER)
def write_ends(starts: int, place: int, ends: Array, pieces: int) -> int:
    """Write the places of the set, counted from `place`, to `ends[pieces:]`; give the new number of pieces."""
    total = pieces + members(starts)
    # Eight at a time, the last of them for nothing: a loop that ends at some other count each time is guessed wrong.
    while True:
        for number in range(8):
            ends[pieces + number] = place + first_place(starts)
            starts &= starts - ONE
        pieces += 8
        if pieces >= total:
            return total


@njit(uint64(uint64, int64), **INNER)
def settled(starts: int, limit: int) -> int:
    """Give the places of a set that are above 0 and below `limit`, which is below 64."""
    if limit < 2:
        return np.uint64(0)
    return starts & ((ONE << np.uint64(limit)) - TWO)


@njit(uint64(BYTE_ARRAY, int64, int64), **INNER)
def whitespace_starts(data: Array, place: int, stop: int) -> int:
    """Pieces start where white space starts or ends."""
    white = between(data, place, 0x20, 1) | between(data, place, 0x09, 5)
    valid = first_place(unknown_ahead(data, place, stop))
    return settled(white ^ (white << ONE), valid - 1)


@njit(uint64(BYTE_ARRAY, int64, int64), **INNER)
def gpt2_starts(data: Array, place: int, stop: int) -> int:
    """See `splitting.split_gpt2`."""
    letter = between(data, place, 0x61, 26) | between(data, place, 0x41, 26)
    number = between(data, place, 0x30, 10)
    blank = between(data, place, 0x20, 1)
    white = blank | between(data, place, 0x09, 5)
    high = unknown_ahead(data, place, stop)
    other = ~(letter | number | white | high)
    limit = first_place(high) - AHEAD
    # Changes of class, but behind a blank, which goes with what follows.
    change = (letter & ~(letter << ONE)) | (number & ~(number << ONE)) | (other & ~(other << ONE))
    change &= ~(blank << ONE)
    # White space starts a piece, and so does its last character before something else.
    starts = change | (white & ~(white << ONE)) | (white & ~(white >> ONE))
    apostrophes = settled((between(data, place, 0x27, 1) & change) << ONE, limit + 1) >> ONE
    while apostrophes != np.uint64(0):
        start = first_place(apostrophes)
        size = contraction(data, place + start, place + WINDOW, 0)
        if size != 0:
            starts &= ~(TWO << np.uint64(start))
            starts |= ONE << np.uint64(start + size)
        apostrophes &= apostrophes - ONE
    return settled(starts, limit)


@njit(types.UniTuple(uint64, 2)(BYTE_ARRAY, int64, uint64, uint64, uint64, uint64, int64), **INNER)
def later_starts(
    data: Array, place: int, letter: int, number: int, blank: int, high: int, digits: int
) -> tuple[int, int]:
    r"""Give (places where pieces start, which of them hold), for what cl100k and its followers have in common.

    These are all but contractions and the cut before a capital. The second set says how far the first goes: it has the
    places below a limit.
    """
    line = between(data, place, 0x0A, 1) | between(data, place, 0x0D, 1)
    white = blank | between(data, place, 0x09, 5)
    other = ~(letter | number | white | high)
    valid = first_place(high)
    limit = valid - AHEAD
    # Line ends right behind other characters belong to their piece. Adding the first of a run to the run carries
    # through all of it.
    tail = line & ~(line + ((other << ONE) & line))
    space = white & ~tail
    plain = space & ~line
    # In white space, a piece ends behind the last line end. Where it is known that white space goes on, that may stand
    # behind the window: then nothing but the start of the run is known.
    begun = end_of(~space & ((ONE << np.uint64(valid)) - ONE if valid < WINDOW else ~np.uint64(0)))
    limit = min(limit, begun + 1)
    starts = (space & ~(space << ONE)) | (plain & ~(white >> ONE))
    behind = plain & (line << ONE)
    # Adding the first of a run of blanks to the run gives the place behind it. If a line end stands there, it is not
    # the blanks in front of it that start a piece.
    ends = (plain + behind) & ~plain & line
    while ends != np.uint64(0):
        end = first_place(ends)
        behind &= ~(ONE << np.uint64(end_of(behind & ((ONE << np.uint64(end)) - ONE)) - 1))
        ends &= ends - ONE
    starts |= behind
    # Other characters start a piece but behind a blank, which goes with them.
    first = other & ~((other | blank) << ONE)
    # Letters take the one character before with them if a piece starts there and it is no line end or number.
    starts |= first | (letter & ~((letter | plain | first) << ONE))
    if digits == 1:
        starts |= number
    else:
        fresh = number & ~(number << ONE)
        starts |= fresh
        four = number & (number << ONE) & (number << TWO) & (number << THREE)
        # Once without asking: years are many, numbers of seven digits and more are few.
        fresh = (fresh << THREE) & four
        starts |= fresh
        fresh = (fresh << THREE) & four
        while fresh != np.uint64(0):
            starts |= fresh
            fresh = (fresh << THREE) & four
    if limit < 1:
        return starts, np.uint64(0)
    return starts, (ONE << np.uint64(limit)) - ONE


@njit(uint64(BYTE_ARRAY, int64, int64, int64), **INNER)
def cl100k_starts(data: Array, place: int, stop: int, digits: int) -> int:
    """See `splitting.split_cl100k`."""
    letter = between(data, place, 0x61, 26) | between(data, place, 0x41, 26)
    blank = between(data, place, 0x20, 1)
    high = unknown_ahead(data, place, stop)
    starts, holding = later_starts(data, place, letter, between(data, place, 0x30, 10), blank, high, digits)
    # A contraction stands where a piece starts. Its letters, which follow an apostrophe there, start none.
    apostrophes = between(data, place, 0x27, 1) & starts & holding
    while apostrophes != np.uint64(0):
        start = first_place(apostrophes)
        size = contraction(data, place + start, place + WINDOW, FOLD)
        if size != 0:
            starts |= ONE << np.uint64(start + size)
        apostrophes &= apostrophes - ONE
    return starts & holding & ~ONE


@njit(uint64(BYTE_ARRAY, int64, int64), **INNER)
def o200k_starts(data: Array, place: int, stop: int) -> int:
    """See `splitting.split_o200k`."""
    upper = between(data, place, 0x41, 26)
    lower = between(data, place, 0x61, 26)
    letter = upper | lower
    blank = between(data, place, 0x20, 1)
    slash = between(data, place, 0x2F, 1)
    # A slash behind a line end may belong to the piece before: leave that to the scanner.
    high = unknown_ahead(data, place, stop)
    high |= slash & ((between(data, place, 0x0A, 1) | between(data, place, 0x0D, 1)) << ONE)
    if first_place(high) == 0:
        return np.uint64(0)
    starts, holding = later_starts(data, place, letter, between(data, place, 0x30, 10), blank, high, 3)
    starts |= upper & (lower << ONE)
    # A contraction goes with the word before it; but not a second one.
    apostrophes = between(data, place, 0x27, 1) & (letter << ONE) & holding
    end = 0
    while apostrophes != np.uint64(0):
        start = first_place(apostrophes)
        if start > end:
            size = contraction(data, place + start, place + WINDOW, FOLD)
            if size != 0:
                end = start + size
                starts &= ~(((ONE << np.uint64(size)) - ONE) << np.uint64(start))
                starts |= ONE << np.uint64(end)
        apostrophes &= apostrophes - ONE
    return starts & holding & ~ONE


@njit(types.UniTuple(int64, 2)(BYTE_ARRAY, int64, int64, _i64, int64), **LOOP)
def whitespace_windows(data: Array, place: int, stop: int, ends: Array, pieces: int) -> tuple[int, int]:
    """Write where pieces end, from `place` on, as far as windows tell; give (how many there are then, where to go on).

    `pieces` are written already.
    """
    while ascii_ahead(data, place, stop) and pieces + WINDOW <= len(ends):
        starts = whitespace_starts(data, place, stop)
        if starts == np.uint64(0):
            break
        pieces = write_ends(starts, place, ends, pieces)
        place += end_of(starts) - 1
    return pieces, place


@njit(types.UniTuple(int64, 2)(BYTE_ARRAY, int64, int64, _i64, int64), **LOOP)
def gpt2_windows(data: Array, place: int, stop: int, ends: Array, pieces: int) -> tuple[int, int]:
    """Cut as far as windows tell; see `whitespace_windows`."""
    while ascii_ahead(data, place, stop) and pieces + WINDOW <= len(ends):
        starts = gpt2_starts(data, place, stop)
        if starts == np.uint64(0):
            break
        pieces = write_ends(starts, place, ends, pieces)
        place += end_of(starts) - 1
    return pieces, place


@njit(types.UniTuple(int64, 2)(BYTE_ARRAY, int64, int64, _i64, int64), **LOOP)
def o200k_windows(data: Array, place: int, stop: int, ends: Array, pieces: int) -> tuple[int, int]:
    """Cut as far as windows tell; see `whitespace_windows`."""
    while ascii_ahead(data, place, stop) and pieces + WINDOW <= len(ends):
        starts = o200k_starts(data, place, stop)
        if starts == np.uint64(0):
            break
        pieces = write_ends(starts, place, ends, pieces)
        place += end_of(starts) - 1
    return pieces, place


@njit(types.UniTuple(int64, 2)(BYTE_ARRAY, int64, int64, _i64, int64, int64), **LOOP)
def cl100k_windows(data: Array, place: int, stop: int, ends: Array, pieces: int, digits: int) -> tuple[int, int]:
    """Cut as far as windows tell; see `whitespace_windows`."""
    while ascii_ahead(data, place, stop) and pieces + WINDOW <= len(ends):
        starts = cl100k_starts(data, place, stop, digits)
        if starts == np.uint64(0):
            break
        pieces = write_ends(starts, place, ends, pieces)
        place += end_of(starts) - 1
    return pieces, place
