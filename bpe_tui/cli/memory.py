"""What a run will take of memory, said before it begins; and one that does not fit is not begun."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bpe_tui.errors import BPEError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_tui.cli.console import Console
    from bpe_tui.corpus import Splits
    from bpe_tui.session.memory import Fitting, MemoryEstimate, MemoryEstimator
    from bpe_tui.session.run import Run
    from bpe_tui.session.settings import RunSettings


_BLOCKS_MEMORY = 150_000_000
"""Bytes that encoding takes at the most where a text can be encoded in parts, measured."""


class NotEnoughMemoryError(BPEError):
    """A run that takes more memory than is free."""


def add_memory(parser: argparse.ArgumentParser) -> None:
    """Add `--ignore-memory`: beginning a run that may not fit."""
    parser.add_argument(
        "--ignore-memory",
        action="store_true",
        help="begin the run even if its estimate says that it takes more memory than is free",
    )


def check_run(
    arguments: argparse.Namespace, console: Console, run: Run, *, fixed: bool = False, after: int = 0
) -> MemoryEstimate:
    """Do for a run over a corpus what `check_memory` does; `after` is as `MemoryEstimator` has it."""
    from bpe_tui.corpus import SplitText
    from bpe_tui.session import kinds
    from bpe_tui.session.memory import MemoryEstimator

    def base_size(settings: RunSettings) -> int:
        return len(kinds.base_tokens(settings, run.splits))

    train = run.splits.train
    text = train.text if isinstance(train, SplitText) else train.source
    estimator = MemoryEstimator(text, base_size, after=after)
    return check_memory(arguments, console, estimator, run.settings, fixed=fixed)


def check_memory(
    arguments: argparse.Namespace,
    console: Console,
    estimator: MemoryEstimator,
    settings: RunSettings,
    *,
    fixed: bool = False,
    other_kinds: bool = True,
    remark: bool = False,
) -> MemoryEstimate:
    """Print what a run takes at its peak and what is free, and give it.

    Raises NotEnoughMemoryError, which names what would fit, unless `--ignore-memory` was said. With `fixed` settings
    nothing else is offered, without `other_kinds` no other alphabet. As a `remark` it does not mix with the answer.
    """
    from bpe_tui.cli.work import run_job
    from bpe_tui.terminal import bytes_size

    found = run_job(console, "estimating memory", lambda report: estimator.estimate(settings, report))
    free = "what is free is not known" if found.free is None else f"{bytes_size(found.free)} are free"
    (console.note if remark else console.say)(
        f"memory: about {bytes_size(found.peak)} at the peak, {bytes_size(found.run)} of it for this run; {free}"
    )
    if found.free is not None and not found.fits and not arguments.ignore_memory:
        free_bytes = found.free
        offers: Sequence[Fitting] = ()
        if not fixed:
            offers = run_job(
                console,
                "estimating memory",
                lambda report: estimator.what_fits(settings, free_bytes, other_kinds=other_kinds, report=report),
            )
        raise NotEnoughMemoryError(_refusal(found, settings, offers))
    return found


def memory_figures(found: MemoryEstimate) -> dict[str, Any]:
    """Give an estimate as JSON values."""
    return {
        "estimated_peak_bytes": found.peak,
        "estimated_run_bytes": found.run,
        "free_bytes": found.free,
        "fits": found.fits,
    }


def encoding_memory(splits: Splits, settings: RunSettings) -> int:
    """Give the bytes that encoding all splits takes: ids, what they are decoded to and copies of the text, measured."""
    whole = 14 * sum(len(split.text) for split in splits)
    in_one = settings.kind == "byte_bpe" and settings.splitting_rule().name in ("none", "pattern")
    return whole if in_one else min(whole, _BLOCKS_MEMORY)


def _refusal(found: MemoryEstimate, settings: RunSettings, offers: Sequence[Fitting]) -> str:
    from bpe_tui.terminal import bytes_size

    cures = []
    for offer in offers:
        if offer.settings.alphabet is settings.alphabet:
            option = f"--training-characters {offer.settings.training_characters}"
        else:
            option = f"--alphabet {offer.settings.alphabet} --split {offer.settings.split}"
        cures.append(f"{option} (about {bytes_size(offer.run)})")
    what = f"what would fit: {', or '.join(cures)}" if cures else "end other programs, or use a machine with more"
    return (
        f"this run takes about {bytes_size(found.run)} of memory and {bytes_size(found.free)} are free; {what}; "
        "--ignore-memory begins it all the same"
    )
