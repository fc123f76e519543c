"""`bpe-tui lm compare`: was the tokenizer worth it?"""

from __future__ import annotations

import argparse
import signal
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.interrupts import Interrupted
from bpe_tui.cli.lm_train import TrainingLines, budget, choose, shape_and_settings
from bpe_tui.errors import Cancelled
from bpe_tui.terminal import count, duration, short_count

if TYPE_CHECKING:
    from bpe_tui.cli.console import Console
    from bpe_tui.lm.comparison import Comparison
    from bpe_tui.lm.results import RunResult
    from bpe_tui.progress import Report


def compare(arguments: argparse.Namespace, console: Console) -> None:
    """Train the same model with several tokenizers and hold them against each other."""
    from bpe_tui.cli.figures import say_splits
    from bpe_tui.cli.inputs import load_splits
    from bpe_tui.cli.work import compile_kernels, run_job
    from bpe_tui.lm.settings import TrainingSettings

    shape, said = shape_and_settings(arguments)
    # Nobody reads what models write of which there are many.
    settings = TrainingSettings(budget=budget(arguments), **{"samples": 0, **said})
    splits = load_splits(arguments, _corpus(arguments), console)
    say_splits(splits, console)
    compile_kernels(console, "characters")
    lines = _Lines(console)

    def work(report: Report) -> Comparison:
        report("loading torch", 0, 0)
        from bpe_tui.lm.comparison import ComparisonPlan
        from bpe_tui.lm.comparison import compare as run

        plan = ComparisonPlan(
            sizes=arguments.sizes,
            seeds=tuple(range(arguments.seeds)),
            settings=settings,
            shape=shape,
            training_characters=arguments.training_characters,
        )
        return run(
            plan,
            splits,
            arguments.out,
            overwrite=arguments.overwrite,
            device=choose(arguments),
            report=report,
            observe=lines.take,
            finished=lines.finished,
        )

    kept = f"what is done is kept in {arguments.out}; give the same command again to go on"
    try:
        comparison = run_job(console, "comparing", work, lines.say)
    except KeyboardInterrupt as interrupt:
        interrupt.args = (kept,)
        raise
    except Cancelled:
        # Somebody asked one of the trainings to stop, by way of its folder.
        raise Interrupted(signal.SIGTERM, kept) from None
    _answer(comparison, settings.budget.describe(), console)
    console.document(comparison.document)


def _corpus(arguments: argparse.Namespace) -> Path | None:
    """Give the corpus that was named: a path, or the name of one that is shipped; the first of those for none."""
    from bpe_tui.corpus import by_name, shipped

    path: Path | None = arguments.path or arguments.corpus
    if path is not None:
        return by_name(path)
    if not (arguments.train or arguments.val or arguments.test):
        return shipped()[0].path
    return path


class _Lines:
    """Lines about the trainings, and one about each that is done."""

    def __init__(self, console: Console) -> None:
        self._lines = TrainingLines(console)
        self._console = console
        self._done: deque[str] = deque()

    def take(self, contender: str, seed: int, entry: dict[str, Any]) -> None:
        """Take a line of metrics; samples would only be in the way."""
        if entry["kind"] != "sample":
            self._lines.take(entry, f"{contender}, seed {seed}: ")

    def finished(self, result: RunResult) -> None:
        """Take a run that is done."""
        self._done.append(
            f"{result.contender}, seed {result.seed}: {result.bits_per_character:.4f} bits per character on the test "
            f"split after {count(result.steps)} steps in {duration(result.seconds)}"
        )

    def say(self) -> None:
        """Print what was taken."""
        self._lines.say()
        while self._done:
            self._console.say(self._done.popleft())


_COLUMNS = (
    ("tokenizer", 12),
    ("bits/char", 16),
    ("bits/byte", 9),
    ("vocab", 7),
    ("params emb", 10),
    ("other", 7),
    ("steps", 8),
    ("chars seen", 10),
    ("time", 12),
    ("FLOPs", 8),
    ("chars/window", 12),
    ("chars/s gen", 11),
)


def _answer(comparison: Comparison, equal: str, console: Console) -> None:
    console.answer(f"every tokenizer had {equal}; bits per character and byte are those of the whole test split")
    console.answer(
        "  ".join(f"{name:<{width}}" if not i else f"{name:>{width}}" for i, (name, width) in enumerate(_COLUMNS))
    )
    for row in comparison.document["summary"]:
        half = (row["highest"] - row["lowest"]) / 2
        spread = (
            f" ±{half:.4f}" if row["seeds"] > 1 and not console.ascii_only else f" +-{half:.4f}" * (row["seeds"] > 1)
        )
        cells = (
            row["contender"],
            f"{row['bits_per_character']:.4f}{spread}",
            f"{row['bits_per_byte']:.4f}",
            count(row["vocab_size"]),
            short_count(row["embedding_parameters"]),
            short_count(row["other_parameters"]),
            count(row["steps"]),
            short_count(row["characters"]),
            duration(row["seconds"]),
            f"{row['flops']:.2e}",
            f"{row['characters_per_window']:.0f}",
            f"{row['generated_characters_per_second']:.0f}",
        )
        console.answer(
            "  ".join(
                f"{cell:<{width}}" if not i else f"{cell:>{width}}"
                for i, (cell, (_, width)) in enumerate(zip(cells, _COLUMNS, strict=True))
            )
        )
    if any(row["seeds"] > 1 for row in comparison.document["summary"]):
        console.answer("the figure after the bits is half the distance between the best and the worst seed")
    console.answer(f"chart: {console.message(comparison.folder / 'comparison.svg')}")
