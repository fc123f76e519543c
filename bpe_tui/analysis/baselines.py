"""Tokenizers that learned nothing, to measure others against: every character a token, every byte a token."""

from __future__ import annotations

from bpe_tui.bpe.alphabet import distinct_characters
from bpe_tui.bpe.tokenizer import BPETokenizer

BASELINES = ("characters", "bytes")


def baseline(name: str, text: str) -> BPETokenizer:
    """Give the baseline of that name. "characters" knows the characters of `text` and no others.

    Raises ValueError for any other name.
    """
    if name == "characters":
        return BPETokenizer(distinct_characters(text), [])
    if name == "bytes":
        from bpe_tui.bpe.byte_alphabet import CHARACTERS
        from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
        from bpe_tui.bpe.pretokenize import rule

        return ByteBPETokenizer({character: byte for byte, character in enumerate(CHARACTERS)}, [], rule("none"))
    raise ValueError(f"there is no baseline {name!r}: there are {' and '.join(BASELINES)}")
