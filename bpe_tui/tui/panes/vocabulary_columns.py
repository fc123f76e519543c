"""What is known of each token by its id, in columns that grow with the vocabulary: length, origin, what it reads as.

One such table serves all panes. 200,000 tokens are sorted in a blink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from bpe_tui.tui.spelling import Spelling

if TYPE_CHECKING:
    import numpy.typing as npt

    from bpe_tui.session.snapshot import Snapshot

BASE: Final = -1
"""What stands for the merge of a token that no merge made."""


class VocabularyColumns:
    """For each token id its length, the rank of the merge that first made it, and the text that it reads as."""

    def __init__(self, spelling: Spelling | None = None) -> None:
        self.spelling = spelling or Spelling()
        self.size = 0
        self.lengths: npt.NDArray[np.int64] = np.zeros(1024, np.int64)
        self.born: npt.NDArray[np.int64] = np.full(1024, BASE, np.int64)
        self.texts: list[str] = []
        self.has_gaps = False
        """Whether there are ids that no token has; their tokens are empty."""
        self._merges = 0
        self._tokens: list[str] | None = None

    def grow(self, snapshot: Snapshot) -> None:
        """Take in what came since last time, at the cost of only that; begin anew with another vocabulary."""
        size, merges = snapshot.vocab_size, snapshot.merges
        if snapshot.tokens is not self._tokens or size < self.size or merges < self._merges:
            self._tokens = snapshot.tokens
            self.size = self._merges = 0
            self.texts = []
            self.has_gaps = False
        if size > len(self.lengths):
            capacity = max(size, 2 * len(self.lengths))
            self.lengths = _grown(self.lengths, self.size, capacity)
            self.born = _grown(self.born, self.size, capacity)
        if size > self.size:
            new = snapshot.tokens[self.size : size]
            self.texts += self.spelling.texts(new, self.size)
            lengths = np.array(self.spelling.lengths(new, self.size), np.int64)
            self.lengths[self.size : size] = lengths
            self.has_gaps = self.has_gaps or not lengths.all()
            self.born[self.size : size] = BASE
            self.size = size
        if merges > self._merges:
            ids = snapshot.log.new_id[self._merges : merges]
            ranks = np.arange(self._merges, merges)
            # A later merge can lead to a token that is there already: what counts is the first. Of assignments to one
            # place numpy keeps the last, hence the turned order.
            fresh = ids < size
            fresh[fresh] = self.born[ids[fresh]] == BASE
            self.born[ids[fresh][::-1]] = ranks[fresh][::-1]
            self._merges = merges

    def shown(self, token_id: int, *, raw: bool = False, ascii_only: bool = False) -> str:
        """Give a token as it may be written to a terminal."""
        assert self._tokens is not None
        return self.spelling.shown(token_id, self._tokens[token_id], raw=raw, ascii_only=ascii_only)


def _grown(column: npt.NDArray[np.int64], used: int, capacity: int) -> npt.NDArray[np.int64]:
    grown = np.zeros(capacity, np.int64)
    grown[:used] = column[:used]
    return grown
