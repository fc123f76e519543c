"""Encoded splits as a model takes them: ids that were proven, windows in an order that a seed decides, true lengths.

This is where fingerprints are enforced: a tokenizer and data, or a checkpoint, that do not belong together are refused
before anything is computed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bpe_tui.dataset.manifest import manifest_json, read_manifest
from bpe_tui.dataset.tensors import read_ids
from bpe_tui.errors import DatasetError, FingerprintMismatchError
from bpe_tui.lm.errors import ModelSettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.dataset import EncodedDataset, EncodedSplit

Ids = npt.NDArray[np.int64]

PART = 1 << 20
"""Ids that are added up at a time."""


@dataclass(frozen=True, slots=True)
class TokenLengths:
    """How much text each token stands for, by its id. Added up over the ids of a text, they give the text's size."""

    characters: Ids
    bytes: Ids
    """In UTF-8."""


def token_lengths(tokenizer: BPETokenizer) -> TokenLengths:
    """Give the lengths of all tokens.

    A token of a byte-level tokenizer may hold a part of a character: the one that holds its first byte counts it. The
    end of a word counts as the space that it stands for.
    """
    in_bytes: list[bytes] | None = getattr(tokenizer, "token_bytes", None)
    if in_bytes is None:
        spelled = token_texts(tokenizer)
        return TokenLengths(
            characters=np.array([len(token) for token in spelled], np.int64),
            bytes=np.array([len(token.encode("utf-8", "surrogatepass")) for token in spelled], np.int64),
        )
    return TokenLengths(
        characters=np.array([sum(byte & 0xC0 != 0x80 for byte in token) for token in in_bytes], np.int64),
        bytes=np.array([len(token) for token in in_bytes], np.int64),
    )


def token_texts(tokenizer: BPETokenizer) -> list[str]:
    """Give the text that each token of a tokenizer of characters or words stands for, by its id."""
    if tokenizer.kind != "word_bpe":
        return tokenizer.tokens
    from bpe_tui.bpe.words import MARKER, unshow

    specials: dict[str, int] = getattr(tokenizer, "special_tokens", {})
    return [token + MARKER if token in specials else unshow(token) for token in tokenizer.tokens]


@dataclass(slots=True)
class ModelData:
    """An encoded data set with the tokenizer that made it."""

    dataset: EncodedDataset
    tokenizer: BPETokenizer
    lengths: TokenLengths
    digest: str
    """SHA-256 of the manifest: which text, as which ids."""
    _ids: dict[str, Ids] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """That of the tokenizer."""
        return self.dataset.fingerprint

    @property
    def vocab_size(self) -> int:
        """That of the tokenizer."""
        return self.tokenizer.vocab_size

    def split(self, name: str) -> EncodedSplit:
        """Give the figures of a split. Raises DatasetError when there is none of that name."""
        for split in self.dataset.splits:
            if split.name == name:
                return split
        present = ", ".join(split.name for split in self.dataset.splits)
        raise DatasetError(f"{self.dataset.folder} holds no split {name!r}, only {present}; name one of those")

    def ids(self, name: str) -> Ids:
        """Give the ids of a split, read once and held against the manifest.

        Raises DatasetError when they are not what the manifest says.
        """
        if name not in self._ids:
            self._ids[name] = self._proven(self.split(name))
        return self._ids[name]

    def _proven(self, split: EncodedSplit) -> Ids:
        ids = np.ascontiguousarray(read_ids(split.path), "<i8")
        what = None
        if len(ids) != split.tokens:
            what = f"it holds {len(ids):,} tokens, the manifest says {split.tokens:,}"
        elif hashlib.sha256(ids.view(np.uint8).data).hexdigest() != split.ids_sha256:
            what = "its ids are not those of the manifest (their SHA-256 differs)"
        elif len(ids) and (int(ids.min()) < 0 or int(ids.max()) >= self.vocab_size):
            what = f"it holds ids outside the vocabulary of {self.vocab_size:,} tokens"
        elif self.tokenizer.lossless and self._characters(ids) != split.characters:
            what = f"its tokens do not spell the {split.characters:,} characters that the manifest says"
        if what is not None:
            raise DatasetError(
                f"{split.path} does not belong to the manifest beside it: {what}; encode the splits again"
            )
        return ids.astype(np.int64, copy=False)

    def _characters(self, ids: Ids) -> int:
        return sum(int(self.lengths.characters[part].sum()) for part in _in_parts(ids))


def _in_parts(ids: Ids) -> Iterator[Ids]:
    """Give ids PART at a time: a file of them may be larger than the memory."""
    for start in range(0, len(ids), PART):
        yield ids[start : start + PART]


def open_data(folder: Path, tokenizer: BPETokenizer, tokenizer_path: Path | None = None) -> ModelData:
    """Open the encoded splits of `folder`, which `tokenizer` must have made; tensors are read when they are asked for.

    Raises DatasetError, and FingerprintMismatchError when another tokenizer made them.
    """
    dataset = read_manifest(folder)
    fingerprint = tokenizer.fingerprint()
    if dataset.fingerprint != fingerprint:
        of = f" {tokenizer_path}" if tokenizer_path is not None else ""
        raise FingerprintMismatchError(
            f"{folder} was encoded by another tokenizer: the data has fingerprint {dataset.fingerprint[:16]}… "
            f"({dataset.vocab_size:,} tokens), the tokenizer{of} has {fingerprint[:16]}… "
            f"({tokenizer.vocab_size:,} tokens); name the tokenizer that made the data, or encode the splits again",
            file=tokenizer_path,
        )
    digest = hashlib.sha256(manifest_json(dataset).encode("utf-8")).hexdigest()
    return ModelData(dataset, tokenizer, token_lengths(tokenizer), digest)


def check_length(data: ModelData, block_size: int) -> None:
    """Make sure that the training split fills at least one window. Raises ModelSettingsError."""
    tokens = data.split("train").tokens
    if tokens < 2:
        raise ModelSettingsError(
            f"the train split in {data.dataset.folder} has {tokens} tokens, too few to predict one from another; "
            "encode a longer text"
        )
    if tokens <= block_size:
        raise ModelSettingsError(
            f"the train split in {data.dataset.folder} has {tokens:,} tokens, fewer than one window of {block_size:,} "
            f"and its successor need; choose a block size of at most {tokens - 1:,}, or encode a longer text"
        )


def batch(ids: Ids, block_size: int, batch_size: int, seed: int, step: int) -> tuple[Ids, Ids]:
    """Give the windows that step number `step` learns from, and their successors, each (batch_size, block_size).

    They begin at places drawn anew for each step from `seed` and `step` alone, so that a training that goes on after
    a break sees what it would have seen.
    """
    key: Any = [seed, step]
    random = np.random.Generator(np.random.Philox(key=np.array(key, np.uint64)))
    starts = random.integers(0, len(ids) - block_size, size=batch_size)
    windows = ids[starts[:, None] + np.arange(block_size + 1)]
    return windows[:, :-1], windows[:, 1:]
