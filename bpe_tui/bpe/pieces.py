"""Tables of pieces as the kernels of `kernels.piece_table` use them, and the counter of distinct pieces made of one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

WORDS_OF_A_ROW = 4
WORDS_OF_A_LINE = 8
"""Eight bytes each: a line is what the processor fetches from memory."""
_ONCE: Ids = np.zeros(0, np.int64)


def piece_rows(rows: int) -> npt.NDArray[np.uint64]:
    """Give an empty table of so many rows, a power of two, of which none lies in two cache lines."""
    words = np.zeros(WORDS_OF_A_ROW * rows + WORDS_OF_A_LINE, np.uint64)
    start = -words.ctypes.data // words.itemsize % WORDS_OF_A_LINE
    return words[start : start + WORDS_OF_A_ROW * rows]


class PieceCounter:
    """Counts distinct pieces, in the order in which they first come."""

    def __init__(self) -> None:
        self._rows = piece_rows(1 << 15)
        self._store = np.empty(1 << 16, np.uint8)
        self._used = np.zeros(3, np.int64)

    def add(self, data: Bytes, start: int, ends: Ids, weights: Ids = _ONCE) -> None:
        """Count the pieces of `data` from `start` on that end at `ends`: once each, or as often as `weights` say."""
        from bpe_tui.bpe.kernels import piece_counting as kernel

        while len(ends):
            counted = kernel.count_pieces(data, start, ends, len(ends), self._rows, self._store, weights, self._used)
            if counted == len(ends):
                return
            # There was no room for the next piece.
            start = int(ends[counted - 1]) if counted else start
            ends, weights = ends[counted:], weights[counted:]
            self._make_room(int(ends[0]) - start)

    def _make_room(self, length: int) -> None:
        """Make the table larger, or the store, if it cannot take a piece of that length."""
        from bpe_tui.bpe.kernels import piece_counting as kernel
        from bpe_tui.bpe.kernels import piece_table

        if self._used[kernel.BYTES_USED] + length > len(self._store):
            store = np.empty(2 * len(self._store) + length, np.uint8)
            store[: len(self._store)] = self._store
            self._store = store
        else:
            rows = piece_rows(2 * len(self._rows) // WORDS_OF_A_ROW)
            piece_table.move_rows(self._rows, rows)
            self._rows = rows

    def absorb(self, later: PieceCounter) -> None:
        """Count what another counter has counted, in a text that comes behind."""
        content, lengths, counts = later.counted()
        self.add(content, 0, np.cumsum(lengths), counts)

    def counted(self) -> tuple[Bytes, Ids, Ids]:
        """Give the bytes of all distinct pieces one after another, their lengths, and how often each came."""
        from bpe_tui.bpe.kernels import piece_counting as kernel

        content, lengths, counts = kernel.list_pieces(self._rows, self._store, int(self._used[kernel.ROWS_USED]))
        return content, lengths, counts
