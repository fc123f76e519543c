"""Learned rules: the merge list to look through, and what is built on a token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bpe_tui.analysis.prefixes import require_merges
from bpe_tui.errors import TokenIdError

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer


@dataclass(frozen=True, slots=True)
class Rule:
    """One merge, by token ids."""

    rank: int
    left: int
    right: int
    new: int


class Rules:
    """The merge list of a tokenizer, made once and asked often. Never changes.

    Raises AnalysisError for a tokenizer without merges.
    """

    def __init__(self, tokenizer: BPETokenizer) -> None:
        require_merges(tokenizer)
        self.tokenizer = tokenizer
        self._left, self._right, self._new = (column.tolist() for column in tokenizer.merge_ids())

    def __len__(self) -> int:
        return len(self._new)

    def __getitem__(self, rank: int) -> Rule:
        return Rule(rank, self._left[rank], self._right[rank], self._new[rank])

    def find(self, wanted: Callable[[str], bool], *, parts: bool = False) -> Iterator[Rule]:
        """Give the merges whose token is `wanted`, in order of rank; with `parts`, those with a wanted part, too.

        Tokens are asked for as the tokenizer spells them. Each token is asked for once.
        """
        tokens = self.tokenizer.tokens
        known: dict[int, bool] = {}

        def is_wanted(number: int) -> bool:
            answer = known.get(number)
            if answer is None:
                answer = known[number] = wanted(tokens[number])
            return answer

        for rank, new in enumerate(self._new):
            if is_wanted(new) or (parts and (is_wanted(self._left[rank]) or is_wanted(self._right[rank]))):
                yield self[rank]

    @cached_property
    def _uses(self) -> dict[int, list[int]]:
        """The ranks of the merges that have a token as a part."""
        found: dict[int, list[int]] = {}
        for rank, (left, right) in enumerate(zip(self._left, self._right, strict=True)):
            found.setdefault(left, []).append(rank)
            if right != left:
                found.setdefault(right, []).append(rank)
        return found

    def uses(self, token_id: int) -> list[Rule]:
        """Give the merges that have this token as a part, in order of rank. Raises TokenIdError."""
        self._check(token_id)
        return [self[rank] for rank in self._uses.get(token_id, [])]

    def built_on(self, token_id: int) -> list[int]:
        """Give the ids of all tokens that hold this token as a part, or a part of a part, in the order they came about.

        A token that several merges make counts as built the way the first of them does. Raises TokenIdError.
        """
        self._check(token_id)
        inside = {token_id}
        found: list[int] = []
        seen: set[int] = set()
        waiting = sorted(self._uses.get(token_id, []))
        if not waiting:
            return []
        for rank in range(waiting[0], len(self)):
            new = self._new[rank]
            if new in seen or self._first[new] != rank:
                continue
            if self._left[rank] in inside or self._right[rank] in inside:
                seen.add(new)
                inside.add(new)
                found.append(new)
        return found

    @cached_property
    def _first(self) -> dict[int, int]:
        made, first = np.unique(self.tokenizer.merge_ids()[2], return_index=True)
        return dict(zip(made.tolist(), first.tolist(), strict=True))

    def _check(self, token_id: int) -> None:
        if not 0 <= token_id < self.tokenizer.vocab_size:
            raise TokenIdError(f"there is no token {token_id:,}: ids go from 0 to {self.tokenizer.vocab_size - 1:,}")
