"""Tables of pieces as the kernels of `kernels.piece_table` use them, and the counter of distinct pieces made of one."""

from __future__ import annotations

import contextlib
import mmap

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe import character_classes
from bpe_tui.bpe.pretokenize import SplittingRule

Ids = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

WORDS_OF_A_ROW = 4
SMALLEST = 1 << 15
"""Rows of a table of counted pieces at first."""
_NONE: Ids = np.zeros(0, np.int64)


def piece_rows(rows: int) -> npt.NDArray[np.uint64]:
    """Give an empty table of so many rows, a power of two, of which none lies in two cache lines."""
    # Memory from the system itself begins at a page, is all zeros, and goes back when a larger table takes its place.
    size = WORDS_OF_A_ROW * rows * np.uint64().itemsize
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.frombuffer(mmap.mmap(-1, size), np.uint64)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    # Rows are met in no order: by small pages, the first look at each would take longer than what is done there.
    with contextlib.suppress(OSError):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint64)


class PieceCounter:
    """Counts distinct pieces, and keeps the place where each first came."""

    def __init__(self) -> None:
        self._rows = piece_rows(SMALLEST)
        self._store = np.empty(1 << 16, np.uint8)
        # As many as there can be pieces in the table.
        self._places = np.empty(5 * SMALLEST // 8, np.int64)
        self._used = np.zeros(4, np.int64)

    def add(self, data: Bytes, start: int, ends: Ids, before: int = 0) -> None:
        """Count the pieces of `data` from `start` on that end at `ends`. `before` bytes of the text come before it."""
        self._add(data, start, ends, _NONE, _NONE, before)

    def add_stretch(self, data: Bytes, rule: SplittingRule, before: int, control: Ids) -> None:
        """Count the pieces of `data` as a named rule cuts it, unless `control` says that it is all given up."""
        from bpe_tui.bpe.kernels import piece_counting as kernel

        start = 0
        while True:
            start = kernel.count_stretch(
                rule.number, data, start, len(data), character_classes.table(), self._rows, self._store, before,
                self._places, self._used, control,
            )  # fmt: skip
            if start == len(data) or control[0]:
                return
            self._make_room()

    def absorb(self, other: PieceCounter) -> None:
        """Count what another counter has counted in other places of the text."""
        content, lengths, counts = other._listed(_NONE)
        self._add(content, 0, np.cumsum(lengths), counts, other._places, 0)

    def counted(self) -> tuple[Bytes, Ids, Ids]:
        """Give all distinct pieces in the order in which they first came: bytes joined, lengths, counts."""
        places = self._places[: len(self)]
        in_order = bool(np.all(places[1:] > places[:-1]))
        return self._listed(_NONE if in_order else np.argsort(places, kind="stable"))

    def __len__(self) -> int:
        """Give how many distinct pieces there are."""
        from bpe_tui.bpe.kernels import piece_counting as kernel

        return int(self._used[kernel.ROWS_USED])

    def _listed(self, order: Ids) -> tuple[Bytes, Ids, Ids]:
        from bpe_tui.bpe.kernels import piece_counting as kernel

        content, lengths, counts = kernel.list_pieces(self._rows, self._store, len(self), order)
        return content, lengths, counts

    def _add(self, data: Bytes, start: int, ends: Ids, counts: Ids, places: Ids, before: int) -> None:
        from bpe_tui.bpe.kernels import piece_counting as kernel

        while len(ends):
            done = kernel.count_pieces(
                data, start, ends, len(ends), self._rows, self._store, counts, places, before, self._places, self._used
            )
            if done == len(ends):
                return
            # There was no room for the next piece.
            start = int(ends[done - 1]) if done else start
            ends, counts, places = ends[done:], counts[done:], places[done:]
            self._make_room()

    def _make_room(self) -> None:
        """Make the store larger, or the table and what goes with it, so that the next piece finds room."""
        from bpe_tui.bpe.kernels import piece_counting as kernel
        from bpe_tui.bpe.kernels import piece_table

        length = int(self._used[kernel.NEEDED])
        if self._used[kernel.BYTES_USED] + length > len(self._store):
            self._store = np.concatenate([self._store, np.empty(len(self._store) + length, np.uint8)])
            return
        rows = piece_rows(2 * len(self._rows) // WORDS_OF_A_ROW)
        piece_table.move_rows(self._rows, rows)
        self._rows = rows
        self._places = np.concatenate([self._places, np.empty(len(self._places), np.int64)])
