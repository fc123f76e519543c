"""Putting the ids of a text together, whose stretches are encoded by several threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.threads import share, thread_count

Ids = npt.NDArray[np.int64]

PART = 1 << 24
"""Characters or bytes of text whose ids get one array at first, with room for the most that they may be."""
STRETCH = 1 << 18
"""Characters or bytes that one thread encodes at a time, between two reports."""
WIDEST = 4
"""Bytes of the longest character in UTF-8."""

_NONE: Ids = np.zeros(0, np.int64)


def widest_character(text: str) -> int:
    """Give how many bytes of UTF-8 a character of a text can be at the most."""
    return 1 if text.isascii() else WIDEST


def cut_into_stretches(total: int, place_behind: Callable[[int], int]) -> list[tuple[int, int]]:
    """Cut a text of that length into stretches. `place_behind` gives a place behind another one where a piece ends."""
    stretches: list[tuple[int, int]] = []
    start = 0
    while start < total:
        stop = place_behind(start + STRETCH) if start + STRETCH < total else total
        stretches.append((start, stop))
        start = stop
    return stretches


def gather(
    stops: Sequence[int], encode: Callable[[int, Ids, Ids], int], widest: int, report: Callable[[int], None]
) -> tuple[Ids, Ids]:
    """Give the ids of stretches of a text, which threads share, one after another, and how many each has.

    They end at `stops`. `encode` writes the ids of the stretch of a number to an array, unless the third argument says
    that all is cancelled, and gives how many there are: no more than `widest` times its length. `report` hears of those
    that are done, one after another.
    """
    counts = np.zeros(len(stops), np.int64)
    parts: list[Ids] = []
    first = 0
    begin = 0
    while first < len(stops):
        last = first + 1
        while last < len(stops) and stops[last] - begin <= PART:
            last += 1
        # One place more for each stretch. What is not written to takes no memory.
        sizes = [widest * size + 1 for size in np.diff([begin, *stops[first:last]]).tolist()]
        parts.append(_gather_part(first, sizes, encode, counts, report))
        begin = stops[last - 1]
        first = last
    return _joined(parts), counts


def _joined(parts: list[Ids]) -> Ids:
    """Give arrays as one. They are dropped as they are copied: memory need not hold all of them twice."""
    if len(parts) == 1:
        return parts[0]
    whole = np.empty(sum(map(len, parts)), np.int64)
    parts.reverse()
    stop = 0
    while parts:
        part = parts.pop()
        start, stop = stop, stop + len(part)
        whole[start:stop] = part
    return whole


def _gather_part(
    first: int, sizes: Sequence[int], encode: Callable[[int, Ids, Ids], int], counts: Ids, report: Callable[[int], None]
) -> Ids:
    """Give the ids of the stretches from number `first` on, of which each needs so much room; see `gather`."""
    control = np.zeros(1, np.int64)
    ids = np.empty(sum(sizes), np.int64)
    rooms: deque[Ids] = deque()

    def encode_aside(number: int) -> Ids:
        # Where the ids of a stretch belong is not known before those of all stretches in front of it are.
        try:
            room = rooms.pop()
        except IndexError:
            room = _NONE
        if len(room) < sizes[number]:
            room = np.empty(sizes[number], np.int64)
        counts[first + number] = encode(first + number, room, control)
        return room

    def give_up() -> None:
        control[0] = 1

    written = 0

    def take(number: int, room: Ids) -> None:
        nonlocal written
        count = int(counts[first + number])
        ids[written : written + count] = room[:count]
        written += count
        rooms.append(room)
        report(first + number)

    if min(thread_count(), len(sizes)) == 1:
        for number in range(first, first + len(sizes)):
            counts[number] = encode(number, ids[written:], control)
            written += int(counts[number])
            report(number)
    else:
        share(len(sizes), encode_aside, take, give_up)
    ids.resize(written, refcheck=False)
    return ids
