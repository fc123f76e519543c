"""Cutting UTF-8 text into pieces, one scanner for each family of splitting rules, without a regular expression engine.

Each scanner walks over the bytes once and writes where each piece ends. It does what the rule's regular expression (see
`pretokenize`) does, worked out by hand: every alternative is a run of characters of some classes, and how far an engine
would step back out of a run is known beforehand. So time grows with the text alone, whatever the text.

A piece depends on nothing before its start. That makes scanning resumable: if the text goes on after `stop`, a piece is
only given when everything it depends on was seen, with `MARGIN` bytes to spare for a character or contraction that may
be cut off; what is left is to be scanned again from its start, with more of the text. Long runs are looked at at most
three times (white space: forward, back to its last line end, and once more for what is behind that).
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, njit, types

from bpe_tui.bpe.character_classes import CASELESS, LOWER, MARK, NEWLINE, NON_ASCII, NUMBER, OTHER, SPACE, UPPER
from bpe_tui.bpe.kernels.characters import (
    BYTE_ARRAY,
    FOLD,
    character,
    contraction,
    long_character,
    run_end,
)
from bpe_tui.bpe.kernels.machine import INNER, OUTER, Array
from bpe_tui.bpe.kernels.windows import (
    ascii_ahead,
    cl100k_windows,
    gpt2_windows,
    o200k_windows,
    whitespace_windows,
)

NONE, WHITESPACE, GPT2, CL100K, O200K, LLAMA3, QWEN2 = range(7)
"""The numbers of the rules."""

BLOCK = 1 << 18
"""Bytes that are cut before their pieces are worked on: they and where those end stay in the second-level cache."""
MARGIN = 4
"""Bytes behind a place that decide what stands there: a character, or a contraction like 'll."""

APOSTROPHE = 0x27
BLANK = 0x20
SLASH = 0x2F
WHITE = SPACE | NEWLINE

_i64 = int64[::1]


@njit(int64(BYTE_ARRAY, int64, int64, int64), **INNER)
def space_end(data: Array, place: int, end: int, stop: int) -> int:
    r"""Give where the piece ends that `\s+(?!\S)|\s+` finds at `place`, where a run of white space lasts until `end`.

    That is the whole run at the end of the text, else all but its last character, if there is more than one.
    """
    if end == stop:
        return end
    last = end - 1
    while data[last] & 0xC0 == 0x80:
        last -= 1
    return last if last > place else end


@njit(int64(BYTE_ARRAY, int64, int64), **INNER)
def last_line_end(data: Array, place: int, end: int) -> int:
    r"""Give where the piece ends that `\s*[\r\n]+` finds in white space from `place` to `end`, or `place` for none."""
    while end > place and data[end - 1] != 0x0A and data[end - 1] != 0x0D:
        end -= 1
    return end


@njit(types.UniTuple(int64, 2)(BYTE_ARRAY, int64, int64, boolean, _i64, BYTE_ARRAY), **INNER)
def split_whitespace(data: Array, start: int, stop: int, last: bool, ends: Array, table: Array) -> tuple[int, int]:
    """Cut into runs of white space and runs of all else."""
    edge = stop if last else stop - MARGIN
    pieces = 0
    place = start
    while place < stop and pieces < len(ends):
        if ascii_ahead(data, place, stop):
            pieces, place = whitespace_windows(data, place, stop, ends, pieces)
        wanted = WHITE
        if character(data, place, stop, table) & WHITE == 0:
            wanted = CASELESS | MARK | NUMBER | OTHER
        end = run_end(data, place, stop, table, wanted)
        if end > edge:
            break
        ends[pieces] = end
        pieces += 1
        place = end
    return pieces, place


@njit(types.UniTuple(int64, 2)(BYTE_ARRAY, int64, int64, boolean, _i64, BYTE_ARRAY), **INNER)
def split_gpt2(data: Array, start: int, stop: int, last: bool, ends: Array, table: Array) -> tuple[int, int]:
    """Cut as GPT-2 does."""
    edge = stop if last else stop - MARGIN
    pieces = 0
    place = start
    while place < stop and pieces < len(ends):
        if ascii_ahead(data, place, stop):
            pieces, place = gpt2_windows(data, place, stop, ends, pieces)
        body = place + (data[place] == BLANK)
        if body == stop:
            body = place
        found = character(data, body, stop, table)
        end = body + (found >> 8)
        seen = end
        if found & CASELESS:
            end = seen = run_end(data, end, stop, table, CASELESS)
        elif found & WHITE:
            seen = run_end(data, place, stop, table, WHITE)
            end = space_end(data, place, seen, stop)
        elif found & NUMBER:
            end = seen = run_end(data, end, stop, table, NUMBER)
        else:
            size = 0
            if data[place] == APOSTROPHE:
                size = contraction(data, place, stop, 0)
            if size:
                end = seen = place + size
            else:
                end = seen = run_end(data, end, stop, table, MARK | OTHER)
        if seen > edge:
            break
        ends[pieces] = end
        pieces += 1
        place = end
    return pieces, place


