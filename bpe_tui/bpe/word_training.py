"""Training on words: each distinct word is a stretch of its own, weighted by how often it occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from bpe_tui.bpe.alphabet import check_text, code_points, distinct_characters
from bpe_tui.bpe.sequence import TrainingSequence, stretches
from bpe_tui.bpe.special import special_pattern
from bpe_tui.bpe.words import MARKER, Marker, Punctuation, WordSymbols, blocks, unshow, words_of
from bpe_tui.errors import TextError
from bpe_tui.progress import Report, silent


def count_words(
    text: str,
    punctuation: Punctuation | str = Punctuation.KEEP,
    special_tokens: Sequence[str] = (),
    report: Report = silent,
) -> Counter[str]:
    """Give how often each word occurs, in the order in which they first occur. Special tokens cut words."""
    pattern = special_pattern(dict.fromkeys(special_tokens, 0))
    if pattern is not None:
        text = pattern.sub(" ", text)
    punctuation = Punctuation(punctuation)
    counts: Counter[str] = Counter()
    done = 0
    for block in blocks(text):
        counts.update(words_of(block, punctuation))
        done += len(block)
        report("counting words", done, len(text))
    return counts


def word_sequence(
    text: str,
    base_tokens: Iterable[str] | None = None,
    punctuation: Punctuation | str = Punctuation.KEEP,
    special_tokens: Sequence[str] = (),
    marker: Marker | str = Marker.OWN,
    report: Report = silent,
) -> TrainingSequence:
    """Give the distinct words of a text, in the order in which they first occur, each ending in the marker.

    `base_tokens` are characters (white space is passed over), those of the text by default, or the whole list that a
    word tokenizer has, with its `</w>`, whose order is kept.

    Raises TextError for a text without words, MissingCharactersError for characters that are no base tokens.
    """
    check_text(text)
    counts = count_words(text, punctuation, special_tokens, report)
    if not counts:
        raise TextError("the training text holds no words, only white space: give a text with at least one word")
    words = MARKER.join(counts) + MARKER
    marker = Marker(marker)
    given = distinct_characters(words) if base_tokens is None else list(base_tokens)
    if any(len(token) > 1 for token in given):
        table = WordSymbols([unshow(token) for token in given], marker)
    else:
        table = WordSymbols.of_characters(given, marker)
    symbols = table.symbols(words, words, purpose="trained on")
    ends = np.flatnonzero(code_points(words) == ord(MARKER))
    lengths = np.diff(ends, prepend=-1)
    if marker is Marker.GLUED:
        lengths -= 1
    weights = np.fromiter(counts.values(), np.int64, len(counts))
    return stretches(symbols, lengths, weights, tuple(table.tokens), MARKER)
