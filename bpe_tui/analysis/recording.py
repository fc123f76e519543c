"""A training run with a clock beside it, for the curves of a run that is not shown live."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bpe_tui.analysis.curves import Curve, compression_curve, frequency_curve, speed_curve
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.trainer import Trainer
from bpe_tui.progress import Report, silent


@dataclass(frozen=True, slots=True)
class Recording:
    """What training left behind."""

    tokenizer: BPETokenizer
    lengths: npt.NDArray[np.int64]
    """Tokens of the text after k merges, for every k from 0."""
    frequencies: npt.NDArray[np.int64]
    """How often each pair stood in the text when it was merged."""
    samples: tuple[tuple[float, int], ...]
    """(seconds since the pairs were counted, merges by then)."""

    def curves(self, characters: int) -> list[Curve]:
        """Give the curves of the run on its text of so many characters."""
        return [
            compression_curve(self.lengths, characters),
            frequency_curve(self.frequencies),
            speed_curve(self.samples),
        ]


def record(
    text: str,
    target_vocab_size: int,
    minimum_pair_frequency: int = 2,
    base_tokens: Iterable[str] | None = None,
    report: Report = silent,
) -> Recording:
    """Train as `Trainer` does, and keep the log and the time.

    Raises what `Trainer` raises; `report` may raise Cancelled.
    """
    trainer = Trainer(text, target_vocab_size, minimum_pair_frequency, base_tokens)
    report("counting pairs", 0, 0)
    trainer.prepare()
    began = time.perf_counter()
    samples = [(0.0, 0)]
    step = max(1, (target_vocab_size - trainer.base_size) // 500)
    while trainer.stop_reason is None:
        trainer.advance(max_merges=step)
        report("training", trainer.log.count, target_vocab_size - trainer.base_size)
        samples.append((time.perf_counter() - began, trainer.log.count))
    log = trainer.log
    lengths = np.concatenate([np.array([trainer.initial_length], np.int64), log.length[: log.count]])
    return Recording(trainer.tokenizer(), lengths, log.frequency[: log.count].copy(), tuple(samples))
