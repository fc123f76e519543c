"""Training on bytes: text is cut into pieces by a rule; each distinct piece is a stretch, weighted by its number."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.alphabet import check_text
from bpe_tui.bpe.byte_alphabet import BYTES, CHARACTERS, SORTED_BYTES, byte_array
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pieces import PieceCounter
from bpe_tui.bpe.pretokenize import SplittingRule, safe_place, scan_between, split
from bpe_tui.bpe.sequence import TrainingSequence, stretches
from bpe_tui.bpe.special import cut_at, special_pattern
from bpe_tui.bpe.trainer import Ties
from bpe_tui.errors import Cancelled, TextError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.trainer import Trainer

Ids = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

WORTH_TWO_THREADS = 1 << 21
"""Bytes from which on a text is counted by two threads."""


def byte_order(ties: Ties | str) -> list[str]:
    """Give the base tokens in the order of their ids: raw bytes under the rule `bytes`, else the order of GPT-2."""
    if Ties(ties) is Ties.BYTES:
        return list(CHARACTERS)
    return [CHARACTERS[byte] for byte in SORTED_BYTES]


def count_pieces(
    text: str | bytes, rule: SplittingRule, special_tokens: Sequence[str] = (), report: Report = silent
) -> PieceCounter:
    """Count the pieces of a text. It is cut at special tokens first, which are no pieces themselves.

    In bytes no special token is looked for: they need not be text.
    """
    counter = PieceCounter()
    for part in _parts(text, special_tokens):
        data = byte_array(part)
        if rule.number < 0:
            counter.add(data, 0, split(part, rule, report))
        elif len(data) < WORTH_TWO_THREADS:
            _count_between(counter, data, 0, len(data), rule, report)
        else:
            _count_on_two_threads(counter, data, rule, report)
    return counter


def _count_on_two_threads(counter: PieceCounter, data: Bytes, rule: SplittingRule, report: Report) -> None:
    """Count each half by itself; the second half's pieces join those of the first, in the order of the text."""
    middle = safe_place(data, rule, len(data) // 2)
    second = PieceCounter()
    given_up = threading.Event()

    def go_on(step: str, done: int, total: int) -> None:  # noqa: ARG001 - a Report
        if given_up.is_set():
            raise Cancelled("counting was given up")

    with ThreadPoolExecutor(max_workers=1) as pool:
        other = pool.submit(_count_between, second, data, middle, len(data), rule, go_on)
        try:
            _count_between(counter, data, 0, middle, rule, report)
        except BaseException:
            given_up.set()
            raise
        other.result()
    counter.absorb(second)


def _count_between(
    counter: PieceCounter, data: Bytes, start: int, stop: int, rule: SplittingRule, report: Report
) -> None:
    """Count the pieces from `start` to `stop`, at both of which a piece begins or the data ends."""
    for ends in scan_between(data, rule, start, stop, report):
        counter.add(data, start, ends)
        start = int(ends[-1])
    # The scanner reports when it is asked for more.
    report("splitting", stop, len(data))


def _parts(text: str | bytes, special_tokens: Sequence[str]) -> Iterator[bytes]:
    if isinstance(text, bytes):
        yield text
        return
    for ordinary, _ in cut_at(text, special_pattern(dict.fromkeys(special_tokens, 0))):
        if ordinary:
            yield ordinary.encode("utf-8")


def byte_sequence(
    text: str | bytes,
    rule: SplittingRule,
    special_tokens: Sequence[str] = (),
    ties: Ties | str = Ties.LOWEST_ID,
    base_tokens: Sequence[str] | None = None,
    report: Report = silent,
) -> TrainingSequence:
    """Give the distinct pieces of a text, in the order in which they first occur, as bytes.

    The base tokens are the 256 bytes in the byte alphabet; their order is `base_tokens`, or what `byte_order` says.

    Raises TextError for an empty text and lone surrogates. `report` may raise Cancelled.
    """
    if isinstance(text, str):
        check_text(text)
    if not text:
        raise TextError("the training text is empty: give a text with at least one character")
    tokens = tuple(byte_order(ties) if base_tokens is None else base_tokens)
    ids = np.zeros(256, np.int32)
    for number, token in enumerate(tokens):
        ids[BYTES[token]] = number
    content, lengths, counts = count_pieces(text, rule, special_tokens, report).counted()
    if not len(content):
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
