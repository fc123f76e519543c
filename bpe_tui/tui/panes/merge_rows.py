"""The merge log as rows, all of them or those that a filter lets through, tested a slice at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import numpy as np

from bpe_tui.terminal import count
from bpe_tui.terminal.query import Query
from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns

if TYPE_CHECKING:
    import numpy.typing as npt

    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.widgets.columns import Cell

FIELDS: Final = ("merge", "freq", "len", "seq")
"""The numbers that a filter may ask for."""

SLICE: Final = 2048
"""Merges tested between two looks at the clock."""


class MergeRows:
    """Rows of the merge log of the latest snapshot. Merges count from 1 here, as people do."""

    def __init__(self) -> None:
        self.ascii_only = False
        self.raw = False
        self.query = Query()
        self._snapshot: Snapshot | None = None
        self._columns = VocabularyColumns()
        self._matches: npt.NDArray[np.int64] = np.zeros(256, np.int64)
        self._found = 0
        self._tested = 0

    @property
    def merges(self) -> int:
        """Merges in the log."""
        return self._snapshot.merges if self._snapshot is not None else 0

    @property
    def behind(self) -> bool:
        """Whether merges wait to be tested by the filter."""
        return not self.query.is_empty and self._tested < self.merges

    def set_snapshot(self, snapshot: Snapshot, columns: VocabularyColumns | None = None) -> bool:
        """Take what is the latest now; give whether it is another run, so that everything starts anew.

        `columns` are those of the vocabulary, if others keep them, too.
        """
        changed = columns is not None and columns is not self._columns
        if columns is not None:
            self._columns = columns
        self._columns.grow(snapshot)
        other = self._snapshot is not None and (
            changed or snapshot.log is not self._snapshot.log or snapshot.merges < self._snapshot.merges
        )
        self._snapshot = snapshot
        if other:
            self._found = self._tested = 0
        return other

    def set_raw(self, raw: bool) -> None:
        """Show tokens in their raw form, or no longer."""
        if raw != self.raw:
            self.raw = raw
            self._found = self._tested = 0

    def set_query(self, query: Query) -> None:
        """Filter otherwise. What it lets through is found by `advance`."""
        self.query = query
        self._found = self._tested = 0

    def advance(self, seconds: float) -> None:
        """Test merges that are not tested yet, for about so many seconds."""
        end = time.perf_counter() + seconds
        while self.behind:
            self._test(self._tested, min(self._tested + SLICE, self.merges))
            if time.perf_counter() >= end:
                return

    def count(self) -> int:
        """Give how many merges there are, or how many were let through."""
        return self.merges if self.query.is_empty else self._found

    def rank(self, index: int) -> int:
        """Give the rank of the merge in a row, from 0."""
        return index if self.query.is_empty else int(self._matches[index])

    def index(self, rank: int) -> int:
        """Give the row of a merge, or of the next one that has a row."""
        return rank if self.query.is_empty else int(np.searchsorted(self._matches[: self._found], rank))

    def row(self, index: int) -> tuple[Cell, ...]:
        """Give number, frequency, sequence length and `left + right → token`."""
        snapshot = self._snapshot
        assert snapshot is not None
        entry = snapshot.log[self.rank(index)]
        left, right, token = (
            self._columns.shown(token_id, raw=self.raw, ascii_only=self.ascii_only)
            for token_id in (entry.left, entry.right, entry.new_id)
        )
        arrow = " -> " if self.ascii_only else " → "
        return (
            count(entry.rank + 1),
            # No learned pair occurs never: 0 stands for what a tokenizer file does not tell.
            count(entry.frequency or None),
            count(entry.length or None),
            ((f"{left} + {right}{arrow}", "text"), (token, "accent")),
        )

    def _test(self, start: int, end: int) -> None:
        snapshot = self._snapshot
        assert snapshot is not None
        ranks = np.arange(start, end)
        query = self.query
        for bound in query.bounds:
            if bound.field == "len":
                continue
            column = {"merge": ranks + 1, "freq": snapshot.log.frequency[ranks], "seq": snapshot.log.length[ranks]}
            values = column[bound.field]
            kept = (values >= bound.low) & (values <= bound.high)
            ranks = ranks[kept]
        # A number alone is a merge's number as well as a text.
        number = int(query.text) - 1 if query.text.isascii() and query.text.isdigit() and len(query.text) < 10 else -1
        lengths = [bound for bound in query.bounds if bound.field == "len"]
        tokens, texts, sizes = snapshot.tokens, self._columns.texts, self._columns.lengths
        matches = query.matches_text

        def is_meant(token_id: int) -> bool:
            if query.raw:
                return matches(tokens[token_id])
            return matches(texts[token_id]) or (self.raw and matches(tokens[token_id]))

        found = [
            rank
            for rank, token_id in zip(ranks.tolist(), snapshot.log.new_id[ranks].tolist(), strict=True)
            if (rank == number or is_meant(token_id))
            and all(bound.low <= sizes[token_id] <= bound.high for bound in lengths)
        ]
        if self._found + len(found) > len(self._matches):
            grown = np.zeros(2 * (self._found + len(found)), np.int64)
            grown[: self._found] = self._matches[: self._found]
            self._matches = grown
        self._matches[self._found : self._found + len(found)] = found
        self._found += len(found)
        self._tested = end
