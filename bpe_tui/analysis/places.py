"""Where in a text a token really occurs: as a token of the encoded text, not merely as a string."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bpe_tui.bpe.encoder import Encoder
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


def places(source: BPETokenizer | Encoder, text: str, token_id: int, limit: int) -> list[Place]:
    """Give the first `limit` occurrences of the token in the encoded `text`, in the order of the text.

    An occurrence is one token of the encoding: the characters of the token inside a longer token do not count.
    Raises MissingCharactersError when `text` holds characters that are no base tokens.
    """
    encoder = source.encoder() if hasattr(source, "encoder") else source
    ids = encoder.encode(text)
    found = np.flatnonzero(ids == token_id)[:limit]
    if not len(found):
        return []
    lengths = encoder.token_lengths()
    # Only as much of the text as the last occurrence needs is measured.
    starts = np.cumsum(lengths[ids[: int(found[-1]) + 1]])[found] - lengths[token_id]
    length = int(lengths[token_id])
    return [
        Place(
            offset=offset,
            before=text[max(0, offset - CONTEXT) : offset],
            after=text[offset + length : offset + length + CONTEXT],
        )
        for offset in starts.tolist()
    ]
