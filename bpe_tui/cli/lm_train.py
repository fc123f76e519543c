"""`bpe-tui lm train`, and what the other commands about models share with it: settings, device, lines of progress."""

from __future__ import annotations

import argparse
import signal
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.errors import BPEError, Cancelled
from bpe_tui.terminal import count, duration, rate

if TYPE_CHECKING:
    import torch

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console
    from bpe_tui.lm.loop import Loop
    from bpe_tui.lm.settings import Budget
    from bpe_tui.progress import Report

_SHAPE = ("block_size", "embedding_dim", "num_heads", "num_layers", "expansion_factor", "dropout")
_SETTINGS = (
    "batch_size",
    "learning_rate",
    "warm_up",
    "weight_decay",
    "gradient_clip",
    "evaluations",
    "samples",
    "seed",
)
_BUDGETS = ("minutes", "characters", "flops", "steps")


def train(arguments: argparse.Namespace, console: Console) -> None:
    """Train a model, or go on with it."""
    from bpe_tui.cli.inputs import load_tokenizer
    from bpe_tui.cli.interrupts import Interrupted
    from bpe_tui.cli.work import run_job
    from bpe_tui.lm.data import open_data
    from bpe_tui.lm.run_folder import RunFolder
    from bpe_tui.lm.settings import TrainingSettings

    folder: Path = arguments.out
    _refuse_changes(arguments)
    # Before torch is loaded, which takes its time.
    RunFolder(folder).check(resume=arguments.go_on, overwrite=arguments.overwrite)
    tokenizer = load_tokenizer(arguments.tokenizer, console)
    data = open_data(arguments.data, tokenizer, arguments.tokenizer)
    settings = TrainingSettings(budget=budget(arguments), **said(arguments, _SETTINGS))
    lines = TrainingLines(console)
    running: list[Loop] = []
    failures: list[BPEError] = []

    def work(report: Report) -> dict[str, Any]:
        report("loading torch", 0, 0)
        from bpe_tui.lm.runs import begin_run, resume_run

        device = choose(arguments)
        report("reading the data", 0, 0)
        if arguments.go_on:
            loop = resume_run(data, folder, device=device, report=report, observe=lines.take)
        else:
            loop = begin_run(
                data,
                folder,
                said(arguments, _SHAPE),
                settings,
                overwrite=arguments.overwrite,
                device=device,
                report=report,
                observe=lines.take,
            )
        running.append(loop)
        lines.announce(loop)
        try:
            return loop.run()
        except Cancelled:
            raise
        except BPEError as error:
            failures.append(error)
            raise

    def kept() -> str:
        step = running[0].training.progress.step
        return f"the training is kept in {folder} at step {step:,}; give --resume to go on"

    try:
        result = run_job(console, "training", work, lines.say)
    except KeyboardInterrupt as interrupt:
        if failures:
            # Whoever interrupts must not be told that something is kept when it could not be written.
            raise failures[0] from None
        if running:
            interrupt.args = (kept(),)
        raise
    except Cancelled:
        # Somebody asked for it by way of the folder: it ends as by a polite signal.
        raise Interrupted(signal.SIGTERM, kept()) from None
    training = running[0].training
    progress = training.progress
    console.say(
        f"trained {count(progress.step)} steps on {count(progress.characters)} characters in "
        f"{duration(progress.seconds)}; saved {console.message(running[0].folder.checkpoint)}"
    )
    if "validation" in result:
        say_evaluation("val", result["validation"], console)
    console.document(
        {
            "folder": str(folder),
            "fingerprint": data.fingerprint,
            "vocab_size": data.vocab_size,
            "embedding_parameters": training.config.embedding_parameters,
            "other_parameters": training.config.other_parameters,
            "settings": training.settings.as_dict(),
            **result,
        }
    )


def said(arguments: argparse.Namespace, names: tuple[str, ...]) -> dict[str, Any]:
    """Give those of the named options that were said."""
    return {name: getattr(arguments, name) for name in names if hasattr(arguments, name)}


