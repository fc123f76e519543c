"""One token laid open: what it is, what it is made of, what is built on it, where it occurs. Pure: rows, no widgets."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from bpe_tui.bpe.sequence import SHOWN_MARKER
from bpe_tui.terminal import cell_width, count, fit, visible
from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns
from bpe_tui.tui.spelling import WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.widgets.columns import Cell, Span

MOST_PARTS: Final = 400
"""Lines of the tree of parts; a token of many thousand characters has more than anyone reads."""

MOST_BUILT: Final = 1000
"""Tokens listed that are built on this one."""

BEFORE: Final = 24
"""Cells of context before a place, so that the places stand in one column."""


class PlaceLike(Protocol):
    """An occurrence in the corpus, as `analysis.places` gives it."""

    @property
    def offset(self) -> int:
        """Characters before it."""

    @property
    def before(self) -> str:
        """Text that precedes it."""

    @property
    def after(self) -> str:
        """Text that follows it."""


@dataclass(frozen=True, slots=True)
class DetailRow:
    """A line of the card."""

    cells: tuple[Cell, ...]
    """An id or offset, and free text."""
    token_id: int | None = None
    """The token that Enter opens here."""


class DetailRows:
    """Lines of a card as a list shows them."""

    def __init__(self) -> None:
        self.rows: list[DetailRow] = []

    def count(self) -> int:
        """Give how many there are."""
        return len(self.rows)

    def row(self, index: int) -> tuple[Cell, ...]:
        """Give the cells of one."""
        return self.rows[index].cells


class TokenDetails:
    """Everything about one token that a snapshot tells."""

    def __init__(
        self,
        snapshot: Snapshot,
        token_id: int,
        columns: VocabularyColumns | None = None,
        *,
        raw: bool = False,
        ascii_only: bool = False,
    ) -> None:
        self.token_id = token_id
        self._snapshot = snapshot
        self._ascii_only = ascii_only
        self._raw = raw
        self._columns = VocabularyColumns() if columns is None else columns
        self._columns.grow(snapshot)

    @property
    def token(self) -> str:
        """The token, visible."""
        return self._visible(self.token_id)

    def facts(self) -> tuple[str, ...]:
        """Give what the token is, in a few short sentences."""
        snapshot, token_id = self._snapshot, self.token_id
        spelling = self._columns.spelling
        facts = [f"id {count(token_id)}, {self._size()}"]
        text = self._columns.texts[token_id]
        if len(text) == 1:
            facts[0] += f": U+{ord(text):04X} {unicodedata.name(text, '')}".rstrip()
        if spelling.has_raw and token_id not in spelling.plain:
            raw = visible(snapshot.tokens[token_id], ascii_only=self._ascii_only)
            facts.append(f"raw form {fit(raw, 60, ascii_only=self._ascii_only)}")
        counts = snapshot.token_counts
        if counts is not None and token_id < len(counts):
            now = int(counts[token_id])
            facts.append(f"stands in the sequence {'once' if now == 1 else f'{count(now)} times'} right now")
        rank = int(self._columns.born[token_id])
        if token_id in spelling.special:
            facts.append("a special token: no merge touches it")
        elif rank < 0:
            facts.append("a base token: no merge made it" if spelling.described else "no merge made it")
        else:
            entry = snapshot.log[rank]
            made = f"made by merge {count(rank + 1)}: {self._short(entry.left)} + {self._short(entry.right)}"
            if entry.frequency:
                made += f", found {count(entry.frequency)} times; {count(entry.length)} tokens in the sequence after it"
            facts.append(made)
        return tuple(facts)

    def parts(self) -> list[DetailRow]:
        """Give the tree of parts down to characters, under a title."""
        born = self._columns.born
        log = self._snapshot.log
        branch, last, down = ("|- ", "`- ", "|  ") if self._ascii_only else ("├─ ", "└─ ", "│  ")
        if born[self.token_id] < 0:
            return []
        rows = [_title(f"parts, down to {self._columns.spelling.unit}")]
        waiting: list[tuple[int, str, str]] = [(self.token_id, "", "")]
        while waiting and len(rows) <= MOST_PARTS:
            token_id, own, below = waiting.pop()
            rank = int(born[token_id])
            spans: list[Span] = [(own, "muted"), (self._visible(token_id), "accent" if not own else "text")]
            if rank >= 0:
                spans.append((f"  merge {count(rank + 1)}", "muted"))
                waiting.append((int(log.right[rank]), below + last, below + "   "))
                waiting.append((int(log.left[rank]), below + branch, below + down))
            rows.append(DetailRow((count(token_id), tuple(spans)), token_id if own else None))
        if waiting:
            rows.append(DetailRow(("", (("and more", "muted"),))))
        return rows

    def built(self) -> list[DetailRow]:
        """Give the tokens that merges made of this one and another, under a title."""
        snapshot = self._snapshot
        merges = snapshot.merges
        log = snapshot.log
        used = (log.left[:merges] == self.token_id) | (log.right[:merges] == self.token_id)
        ranks = np.flatnonzero(used).tolist()
        if not ranks:
            return [_title("no merge builds on it")]
        rows = [_title("1 merge builds on it" if len(ranks) == 1 else f"{count(len(ranks))} merges build on it")]
        arrow = " -> " if self._ascii_only else " → "
        for rank in ranks[:MOST_BUILT]:
            entry = log[rank]
            spans = (
                (f"{self._visible(entry.left)} + {self._visible(entry.right)}{arrow}", "text"),
                (self._visible(entry.new_id), "accent"),
                (f"  merge {count(rank + 1)}", "muted"),
            )
            rows.append(DetailRow((count(entry.new_id), spans), entry.new_id))
        if len(ranks) > MOST_BUILT:
            rows.append(DetailRow(("", ((f"and {count(len(ranks) - MOST_BUILT)} more", "muted"),))))
        return rows

    def places(self, places: Sequence[PlaceLike]) -> list[DetailRow]:
        """Give occurrences with what stands around them, one under the other, under a title."""
        if not places:
            return [_title("no place in the training text: it stands there only inside other tokens")]
        title = "a place in the training text" if len(places) == 1 else f"{count(len(places))} places"
        rows = [_title(title if len(places) == 1 else f"{title} in the training text, the first ones")]
        for place in places:
            before = self._end(visible(place.before, ascii_only=self._ascii_only), BEFORE)
            after = visible(place.after, ascii_only=self._ascii_only)
            spans = ((before, "muted"), (self.token, "accent"), (after, "muted"))
            rows.append(DetailRow((count(place.offset), spans)))
        return rows

    def _visible(self, token_id: int) -> str:
        return self._columns.shown(token_id, raw=self._raw, ascii_only=self._ascii_only)

    def _size(self) -> str:
        spelling, length = self._columns.spelling, int(self._columns.lengths[self.token_id])
        end = ""
        if spelling.kind == WORDS and self.token_id not in spelling.plain and self.token.endswith(SHOWN_MARKER):
            length, end = length - 1, " and the end of a word"
        unit = spelling.unit.removesuffix("s")
        return f"1 {unit}{end}" if length == 1 else f"{count(length)} {unit}s{end}"

    def _short(self, token_id: int) -> str:
        return fit(self._visible(token_id), 20, ascii_only=self._ascii_only)

    @staticmethod
    def _end(text: str, width: int) -> str:
        """Give the end of `text` in exactly `width` cells."""
        start = len(text)
        used = 0
        while start and used + cell_width(text[start - 1]) <= width:
            start -= 1
            used += cell_width(text[start])
        # A mark must not be left without its character.
        while start < len(text) and cell_width(text[start]) == 0:
            start += 1
        return " " * (width - cell_width(text[start:])) + text[start:]


def _title(text: str) -> DetailRow:
    return DetailRow(("", ((text, "strong"),)))
