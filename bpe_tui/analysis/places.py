"""Where in a text a token really occurs: as a token of the encoded text, not merely as a string."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bpe_tui.analysis.encoded import EncodedText, encode
from bpe_tui.bpe.tokenizer import BPETokenizer

if TYPE_CHECKING:
    from bpe_tui.bpe.encoder import Encoder

CONTEXT = 32
"""Characters shown before and after an occurrence."""


@dataclass(frozen=True, slots=True)
class Place:
    """One occurrence of a token in a text."""

    offset: int
    """Characters before it in the text."""
    before: str
    """Up to `CONTEXT` characters that precede it."""
    after: str
    """Up to `CONTEXT` characters that follow it."""


def places(source: BPETokenizer | Encoder, text: str, token_id: int, limit: int) -> list[Place]:
    """Give the first `limit` occurrences of the token in the encoded `text`, in the order of the text.

    An occurrence is one token of the encoding: the characters of the token inside a longer token do not count.
    Raises MissingCharactersError when `text` holds characters that are no base tokens.
    """
    if isinstance(source, BPETokenizer):
        return places_in(encode(source, text), token_id, limit)
    ids = source.encode(text)
    found = np.flatnonzero(ids == token_id)[:limit]
    if not len(found):
        return []
    lengths = source.token_lengths()
    # Only as much of the text as the last occurrence needs is measured.
    starts = np.cumsum(lengths[ids[: int(found[-1]) + 1]])[found] - lengths[token_id]
    length = int(lengths[token_id])
    return [_place(text, offset, offset + length) for offset in starts.tolist()]


def places_in(encoded: EncodedText, token_id: int, limit: int) -> list[Place]:
    """Give the same for a text that is encoded already: then it is a matter of milliseconds.

    A token that is a part of a character lies where that character does.
    """
    found = np.flatnonzero(encoded.ids == token_id)[:limit]
    if not len(found) or encoded.ends is None:
        return []
    ends = encoded.ends[found].tolist()
    starts = [int(encoded.ends[index - 1]) if index else 0 for index in found.tolist()]
    if encoded.bytes == encoded.characters:
        return [_place(encoded.text, start, end) for start, end in zip(starts, ends, strict=True)]
    content = memoryview(encoded.text[: ends[-1]].encode("utf-8", "surrogatepass"))
    counted = characters = 0
    result = []
    for start, end in zip(starts, ends, strict=True):
        # Bytes that continue a character are 0b10xxxxxx: counting the others counts characters.
        characters += _characters(content[counted:start])
        counted = start
        inside = start < len(content) and content[start] & 0xC0 == 0x80
        first = characters - 1 if inside else characters
        result.append(_place(encoded.text, first, characters + _characters(content[start:end])))
    return result


def _characters(content: memoryview) -> int:
    values = np.frombuffer(content, np.uint8)
    return int(np.count_nonzero((values & 0xC0) != 0x80))


def _place(text: str, start: int, end: int) -> Place:
    return Place(start, text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT])