@njit(types.UniTuple(int64, 2)(BYTE_ARRAY, int64, int64, boolean, _i64, BYTE_ARRAY, int64, boolean), **INNER)
def split_cl100k(
    data: Array, start: int, stop: int, last: bool, ends: Array, table: Array, digits: int, whole_tail: bool
) -> tuple[int, int]:
    r"""Cut as cl100k, Llama 3 and Qwen 2 do: up to `digits` digits a piece.

    With `whole_tail`, white space at the very end of the text is one piece (`\s++$`), line ends or not.
    """
    edge = stop if last else stop - MARGIN
    pieces = 0
    place = start
    while place < stop and pieces < len(ends):
        if ascii_ahead(data, place, stop):
            pieces, place = cl100k_windows(data, place, stop, ends, pieces, digits)
        found = character(data, place, stop, table)
        body = place + (found >> 8)
        end = 0
        seen = body
        if found & CASELESS:
            end = seen = run_end(data, body, stop, table, CASELESS)
        elif found & NUMBER:
            end = body
            for _ in range(digits - 1):
                if end < stop:
                    found = character(data, end, stop, table)
                    if found & NUMBER == 0:
                        break
                    end += found >> 8
            seen = end
        else:
            if data[place] == APOSTROPHE:
                size = contraction(data, place, stop, FOLD)
                if size:
                    end = seen = place + size
            if end == 0 and found & NEWLINE == 0 and body < stop:
                after = character(data, body, stop, table)
                if after & CASELESS:
                    end = seen = run_end(data, body + (after >> 8), stop, table, CASELESS)
                elif data[place] == BLANK and after & (MARK | OTHER):
                    found = after
            if end == 0:
                if found & WHITE:
                    seen = run_end(data, place, stop, table, WHITE)
                    end = place
                    if not (whole_tail and seen == stop):
                        end = last_line_end(data, place, seen)
                    if end == place:
                        end = space_end(data, place, seen, stop)
                else:
                    end = run_end(data, body, stop, table, MARK | OTHER)
                    end = seen = run_end(data, end, stop, table, NEWLINE)
        if seen > edge:
            break
        ends[pieces] = end
        pieces += 1
        place = end
    return pieces, place


@njit(types.UniTuple(int64, 2)(BYTE_ARRAY, int64, int64, BYTE_ARRAY), **INNER)
def word_end(data: Array, place: int, stop: int, table: Array) -> tuple[int, int]:
    r"""Give (end, how far was looked) of o200k's word at `place`: capitals, then small letters. No word: it ends there.

    Marks and letters without case count as both. After a run of `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` come small letters,
    if there are any. If not, an engine steps back to the last character that counts as both, and takes that for the
    small letters; capitals behind it are left for the next word. If there is none either, the capitals are the word.
    """
    both = place
    seen = place
    while seen < stop:
        kind = int64(table[data[seen]])
        if kind == UPPER:
            seen += 1
        elif kind == NON_ASCII:
            found = long_character(data, seen, stop, table)
            if found & (UPPER | MARK) == 0:
                if found & LOWER:
                    break
                return (both if both > place else seen), seen
            seen += found >> 8
            if found & (LOWER | MARK):
                both = seen
        elif kind == LOWER:
            break
        else:
            return (both if both > place else seen), seen
    if seen == stop:
        return (both if both > place else seen), seen
    end = run_end(data, seen, stop, table, LOWER | MARK)
    return end, end


