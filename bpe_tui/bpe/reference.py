"""Character Byte Pair Encoding in plain Python: the specification of what the fast code must do.

Training starts from the single characters of a text and, again and again, joins the pair of neighbouring tokens that
occurs most often into one new token. Encoding a text replays those merges in the order in which they were learned.
Source: Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units" (2016), here without
cutting the text into words: spaces and newlines are ordinary characters and may become part of any token.

Nothing here is fast: every round walks over the whole text. Everything here is meant to be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

Pair = tuple[str, str]


class Merge(NamedTuple):
    """One learned merge, with what was true when it was learned."""

    pair: Pair
    frequency: int
    """How often the pair stood in the sequence, overlapping occurrences counted too."""
    length: int
    """Tokens in the sequence after the merge."""


def train(
    text: str,
    target_vocab_size: int,
    minimum_pair_frequency: int = 2,
    base_tokens: Iterable[str] | None = None,
) -> tuple[list[Merge], str]:
    """Learn merges from `text`; give them with the reason for stopping: "target", "no-pairs" or "minimum-frequency"."""
    vocabulary = set(text if base_tokens is None else base_tokens)
    sequence = list(text)
    merges: list[Merge] = []
    while True:
        if len(vocabulary) >= target_vocab_size:
            return merges, "target"
        # A Counter keeps its keys in the order in which they were first met and most_common() keeps that order among
        # equals: a tie goes to the pair whose first occurrence in the current sequence is earliest.
        counts = Counter(pairwise(sequence))
        if not counts:
            return merges, "no-pairs"
        pair, frequency = counts.most_common(1)[0]
        if frequency < minimum_pair_frequency:
            return merges, "minimum-frequency"
        sequence = replace_pair(sequence, pair)
        merges.append(Merge(pair, frequency, len(sequence)))
        # Two different pairs may spell the same string: the second is a merge like any other, but no new token.
        vocabulary.add(pair[0] + pair[1])


def replace_pair(sequence: Sequence[str], pair: Pair) -> list[str]:
    """Join every occurrence of `pair`, from left to right and without overlap: a a a becomes aa a."""
    left, right = pair
    joined: list[str] = []
    position = 0
    while position < len(sequence):
        if sequence[position] == left and position + 1 < len(sequence) and sequence[position + 1] == right:
            joined.append(left + right)
            position += 2
        else:
            joined.append(sequence[position])
            position += 1
    return joined


def vocabulary(base_tokens: Iterable[str], merges: Iterable[Pair]) -> list[str]:
    """Give all tokens in the order of their ids: sorted base tokens, then each new merged string as it was learned."""
    tokens = dict.fromkeys(sorted(set(base_tokens)))
    for left, right in merges:
        tokens.setdefault(left + right)
    return list(tokens)


def encode(text: str, merges: Iterable[Pair]) -> list[str]:
    """Cut `text` into tokens by replaying every merge, in learned order, over the whole text.

    A merge has its one turn: should its pair come about again through a later merge, it stays as it is.
    """
    sequence = list(text)
    for pair in merges:
        sequence = replace_pair(sequence, pair)
    return sequence


def decode(tokens: Iterable[str]) -> str:
    """Give the text back: tokens carry every character of it, so they only need to be joined."""
    return "".join(tokens)


def train_stretches(
    stretches: Sequence[tuple[Sequence[str], int]],
    target_vocab_size: int,
    minimum_pair_frequency: int = 2,
    lowest_first: bool = False,
    largest_string: bool = False,
) -> list[Merge]:
    """Learn merges from stretches of tokens, each with the number of times that it occurs: words, or pieces of bytes.

    Pairs are counted within stretches only, with the stretch's number. A tie goes to the pair met first when the
    stretches are walked in the order given or, with `lowest_first`, to the pair with the lowest ids, where base tokens
    are numbered in the order of their strings and new tokens as they are made, or, with `largest_string`, to the pair
    with the largest strings.
    """
    words = [(list(tokens), number) for tokens, number in stretches]
    ids = {token: number for number, token in enumerate(sorted({token for tokens, _ in words for token in tokens}))}
    merges: list[Merge] = []
    while len(ids) < target_vocab_size:
        counts: Counter[Pair] = Counter()
        for tokens, number in words:
            for pair in pairwise(tokens):
                counts[pair] += number
        if not counts:
            break
        if lowest_first:
            pair = min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))
        elif largest_string:
            pair = max(counts, key=lambda pair: (counts[pair], pair))
        else:
            pair = counts.most_common(1)[0][0]
        if counts[pair] < minimum_pair_frequency:
            break
        words = [(replace_pair(tokens, pair), number) for tokens, number in words]
        merges.append(Merge(pair, counts[pair], sum(len(tokens) * number for tokens, number in words)))
        ids.setdefault(pair[0] + pair[1], len(ids))
    return merges


def words(text: str) -> list[tuple[list[str], int]]:
    """Give the distinct words of a text, in the order in which they first occur, each with how often it does.

    A word is a list of its characters and, as a symbol of its own, the marker of its end. Here that is a space, which
    no word holds; people write `</w>`.
    """
    return [([*word, " "], number) for word, number in Counter(text.split()).items()]


def encode_words(text: str, merges: Sequence[Pair]) -> list[str]:
    """Cut each word of `text` into tokens by replaying every merge on it alone."""
    return [token for word in text.split() for token in encode(word + " ", merges)]
