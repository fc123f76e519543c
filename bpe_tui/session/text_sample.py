"""Samples from all over a text, of which its size is known: one that is at hand, or one that stays in its file."""

from __future__ import annotations

import sys
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

from bpe_tui.corpus.opening import open_regular
from bpe_tui.corpus.reading import Reading

BLOCK: Final = 1 << 14
"""Characters of a sample that stand together: few, so that no single page of an odd kind leads it astray."""
_WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
"""How files in UTF-16 and UTF-32 begin, of which only the first pieces are looked at:"""
_WIDE_PIECES: Final = 8
"""so many as are read at a time."""


class TextAtHand:
    """A text that is in memory."""

    held = True

    def __init__(self, text: str) -> None:
        self._text = text
        self.characters = len(text)

    @property
    def width(self) -> int:
        """Bytes that Python takes for a character of it."""
        each = sys.getsizeof(self._text) // max(1, len(self._text))
        return 1 if each < 2 else 2 if each < 4 else 4

    def blocks(self, most: int) -> list[str]:
        """Give the whole text in blocks, or so many blocks from all over it if it is longer."""
        return [self._text[start : start + BLOCK] for start in _starts(len(self._text), most)]


class TextInFile:
    """A text that is read block by block while it is worked on; its length is an estimate."""

    held = False
    width = 1

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def characters(self) -> int:
        """Characters of it, as many as its sample lets expect. Raises CorpusError."""
        blocks, size = self._sample(64)
        return round(self._size * sum(map(len, blocks)) / max(1, size))

    @cached_property
    def _size(self) -> int:
        with open_regular(self._path) as file:
            return file.seek(0, 2)

    def blocks(self, most: int) -> list[str]:
        """Give the whole text in blocks, or so many blocks from all over it. Raises CorpusError."""
        return self._sample(most)[0]

    def _sample(self, most: int) -> tuple[list[str], int]:
        """Give blocks, and how many bytes of the file they are."""
        with open_regular(self._path) as file:
            if file.read(4).startswith(_WIDE_MARKS):
                reading = Reading(self._path, "replace")
                text = "".join(islice(reading.texts(), _WIDE_PIECES))
                return [text[start : start + BLOCK] for start in range(0, len(text), BLOCK)][:most], reading.bytes
            read = []
            for start in _starts(self._size, most):
                file.seek(start)
                read.append(file.read(BLOCK))
        # A character that is cut off at either end of a block is left out, like bytes that are no text.
        return [content.decode("utf-8", "ignore") for content in read], sum(map(len, read))


def _starts(size: int, most: int) -> list[int]:
    number = max(1, -(-size // BLOCK))
    blocks = range(number) if number <= most else (number * place // most for place in range(most))
    return [block * BLOCK for block in blocks]
