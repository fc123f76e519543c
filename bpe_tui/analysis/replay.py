"""How a text got to its tokens: the merges that fired, in order, each with the places where it did.

A character tokenizer walks over the whole text once a merge, in the order of the merge list: a row of the replay is a
merge that found something. A tokenizer of bytes works piece by piece, each time on the pair with the lowest rank; as
pieces know nothing of each other, the rows of all pieces are put in the order of their ranks, and the pairs that fired
in several pieces at the same point share a row.

A replay keeps for every symbol of the text the row that joined it to the one before. So every step, forward or back,
is one comparison away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_tui.analysis.encoded import kind_of, symbol_lengths
from bpe_tui.analysis.prefixes import require_merges
from bpe_tui.bpe.joins import NEVER, WHOLE
from bpe_tui.bpe.words import show, unshow
from bpe_tui.errors import AnalysisError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """One merge that fired."""

    step: int
    """Its place among the rows, from 0."""
    rank: int
    """Its place in the merge list, from 0; where a piece was taken whole, the merge that makes this token."""
    left: int | None
    """Token id of the left part; None where a piece was taken whole because it is a token."""
    right: int | None
    """Token id of the right part; None likewise."""
    new: int
    """Token id of what they became."""
    places: Ints
    """Where the new tokens begin, in symbols (characters or bytes), ascending."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The surroundings of one place where a row fired, as token ids."""

    before: tuple[int, ...]
    parts: tuple[int, ...]
    """What is joined: two tokens, or more where a piece was taken whole."""
    new: int
    after: tuple[int, ...]


