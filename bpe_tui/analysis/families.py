"""The other families: WordPiece and Unigram, trained on the same text by Hugging Face's `tokenizers`.

They stand beside BPE so that a table can show all four. `tokenizers` is an optional dependency, imported when needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import AnalysisError
from bpe_tui.progress import Report, silent

FAMILIES = ("wordpiece", "unigram")
UNKNOWN = "[UNK]"


def train_family(name: str, text: str, vocab_size: int, report: Report = silent) -> BPETokenizer:
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
        raise AnalysisError(f"training {name} needs the package tokenizers: pip install tokenizers") from None
    report(f"training {name}", 0, 0)
    alphabet = sorted(set(text) - set(" \n\t\r"))
    peer, trainer = _makers(tokenizers)[name](vocab_size, alphabet)
    peer.train_from_iterator(_lines(text), trainer)
    report(f"training {name}", 1, 1)
    from bpe_tui.formats import hugging_face

    return hugging_face.load(json.loads(peer.to_str()), Path(name))


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
