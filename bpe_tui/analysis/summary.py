"""A tokenizer in a few figures, and the longest things it learned."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer


@dataclass(frozen=True, slots=True)
class TokenizerSummary:
    """The figures of one tokenizer."""

    fingerprint: str
    vocab_size: int
    base_size: int
    """Base tokens, each one character."""
    merges: int
    learned_tokens: int
    """Tokens that merges added."""
    repeated_merges: int
    """Merges that added no token because their string was one already."""
    longest_token: int
    """Characters of the longest token."""
    mean_token_length: float
    """Characters of a learned token on average; 0 when nothing was learned."""
    tokens_by_length: tuple[tuple[int, int], ...]
    """(characters, how many tokens have so many), shortest first, base tokens included."""


def summarise(tokenizer: BPETokenizer) -> TokenizerSummary:
    """Count what there is to count about `tokenizer`."""
    base_size = len(tokenizer.base_tokens)
    lengths = [len(token) for token in tokenizer.tokens]
    learned = lengths[base_size:]
    by_length: dict[int, int] = {}
    for length in lengths:
        by_length[length] = by_length.get(length, 0) + 1
    return TokenizerSummary(
        fingerprint=tokenizer.fingerprint(),
        vocab_size=len(lengths),
        base_size=base_size,
        merges=len(tokenizer.merges),
        learned_tokens=len(learned),
        repeated_merges=len(tokenizer.merges) - len(learned),
        longest_token=max(lengths, default=0),
        mean_token_length=sum(learned) / len(learned) if learned else 0.0,
        tokens_by_length=tuple(sorted(by_length.items())),
    )


def longest_tokens(tokenizer: BPETokenizer, count: int) -> list[tuple[int, str]]:
    """Give the `count` longest learned tokens as (id, token): longest first, of equal length the lower id first.

    Base tokens are left out, so fewer than `count` may come back.
    """
    base_size = len(tokenizer.base_tokens)
    learned = enumerate(tokenizer.tokens[base_size:], base_size)
    return heapq.nsmallest(count, learned, key=lambda entry: (-len(entry[1]), entry[0]))
