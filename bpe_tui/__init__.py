"""Train Byte Pair Encoding tokenizers in the terminal while you watch; the same as a library.

Everything public is importable from here and loaded on first use, so that `import bpe_tui` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
    from bpe_tui.bpe.encoder import Encoder
    from bpe_tui.bpe.log import MergeEntry, MergeLog
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.bpe.trainer import StopReason, Trainer
    from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
    from bpe_tui.errors import (
        BPEError,
        CorpusError,
        DatasetError,
        FingerprintMismatchError,
        MissingCharactersError,
        TextError,
        TokenIdError,
        TokenizerFileError,
        VocabularySizeError,
    )

__version__ = "0.1.0"

_HOMES = {
    "BPETokenizer": "bpe_tui.bpe.tokenizer",
    "ByteBPETokenizer": "bpe_tui.bpe.byte_tokenizer",
    "WordBPETokenizer": "bpe_tui.bpe.word_tokenizer",
    "Encoder": "bpe_tui.bpe.encoder",
    "MergeEntry": "bpe_tui.bpe.log",
    "MergeLog": "bpe_tui.bpe.log",
    "StopReason": "bpe_tui.bpe.trainer",
    "Trainer": "bpe_tui.bpe.trainer",
    "BPEError": "bpe_tui.errors",
    "CorpusError": "bpe_tui.errors",
    "DatasetError": "bpe_tui.errors",
    "FingerprintMismatchError": "bpe_tui.errors",
    "MissingCharactersError": "bpe_tui.errors",
    "TextError": "bpe_tui.errors",
    "TokenIdError": "bpe_tui.errors",
    "TokenizerFileError": "bpe_tui.errors",
    "VocabularySizeError": "bpe_tui.errors",
}

__all__ = [
    "BPEError",
    "BPETokenizer",
    "ByteBPETokenizer",
    "CorpusError",
    "DatasetError",
    "Encoder",
    "FingerprintMismatchError",
    "MergeEntry",
    "MergeLog",
    "MissingCharactersError",
    "StopReason",
    "TextError",
    "TokenIdError",
    "TokenizerFileError",
    "Trainer",
    "VocabularySizeError",
    "WordBPETokenizer",
    "__version__",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'bpe_tui' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
