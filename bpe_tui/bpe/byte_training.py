"""Training on bytes: text is cut into pieces by a rule; each distinct piece is a stretch, weighted by its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.alphabet import check_text
from bpe_tui.bpe.byte_alphabet import BYTES, CHARACTERS, SORTED_BYTES
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.piece_counting import Text, count_pieces
from bpe_tui.bpe.pretokenize import SplittingRule
from bpe_tui.bpe.sequence import TrainingSequence, stretches
from bpe_tui.bpe.special import check_new_special_tokens
from bpe_tui.bpe.trainer import Ties
from bpe_tui.errors import TextError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.trainer import Trainer

Ids = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


def byte_order(ties: Ties | str) -> list[str]:
    """Give the base tokens in the order of their ids: raw bytes under the rule `bytes`, else the order of GPT-2."""
    if Ties(ties) is Ties.BYTES:
        return list(CHARACTERS)
    return [CHARACTERS[byte] for byte in SORTED_BYTES]


def byte_sequence(
    text: Text,
    rule: SplittingRule,
    special_tokens: Sequence[str] = (),
    ties: Ties | str = Ties.LOWEST_ID,
    base_tokens: Sequence[str] | None = None,
    report: Report = silent,
) -> TrainingSequence:
    """Give the distinct pieces of a text, in the order in which they first occur, as bytes.

    The base tokens are the 256 bytes in the byte alphabet; their order is `base_tokens`, or what `byte_order` says.
    A text that is given block by block is never held as a whole, unless the rule wants it; see `count_pieces`.

    Raises TextError for an empty text and lone surrogates, SpecialTokenError for special tokens that cannot be.
    `report` may raise Cancelled.
    """
    check_new_special_tokens(special_tokens)
    if isinstance(text, str):
        check_text(text)
    tokens = tuple(byte_order(ties) if base_tokens is None else base_tokens)
    ids = np.zeros(256, np.int32)
    for number, token in enumerate(tokens):
        ids[BYTES[token]] = number
    content, lengths, counts = count_pieces(text, rule, special_tokens, report).counted()
    if not len(content):
        if text in ("", b"") or not special_tokens:
            raise TextError("the training text is empty: give a text with at least one character")
        raise TextError("the training text holds nothing but special tokens: give a text to learn from")
    return stretches(ids[content], lengths, counts, tokens)


def make_byte_tokenizer(
    trainer: Trainer, rule: SplittingRule, ties: Ties | str, special_tokens: Sequence[str] = ()
) -> ByteBPETokenizer:
    """Give the tokenizer of what a trainer on a `byte_sequence` has learned; special tokens get the ids behind.

    Raises SpecialTokenError for a special token that is equal to another token.
    """
    return byte_tokenizer(trainer.base_tokens, trainer.pairs(), rule, ties, special_tokens)


def byte_tokenizer(
    base_tokens: Sequence[str],
    merges: Sequence[tuple[str, str]],
    rule: SplittingRule,
    ties: Ties | str,
    special_tokens: Sequence[str] = (),
    corpus_sha256: str | None = None,
) -> ByteBPETokenizer:
    """Give the tokenizer of base tokens and merges, ids in the order in which they come, special tokens behind."""
    vocabulary = {token: number for number, token in enumerate(base_tokens)}
    for left, right in merges:
        vocabulary.setdefault(left + right, len(vocabulary))
    specials = {token: len(vocabulary) + number for number, token in enumerate(special_tokens)}
    return ByteBPETokenizer(vocabulary, merges, rule, specials, ties=str(Ties(ties)), corpus_sha256=corpus_sha256)
