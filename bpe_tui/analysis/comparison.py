"""Tokenizers side by side: the same text under each, what they share, and where two merge lists part."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from bpe_tui.analysis.encoded import EncodedText, encode, shown_kind, token_bytes, token_count
from bpe_tui.analysis.statistics import TextStatistics, text_statistics
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import MissingCharactersError
from bpe_tui.progress import Report, silent

MOST = 6
"""As many tokenizers as are compared at once."""


@dataclass(frozen=True, slots=True)
class Column:
    """One tokenizer on the text. What cannot be said of it, because it cannot encode the text, is None."""

    name: str
    kind: str
    vocab_size: int
    merges: int
    encoded: EncodedText | None
    statistics: TextStatistics | None
    missing: MissingCharactersError | None
    """Why the text cannot be encoded."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What two vocabularies have in common, tokens taken as bytes."""

    both: int
    first_only: int
    second_only: int
    first_examples: tuple[bytes, ...]
    """Tokens that only the first has, longest first."""
    second_examples: tuple[bytes, ...]

    @property
    def jaccard(self) -> float:
        """Tokens in both by tokens in either."""
        every = self.both + self.first_only + self.second_only
        return self.both / every if every else 1.0


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two merge lists part. Merges are pairs of bytes."""

    rank: int
    """How many merges are the same from the start on: the rank of the first that differs."""
    first: tuple[bytes, bytes] | None
    """The merge of that rank in the first list; None where the list ends before."""
    second: tuple[bytes, bytes] | None

    @property
    def equal(self) -> bool:
        """Whether the lists are the same."""
        return self.first is None and self.second is None


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """A line as one tokenizer cuts it."""

    name: str
    cut_after: tuple[bool, ...] | None
    """For each segment of the line whether a token ends behind it; None if it is not known."""
    tokens: int | None


@dataclass(frozen=True, slots=True)
class AlignedLine:
    """A line and how several tokenizers cut it, above one another.

    The line falls into segments at every place where any of them cuts; each row says at which of those it does.
    """

    segments: tuple[bytes, ...]
    rows: tuple[AlignedRow, ...]


def compare(
    tokenizers: Sequence[tuple[str, BPETokenizer]], text: str, report: Report = silent, *, alpha: float = 2.5
) -> list[Column]:
    """Put tokenizers side by side on `text`. One that cannot encode it stands there with its reason.

    `report` may raise Cancelled.
    """
    columns = []
    for number, (name, tokenizer) in enumerate(tokenizers):
        report(f"encoding with {name}", number, len(tokenizers))
        encoded: EncodedText | None = None
        figures: TextStatistics | None = None
        missing: MissingCharactersError | None = None
        try:
            encoded = encode(tokenizer, text, report)
            figures = text_statistics(tokenizer, encoded, report, alpha=alpha)
        except MissingCharactersError as error:
            missing = error
        columns.append(
            Column(
                name, shown_kind(tokenizer), token_count(tokenizer), len(tokenizer.merges), encoded, figures, missing
            )
        )
    return columns


def shared_tokens(
    first: BPETokenizer | AbstractSet[bytes], second: BPETokenizer | AbstractSet[bytes], examples: int = 10
) -> Shared:
    """Tell which tokens two vocabularies have in common, a token being the bytes it stands for.

    Give the `token_set` of a tokenizer instead of itself where it is compared several times.
    """
    ours = token_set(first) if isinstance(first, BPETokenizer) else first
    theirs = token_set(second) if isinstance(second, BPETokenizer) else second
    return Shared(
        both=len(ours & theirs),
        first_only=len(ours - theirs),
        second_only=len(theirs - ours),
        first_examples=_longest(ours - theirs, examples),
        second_examples=_longest(theirs - ours, examples),
    )


def token_set(tokenizer: BPETokenizer) -> set[bytes]:
    """Give all tokens of a vocabulary as the bytes they stand for."""
    return {token_bytes(tokenizer, number) for number in range(tokenizer.vocab_size)} - {b""}


def parting(first: BPETokenizer, second: BPETokenizer) -> Parting:
    """Find the first merge at which two merge lists part, merges taken as pairs of bytes."""
    ours, theirs = _merges(first), _merges(second)
    rank = 0
    while rank < min(len(ours), len(theirs)) and ours[rank] == theirs[rank]:
        rank += 1
    return Parting(rank, ours[rank] if rank < len(ours) else None, theirs[rank] if rank < len(theirs) else None)


def align(tokenizers: Sequence[tuple[str, BPETokenizer]], line: str) -> AlignedLine:
    """Cut one line with each tokenizer and put the cuts above one another."""
    content = line.encode("utf-8", "surrogatepass")
    ends: list[set[int] | None] = []
    tokens: list[int | None] = []
    for _, tokenizer in tokenizers:
        try:
            encoded = encode(tokenizer, line)
        except MissingCharactersError:
            ends.append(None)
            tokens.append(None)
            continue
        ends.append(None if encoded.ends is None else set(encoded.ends.tolist()))
        tokens.append(encoded.tokens)
    places = sorted({0, len(content)}.union(*(found for found in ends if found)))
    segments = tuple(content[start:end] for start, end in itertools.pairwise(places))
    rows = tuple(
        AlignedRow(name, None if found is None else tuple(end in found for end in places[1:]), count)
        for (name, _), found, count in zip(tokenizers, ends, tokens, strict=True)
    )
    return AlignedLine(segments, rows)


def cost(tokens: int, price: float) -> float:
    """Give what `tokens` tokens cost at `price` per million of them."""
    return tokens * price / 1_000_000


def _merges(tokenizer: BPETokenizer) -> list[tuple[bytes, bytes]]:
    left, right, _ = tokenizer.merge_ids()
    return [
        (token_bytes(tokenizer, first), token_bytes(tokenizer, second))
        for first, second in zip(left.tolist(), right.tolist(), strict=True)
    ]


def _longest(tokens: AbstractSet[bytes], count: int) -> tuple[bytes, ...]:
    # Sorting 200,000 of them for the sake of ten would hold up all threads for a third of a second.
    return tuple(heapq.nsmallest(count, tokens, key=lambda token: (-len(token), token)))
