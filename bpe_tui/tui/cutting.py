"""A text cut into tokens, with how far each token reaches in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bpe_tui.tui.loaded import LoadedEncoder

if TYPE_CHECKING:
    import numpy.typing as npt

    from bpe_tui.bpe.encoder import TextEncoder


@dataclass(frozen=True, slots=True)
class CutText:
    """A text and its tokens."""

    text: str
    """The text that the tokens stand for: that which was given, unless its tokenizer does not keep white space."""
    ids: list[int]
    lengths: list[int]
    """How far each token reaches, in characters or bytes of `text`; empty where that is not known."""
    in_bytes: bool


def cut(encoder: TextEncoder, text: str, token_lengths: npt.NDArray[np.int64]) -> CutText:
    """Cut `text` into tokens; `token_lengths` by id are in the encoder's unit.

    Raises MissingCharactersError and other BPEErrors.
    """
    if isinstance(encoder, LoadedEncoder) and encoder.tokenizer.kind != "word_bpe":
        from bpe_tui.analysis import encoded

        found = encoded.encode(encoder.tokenizer, text)
        ends = np.zeros(0, np.int64) if found.ends is None else found.ends
        return CutText(text, found.ids.tolist(), np.diff(ends, prepend=0).tolist(), True)
    ids = encoder.encode(text)
    return CutText(encoder.normalise(text), ids.tolist(), token_lengths[ids].tolist(), encoder.in_bytes)
