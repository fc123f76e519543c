"""What a trainer learns from: one flat sequence of symbols, cut into stretches that no merge crosses, each weighted.

Every kind of BPE is this, and only this differs: characters make one stretch of the whole text, words one of each
distinct word, bytes one of each distinct piece; the weight says how often the stretch occurs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.alphabet import check_text, distinct_characters, symbols
from bpe_tui.bpe.vocabulary import base_token_list
from bpe_tui.errors import TextError

LONGEST = 2**31 - 3
"""Symbols that a sequence may hold: positions are 32-bit numbers."""
HEAVIEST = 2**31 - 1
"""The most that one stretch may weigh: weights are 32-bit numbers."""
BOUNDARY = -1
"""Stands before, between and after stretches."""
SHOWN_MARKER = "</w>"
"""How people write the end of a word in a token."""


@dataclass(frozen=True, slots=True)
class TrainingSequence:
    """A sequence of base symbols.

    symbols: int32, ids of base tokens, with BOUNDARY before, between and after the stretches.
    weights: int32, one entry for all positions or one for each position of `symbols`.
    tokens: the base tokens by id, as the strings that merges join.
    length: symbols in all, each as often as its stretch occurs.
    marker: the character that stands for the end of a word in `tokens`; None where there is no such thing.
    """

    symbols: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int32]
    tokens: tuple[str, ...]
    length: int
    marker: str | None = None


def stretches(
    symbols: npt.NDArray[np.int32],
    lengths: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    tokens: tuple[str, ...],
    marker: str | None = None,
) -> TrainingSequence:
    """Give symbols that follow on each other as stretches of these lengths, each occurring so many times.

    Raises TextError if they are too many.
    """
    from bpe_tui.bpe.kernels import training as kernel

    length = int((lengths * counts).sum())
    if len(counts) and counts.max() > HEAVIEST:
        symbols, lengths, counts = _lightened(symbols, lengths, counts)
    total, number = len(symbols), len(lengths)
    if total + number + 1 > LONGEST:
        raise TextError(
            f"the distinct pieces of the training text have {total:,} symbols, the most is {LONGEST - number - 1:,}: "
            "train on a part of it"
        )
    sequence = np.full(total + number + 1, BOUNDARY, np.int32)
    once = bool(np.all(counts == 1))
    weights = np.ones(1, np.int32) if once else np.zeros(len(sequence), np.int32)
    kernel.lay_out(symbols, lengths, counts, sequence, weights)
    return TrainingSequence(sequence, weights, tokens, length, marker)


def _lightened(
    symbols: npt.NDArray[np.int32], lengths: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Give the same stretches, but one that is too heavy as several of the same symbols, which is the same to learn."""
    copies = -(-counts // HEAVIEST)
    parts = np.split(symbols, np.cumsum(lengths)[:-1])
    repeated = [np.tile(part, times) for part, times in zip(parts, copies.tolist(), strict=True)]
    lightened = np.full(int(copies.sum()), HEAVIEST, np.int64)
    lightened[np.cumsum(copies) - 1] = counts - (copies - 1) * HEAVIEST
    return np.concatenate(repeated), np.repeat(lengths, copies), lightened


def character_sequence(text: str, base_tokens: Iterable[str] | None = None) -> TrainingSequence:
    """Give a text as one stretch of its characters. The base tokens are those given, sorted, or those of the text.

    Raises TextError for an empty or too long text and for lone surrogates, MissingCharactersError for characters that
    are not among the given base tokens.
    """
    check_text(text)
    if len(text) > LONGEST:
        raise TextError(
            f"the training text has {len(text):,} characters, the most is {LONGEST:,}: train on a part of it"
        )
    tokens = distinct_characters(text) if base_tokens is None else base_token_list(base_tokens)
    sequence = np.full(len(text) + 2, BOUNDARY, np.int32)
    sequence[1:-1] = symbols(text, tokens, purpose="trained on")
    return TrainingSequence(sequence, np.ones(1, np.int32), tuple(tokens), len(text))
