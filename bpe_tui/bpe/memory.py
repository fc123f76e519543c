"""How much memory a training will take, before it takes it: a sum over what the code of this package allocates.

What is exact: the bytes for each symbol of the arrays that the trainer works on, and of those that are made on the way
to them. What is modelled: how many different pairs turn up, and how far the sequence shrinks. Both follow laws that
hold for texts of all kinds. After m merges the best pair stands in about `(m / 1850) ** -1.25 * 4.3e-5` of all places,
a merge of f places makes some 2 f new pairs where f is small and ever fewer for each place where it is large. The
constants were fitted to English, code, Russian, Arabic, Korean, Chinese, Japanese and 532 languages in one file, from
0.3 to 100 million characters and up to 64,000 tokens; `tests/session/test_memory.py` holds the sum against processes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

_MEGABYTE = 1_000_000

_PAIR = 32 + 0.9 * 24
"""Bytes of a pair: its record, and its entry in the heap, from which dead ones drop out."""
_TOKEN = 1_000
"""Bytes of a token: its strings in Python, its rows in the trainer, the tokenizer that is made of it and its file."""
_LEFT_OVER = 25 * _MEGABYTE
"""What the C library keeps of freed arrays that were too small to be given back to the system at once, at most, and"""
_LEFT_OVER_OF_PIECES = {"bytes": 45 * _MEGABYTE, "words": 35 * _MEGABYTE}
"""the same where distinct pieces were counted, in threads with heaps of their own."""
_FEWER_PAIRS = 0.6
"""How many pairs distinct pieces have for each of those of running text of the same length."""
_FIRST_PAIRS = 30
"""Different neighbours of a base token, on average."""
_STEP = 1.2
"""Merges are summed up in groups; each begins that many times further on than the one before."""


@dataclass(frozen=True, slots=True)
class DistinctPieces:
    """What a text is cut into, words or pieces of bytes, each kind counted once."""

    number: int
    symbols: int
    """Base symbols of all of them together, ends of words included."""
    occurrences: int
    """Pieces in all."""

    @classmethod
    def extrapolated(cls, half: DistinctPieces, sample: DistinctPieces, share: float) -> DistinctPieces:
        """Give what a text has from what a sample has and from what one half of the sample has.

        `share` is the length of the text in samples. Distinct words grow as a power of the length (Heaps' law), and
        the sample says which.
        """
        return cls(
            _grown(half.number, sample.number, share),
            _grown(half.symbols, sample.symbols, share),
            round(sample.occurrences * share),
        )


@dataclass(frozen=True, slots=True)
class TrainingText:
    """What there is to know of a text before a training on it."""

    characters: int
    utf8: int
    """Bytes in UTF-8."""
    width: int
    """Bytes that Python takes for a character of it: 1, 2 or 4."""
    copied: bool
    """Whether it is a part of a longer text, and so a copy."""


@dataclass(frozen=True, slots=True)
class TrainingMemory:
    """What a training takes on top of what the process holds before it."""

    peak: int
    """Bytes at its peak, the tokenizer that is made of it and saved included."""
    kept: int
    """Bytes that stay in use until the trainer is dropped."""


def training_memory(
    alphabet: str,
    text: TrainingText,
    base_size: int,
    target_vocab_size: int,
    minimum_pair_frequency: int = 2,
    pieces: DistinctPieces | None = None,
    by_pattern: bool = False,
) -> TrainingMemory:
    """Give the bytes that a training takes.

    Args:
        alphabet: "characters", "words" or "bytes".
        text: what is trained on.
        base_size: base tokens.
        target_vocab_size: tokens at which training ends.
        minimum_pair_frequency: rarer pairs are not merged.
        pieces: what words and bytes are cut into; None where the text stays in one piece.
        by_pattern: bytes that are cut by a regular expression of one's own, which is done by Python.

    """
    characters = text.characters
    counting, left_over = 0.0, 0.0
    if alphabet == "characters":
        symbols = float(characters)
        cutting = 12 * characters  # code points, their ids, the sequence
        held = 4 * symbols
        spread, fewer = 1.0, 1.0
        left_over = min(_LEFT_OVER, 6 * characters)
    elif pieces is None:
        symbols = float(text.utf8)
        cutting = 26 * text.utf8  # bytes, counted piece, ids, sequence, two arrays of places
        held = 4 * symbols
        spread, fewer = 1.0, 1.0
        left_over = min(_LEFT_OVER, 6 * text.utf8)
    else:
        symbols = float(pieces.symbols + pieces.number)
        # Each symbol as text, with its id, its place in the sequence and its weight.
        cutting = round((13 + text.width) * symbols) + (190 if alphabet == "words" else 200) * pieces.number
        counting = 200 * pieces.number if alphabet == "bytes" else 0
        held = 8 * symbols
        spread, fewer = 0.55, _FEWER_PAIRS
        left_over = min(_LEFT_OVER_OF_PIECES[alphabet], 1.5 * characters + 33 * symbols)
    if by_pattern and pieces is not None:
        # A list of numbers, and in text that is not ASCII the byte at which each character begins.
        counting += 40 * pieces.occurrences + (36 * characters if text.utf8 != characters else 0)
    merges, pairs = _learned(symbols, characters, base_size, target_vocab_size, minimum_pair_frequency, fewer)
    shrunk = min(1.0, 0.46 * (350 / max(merges, 1)) ** 0.26)
    # Every occurrence once, and for every merge those of its neighbours on both sides.
    lists = 4 * symbols * (1 + 2 * spread * (1 - shrunk))
    training = held + lists + _PAIR * pairs + _table(pairs) + _TOKEN * (base_size + merges) + left_over
    copy = characters * text.width if text.copied else 0
    return TrainingMemory(round(max(cutting, counting, training)) + copy, round(training) + copy)


def _learned(
    symbols: float, characters: int, base_size: int, target: int, minimum: int, fewer: float
) -> tuple[int, float]:
    """Give how many merges are learned before pairs get too rare, and how many different pairs they bring about."""
    most = max(0, target - base_size)
    pairs = min(base_size * base_size, _FIRST_PAIRS * base_size, symbols)
    merges, at = 0.0, 1.0
    while merges < most:
        following = min(at * _STEP, float(most))
        if following <= merges:
            following = float(most)
        middle = (merges + following) / 2
        share = min(0.02, 4.3e-5 * (1850 / max(middle, 1)) ** 1.25)
        # What is rare in the text ends training, what is rare in the sequence makes few pairs.
        if share * max(characters, symbols) < minimum:
            break
        places = max(1.0, share * symbols)
        met = 2 * places / (1 + (places / 60) ** 0.6)
        limit = 0.8 * (base_size + middle)
        pairs += (following - merges) * fewer * met * limit / (met + limit)
        merges, at = following, following
    return round(min(merges, symbols)), min(pairs, 2 * symbols)


def _table(pairs: float) -> int:
    """Give the bytes of the table in which pairs are looked up: it grows fourfold when it is half full."""
    entries = 1 << 13
    while entries < 2 * pairs:
        entries *= 4
    return 4 * entries


def _grown(half: int, whole: int, share: float) -> int:
    power = log2(whole / half) if 0 < half < whole else 0.0
    return round(whole * float(share ** min(1.0, power)))
