"""Where in a text a token really occurs: as a token of the encoded text, not merely as a string."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bpe_tui.analysis.encoded import EncodedText

if TYPE_CHECKING:
    from bpe_tui.bpe.encoder import TextEncoder
    from bpe_tui.bpe.tokenizer import BPETokenizer

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


def places(source: BPETokenizer | TextEncoder, text: str, token_id: int, limit: int) -> list[Place]:
    """Give the first `limit` occurrences of the token in the encoded `text`, in the order of the text.

    An occurrence is one token of the encoding: the characters of the token inside a longer token do not count. Where
    encoding does not keep white space, the places are those in the text with single spaces. A token of bytes that
    begins inside a character is placed at that character.
    Raises MissingCharactersError when `text` holds characters that are no base tokens.
    """
    encoder: TextEncoder = source if not hasattr(source, "encoder") else source.encoder()
    ids = encoder.encode(text)
    found = np.flatnonzero(ids == token_id)[:limit]
    if not len(found):
        return []
    lengths = encoder.token_lengths()
    # Only as much of the text as the last occurrence needs is measured.
    starts = np.cumsum(lengths[ids[: int(found[-1]) + 1]])[found] - lengths[token_id]
    length = int(lengths[token_id])
    text = encoder.normalise(text)
    if encoder.in_bytes:
        return _byte_places(text.encode("utf-8", "surrogatepass"), starts.tolist(), length)
    return [
        Place(
            offset=offset,
            before=text[max(0, offset - CONTEXT) : offset],
            after=text[offset + length : offset + length + CONTEXT],
        )
        for offset in starts.tolist()
    ]


def _byte_places(content: bytes, starts: list[int], length: int) -> list[Place]:
    """Give the places of a token of `length` bytes that begins at these bytes."""
    reach = 4 * CONTEXT  # bytes, for so many characters at most
    data = np.frombuffer(content, np.uint8)
    found: list[Place] = []
    characters = done = 0
    for start in starts:
        # Every character has one byte that does not go on with another.
        characters += int(np.count_nonzero((data[done:start] & 0xC0) != 0x80))
        done = start
        inside = start < len(data) and data[start] & 0xC0 == 0x80
        before = content[max(0, start - reach) : start].decode("utf-8", "ignore")
        after = content[start + length : start + length + reach].decode("utf-8", "ignore")
        found.append(Place(characters - int(inside), before[-CONTEXT:], after[:CONTEXT]))
    return found


def places_in(encoded: EncodedText, token_id: int, limit: int) -> list[Place]:
    """Give the first `limit` occurrences in a text that is encoded already: a matter of milliseconds.

    Places are those in the text as it is. None are given where it is not known where tokens lie.
    """
    found = np.flatnonzero(encoded.ids == token_id)[:limit]
    if not len(found) or encoded.ends is None:
        return []
    ends = encoded.ends[found].tolist()
    starts = [int(encoded.ends[index - 1]) if index else 0 for index in found.tolist()]
    content = encoded.text[: ends[-1] + CONTEXT].encode("utf-8", "surrogatepass")
    sizes = {end - start for start, end in zip(starts, ends, strict=True)}
    if len(sizes) == 1:
        return _byte_places(content, starts, sizes.pop())
    # The end of a word takes no room in the text, and other packages may count white space to the token behind it.
    return [_byte_places(content, [start], end - start)[0] for start, end in zip(starts, ends, strict=True)]
