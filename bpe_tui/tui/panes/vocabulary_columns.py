"""The vocabulary as numpy columns that grow with it, so that 200,000 tokens are sorted in a blink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from bpe_tui.session.snapshot import Snapshot

BASE: Final = -1
"""What stands for the merge of a token that no merge made."""


class VocabularyColumns:
    """For each token id its length in characters and the rank of the merge that first made it."""

    def __init__(self) -> None:
        self.size = 0
        self.lengths: npt.NDArray[np.int64] = np.zeros(1024, np.int64)
        self.born: npt.NDArray[np.int64] = np.full(1024, BASE, np.int64)
        self._merges = 0

    def clear(self) -> None:
        """Forget everything."""
        self.size = self._merges = 0

    def grow(self, snapshot: Snapshot) -> None:
        """Take in what came since last time. Costs only what is new."""
        size, merges = snapshot.vocab_size, snapshot.merges
        if size > len(self.lengths):
            capacity = max(size, 2 * len(self.lengths))
            self.lengths = _grown(self.lengths, self.size, capacity)
            self.born = _grown(self.born, self.size, capacity)
        if size > self.size:
            new = snapshot.tokens[self.size : size]
            self.lengths[self.size : size] = np.fromiter(map(len, new), np.int64, len(new))
            self.born[self.size : size] = BASE
            self.size = size
        if merges > self._merges:
            ids = snapshot.log.new_id[self._merges : merges]
            ranks = np.arange(self._merges, merges)
            # A later merge can lead to a token that is there already: what counts is the first. Of assignments to one
            # place numpy keeps the last, hence the turned order.
            fresh = (ids >= snapshot.base_size) & (ids < size)
            fresh[fresh] = self.born[ids[fresh]] == BASE
            self.born[ids[fresh][::-1]] = ranks[fresh][::-1]
            self._merges = merges


def _grown(column: npt.NDArray[np.int64], used: int, capacity: int) -> npt.NDArray[np.int64]:
    grown = np.zeros(capacity, np.int64)
    grown[:used] = column[:used]
    return grown
