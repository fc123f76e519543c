"""Words of a text and how tokens cut them. A word is a run of characters that are no white space (`str.split`)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from bpe_tui.analysis.encoded import EncodedText, byte_offsets
from bpe_tui.bpe.alphabet import code_points

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Words:
    """Where the words of a text lie, in bytes of UTF-8."""

    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.starts)


@cache
def _white_space() -> npt.NDArray[np.uint32]:
    return np.array([point for point in range(sys.maxunicode + 1) if chr(point).isspace()], np.uint32)


def words(text: str) -> Words:
    """Find the words of a text: maximal runs without white space, the same as `text.split()` gives."""
    points = code_points(text)
    spaces = _white_space()
    blank = np.zeros(int(spaces[-1]) + 1, np.bool_)
    blank[spaces] = True
    inside = np.zeros(len(points) + 2, np.bool_)
    # Beyond the last white space of Unicode (U+3000) everything belongs to words; U+0000 does, too.
    inside[1:-1] = ~blank[np.where(points < len(blank), points, 0)]
    edges = np.flatnonzero(inside[1:] != inside[:-1]).astype(np.int64)
    if not text.isascii():
        edges = byte_offsets(text)[edges]
    return Words(edges[0::2], edges[1::2])


def tokens_per_word(encoded: EncodedText, found: Words) -> Ints:
    """Give for each word how many tokens hold a part of it.

    Raises ValueError if it is not known where the tokens lie.
    """
    if encoded.ends is None:
        raise ValueError("it is not known where the tokens of this text lie")
    # The token that holds byte b is the first one that ends behind b.
    first = np.searchsorted(encoded.ends, found.starts, side="right")
    last = np.searchsorted(encoded.ends, found.ends, side="left")
    return (last - first + 1).astype(np.int64)
