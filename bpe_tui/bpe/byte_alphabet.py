"""Bytes as characters: the alphabet that byte-level tokenizers are written in.

Each of the 256 bytes has one printable character: itself where it is printable Latin-1, one from U+0100 on otherwise;
a space is Ġ, a newline Ċ. So every token of bytes is a string, can be stored as text, and joins as its bytes join.
Source: `bytes_to_unicode` of GPT-2's encoder, the `ByteLevel` alphabet of Hugging Face's tokenizers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.alphabet import code_points


def _characters() -> tuple[str, ...]:
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return tuple(chr(byte if byte in printable else next(others)) for byte in range(256))


CHARACTERS: tuple[str, ...] = _characters()
"""The character of each byte."""
BYTES: dict[str, int] = {character: byte for byte, character in enumerate(CHARACTERS)}
"""The byte of each character."""
SORTED_BYTES: tuple[int, ...] = tuple(sorted(range(256), key=CHARACTERS.__getitem__))
"""All bytes in the order of their characters: the order of ids in GPT-2 and Hugging Face's tokenizers."""

NEVER_IN_TEXT: frozenset[str] = frozenset(CHARACTERS[byte] for byte in (0xC0, 0xC1, *range(0xF5, 0x100)))
"""The bytes that no UTF-8 has, so that a tokenizer of text can do without them."""

_TO_CHARACTERS = dict(enumerate(CHARACTERS))


def to_characters(raw: bytes) -> str:
    """Give bytes in the byte alphabet."""
    return raw.decode("latin-1").translate(_TO_CHARACTERS)


def to_bytes(token: str) -> bytes:
    """Give the bytes of a string in the byte alphabet. Raises ValueError naming a character that is not in it."""
    try:
        return bytes([BYTES[character] for character in token])
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is not a character of the byte alphabet") from None


def _table() -> npt.NDArray[np.int16]:
    table = np.full(max(BYTES_OF_POINTS) + 2, -1, np.int16)
    table[list(BYTES_OF_POINTS)] = list(BYTES_OF_POINTS.values())
    return table


BYTES_OF_POINTS: dict[int, int] = {ord(character): byte for character, byte in BYTES.items()}
_TABLE = _table()


def spell(tokens: Sequence[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Give the bytes of many tokens one after another, and where each begins and the last ends.

    Raises ValueError naming the first token that is not in the byte alphabet.
    """
    offsets = np.zeros(len(tokens) + 1, np.int64)
    np.cumsum([len(token) for token in tokens], out=offsets[1:])
    joined = "".join(tokens)
    found = _TABLE[np.minimum(code_points(joined), len(_TABLE) - 1)]
    outside = np.flatnonzero(found < 0)
    if not len(outside):
        return found.astype(np.uint8), offsets
    wrong = int(outside[0])
    token = tokens[int(np.searchsorted(offsets, wrong, "right")) - 1]
    raise ValueError(f"token {token!r} has the character {joined[wrong]!r}, which is not in the byte alphabet")


def byte_array(content: bytes | memoryview) -> npt.NDArray[np.uint8]:
    """Give bytes as an array without copying."""
    return np.frombuffer(content, np.uint8)
