r"""Words: how a text falls into them, and how the end of a word is written.

A word is what stands between white space; with punctuation separated, every character that is punctuation or a symbol
is a word of its own. Every word ends in a marker, so that `est` at the end of a word is another token than `est` inside
of one. Inside this package the marker is a space, which no word can hold; hence it is never taken for characters of a
text, and decoding is nothing but joining tokens. People see it as `</w>`.

Where a text itself holds the four characters `</w>`, a backslash tells them apart in what people see: `<\/w>` is those
characters, `</w>` is the marker; backslashes that stand there already get one more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.alphabet import CODE_POINTS, code_points, distinct_characters, missing_characters
from bpe_tui.bpe.sequence import SHOWN_MARKER
from bpe_tui.errors import MissingCharactersError
from bpe_tui.progress import Report, silent

MARKER = " "
"""The end of a word in tokens as this package handles them."""
BLOCK = 1 << 20
"""Characters that are worked on between two reports."""

_SPACE = re.compile(r"\s")
_TO_SHOW = re.compile(r"<(\\*)/w>")
_TO_READ = re.compile(r"<\\(\\*)/w>")


class Punctuation(StrEnum):
    """What becomes of punctuation."""

    KEEP = "keep"
    """It stays part of the word that it touches."""
    SEPARATE = "separate"
    """Each character of it is a word of its own."""


class Marker(StrEnum):
    """How the end of a word enters training."""

    OWN = "own"
    """As a symbol of its own, which merges like any other."""
    GLUED = "glued"
    """As part of the last character from the start: the way of subword-nmt since 0.2."""


def show(token: str) -> str:
    """Give a token as people see it, with `</w>` for the marker."""
    if "/w>" in token:
        token = _TO_SHOW.sub(r"<\\\1/w>", token)
    return token.replace(MARKER, SHOWN_MARKER)


def unshow(token: str) -> str:
    """Give a token that people see as this package handles it: the inverse of `show`."""
    if "/w>" not in token:
        return token
    token = token.replace(SHOWN_MARKER, MARKER)
    return _TO_READ.sub(r"<\1/w>", token)


def blocks(text: str, size: int = BLOCK) -> Iterator[str]:
    """Cut a text at white space into parts of about `size` characters."""
    start = 0
    while start < len(text):
        match = _SPACE.search(text, min(start + size, len(text)))
        stop = match.start() if match else len(text)
        yield text[start:stop]
        start = stop


def find_white_space(text: str) -> int:
    """Give the first place inside of a text that stands before white space, or 0: no word crosses it."""
    match = _SPACE.search(text, 1)
    return match.start() if match else 0


def words_of(text: str, punctuation: Punctuation = Punctuation.KEEP) -> list[str]:
    """Give the words of a text."""
    return (separated(text) if punctuation is Punctuation.SEPARATE else text).split()


def normalised(text: str, punctuation: Punctuation = Punctuation.KEEP, report: Report = silent) -> str:
    """Give a text with single spaces between its words: what encoding words and decoding them again gives."""
    parts: list[str] = []
    done = 0
    for block in blocks(text):
        parts.append(" ".join(words_of(block, punctuation)))
        done += len(block)
        report("splitting into words", done, len(text))
    return " ".join(part for part in parts if part)


def is_punctuation(character: str) -> bool:
    """Whether Unicode calls it punctuation or a symbol."""
    return unicodedata.category(character)[0] in "PS"


def separated(text: str) -> str:
    """Give a text with a space before and behind each character that is punctuation."""
    marks = [ord(character) for character in distinct_characters(text) if is_punctuation(character)]
    if not marks:
        return text
    table = np.zeros(CODE_POINTS, np.bool_)
    table[marks] = True
    points = code_points(text)
    found = table[points].astype(np.int64)
    behind = np.cumsum(1 + 2 * found)
    spaced = np.full(int(behind[-1]), 32, np.uint32)
    spaced[behind - 1 - found] = points
    return str(spaced.data, "utf-32-le", "surrogatepass")


class WordSymbols:
    """The base tokens of words by id, and the way from characters to them.

    `tokens` holds, in any order, single characters and `MARKER`, or single characters alone and with MARKER behind.
    Raises ValueError for anything else.
    """

    def __init__(self, tokens: list[str], marker: Marker) -> None:
        self.tokens = tokens
        self.marker = marker
        self.characters = [token for token in tokens if len(token) == 1 and token != MARKER]
        """The characters that words may have."""
        wrong = [token for token in self.characters if token.isspace() or "\ud800" <= token <= "\udfff"]
        if wrong:
            raise ValueError(f"base token {wrong[0]!r} is a character that no word has")
        ends = [MARKER] if marker is Marker.OWN else [character + MARKER for character in self.characters]
        expected = {*self.characters, *ends}
        for token in tokens:
            if token not in expected:
                raise ValueError(f"base token {show(token)!r} is neither a single character nor the end of a word")
        if len(tokens) != len(expected) or len(set(tokens)) != len(tokens):
            raise ValueError("the base tokens of words must be all characters and the ends of words, each once")
        highest = max((ord(character) for character in self.characters), default=0)
        self._inside = np.full(max(highest, 32) + 1, -1, np.int32)
        self._last = self._inside.copy()
        for number, token in enumerate(tokens):
            (self._inside if len(token) == 1 else self._last)[ord(token[0])] = number

    @classmethod
    def of_characters(cls, characters: list[str], marker: Marker) -> WordSymbols:
        """Give the base tokens for words of these characters: they, sorted, then the ends of words."""
        inside = sorted({character for character in characters if not character.isspace()})
        last = [MARKER] if marker is Marker.OWN else [character + MARKER for character in inside]
        return cls([*inside, *last], marker)

    def known(self, text: str) -> bool:
        """Whether every character of a text is white space or has a base token."""
        return not {point for point in distinct_characters(text) if not point.isspace()}.difference(self.characters)

    def symbols(self, words: str, text: str, purpose: str = "encoded") -> npt.NDArray[np.int32]:
        """Give the ids of the base tokens of words with a space behind each.

        `text` is where the words came from: for MissingCharactersError, which names every character that is missing.
        """
        points = code_points(words)
        if not len(points):
            return np.zeros(0, np.int32)
        found = self._inside[np.minimum(points, len(self._inside) - 1)]
        if self.marker is Marker.GLUED:
            spaces = points == 32
            last = np.zeros(len(points), np.bool_)
            last[:-1] = spaces[1:]
            found[last] = self._last[np.minimum(points[last], len(self._last) - 1)]
            found, points = found[~spaces], points[~spaces]
        if int(points.max()) < len(self._inside) and int(found.min()) >= 0:
            return found
        spaces_too = [character for character in set(text) if character.isspace()]
        raise MissingCharactersError(missing_characters(text, [*self.characters, *spaces_too]), purpose=purpose)