class Replay:
    """The replay of one text: `rows` rows, and the text after any number of them. Never changes once made.

    Step s is the text after the first s rows: step 0 is the base tokens, step `len(replay)` the encoded text.
    """

    def __init__(self, tokenizer: BPETokenizer, text: str, report: Report = silent) -> None:
        require_merges(tokenizer)
        self.tokenizer = tokenizer
        self.text = text
        if hasattr(tokenizer, "join_steps"):
            joins, steps = tokenizer.join_steps(text, report)
            places = np.flatnonzero(joins.ranks != NEVER)
            columns = (joins.ranks[places], steps.rounds[places], steps.new[places], steps.left[places])
        else:
            joins = tokenizer.joins(text, report)
            places = np.flatnonzero(joins.ranks != NEVER)
            ranks = joins.ranks[places]
            left, _, new = tokenizer.merge_ids()
            columns = (ranks, np.zeros(len(places), np.int32), new[ranks], left[ranks])
        self.symbols: npt.NDArray[np.int32] = joins.symbols
        """The ids of the base tokens of the text."""
        ranks, rounds, new, left = columns
        if rounds.any() or not np.array_equal(left, tokenizer.merge_ids()[0][ranks]):
            # The last key is the first to sort by: rank, round, new token, left part, then the place itself.
            order = np.lexsort((places, left, new, rounds, ranks))
        else:
            # Sorting 16 bits is several times faster, and most merge lists are no longer than that.
            short = len(tokenizer.merges) <= 1 << 16
            order = np.argsort(ranks.astype(np.uint16) if short else ranks, kind="stable")
        report("replaying merges", len(text), len(text))
        self._joined = places[order]
        self._columns = tuple(column[order] for column in columns)
        changes = np.zeros(len(order), np.bool_)
        for column in self._columns:
            changes[1:] |= column[1:] != column[:-1]
        if len(order):
            changes[0] = True
        self._bounds = np.append(np.flatnonzero(changes), len(order))
        self._gone_at = np.full(len(self.symbols), NEVER, np.int32)
        self._gone_at[self._joined] = np.cumsum(changes) - 1
        self._lengths = symbol_lengths(tokenizer)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def row(self, step: int) -> ReplayRow:
        """Give row number `step`, from 0. Raises IndexError."""
        if not 0 <= step < len(self):
            raise IndexError(f"row {step} of {len(self)}")
        first, last = int(self._bounds[step]), int(self._bounds[step + 1])
        rank, _, new, left = (int(column[first]) for column in self._columns)
        joined = self._joined[first:last]
        if left == WHOLE:
            whole = self.starts(len(self))
            places = np.unique(whole[np.searchsorted(whole, joined, side="right") - 1])
            return ReplayRow(step, rank, None, None, new, places)
        right = self._right(left, new)
        return ReplayRow(step, self._rank(left, right, new, rank), left, right, new, joined - int(self._lengths[left]))

    @property
    def rows(self) -> list[ReplayRow]:
        """All rows."""
        return [self.row(step) for step in range(len(self))]

    def starts(self, step: int) -> Ints:
        """Give where tokens begin after the first `step` rows, in symbols, ascending."""
        self._check(step)
        return np.flatnonzero(self._gone_at >= step)

    def count(self, step: int) -> int:
        """Give how many tokens there are after the first `step` rows."""
        self._check(step)
        return len(self.symbols) - int(self._bounds[step])

    def ids(self, step: int, limit: int | None = None) -> list[int]:
        """Give the (first `limit`) token ids after the first `step` rows."""
        starts = self.starts(step)
        ends = np.append(starts[1:], len(self.symbols)) if len(starts) else starts
        bounds = zip(starts[:limit].tolist(), ends[:limit].tolist(), strict=True)
        return [self._token(start, end) for start, end in bounds]

    def stretch(self, step: int, place: int = 0, around: int = 3) -> Stretch:
        """Give place number `place` of row `step` with up to `around` tokens on both sides, as they were before it."""
        row = self.row(step)
        start = int(row.places[place])
        stop = start + int(self._lengths[row.new])
        before: list[int] = []
        end = start
        while len(before) < around and end > 0:
            begin = end - 1
            while self._gone_at[begin] < step:
                begin -= 1
            before.insert(0, self._token(begin, end))
            end = begin
        parts = self._forward(start, stop, step, stop - start)
        after = self._forward(stop, len(self.symbols), step, around)
        return Stretch(tuple(before), tuple(parts), row.new, tuple(after))

    def _forward(self, begin: int, stop: int, step: int, most: int) -> list[int]:
        found: list[int] = []
        while len(found) < most and begin < stop:
            end = begin + 1
            while end < stop and self._gone_at[end] < step:
                end += 1
            found.append(self._token(begin, end))
            begin = end
        return found

    def _check(self, step: int) -> None:
        if not 0 <= step <= len(self):
            raise AnalysisError(f"there is no step {step:,}: this replay has {len(self):,}, from 0")

    def _token(self, start: int, end: int) -> int:
        """Give the id of the token that lies there."""
        if end == start + 1:
            return int(self.symbols[start])
        tokens = self.tokenizer.tokens
        spelled = [tokens[symbol] for symbol in self.symbols[start:end].tolist()]
        if kind_of(self.tokenizer) == "word_bpe":
            return self.tokenizer.stoi[show("".join(map(unshow, spelled)))]
        return self.tokenizer.stoi["".join(spelled)]

    def _right(self, left: int, new: int) -> int:
        tokens = self.tokenizer.tokens
        if kind_of(self.tokenizer) == "word_bpe":
            return self.tokenizer.stoi[show(unshow(tokens[new])[len(unshow(tokens[left])) :])]
        return self.tokenizer.stoi[tokens[new][len(tokens[left]) :]]

    @cached_property
    def _rank_of(self) -> dict[tuple[int, int], int]:
        left, right, _ = self.tokenizer.merge_ids()
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        found: dict[tuple[int, int], int] = {}
        for rank, pair in enumerate(pairs):
            found.setdefault(pair, rank)
        return found

    def _rank(self, left: int, right: int, new: int, highest: int) -> int:
        """Give the rank of a merge. Only where merges go out of order is it not the `highest` so far."""
        lefts, rights, _ = self.tokenizer.merge_ids()
        if lefts[highest] == left and rights[highest] == right:
            return highest
        found = self._rank_of.get((left, right))
        if found is None:
            # Where ranks are ids, pairs that the merge list does not name can fire; the token's own merge has the rank.
            ranks = np.flatnonzero(self.tokenizer.merge_ids()[2] == new)
            return int(ranks[0]) if len(ranks) else highest
        return found


def replay(tokenizer: BPETokenizer, text: str, report: Report = silent) -> Replay:
    """Replay `text`. Raises AnalysisError for a tokenizer without merges, MissingCharactersError.

    `report` may raise Cancelled.
    """
    return Replay(tokenizer, text, report)
