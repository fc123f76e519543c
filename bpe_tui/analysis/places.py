"""Where in a text a token really occurs: as a token of the encoded text, not merely as a string."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

CONTEXT = 32
"""Characters shown before and after an occurrence."""


class Encodes(Protocol):
    """What `places` needs: a tokenizer, or an encoder of the merges so far."""

    def token_lengths(self) -> npt.NDArray[np.int64]:
        """Give the characters of each token, by id."""


@dataclass(frozen=True, slots=True)
class Place:
    """One occurrence of a token in a text."""

    offset: int
    """Characters before it in the text."""
    before: str
    """Up to `CONTEXT` characters that precede it."""
    after: str
    """Up to `CONTEXT` characters that follow it."""
