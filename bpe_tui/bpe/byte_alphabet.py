"""Bytes as characters: the alphabet that byte-level tokenizers are written in.

Each of the 256 bytes has one printable character: itself where it is printable Latin-1, one from U+0100 on otherwise;
a space is Ġ, a newline Ċ. So every token of bytes is a string, can be stored as text, and joins as its bytes join.
Source: `bytes_to_unicode` of GPT-2's encoder, the `ByteLevel` alphabet of Hugging Face's tokenizers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


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


def byte_array(content: bytes | memoryview) -> npt.NDArray[np.uint8]:
    """Give bytes as an array without copying."""
    return np.frombuffer(content, np.uint8)
