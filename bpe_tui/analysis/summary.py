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
    kind: str
    """character_bpe, word_bpe, byte_bpe or foreign."""
    lossless: bool
    unit: str
    """What lengths count: characters or bytes."""
    special_tokens: tuple[tuple[int, str], ...]
    """(id, special token), by id."""
    vocab_size: int
    base_size: int
    """Base tokens, each one character or byte."""
    merges: int
    learned_tokens: int
    """Tokens that merges added."""
    repeated_merges: int
    """Merges that added no token because their string was one already."""
    longest_token: int
    """Characters or bytes of the longest token."""
    mean_token_length: float
    """Characters or bytes of a learned token on average; 0 when nothing was learned."""
    tokens_by_length: tuple[tuple[int, int], ...]
    """(characters or bytes, how many tokens have so many), shortest first, base tokens included, special ones not."""


def summarise(tokenizer: BPETokenizer) -> TokenizerSummary:
    """Count what there is to count about `tokenizer`."""
    base_size = len(tokenizer.base_tokens)
    by_id = tokenizer.token_lengths().tolist()
    learned = [by_id[number] for number in learned_ids(tokenizer)]
    lengths = [by_id[tokenizer.stoi[token]] for token in tokenizer.base_tokens] + learned
    by_length: dict[int, int] = {}
    for length in lengths:
        by_length[length] = by_length.get(length, 0) + 1
    return TokenizerSummary(
        fingerprint=tokenizer.fingerprint(),
        kind=tokenizer.kind,
        lossless=tokenizer.lossless,
        unit=tokenizer.unit,
        special_tokens=tuple(sorted((number, token) for token, number in tokenizer.special_tokens.items())),
        vocab_size=tokenizer.vocab_size,
        base_size=base_size,
        merges=len(tokenizer.merges),
        learned_tokens=len(learned),
        repeated_merges=len(tokenizer.merges)
        - len(set(tokenizer.merge_ids()[2].tolist()).intersection(learned_ids(tokenizer))),
        longest_token=max(lengths, default=0),
        mean_token_length=sum(learned) / len(learned) if learned else 0.0,
        tokens_by_length=tuple(sorted(by_length.items())),
    )


def longest_tokens(tokenizer: BPETokenizer, count: int) -> list[tuple[int, str]]:
    """Give the `count` longest learned tokens as (id, token): longest first, of equal length the lower id first.

    Base tokens are left out, so fewer than `count` may come back.
    """
    lengths = tokenizer.token_lengths().tolist()
    longest = heapq.nsmallest(count, learned_ids(tokenizer), key=lambda number: (-lengths[number], number))
    return [(number, tokenizer.tokens[number]) for number in longest]


def learned_ids(tokenizer: BPETokenizer) -> list[int]:
    """Give the ids of all tokens that are neither base tokens nor special tokens, ascending."""
    apart = {tokenizer.stoi[token] for token in tokenizer.base_tokens}
    apart.update(tokenizer.special_tokens.values())
    return [number for number in sorted(tokenizer.itos) if number not in apart]
