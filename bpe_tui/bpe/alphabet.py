"""Text to symbols: which base tokens a text has, and the text as an array of their ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bpe_tui.errors import MissingCharacter, MissingCharactersError, TextError

CODE_POINTS = 0x110000
"""Code points that Unicode has room for, U+0000 to U+10FFFF."""
PORTION = 1 << 18
"""Characters that are copied at a time."""


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """Give the code points of `text`, one uint32 a character; lone surrogates are passed through."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def portions(text: str) -> Iterator[str]:
    """Give a text in portions of PORTION characters, for what would make a copy of all of it."""
    for start in range(0, len(text), PORTION):
        yield text[start : start + PORTION]


def utf8(text: str) -> bytes:
    """Give a text as UTF-8; a lone surrogate as its three bytes, which are no UTF-8.

    Done at once, Python asks for the most memory that there may be of it, and giving that back takes as long again.
    """
    return b"".join(portion.encode("utf-8", "surrogatepass") for portion in portions(text))


def distinct_characters(*texts: str) -> list[str]:
    """Give the distinct characters of all texts, sorted by code point."""
    present = np.zeros(CODE_POINTS, np.bool_)
    for text in texts:
        for portion in portions(text):
            present[code_points(portion)] = True
    return [chr(point) for point in np.flatnonzero(present)]


def check_text(text: str) -> None:
    """Raise TextError if `text` is empty or holds a lone surrogate, which no file and no fingerprint can hold."""
    if not text:
        raise TextError("the training text is empty: give a text with at least one character")
    before = 0
    for portion in portions(text):
        try:
            portion.encode("utf-8")
        except UnicodeEncodeError as error:
            raise TextError(
                f"the text holds a lone surrogate (U+{ord(portion[error.start]):04X}) at character "
                f"{before + error.start:,}, which is no character and cannot be stored: remove it, or decode the text "
                "again with errors='replace'"
            ) from None
        before += len(portion)


def symbol_table(base_tokens: Sequence[str]) -> npt.NDArray[np.int32]:
    """Give a table from code point to base token id, int32, -1 where there is none. Base tokens are single characters.

    It is only as long as the highest base character needs.
    """
    points = code_points("".join(base_tokens))
    table = np.full(int(points.max()) + 1 if len(points) else 1, -1, np.int32)
    table[points] = np.arange(len(points), dtype=np.int32)
    return table


def missing_characters(text: str, base_tokens: Sequence[str]) -> tuple[MissingCharacter, ...]:
    """Give every character of `text` that is not a base token, with count and first position, in order of position."""
    points = code_points(text)
    distinct, first, counts = np.unique(points, return_index=True, return_counts=True)
    known = np.isin(distinct, code_points("".join(base_tokens)))
    missing = [
        MissingCharacter(chr(point), int(count), int(position))
        for point, position, count in zip(distinct[~known], first[~known], counts[~known], strict=True)
    ]
    return tuple(sorted(missing, key=lambda entry: entry.first_position))


def symbols(
    text: str, base_tokens: Sequence[str], table: npt.NDArray[np.int32] | None = None, purpose: str = "encoded"
) -> npt.NDArray[np.int32]:
    """Give the base token ids of the characters of `text`, int32.

    `table` is `symbol_table(base_tokens)`, if the caller has it already. Raises MissingCharactersError, which names
    every character that is not a base token.
    """
    if table is None:
        table = symbol_table(base_tokens)
    points = code_points(text)
    if not len(points):
        return np.zeros(0, np.int32)
    if int(points.max()) < len(table):
        found = table[points]
        if int(found.min()) >= 0:
            return found
    raise MissingCharactersError(missing_characters(text, base_tokens), purpose=purpose)
