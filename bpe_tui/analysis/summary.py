"""A tokenizer in a few figures, and the longest things it learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bpe_tui.analysis.encoded import learned_ids, token_count
from bpe_tui.analysis.prefixes import longest_of

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
    """Characters of the longest token; bytes for tokens of bytes."""
    mean_token_length: float
    """Characters of a learned token on average (bytes for tokens of bytes); 0 when nothing was learned."""
    tokens_by_length: tuple[tuple[int, int], ...]
    """(characters or bytes, how many tokens have so many), shortest first, base tokens included."""


def summarise(tokenizer: BPETokenizer) -> TokenizerSummary:
    """Count what there is to count about `tokenizer`."""
    lengths = tokenizer.token_lengths()
    learned = learned_ids(tokenizer)
    found, counts = np.unique(lengths[lengths > 0], return_counts=True)
    return TokenizerSummary(
        fingerprint=tokenizer.fingerprint(),
        vocab_size=token_count(tokenizer),
        base_size=len(tokenizer.base_tokens),
        merges=len(tokenizer.merges),
        learned_tokens=len(learned),
        repeated_merges=len(tokenizer.merges) - len(learned),
        longest_token=int(lengths.max(initial=0)),
        mean_token_length=float(lengths[learned].mean()) if len(learned) else 0.0,
        tokens_by_length=tuple(zip(found.tolist(), counts.tolist(), strict=True)),
    )


def longest_tokens(tokenizer: BPETokenizer, count: int) -> list[tuple[int, str]]:
    """Give the `count` longest learned tokens as (id, token): longest first, of equal length the lower id first.

    Base tokens are left out, so fewer than `count` may come back. Tokens of bytes are measured in bytes.
    """
    return longest_of(tokenizer, learned_ids(tokenizer), count)
