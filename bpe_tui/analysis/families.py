"""The other families: WordPiece and Unigram, trained on the same text by Hugging Face's `tokenizers`.

They stand beside BPE so that a table can show all four. `tokenizers` is an optional dependency, imported when needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bpe_tui.analysis.encoded import byte_offsets
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import AnalysisError
from bpe_tui.progress import Report, silent

Ints = npt.NDArray[np.int64]

FAMILIES = ("wordpiece", "unigram")
UNKNOWN = "[UNK]"


class FamilyTokenizer(BPETokenizer):
    """A tokenizer of another family behind the surface of ours: it has no merges, and does not keep white space."""

    unit = "characters"
    lossless = False
    replayable = False

    def __init__(self, kind: str, peer: Any) -> None:
        self.kind = kind
        self._peer = peer
        vocabulary: dict[str, int] = peer.get_vocab()
        self.tokens = [""] * (max(vocabulary.values(), default=-1) + 1)
        for token, number in vocabulary.items():
            self.tokens[number] = token
        self.base_tokens = [token for token in self.tokens if len(token) == 1]
        self.merges = []
        empty = np.zeros(0, np.int32)
        self._ids = (empty, empty, empty)

    def fingerprint(self) -> str:
        """Give the SHA-256 of the whole tokenizer as `tokenizers` writes it."""
        import hashlib

        return hashlib.sha256(self._peer.to_str().encode("utf-8")).hexdigest()

    @cached_property
    def token_bytes(self) -> list[bytes]:
        """What each token stands for, by id: without WordPiece's `##`, and with a space for Unigram's `▁`."""
        if self.kind == "wordpiece":
            return [token.removeprefix("##").encode("utf-8") for token in self.tokens]
        return [token.replace("▁", " ").encode("utf-8") for token in self.tokens]

    def encode_spans(self, text: str) -> tuple[Ints, Ints]:
        """Give the ids of `text` and where each token ends in it, in bytes of UTF-8."""
        found = self._peer.encode(text, add_special_tokens=False)
        ids = np.array(found.ids, np.int64)
        ends = np.array([end for _, end in found.offsets], np.int64)
        return ids, byte_offsets(text)[ends] if len(ends) else ends

    def encode_array(self, text: str, report: Report = silent) -> Ints:
        """Give the ids of `text`, int64. What the vocabulary cannot spell is the unknown token."""
        ids = self.encode_spans(text)[0]
        report("encoding", len(text), len(text))
        return ids

    def encode(self, text: str) -> list[int]:
        """Give the ids of `text` as a list."""
        ids: list[int] = self.encode_array(text).tolist()
        return ids


def train_family(name: str, text: str, vocab_size: int, report: Report = silent) -> FamilyTokenizer:
    """Train a tokenizer of the family `name` on `text`.

    WordPiece works on words and marks of punctuation (BERT's splitting, case kept, continued pieces marked `##`);
    Unigram on words with the space before them (`▁`). Both know all characters of `text`.
    Raises AnalysisError for an unknown name, or if `tokenizers` is not installed. `report` may raise Cancelled, before
    and after training but not within it.
    """
    if name not in FAMILIES:
        raise AnalysisError(f"there is no family {name!r}: choose from {', '.join(FAMILIES)}")
    try:
        import tokenizers
    except ImportError:
        raise AnalysisError(
            f"training {name} needs the package tokenizers: install it with pip install 'bpe-tui[families]'"
        ) from None
    report(f"training {name}", 0, 0)
    alphabet = sorted(set(text) - set(" \n\t\r"))
    peer, trainer = _makers(tokenizers)[name](vocab_size, alphabet)
    peer.train_from_iterator(_lines(text), trainer)
    report(f"training {name}", 1, 1)
    return FamilyTokenizer(name, peer)


def _makers(library: Any) -> dict[str, Callable[[int, list[str]], tuple[Any, Any]]]:
    def wordpiece(vocab_size: int, alphabet: list[str]) -> tuple[Any, Any]:
        peer = library.Tokenizer(library.models.WordPiece(unk_token=UNKNOWN, max_input_chars_per_word=10_000))
        peer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
        return peer, library.trainers.WordPieceTrainer(
            vocab_size=vocab_size, special_tokens=[UNKNOWN], show_progress=False, initial_alphabet=alphabet,
            limit_alphabet=len(alphabet),
        )  # fmt: skip

    def unigram(vocab_size: int, alphabet: list[str]) -> tuple[Any, Any]:
        peer = library.Tokenizer(library.models.Unigram())
        peer.pre_tokenizer = library.pre_tokenizers.Metaspace()
        return peer, library.trainers.UnigramTrainer(
            vocab_size=vocab_size, special_tokens=[UNKNOWN], unk_token=UNKNOWN, show_progress=False,
            initial_alphabet=alphabet,
        )  # fmt: skip

    return {"wordpiece": wordpiece, "unigram": unigram}


def _lines(text: str) -> Iterator[str]:
    # Unigram wants sentences that are not too long; a line end is white space to both.
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), 8192):
            yield line[start : start + 8192]
