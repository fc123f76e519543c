"""What a comparison of tokenizers came to: one result a run, one row a tokenizer, one chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from bpe_tui.lm.chart import Line, line_chart
from bpe_tui.lm.settings import BudgetKind

_AXES = {
    BudgetKind.STEPS: ("training steps", 1.0),
    BudgetKind.CHARACTERS: ("characters seen in training", 1.0),
    BudgetKind.SECONDS: ("minutes of training", 60.0),
    BudgetKind.FLOPS: ("floating-point operations of training (estimate)", 1.0),
}


@dataclass(frozen=True, slots=True)
class RunResult:
    """One training of a comparison; the costs are those of the whole test split."""

    contender: str
    seed: int
    fingerprint: str
    vocab_size: int
    embedding_parameters: int
    other_parameters: int
    steps: int
    tokens: int
    """Seen in training."""
    characters: int
    """Seen in training."""
    seconds: float
    """Spent on training steps."""
    flops: int
    """Spent in training, estimated."""
    loss: float
    perplexity: float
    bits_per_character: float
    bits_per_byte: float
    characters_per_token: float
    characters_per_window: float
    generated_characters_per_second: float
    curve: list[dict[str, float]] = field(default_factory=list)
    """Bits per character of the beginning of the validation split, as training went on."""


@dataclass(frozen=True, slots=True)
class Row:
    """A tokenizer with what its runs came to on average over the seeds."""

    contender: str
    seeds: int
    vocab_size: int
    embedding_parameters: int
    other_parameters: int
    steps: int
    characters: int
    seconds: float
    flops: float
    bits_per_character: float
    lowest: float
    """The least bits per character of any seed."""
    highest: float
    bits_per_byte: float
    loss: float
    characters_per_token: float
    characters_per_window: float
    generated_characters_per_second: float


def summarise(results: Sequence[RunResult]) -> list[Row]:
    """Give a row for each tokenizer, in the order of their first runs."""
    rows = []
    for runs in _by_contender(results).values():
        bits = [run.bits_per_character for run in runs]
        rows.append(
            Row(
                contender=runs[0].contender,
                seeds=len(runs),
                vocab_size=runs[0].vocab_size,
                embedding_parameters=runs[0].embedding_parameters,
                other_parameters=runs[0].other_parameters,
                steps=round(fmean(run.steps for run in runs)),
                characters=round(fmean(run.characters for run in runs)),
                seconds=fmean(run.seconds for run in runs),
                flops=fmean(run.flops for run in runs),
                bits_per_character=fmean(bits),
                lowest=min(bits),
                highest=max(bits),
                bits_per_byte=fmean(run.bits_per_byte for run in runs),
                loss=fmean(run.loss for run in runs),
                characters_per_token=runs[0].characters_per_token,
                characters_per_window=runs[0].characters_per_window,
                generated_characters_per_second=fmean(run.generated_characters_per_second for run in runs),
            )
        )
    return rows


def comparison_chart(corpus: str, kind: BudgetKind, results: Sequence[RunResult]) -> str:
    """Give an SVG of bits per character against what the runs share: one line a tokenizer, with the range of seeds."""
    label, scale = _AXES[kind]
    lines = []
    for name, runs in _by_contender(results).items():
        # Seeds are measured at the same shares of the budget; one that was cut off early has fewer points.
        moments = list(zip(*(run.curve for run in runs), strict=False))
        lines.append(
            Line(
                label=name,
                points=[
                    (
                        fmean(point[kind.value] for point in moment) / scale,
                        fmean(point["bits_per_character"] for point in moment),
                    )
                    for moment in moments
                ],
                low=[min(point["bits_per_character"] for point in moment) for moment in moments],
                high=[max(point["bits_per_character"] for point in moment) for moment in moments],
            )
        )
    return line_chart(f"{corpus}: what a character costs", label, "bits per character (validation)", lines)


def _by_contender(results: Sequence[RunResult]) -> dict[str, list[RunResult]]:
    groups: dict[str, list[RunResult]] = {}
    for result in results:
        groups.setdefault(result.contender, []).append(result)
    return groups
