"""Merges as a dial: the first k merges of a tokenizer are the smaller tokenizer.

A `Dial` is made once for a tokenizer and, if one is wanted, a text. After that every k is answered at once: how large
the vocabulary is, what its longest tokens are, how many tokens the text has and where they begin.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_tui.analysis.encoded import kind_of, token_bytes, token_count
from bpe_tui.bpe.byte_prefixes import weighted_ranks
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.errors import AnalysisError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.joins import Joins

Ints = npt.NDArray[np.int64]


class Dial:
    """All prefixes of a tokenizer's merge list, on one text. Never changes once made.

    Args:
        tokenizer: one with a merge list.
        text: what `count`, `starts`, `lengths` and `compression` speak of.
        report: hears of the one pass over the text; may raise Cancelled.

    Raises AnalysisError for a tokenizer without merges to replay, MissingCharactersError.

    """

    def __init__(self, tokenizer: BPETokenizer, text: str = "", report: Report = silent) -> None:
        self.tokenizer = tokenizer
        self.text = text
        self.merges = len(require_merges(tokenizer))
        self.lengths: Ints = lengths_by_merge(tokenizer, text, report)
        """How many tokens the text has with the first k merges, for every k from 0 to all."""

    @cached_property
    def joins(self) -> Joins:
        """Which merge joined what in the text: worked out when it is first asked where tokens begin."""
        return self.tokenizer.joins(self.text)

    @cached_property
    def _first_ranks(self) -> tuple[Ints, Ints]:
        """The tokens that merges make, in the order in which they come about, and the rank that first makes each."""
        made, ranks = np.unique(self.tokenizer.merge_ids()[2], return_index=True)
        order = np.argsort(ranks, kind="stable")
        return made[order].astype(np.int64), ranks[order].astype(np.int64)

    def check(self, merges: int) -> int:
        """Give `merges` if it is on the dial. Raises AnalysisError."""
        if not 0 <= merges <= self.merges:
            raise AnalysisError(f"there is no prefix of {merges:,} merges: this tokenizer has {self.merges:,}")
        return merges

    def vocab_size(self, merges: int) -> int:
        """Give the size of the vocabulary after so many merges: all tokens but those that later merges make."""
        made, ranks = self._first_ranks
        known = int(np.searchsorted(ranks, self.check(merges)))
        return token_count(self.tokenizer) - len(made) + known

    def merges_for(self, vocab_size: int) -> int:
        """Give the least number of merges with which the vocabulary holds `vocab_size` tokens, or all merges."""
        made, ranks = self._first_ranks
        wanted = vocab_size - (token_count(self.tokenizer) - len(made))
        if wanted <= 0:
            return 0
        return int(ranks[wanted - 1]) + 1 if wanted <= len(ranks) else self.merges

    def longest(self, merges: int, count: int) -> list[tuple[int, str]]:
        """Give the `count` longest tokens learned by then as (id, token): longest first, then the lower id."""
        made, ranks = self._first_ranks
        known = made[: int(np.searchsorted(ranks, self.check(merges)))]
        return longest_of(self.tokenizer, known, count)

    def count(self, merges: int) -> int:
        """Give how many tokens the text has with the first `merges` merges."""
        return int(self.lengths[self.check(merges)])

    def starts(self, merges: int) -> Ints:
        """Give where tokens begin in the text, in symbols: characters, or bytes for tokens of bytes."""
        return self.joins.starts(self.check(merges))

    def compression(self, merges: int) -> float:
        """Give characters per token with the first `merges` merges; 0 for an empty text."""
        tokens = self.count(merges)
        return len(self.text) / tokens if tokens else 0.0

    def pieces(self, merges: int, first: int = 0, last: int | None = None) -> list[tuple[int, int]]:
        """Give (start, end) in symbols of tokens number `first` up to `last` (not included)."""
        starts = self.starts(merges)
        ends = np.append(starts[1:], len(self.joins.ranks)) if len(starts) else starts
        return list(zip(starts[first:last].tolist(), ends[first:last].tolist(), strict=True))

    def tokens(self, merges: int, limit: int | None = None) -> list[bytes]:
        """Give the (first `limit`) tokens of the text with the first `merges` merges, as bytes."""
        spelled = self._spelled
        symbols = self.joins.symbols
        return [
            b"".join([spelled[symbol] for symbol in symbols[start:end].tolist()])
            for start, end in self.pieces(merges, 0, limit)
        ]

    @cached_property
    def _spelled(self) -> dict[int, bytes]:
        return {number: token_bytes(self.tokenizer, number) for number in np.unique(self.joins.symbols).tolist()}


def require_merges(tokenizer: BPETokenizer) -> list[tuple[str, str]]:
    """Give the merge list. Raises AnalysisError if this kind of tokenizer has none, or none that can be replayed."""
    if not getattr(tokenizer, "replayable", hasattr(tokenizer, "joins")):
        raise AnalysisError(
            f"a tokenizer of the kind {kind_of(tokenizer)} is not made of merges that can be replayed one by one: "
            "take a BPE tokenizer"
        )
    return tokenizer.merges


def lengths_from_ranks(ranks: npt.NDArray[np.int32], merges: int, weights: Ints | None = None) -> Ints:
    """Give the tokens of a text after k merges for k = 0 to `merges`, from `Joins.ranks` and how often each counts."""
    places = np.minimum(np.maximum(ranks, -1), merges) + 1
    # Weights are summed as floats, which are exact up to 2 ** 53.
    fired = np.bincount(places, weights, minlength=merges + 2).astype(np.int64)
    lengths = np.empty(merges + 1, np.int64)
    lengths[0] = fired[1:].sum()
    np.subtract(lengths[0], np.cumsum(fired[1 : merges + 1]), out=lengths[1:])
    return lengths


def lengths_by_merge(tokenizer: BPETokenizer, text: str, report: Report = silent) -> Ints:
    """Give how many tokens `text` has with the first k merges, for every k from 0 to all, in one pass over the text.

    Raises AnalysisError, MissingCharactersError. `report` may raise Cancelled.
    """
    merges = len(require_merges(tokenizer))
    if isinstance(tokenizer, ByteBPETokenizer):
        ranks, weights = weighted_ranks(tokenizer, text, report)
        return lengths_from_ranks(ranks, merges, weights)
    return lengths_from_ranks(tokenizer.joins(text, report).ranks, merges)


def prefix(tokenizer: BPETokenizer, merges: int) -> BPETokenizer:
    """Give the smaller tokenizer that the first `merges` merges make. Ids stay what they are.

    Of a tokenizer of bytes the special tokens are left out, since their ids lie behind those of the merges left out.
    Raises AnalysisError if there are not so many merges.
    """
    every = require_merges(tokenizer)
    if not 0 <= merges <= len(every):
        raise AnalysisError(f"there is no prefix of {merges:,} merges: this tokenizer has {len(every):,}")
    if merges == len(every):
        return tokenizer
    if isinstance(tokenizer, WordBPETokenizer):
        return WordBPETokenizer(
            tokenizer.base_tokens,
            every[:merges],
            tokenizer.special_tokens,
            punctuation=tokenizer.punctuation,
            marker=tokenizer.marker,
            ties=tokenizer.ties,
            unused_ids=tokenizer.unused_ids,
        )
    if not isinstance(tokenizer, ByteBPETokenizer):
        return BPETokenizer(tokenizer.base_tokens, every[:merges])
    new = tokenizer.merge_ids()[2]
    gone = set(new[merges:].tolist()) - set(new[:merges].tolist())
    if tokenizer.whole_pieces or tokenizer.by_rank:
        # What no merge makes belongs to the first merge of a higher id, or to all merges: see `Joins`.
        places = tokenizer.merge_places[1]
        base = {tokenizer.vocabulary[character] for character in tokenizer.base_tokens}
        gone |= {number for number in tokenizer.vocabulary.values() if places[number] >= merges and number not in base}
    # A merge list that uses a token before any merge makes it is odd but allowed.
    gone -= {tokenizer.vocabulary[part] for pair in every[:merges] for part in pair}
    vocabulary = {token: number for token, number in tokenizer.vocabulary.items() if number not in gone}
    preparation = tokenizer.preparation
    if preparation is not None:
        plain = tuple(token for token in preparation.added_tokens if not token.special)
        preparation = dataclasses.replace(preparation, added_tokens=plain)
    return tokenizer.with_changes(
        vocabulary=vocabulary, merges=every[:merges], special_tokens={}, preparation=preparation
    )


def longest_of(tokenizer: BPETokenizer, ids: Ints, count: int) -> list[tuple[int, str]]:
    """Give the `count` longest of these tokens as (id, token): longest first, of equal length the lower id first."""
    if count <= 0 or not len(ids):
        return []
    lengths = tokenizer.token_lengths()[ids]
    if count < len(ids):
        least = np.partition(lengths, len(ids) - count)[len(ids) - count]
        ids, lengths = ids[lengths >= least], lengths[lengths >= least]
    order = np.lexsort((ids, -lengths))[:count]
    return [(number, tokenizer.tokens[number]) for number in ids[order].tolist()]
