"""Which merge joined what: all prefixes of a merge list on one text, in one array.

The first k merges of a tokenizer are a tokenizer, too. Encoding is the story of places between two symbols that vanish
one after another, each by one merge. Knowing for every place which merge that was, a text is cut as the first k merges
cut it wherever a place was joined by none of them: no second encoding is needed, whatever k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NEVER = np.iinfo(np.int32).max
"""The rank of a place that no merge ever joins."""

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Joins:
    """A text as base symbols, and which merge joined each to the symbol before it."""

    symbols: Ids
    """The id of the base token of every character (or byte)."""
    ranks: Ids
    """For every symbol the rank of the merge from which on it belongs to the token of the symbol before it.

    NEVER for the first one, where a piece begins, and where nothing joins them. Where a tokenizer takes merges out of
    order within a piece (see `ByteEncoder.joins`), it is the highest rank that was needed on the way.
    """

    def starts(self, merges: int) -> npt.NDArray[np.int64]:
        """Give where the tokens begin if the first `merges` merges encode the text, in symbols, ascending."""
        return np.flatnonzero(self.ranks >= merges)

    def count(self, merges: int) -> int:
        """Give how many tokens the text has with the first `merges` merges."""
        return int(np.count_nonzero(self.ranks >= merges))


@dataclass(frozen=True, slots=True)
class JoinSteps:
    """How each join came about, one row a symbol like `Joins.ranks`; rows of symbols never joined mean nothing."""

    rounds: Ids
    """Order among the joins of one piece that have one rank in `Joins.ranks`; 0 unless merges went out of order."""
    left: Ids
    """Token id of the left part; WHOLE where the piece was taken whole, because it is a token."""
    new: Ids
    """Token id of what the parts became."""


WHOLE = -1
"""In place of a left part: no pair was merged, the whole piece was taken as it is."""
