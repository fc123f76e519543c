"""The vocabulary as rows: sorted by any column, filtered, and both again while it grows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import numpy as np

from bpe_tui.terminal import count
from bpe_tui.terminal.numbers import UNKNOWN
from bpe_tui.terminal.query import Query
from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.widgets.columns import Cell

FIELDS: Final = ("id", "len", "count", "born")
"""The numbers that a filter may ask for."""

SORTS: Final = ("id", "length", "count", "born", "token")
"""What the rows can be sorted by."""

LARGEST_FIRST: Final = frozenset({"length", "count"})
"""Sorts that begin with the largest unless they are turned."""

SLICE: Final = 2048
"""Tokens tested between two looks at the clock."""


class VocabularyRows:
    """Rows of the vocabulary of the latest snapshot, in an order that `arrange` works out."""

    def __init__(self) -> None:
        self.ascii_only = False
        self.raw = False
        self.query = Query()
        self.sort = "id"
        self.descending = False
        self._snapshot: Snapshot | None = None
        self._columns = VocabularyColumns()
        self._order: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._matches: npt.NDArray[np.bool_] = np.zeros(1024, np.bool_)
        self._tested = 0
        self._by_text: list[int] = []

    @property
    def size(self) -> int:
        """Tokens in the vocabulary."""
        return self._columns.size

    @property
    def behind(self) -> bool:
        """Whether tokens wait to be tested by the filter's text."""
        return self.query.asks_text and self._tested < self.size

    @property
    def is_living(self) -> bool:
        """Whether the order depends on how often tokens stand in the sequence, which changes all the time."""
        return self.sort == "count" or any(bound.field == "count" for bound in self.query.bounds)

    def set_snapshot(self, snapshot: Snapshot, columns: VocabularyColumns | None = None) -> bool:
        """Take what is the latest now; give whether it is another vocabulary, so that everything starts anew.

        `columns` are those of the vocabulary, if others keep them, too.
        """
        before = self._snapshot
        changed = columns is not None and columns is not self._columns
        if columns is not None:
            self._columns = columns
        other = before is not None and (
            changed
            or snapshot.log is not before.log
            or snapshot.tokens is not before.tokens
            or snapshot.vocab_size < before.vocab_size
            or snapshot.merges < before.merges
        )
        self._snapshot = snapshot
        if other:
            self._tested = 0
            self._by_text = []
            self._order = self._order[:0]
        self._columns.grow(snapshot)
        return other

    def set_raw(self, raw: bool) -> None:
        """Show tokens in their raw form, or no longer."""
        if raw != self.raw:
            self.raw = raw
            self._tested = 0
            self._by_text = []

    def set_query(self, query: Query) -> None:
        """Filter otherwise."""
        if (query.text, query.pattern, query.raw) != (self.query.text, self.query.pattern, self.query.raw):
            self._tested = 0
        self.query = query

    def advance(self, seconds: float) -> None:
        """Test tokens that are not tested yet, for about so many seconds."""
        end = time.perf_counter() + seconds
        while self.behind:
            self._test(self._tested, min(self._tested + SLICE, self.size))
            if time.perf_counter() >= end:
                return

    def arrange(self) -> None:
        """Work out which tokens have a row, and in which order: by the sorted column, equal ones by id."""
        ids = self._let_through()
        if self.sort == "token":
            self._order = self._sorted_by_text(ids)
            return
        if self.sort == "id":
            self._order = ids[::-1] if self.descending else ids
            return
        values = self._column(self.sort)[ids]
        # A stable sort keeps equal ones by id; turning the values instead of the result does so for both directions.
        self._order = ids[np.argsort(-values if self.descending else values, kind="stable")]

    def count(self) -> int:
        """Give how many tokens have a row."""
        return len(self._order)

    def token_id(self, index: int) -> int:
        """Give the id of the token in a row."""
        return int(self._order[index])

    def index(self, token_id: int) -> int | None:
        """Give the row of a token, or None if it has none."""
        places = np.flatnonzero(self._order == token_id)
        return int(places[0]) if len(places) else None

    def row(self, index: int) -> tuple[Cell, ...]:
        """Give id, length, how often it stands in the sequence right now, the merge that made it, and the token."""
        snapshot = self._snapshot
        assert snapshot is not None
        token_id = int(self._order[index])
        counts = snapshot.token_counts
        born = int(self._columns.born[token_id])
        return (
            count(token_id),
            count(int(self._columns.lengths[token_id])),
            count(int(counts[token_id])) if counts is not None and token_id < len(counts) else UNKNOWN,
            count(born + 1) if born >= 0 else self._origin(token_id),
            self._columns.shown(token_id, raw=self.raw, ascii_only=self.ascii_only),
        )

    def _test(self, start: int, end: int) -> None:
        snapshot = self._snapshot
        assert snapshot is not None
        if end > len(self._matches):
            grown = np.zeros(2 * end, np.bool_)
            grown[: len(self._matches)] = self._matches
            self._matches = grown
        matches = self.query.matches_text
        self._matches[start:end] = [
            any(map(matches, forms)) for forms in self._forms(snapshot.tokens[start:end], start, end)
        ]
        self._tested = end

    def _forms(self, tokens: list[str], start: int, end: int) -> Iterable[tuple[str, ...]]:
        """Give what the text of a filter may be found in, for each token."""
        if self.query.raw:
            return ((token,) for token in tokens)
        texts = self._columns.texts[start:end]
        return zip(texts, tokens, strict=True) if self.raw else ((text,) for text in texts)

    def _origin(self, token_id: int) -> str:
        if token_id in self._columns.spelling.special:
            return "special"
        return "base" if self._columns.spelling.described else UNKNOWN

    def _let_through(self) -> npt.NDArray[np.int64]:
        if self.query.asks_text:
            ids = np.flatnonzero(self._matches[: self._tested]).astype(np.int64)
        else:
            ids = np.arange(self.size, dtype=np.int64)
        if self._columns.has_gaps:
            ids = ids[self._columns.lengths[ids] > 0]
        for bound in self.query.bounds:
            values = self._column(bound.field)[ids]
            ids = ids[(values >= bound.low) & (values <= bound.high)]
        return ids

    def _column(self, name: str) -> npt.NDArray[np.int64]:
        size = self.size
        match name:
            case "id":
                return np.arange(size, dtype=np.int64)
            case "len" | "length":
                return self._columns.lengths[:size]
            case "born":
                return self._columns.born[:size] + 1
            case _:
                counts = self._snapshot.token_counts if self._snapshot is not None else None
                if counts is None or len(counts) < size:
                    return np.zeros(size, np.int64)
                return counts[:size]

    def _sorted_by_text(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        snapshot = self._snapshot
        assert snapshot is not None
        # What was sorted last time is one long run, which Python's sort takes as it is: only what is new costs.
        if len(self._by_text) < self.size:
            self._by_text.extend(range(len(self._by_text), self.size))
            self._by_text.sort(key=(snapshot.tokens if self.raw else self._columns.texts).__getitem__)
        ordered = np.array(self._by_text, np.int64)
        if len(ids) < self.size:
            let_through = np.zeros(self.size, np.bool_)
            let_through[ids] = True
            ordered = ordered[let_through[ordered]]
        turned: npt.NDArray[np.int64] = ordered[::-1] if self.descending else ordered
        return turned
