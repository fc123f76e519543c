"""Tokenizer files: one module a format, each with `read` and `write`; here the right one is chosen by content."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.formats import character_bpe


def read(path: Path) -> BPETokenizer:
    """Read a tokenizer file. Raises TokenizerFileError, FingerprintMismatchError."""
    return character_bpe.read(path)


def write(tokenizer: BPETokenizer, path: Path) -> None:
    """Write a tokenizer file, whole or not at all. Raises TokenizerFileError."""
    character_bpe.write(tokenizer, path)