@njit(types.UniTuple(int64, 2)(BYTE_ARRAY, int64, int64, boolean, _i64, BYTE_ARRAY), **INNER)
def split_o200k(data: Array, start: int, stop: int, last: bool, ends: Array, table: Array) -> tuple[int, int]:
    """Cut as o200k does."""
    edge = stop if last else stop - MARGIN
    pieces = 0
    place = start
    while place < stop and pieces < len(ends):
        if ascii_ahead(data, place, stop):
            pieces, place = o200k_windows(data, place, stop, ends, pieces)
        found = character(data, place, stop, table)
        body = place + (found >> 8)
        end = place
        seen = body
        if found & NUMBER:
            end = body
            for _ in range(2):
                if end < stop:
                    found = character(data, end, stop, table)
                    if found & NUMBER == 0:
                        break
                    end += found >> 8
            seen = end
        else:
            if found & (CASELESS | MARK):
                # A mark could be the one character before a word, too; that comes to the same in every case.
                end, seen = word_end(data, place, stop, table)
            elif found & NEWLINE == 0:
                end, seen = word_end(data, body, stop, table)
                if end == body:
                    end = place
            if end > place:
                if end < stop and data[end] == APOSTROPHE:
                    end += contraction(data, end, stop, FOLD)
                if seen < end:
                    seen = end
            else:
                if data[place] == BLANK and body < stop:
                    after = character(data, body, stop, table)
                    if after & (MARK | OTHER):
                        found = after
                if found & WHITE:
                    seen = run_end(data, place, stop, table, WHITE)
                    end = last_line_end(data, place, seen)
                    if end == place:
                        end = space_end(data, place, seen, stop)
                else:
                    end = run_end(data, body, stop, table, MARK | OTHER)
                    while end < stop and (data[end] == SLASH or table[data[end]] == NEWLINE):
                        end += 1
                    seen = end
        if seen > edge:
            break
        ends[pieces] = end
        pieces += 1
        place = end
    return pieces, place


@njit(types.UniTuple(int64, 2)(int64, BYTE_ARRAY, int64, int64, boolean, _i64, BYTE_ARRAY), **OUTER)
def split(rule: int, data: Array, start: int, stop: int, last: bool, ends: Array, table: Array) -> tuple[int, int]:
    """Cut `data[start:stop]` by the rule of that number and write where each piece ends to `ends`.

    `last` says that the text ends at `stop`. Gives (how many pieces were written, where to go on): the latter is `stop`
    if all is done, else the start of the first piece that is not given, because it may depend on text behind `stop` or
    because `ends` is full. `table` is `character_classes.table()`.
    """
    if rule == WHITESPACE:
        return split_whitespace(data, start, stop, last, ends, table)
    if rule == GPT2:
        return split_gpt2(data, start, stop, last, ends, table)
    if rule == CL100K:
        return split_cl100k(data, start, stop, last, ends, table, 3, True)
    if rule == LLAMA3:
        return split_cl100k(data, start, stop, last, ends, table, 3, False)
    if rule == QWEN2:
        return split_cl100k(data, start, stop, last, ends, table, 1, False)
    if rule == O200K:
        return split_o200k(data, start, stop, last, ends, table)
    if not last or start >= stop or len(ends) == 0:
        return 0, start
    ends[0] = stop
    return 1, stop


@njit(int64(int64, BYTE_ARRAY, _i64, _i64, _i64, BYTE_ARRAY), **OUTER)
def split_documents(rule: int, data: Array, stops: Array, ends: Array, counts: Array, table: Array) -> int:
    """Cut texts that follow on each other in `data`, each by itself; they end at `stops`.

    Writes where pieces end to `ends`, which has a place for each byte, and how many there are, up to and with each
    text, to `counts`. Gives how many there are.
    """
    pieces = 0
    start = np.int64(0)
    for number in range(len(stops)):
        stop = stops[number]
        # The text ends there: a piece can depend on that, but not on what follows.
        if stop > start:
            found, _ = split(rule, data, start, stop, True, ends[pieces:], table)
            pieces += found
        counts[number] = pieces
        start = stop
    return pieces


@njit(int64(int64, BYTE_ARRAY, int64, int64, BYTE_ARRAY), **OUTER)
def safe_place(rule: int, data: Array, start: int, stop: int, table: Array) -> int:
    """Give a place behind `start` where a piece surely ends, whatever comes before `start`; -1 if none is found.

    Scanning from there gives what scanning from the start of the text gives, so two threads can share a text.

    - `none` has no such place, the end of the text aside.
    - `whitespace`: between white space and anything else, by definition.
    - All others: between a letter or number and a character that is no letter, mark, number or apostrophe. In all of
      their alternatives, letters and numbers stand at the end of the piece, and are followed inside the piece by
      letters, numbers, marks (o200k) or by a contraction, which begins with an apostrophe (o200k).

    `start` may lie inside a character: the search begins with the next byte that is no continuation byte, which starts
    a character whatever stands before. `stop` need not be the end of the text.
    """
    if rule == NONE:
        return -1
    place = start
    while place < stop and data[place] & 0xC0 == 0x80:
        place += 1
    before = 0
    while place + MARGIN <= stop:
        found = character(data, place, stop, table)
        if rule == WHITESPACE:
            if before and (before & WHITE != 0) != (found & WHITE != 0):
                return place
        elif before & (CASELESS | NUMBER) and found & (WHITE | OTHER) and data[place] != APOSTROPHE:
            return place
        before = found & 0xFF
        place += found >> 8
    return -1
