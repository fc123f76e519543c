"""What an encoder remembers of the pieces of text that it has met: text repeats itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.pieces import piece_rows

Ids = npt.NDArray[np.int64]

SMALLEST = 1 << 17
"""Rows of a memory of pieces at first,"""
MOST = 1 << 19
"""and at the most (16 MB): text that goes on and on brings new pieces for ever, and most of them once."""


class PieceMemory:
    """What one thread remembers of pieces it has met; see `kernels.byte_encoding`.

    It grows up to MOST; then a new one begins, which takes over from the old one what comes again. The rest is
    forgotten when the next one begins.
    """

    def __init__(self) -> None:
        self._begin(SMALLEST)
        self._older = (np.zeros(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.int64))
        self._ends_room = np.empty(0, np.int64)
        self._text_room = np.empty(0, np.uint8)

    def _begin(self, rows: int) -> None:
        self.rows = piece_rows(rows)
        self.store = np.empty(4 * rows, np.uint8)
        self.ids = np.empty(2 * rows, np.int64)
        self.used = np.zeros(4, np.int64)

    def arrays(self) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
        """Give the memory, how much of it is taken, and the older one, as the kernels take them."""
        return (self.rows, self.store, self.ids, self.used, *self._older)

    def ends_room(self, size: int) -> Ids:
        """Give an array of so many entries at least, for where pieces end: fresh memory would take longer than work."""
        if len(self._ends_room) < size:
            self._ends_room = np.empty(size, np.int64)
        return self._ends_room

    def text_room(self, size: int) -> npt.NDArray[np.uint8]:
        """Give an array of so many bytes at least, for the text in work."""
        if len(self._text_room) < size:
            self._text_room = np.empty(size, np.uint8)
        return self._text_room

    def make_room(self) -> None:
        """Make room for more pieces, if a third of it is taken."""
        from bpe_tui.bpe.kernels import byte_encoding as kernel
        from bpe_tui.bpe.kernels import piece_table

        rows = len(self.rows) // piece_table.ROW
        used = self.used
        if (
            3 * used[kernel.ROWS_USED] < rows
            and 3 * used[kernel.BYTES_USED] < 2 * len(self.store)
            and 3 * used[kernel.IDS_USED] < 2 * len(self.ids)
        ):
            return
        if rows >= MOST:
            self._older = (self.rows, self.store, self.ids)
            self._begin(rows)
            return
        old_rows, old_store, old_ids = self.rows, self.store, self.ids
        self._begin(2 * rows)
        self.used = used
        piece_table.move_rows(old_rows, self.rows)
        self.store[: len(old_store)] = old_store
        self.ids[: len(old_ids)] = old_ids