def shape_and_settings(arguments: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give what was said of the model and of its training."""
    return said(arguments, _SHAPE), said(arguments, _SETTINGS)


def budget(arguments: argparse.Namespace) -> Budget:
    """Give the budget that the arguments name. Raises ModelSettingsError."""
    from bpe_tui.cli.lm import DEFAULT_MINUTES
    from bpe_tui.lm.settings import Budget, BudgetKind

    if arguments.steps is not None:
        return Budget(BudgetKind.STEPS, arguments.steps)
    if arguments.characters is not None:
        return Budget(BudgetKind.CHARACTERS, arguments.characters)
    if arguments.flops is not None:
        return Budget(BudgetKind.FLOPS, arguments.flops)
    minutes = DEFAULT_MINUTES if arguments.minutes is None else arguments.minutes
    return Budget(BudgetKind.SECONDS, 60.0 * minutes)


def choose(arguments: argparse.Namespace) -> torch.device:
    """Give the device that the arguments name, after setting the threads. Raises ModelSettingsError."""
    import torch

    from bpe_tui.lm.devices import choose_device

    if arguments.threads is not None:
        torch.set_num_threads(arguments.threads)
    return choose_device(arguments.device)


def tokenizer_beside(arguments: argparse.Namespace, console: Console) -> tuple[BPETokenizer, Path | None]:
    """Give the tokenizer that was named or, if none was, the one that a training keeps beside its checkpoint."""
    from bpe_tui.cli.inputs import load_tokenizer
    from bpe_tui.lm.run_folder import TOKENIZER_NAME

    path: Path | None = arguments.tokenizer
    if path is None:
        place: Path = arguments.checkpoint
        kept = (place if place.is_dir() else place.parent) / TOKENIZER_NAME
        path = kept if kept.is_file() else None
    return load_tokenizer(path, console), path


def say_evaluation(split: str, figures: dict[str, Any], console: Console, *, answer: bool = False) -> None:
    """Print what a whole split costs."""
    line = console.answer if answer else console.say
    line(
        f"{split}: {figures['bits_per_character']:.4f} bits per character, {figures['bits_per_byte']:.4f} per byte; "
        f"loss {figures['loss']:.4f} nats per token, perplexity {figures['perplexity']:,.2f}"
    )
    line(
        f"{'':<{len(split) + 1}} all {figures['tokens']:,} tokens of {figures['characters']:,} characters, "
        f"in windows of {figures['window']:,} that move on by {figures['stride']:,}"
    )


class TrainingLines:
    """Lines about a training: taken in its thread, printed in the main one."""

    interval = 10.0
    """Seconds after which a line is due, should nothing else happen."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._waiting: deque[str] = deque()
        self._loss = ""
        self._said = time.monotonic()

    def announce(self, loop: Loop) -> None:
        """Say what is trained."""
        training = loop.training
        config, progress = training.config, training.progress
        self._waiting.append(
            f"model: {config.embedding_parameters:,} parameters in embeddings and "
            f"{config.other_parameters:,} elsewhere, "
            f"{config.vocab_size:,} tokens, windows of {config.block_size:,}, on {training.device}"
        )
        going_on = f"; going on from step {progress.step:,}" if progress.step else ""
        self._waiting.append(f"budget: {training.settings.budget.describe()}{going_on}")

    def take(self, entry: dict[str, Any], name: str = "") -> None:
        """Take a line of metrics."""
        at = f"{name}step {entry['step']:,} ({100 * entry['fraction']:.0f}%)"
        if entry["kind"] == "train":
            eta = entry["seconds"] * (1.0 - entry["fraction"]) / entry["fraction"] if entry["fraction"] else None
            self._loss = (
                f"loss {entry['loss']:.3f}  {rate(entry['tokens_per_second'], 'tokens')}  "
                f"{rate(entry['characters_per_second'], 'characters')}  ETA {duration(eta)}"
            )
            if time.monotonic() - self._said >= self.interval:
                self._line(f"{at}  {self._loss}")
        elif entry["kind"] == "validation":
            measured = f"val {entry['loss']:.3f}  {entry['bits_per_character']:.3f} bits per character"
            self._line(f"{at}  {measured}  {self._loss}".rstrip())
        elif entry["kind"] == "sample":
            self._line(f"{at}  sample:")
            for line in entry["text"].split("\n"):
                self._line(f"  | {self._console.message(line)}")

    def say(self) -> None:
        """Print what was taken."""
        while self._waiting:
            self._console.say(self._waiting.popleft())

    def _line(self, line: str) -> None:
        self._said = time.monotonic()
        self._waiting.append(line)


def _refuse_changes(arguments: argparse.Namespace) -> None:
    """Raise UsageError when `--resume` comes with what only a new training can have."""
    from bpe_tui.cli.failures import UsageError

    if not arguments.go_on:
        return
    changed = [*said(arguments, _SHAPE + _SETTINGS)]
    changed += [name for name in _BUDGETS if getattr(arguments, name) is not None]
    if changed:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in changed)
        raise UsageError(
            f"a training goes on as it was set up, with its own {options}; leave that out, or "
            "train anew in another --out"
        )
    if arguments.overwrite:
        raise UsageError("--resume goes on with a training, --overwrite throws it away; give one of them")
