"""`bpe-tui lm`: a small GPT on encoded splits. Train it, measure it, sample from it, and compare tokenizers by it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from bpe_tui.cli.arguments import (
    DEFAULT_ENCODED,
    add_console,
    add_invalid,
    add_overwrite,
    add_splits,
    characters_or_all,
    whole_number,
)

DEFAULT_RUN = Path("checkpoints/bpe")
DEFAULT_COMPARISON = Path("comparisons/lm")
DEFAULT_MINUTES = 10.0
DEFAULT_SIZES = "characters,300,500,1000,8000"


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "lm",
        help="train a small GPT on encoded splits, measure it, sample from it, compare tokenizers by it",
        description="Train a small GPT on encoded splits, measure it, sample from it, and compare tokenizers by it.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(parser))
    _add_train(actions)
    _add_eval(actions)
    _add_sample(actions)
    _add_compare(actions)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    # torch's threads wait for each other by spinning: on a machine that has other work too, that makes a training ten
    # times slower and everything beside it as well. It has to be said before torch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from bpe_tui.cli import lm_compare, lm_measure, lm_train
    from bpe_tui.cli.console import Console

    actions = {
        "train": lm_train.train,
        "eval": lm_measure.evaluate,
        "sample": lm_measure.sample,
        "compare": lm_compare.compare,
    }
    actions[arguments.action](arguments, Console(arguments))
    return 0


def _add_train(actions: Any) -> None:
    parser = actions.add_parser(
        "train",
        help="train a model",
        description=(
            "Train a MiniGPT on encoded splits. The folder given with --out gets checkpoint, metrics (one JSON object "
            "a line) and status; an interrupted training goes on with --resume, to the same numbers."
        ),
    )
    _add_data(parser)
    _add_tokenizer(parser, "the tokenizer that encoded the data (default: tokenizer/bpe_tokenizer.json)")
    parser.add_argument(
        "--out", type=Path, default=DEFAULT_RUN, metavar="DIR", help=f"folder to write (default: {DEFAULT_RUN})"
    )
    parser.add_argument(
        "--resume", dest="go_on", action="store_true", help="go on with the training in --out, as it was set up"
    )
    _add_budget(parser, flops=True)
    parser.add_argument("--seed", type=not_negative, default=argparse.SUPPRESS, metavar="N", help="seed (default: 0)")
    _add_model(parser)
    _add_settings(parser)
    add_overwrite(parser, "the training in --out, if there is one")
    _add_device(parser)
    add_console(parser)


def _add_eval(actions: Any) -> None:
    parser = actions.add_parser(
        "eval",
        help="measure a model on a whole split",
        description=(
            "Measure a model on a whole split: loss per token, perplexity, bits per character and per byte. All tokens "
            "count; the first one, which nothing comes before, as if all tokens were equally likely."
        ),
    )
    _add_checkpoint(parser)
    _add_data(parser)
    _add_tokenizer(parser, "the tokenizer (default: the one kept beside the checkpoint)")
    parser.add_argument(
        "--split", choices=("train", "val", "test"), default="test", help="split to measure (default: test)"
    )
    parser.add_argument(
        "--stride",
        type=whole_number,
        metavar="N",
        help="tokens by which the window moves on (default: half the block size)",
    )
    parser.add_argument(
        "--batch-size", type=whole_number, default=32, metavar="N", help="windows at a time; changes no figure"
    )
    _add_device(parser)
    add_console(parser)


def _add_sample(actions: Any) -> None:
    parser = actions.add_parser(
        "sample",
        help="let a model write",
        description="Let a model go on from a prompt. The text comes as it is written, never half a character.",
    )
    _add_checkpoint(parser)
    _add_tokenizer(parser, "the tokenizer (default: the one kept beside the checkpoint)")
    parser.add_argument("--prompt", default="", metavar="TEXT", help="text to go on from (default: a new line)")
    parser.add_argument("--tokens", type=whole_number, default=200, metavar="N", help="at most N tokens (default: 200)")
    parser.add_argument(
        "--temperature",
        type=_number,
        default=0.8,
        metavar="T",
        help="0: always the likeliest token; 1: as likely as the model says (default: 0.8)",
    )
    parser.add_argument("--top-k", type=whole_number, metavar="K", help="only the K likeliest tokens")
    parser.add_argument("--top-p", type=_number, metavar="P", help="only the likeliest tokens that reach probability P")
    parser.add_argument("--stop", metavar="TEXT", help="end before this text")
    parser.add_argument("--seed", type=not_negative, default=0, metavar="N", help="seed (default: 0)")
    _add_device(parser)
    add_console(parser)


def _add_compare(actions: Any) -> None:
    parser = actions.add_parser(
        "compare",
        help="compare tokenizers by the models trained on them",
        description=(
            "Train the same model on the same text with several tokenizers, each with the same budget: characters seen "
            "(--characters), time (--minutes) or estimated compute (--flops). Writes comparison.json and "
            "comparison.svg. What is done already is not done again."
        ),
    )
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        metavar="CORPUS",
        help="folder with splits, one text file, or the name of a shipped corpus (default: the first of those)",
    )
    add_splits(parser)
    add_invalid(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=DEFAULT_COMPARISON,
        metavar="DIR",
        help=f"folder to write (default: {DEFAULT_COMPARISON})",
    )
    parser.add_argument(
        "--sizes",
        type=_sizes,
        default=_sizes(DEFAULT_SIZES),
        metavar="N,N,...",
        help=f"vocabulary sizes; `characters` for no merges at all (default: {DEFAULT_SIZES})",
    )
    parser.add_argument(
        "--seeds",
        type=whole_number,
        default=1,
        metavar="N",
        help="train each so often, with seeds 0, 1, ... (default: 1)",
    )
    parser.add_argument(
        "--training-characters",
        type=characters_or_all,
        default=None,
        metavar="N",
        help="learn merges from the first N characters of the training split (default: all)",
    )
    _add_budget(parser, flops=True)
    _add_model(parser)
    _add_settings(parser)
    add_overwrite(parser, "the comparison in --out, if there is one")
    _add_device(parser)
    add_console(parser)


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=DEFAULT_ENCODED,
        metavar="DIR",
        help=f"folder with encoded splits (default: {DEFAULT_ENCODED})",
    )


def _add_checkpoint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--checkpoint",
        type=Path,
        default=DEFAULT_RUN,
        metavar="PATH",
        help=f"folder of a training, or a checkpoint in it (default: {DEFAULT_RUN})",
    )


def _add_tokenizer(parser: argparse.ArgumentParser, what: str) -> None:
    # The top parser has the same option, for the app; a default here would overwrite what was said there.
    parser.add_argument("--tokenizer", type=Path, default=argparse.SUPPRESS, metavar="FILE", help=what)


def _add_budget(parser: argparse.ArgumentParser, *, flops: bool) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--minutes", type=_number, metavar="M", help=f"train for M minutes (default: {DEFAULT_MINUTES:g})"
    )
    group.add_argument("--characters", type=whole_number, metavar="N", help="train on N characters of text")
    if flops:
        group.add_argument("--flops", type=_number, metavar="N", help="train for N floating-point operations (1e15)")
    group.add_argument("--steps", type=whole_number, metavar="N", help="train for N steps")


def _add_model(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("model")
    for name, default, what in (
        ("block-size", 128, "tokens of context"),
        ("embedding-dim", 128, "width"),
        ("num-heads", 4, "attention heads"),
        ("num-layers", 4, "layers"),
        ("expansion-factor", 4, "how many times wider the feed-forward layers are"),
    ):
        group.add_argument(
            f"--{name}", type=whole_number, default=argparse.SUPPRESS, metavar="N", help=f"{what} (default: {default})"
        )
    group.add_argument("--dropout", type=_number, default=argparse.SUPPRESS, metavar="P", help="(default: 0.1)")


def _add_settings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("training")
    for name, kind, default, what in (
        ("batch-size", whole_number, "32", "windows a step"),
        ("learning-rate", _number, "0.001", "the highest learning rate"),
        ("warm-up", _number, "0.05", "share of the budget in which it rises"),
        ("weight-decay", _number, "0.1", "of matrices"),
        ("gradient-clip", _number, "1", "largest norm of all gradients together"),
        ("evaluations", not_negative, "20", "how often the validation loss is measured"),
        ("samples", not_negative, "5", "how often a sample is written"),
    ):
        group.add_argument(
            f"--{name}",
            type=kind,
            default=argparse.SUPPRESS,
            metavar="N" if kind is not _number else "X",
            help=f"{what} (default: {default})",
        )


def _add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device", choices=("auto", "cpu", "cuda", "mps"), default="auto", help="what computes (default: the fastest)"
    )
    parser.add_argument("--threads", type=whole_number, metavar="N", help="processor threads to use (default: torch's)")


def not_negative(text: str) -> int:
    """Give a whole number from 0 on."""
    return 0 if text == "0" else whole_number(text)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 on")
    return value


def _sizes(text: str) -> tuple[int | None, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    return tuple(None if word == "characters" else whole_number(word) for word in words)
