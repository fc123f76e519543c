"""Ids of tokens of bytes back to bytes and text."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bpe_tui.errors import TokenIdError
from bpe_tui.progress import Report

Ids = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

BLOCK = 1 << 16
"""Ids whose bytes become text at a time: they stay in the cache, and fresh memory would take longer than the work."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """The bytes of all tokens. Token t's are `characters[offsets[t]:offsets[t + 1]]`."""

    offsets: Ids
    characters: Bytes
    gaps: bool
    """Whether there are ids that are not used: they have no bytes."""

    def size(self, ids: Ids, before: int = 0) -> int:
        """Give how many bytes ids stand for, of which `before` others come before. Raises TokenIdError."""
        from bpe_tui.bpe.kernels import decoding as kernel

        total, bad = kernel.measure(ids, self.offsets)
        if bad < 0 and self.gaps:
            unused = np.flatnonzero(self.offsets[ids + 1] == self.offsets[ids])
            bad = int(unused[0]) if len(unused) else -1
        if bad >= 0:
            raise TokenIdError(
                f"id {int(ids[bad])} at place {before + bad:,} is not in the vocabulary: decode with the tokenizer "
                "that encoded it"
            )
        return int(total)

    def spell(self, ids: Ids, content: Bytes) -> None:
        """Write the bytes of ids to `content`, which has just their size."""
        from bpe_tui.bpe.kernels import decoding as kernel

        kernel.spell(ids, self.offsets, self.characters, content)

    def bytes_of(self, ids: Ids) -> Bytes:
        """Give the bytes that ids stand for. Raises TokenIdError."""
        content = np.empty(self.size(ids), np.uint8)
        self.spell(ids, content)
        return content

    def text_of(self, ids: Ids, report: Report) -> str:
        """Give the text that ids stand for. `report` hears of ids.

        Raises TokenIdError, and UnicodeDecodeError where the bytes are no UTF-8; its place is not that in the whole.
        """
        parts: list[str] = []
        room = np.empty(0, np.uint8)
        kept = 0  # bytes of a character that goes on in the next block
        for start in range(0, len(ids), BLOCK):
            block = ids[start : start + BLOCK]
            size = kept + self.size(block, start)
            if len(room) < size:
                room = np.concatenate([room[:kept], np.empty(2 * size, np.uint8)])
            self.spell(block, room[kept:size])
            part, used = codecs.utf_8_decode(room.data[:size], "strict", start + BLOCK >= len(ids))
            parts.append(part)
            kept = size - used
            room[:kept] = room[used:size].copy()
            report("decoding", min(start + BLOCK, len(ids)), len(ids))
        return "".join(parts)
