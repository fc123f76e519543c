"""Where the time of the large jobs goes, step by step, beside the speed of the memory itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from bpe_tui import BPETokenizer, Trainer
from bpe_tui.bpe.byte_encoder import ByteEncoder
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.byte_training import byte_sequence, make_byte_tokenizer
from bpe_tui.bpe.piece_counting import count_pieces
from bpe_tui.bpe.pieces import PieceCounter
from bpe_tui.bpe.pretokenize import RULES, scan
from bpe_tui.bpe.sequence import character_sequence
from bpe_tui.bpe.trainer import Ties

Rows = Iterator[tuple[str, float, float | None, str]]
T = TypeVar("T")

COPIED = 1 << 28
"""Bytes that are copied to learn the speed of the memory: more than any cache holds for one thread."""


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Give what the work gives, and its seconds."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def trained(trainer: Trainer) -> Trainer:
    """Train to the end."""
    while trainer.stop_reason is None:
        trainer.advance()
    return trainer


def phases(corpus: Any, measure: Callable[[Callable[[], Any]], float]) -> Rows:
    """The steps of training on characters and on bytes, and of encoding bytes, on the training split."""
    source = np.ones(COPIED, np.uint8)
    target = np.empty_like(source)
    seconds = measure(lambda: np.copyto(target, source))
    yield "copying memory", seconds, None, f"{COPIED / seconds / 1e9:.1f} GB/s, read and written"
    yield from _characters(corpus.train, measure)
    yield from _bytes(corpus.train.encode(), measure)
    tokenizer = ByteBPETokenizer.train(corpus.train, 32_000, verbose=False)
    yield from _encoding(tokenizer, corpus.train, measure)


def _characters(text: str, measure: Callable[[Callable[[], Any]], float]) -> Rows:
    trained(Trainer("low lower lowest", 12))  # loads the compiled code
    sequence = measure(lambda: character_sequence(text))
    yield "characters to 8,000: symbols of the text", sequence, None, ""
    trainer = Trainer.on_sequence(character_sequence(text), 8_000)
    counting = timed(trainer.prepare)[1]
    yield "characters to 8,000: counting pairs", counting, None, "one run"
    for merges in (10, 100, 1_000, 8_000):
        before = trainer.log.count
        seconds = timed(lambda merges=merges: _advance_to(trainer, merges))[1]
        yield f"characters to 8,000: merges {before + 1:,} to {trainer.log.count:,}", seconds, None, "one run"


def _advance_to(trainer: Trainer, merges: int) -> None:
    while trainer.stop_reason is None and trainer.log.count < merges:
        trainer.advance(merges - trainer.log.count)


def _bytes(content: bytes, measure: Callable[[Callable[[], Any]], float]) -> Rows:
    rule, data = RULES["gpt2"], np.frombuffer(content, np.uint8)
    pieces = sum(len(ends) for ends in scan(data, rule))
    seconds = measure(lambda: sum(len(ends) for ends in scan(data, rule)))
    yield "bytes to 32,000: splitting, one thread", seconds, None, _rate(pieces, seconds, len(content))

    def count() -> None:
        counter, start = PieceCounter(), 0
        for ends in scan(data, rule):
            counter.add(data, start, ends)
            start = int(ends[-1])

    seconds = measure(count)
    yield "bytes to 32,000: splitting and counting, one thread", seconds, None, _rate(pieces, seconds, len(content))
    seconds = measure(lambda: count_pieces(content, rule).counted())
    yield "bytes to 32,000: the same on all threads", seconds, None, _rate(pieces, seconds, len(content))
    whole = measure(lambda: byte_sequence(content, rule))
    yield "bytes to 32,000: the same, laid out as a sequence", whole, None, ""
    trainer = Trainer.on_sequence(byte_sequence(content, rule), 32_000, ties=Ties.LOWEST_ID)
    seconds = timed(lambda: trained(trainer))[1]
    yield "bytes to 32,000: counting pairs and merging", seconds, None, "one run"
    seconds = measure(lambda: make_byte_tokenizer(trainer, rule, Ties.LOWEST_ID))
    yield "bytes to 32,000: the tokenizer", seconds, None, ""


def _encoding(tokenizer: BPETokenizer, text: str, measure: Callable[[Callable[[], Any]], float]) -> Rows:
    encoder = tokenizer.encoder()
    assert isinstance(encoder, ByteEncoder)
    encoder.prepare()
    content, first = timed(lambda: text.encode())
    yield "encoding: the text as UTF-8", first, None, "one run"
    data = np.frombuffer(content, np.uint8)
    pieces = sum(len(ends) for ends in scan(data, encoder.rule))
    seconds = measure(lambda: sum(len(ends) for ends in scan(data, encoder.rule)))
    yield "encoding: splitting, one thread", seconds, None, _rate(pieces, seconds, len(content))
    seconds = timed(lambda: encoder.encode_bytes(content))[1]
    yield "encoding: bytes to ids, nothing remembered", seconds, None, _rate(pieces, seconds, len(content))
    seconds = measure(lambda: encoder.encode_bytes(content))
    yield "encoding: bytes to ids, pieces remembered", seconds, None, _rate(pieces, seconds, len(content))
    ids = encoder.encode_bytes(content)
    seconds = measure(lambda: tokenizer.decode(ids))
    yield "decoding", seconds, None, f"{len(ids) / seconds / 1e6:,.0f} M ids/s"


def _rate(pieces: int, seconds: float, size: int) -> str:
    return f"{seconds / pieces * 1e9:.1f} ns a piece, {size / seconds / 1e6:,.0f} MB/s"
