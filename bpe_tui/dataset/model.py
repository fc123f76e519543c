"""What is known about encoded splits: the figures that the manifest keeps and every view shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class EncodedSplit:
    """One split as a file of ids."""

    name: str
    """`train`, `val` or `test`."""
    path: Path
    """The file with the ids."""
    characters: int
    tokens: int
    minimum_id: int | None
    """None when the split is empty."""
    maximum_id: int | None
    """None when the split is empty."""
    dtype: str
    text_sha256: str
    """SHA-256 of the text as UTF-8."""
    ids_sha256: str
    """SHA-256 of the ids as little-endian int64."""
    special_tokens: int | None = field(default=None, compare=False)
    """How many special tokens stood in the text; None where it is not known, as the manifest does not say it."""

    @property
    def compression_factor(self) -> float:
        """Characters per token; 0 for an empty split."""
        return self.characters / self.tokens if self.tokens else 0.0

    @property
    def token_reduction(self) -> float:
        """How many per cent fewer tokens than characters there are; 0 for an empty split."""
        return 100.0 * (1.0 - self.tokens / self.characters) if self.characters else 0.0


@dataclass(frozen=True, slots=True)
class EncodedDataset:
    """A folder of encoded splits, all by one tokenizer."""

    folder: Path
    fingerprint: str
    """Of the tokenizer that made the ids."""
    vocab_size: int
    splits: tuple[EncodedSplit, ...]
    kind: str = "character_bpe"
    """The kind of tokenizer."""
    lossless: bool = True
    """Whether the ids decode to the very text of the splits."""
