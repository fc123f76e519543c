"""Vocabulary sizes side by side, from one training run: a smaller vocabulary is the beginning of a larger one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bpe_tui.analysis.prefixes import Dial, Ints, lengths_by_merge
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.trainer import StopReason, Trainer
from bpe_tui.progress import Report, silent


@dataclass(frozen=True, slots=True)
class SizeRow:
    """One vocabulary size."""

    size: int
    """What was asked for."""
    vocab_size: int
    """What was reached: less if no pair was left to merge."""
    merges: int
    seconds: float | None
    """Time to train as far as this, from the start, counting of pairs included; None where nobody looked at a clock."""
    sequence_length: int
    """Tokens of the training text; 0 without one."""
    characters: int
    """Characters of the training text; 0 without one."""
    held_out_length: int | None
    """Tokens of the held-out text; None without one."""
    held_out_characters: int | None
    longest: tuple[tuple[int, str], ...]
    """The longest learned tokens as (id, token)."""

    @property
    def compression(self) -> float:
        """Characters per token of the training text."""
        return self.characters / self.sequence_length if self.sequence_length else 0.0

    @property
    def held_out_compression(self) -> float | None:
        """Characters per token of the held-out text."""
        if self.held_out_length is None or self.held_out_characters is None:
            return None
        return self.held_out_characters / self.held_out_length if self.held_out_length else 0.0

    def embedding_parameters(self, dimension: int, *, tied: bool) -> int:
        """Give the parameters that this vocabulary costs a model: vocabulary × embedding dimension.

        Twice that if input and output embeddings are not the same matrix (`tied`). Source: Press and Wolf 2017, "Using
        the output embedding to improve language models".
        """
        return self.vocab_size * dimension * (1 if tied else 2)

    def context_characters(self, context: int) -> float:
        """Give the characters that so many tokens cover on average, of the held-out text if there is one."""
        return context * (self.held_out_compression or self.compression)


@dataclass(frozen=True, slots=True)
class Measure:
    """A text, measured at once for all prefixes of a merge list."""

    lengths: Ints
    """Tokens after k merges, for k from 0 (`lengths_by_merge`, or of the log of a run)."""
    characters: int


def size_rows(
    dial: Dial,
    sizes: Iterable[int],
    *,
    training: Measure | None = None,
    held_out: Measure | None = None,
    seconds_at: Callable[[int], float | None] = lambda _: None,
    longest: int = 5,
) -> list[SizeRow]:
    """Give the rows of sizes, ascending, from a tokenizer at hand: nothing is trained, and no text is looked at.

    `seconds_at` tells when a merge was learned. A size that the tokenizer does not reach gives its last merge, one
    below its base vocabulary gives no merges: `vocab_size` says what the figures are of. Where the training text was
    measured only as far as an earlier merge, that merge is the last one.
    """
    most = dial.merges if training is None else min(dial.merges, len(training.lengths) - 1)
    rows = []
    for size in sorted(set(sizes)):
        merges = min(dial.merges_for(size), most)
        known = held_out is not None and merges < len(held_out.lengths)
        rows.append(
            SizeRow(
                size=size,
                vocab_size=dial.vocab_size(merges),
                merges=merges,
                seconds=seconds_at(merges),
                sequence_length=int(training.lengths[merges]) if training is not None else 0,
                characters=training.characters if training is not None else 0,
                held_out_length=int(held_out.lengths[merges]) if known and held_out is not None else None,
                held_out_characters=held_out.characters if held_out is not None else None,
                longest=tuple(dial.longest(merges, longest)),
            )
        )
    return rows


def suggested_sizes(base: int, reached: int, most: int = 7) -> list[int]:
    """Give round sizes above a base vocabulary, at most `most`: the largest of 1, 2, 3, 5, 10, 20 …, and `reached`."""
    sizes = []
    power = 1
    while power <= reached:
        sizes += [step * power for step in (1, 2, 3, 5) if base < step * power < reached]
        power *= 10
    return [*sizes[max(0, len(sizes) - most + 1) :], reached]


@dataclass(frozen=True, slots=True)
class SizeComparison:
    """The rows, smallest size first, and the largest tokenizer, of which all others are prefixes."""

    rows: tuple[SizeRow, ...]
    tokenizer: BPETokenizer
    stop_reason: StopReason | None


def compare_sizes(
    text: str,
    sizes: Iterable[int],
    *,
    held_out: str | None = None,
    base_tokens: Iterable[str] | None = None,
    minimum_pair_frequency: int = 2,
    longest: int = 5,
    report: Report = silent,
) -> SizeComparison:
    """Train once, to the largest of `sizes`, and say for each what it gives.

    Base tokens are the characters of both texts by default. Raises TextError, MissingCharactersError,
    VocabularySizeError for a size below the base vocabulary. `report` hears of merges and may raise Cancelled.
    """
    wanted = sorted(set(sizes))
    if base_tokens is None and held_out is not None:
        base_tokens = BPETokenizer.base_tokens_of(text, held_out)
    began = time.perf_counter()
    trainer = Trainer(text, wanted[0], minimum_pair_frequency, base_tokens)
    report("counting pairs", 0, 0)
    trainer.prepare()
    reached: list[tuple[int, int, int, float]] = []
    for size in wanted:
        trainer.target_vocab_size = size
        while trainer.stop_reason is None:
            trainer.advance()
            report("training", trainer.vocab_size - trainer.base_size, wanted[-1] - trainer.base_size)
        reached.append((trainer.vocab_size, trainer.log.count, trainer.sequence_length, time.perf_counter() - began))
    tokenizer = trainer.tokenizer()
    lengths = lengths_by_merge(tokenizer, held_out, report) if held_out is not None else None
    dial = Dial(tokenizer)
    rows = tuple(
        SizeRow(
            size=size,
            vocab_size=vocab_size,
            merges=merges,
            seconds=seconds,
            sequence_length=length,
            characters=len(text),
            held_out_length=int(lengths[merges]) if lengths is not None else None,
            held_out_characters=len(held_out) if held_out is not None else None,
            longest=tuple(dial.longest(merges, longest)),
        )
        for size, (vocab_size, merges, length, seconds) in zip(wanted, reached, strict=True)
    )
    return SizeComparison(rows, tokenizer, trainer.stop_reason)
