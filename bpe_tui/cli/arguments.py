"""Options that several commands share, so that the same thing has the same name and default everywhere."""

from __future__ import annotations

import argparse
from pathlib import Path

DEFAULT_TOKENIZER = Path("tokenizer/bpe_tokenizer.json")
DEFAULT_PROCESSED = Path("data/processed")
DEFAULT_ENCODED = Path("data/encoded_bpe")


def add_console(parser: argparse.ArgumentParser) -> None:
    """Add how the command speaks: `--json --quiet --ascii`."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print one JSON document on standard output")
    group.add_argument("--quiet", action="store_true", help="no progress and no remarks, only results and errors")
    # The top parser has the same option; a default here would overwrite what was said there.
    group.add_argument("--ascii", action="store_true", default=argparse.SUPPRESS, help="print nothing but ASCII")


def add_invalid(parser: argparse.ArgumentParser) -> None:
    """Add `--invalid`: what to do with bytes that are no text."""
    parser.add_argument(
        "--invalid",
        choices=("error", "replace"),
        default="error",
        help="bytes that are no text: stop and name the place, or read U+FFFD in their place (default: error)",
    )


def add_splits(parser: argparse.ArgumentParser) -> None:
    """Add `--train --val --test`: naming the splits one by one."""
    group = parser.add_argument_group("splits named one by one, instead of a folder")
    for name in ("train", "val", "test"):
        group.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"text of the {name} split")


def add_training(parser: argparse.ArgumentParser) -> None:
    """Add the settings of a training run, which `training_settings` gives. Defaults are those of `RunSettings`."""
    group = parser.add_argument_group("training")
    group.add_argument(
        "--target-vocab-size",
        type=whole_number,
        default=argparse.SUPPRESS,
        metavar="N",
        help="stop when the vocabulary holds N tokens, base tokens included (default: 500)",
    )
    group.add_argument(
        "--training-characters",
        type=characters_or_all,
        default=argparse.SUPPRESS,
        metavar="N",
        help="learn from the first N characters of the training split, or from all (default: 500000)",
    )
    group.add_argument(
        "--minimum-pair-frequency",
        type=whole_number,
        default=argparse.SUPPRESS,
        metavar="N",
        help="stop when the most frequent pair occurs fewer than N times (default: 2)",
    )


def training_settings(arguments: argparse.Namespace) -> dict[str, int | None]:
    """Give the settings of a training run that were said, by their names in `RunSettings`."""
    names = ("target_vocab_size", "training_characters", "minimum_pair_frequency")
    return {name: getattr(arguments, name) for name in names if hasattr(arguments, name)}


def add_tokenizer(parser: argparse.ArgumentParser) -> None:
    """Add `--tokenizer`: the file to encode or decode with."""
    parser.add_argument(
        "--tokenizer",
        type=Path,
        # The top parser has the same option, for the app; a default here would overwrite what was said there.
        default=argparse.SUPPRESS,
        metavar="FILE",
        help=f"tokenizer file (default: {DEFAULT_TOKENIZER})",
    )


def add_overwrite(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--overwrite`."""
    parser.add_argument("--overwrite", action="store_true", help=f"replace {what}")


def add_texts(parser: argparse.ArgumentParser) -> None:
    """Add the texts to work on: `TEXT` and `--file`."""
    parser.add_argument("text", nargs="*", metavar="TEXT", help="text; - or nothing: read standard input as UTF-8")
    parser.add_argument("--file", type=Path, metavar="FILE", help="read the text from FILE (- for standard input)")


def whole_number(text: str) -> int:
    """Give a whole number from 1 on; `500_000` and `500,000` are understood."""
    try:
        value = int(text.replace(",", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1, the least possible")
    return value


def natural_number(text: str) -> int:
    """Give a whole number from 0 on."""
    return 0 if text == "0" else whole_number(text)


def add_merges(parser: argparse.ArgumentParser) -> None:
    """Add `--merges`: working with the smaller tokenizer that the first merges make."""
    parser.add_argument(
        "--merges",
        type=natural_number,
        metavar="K",
        help="as of merge K: with the first K merges only (0: none at all)",
    )


def add_alpha(parser: argparse.ArgumentParser) -> None:
    """Add `--alpha`: the order of the Rényi efficiency."""
    parser.add_argument(
        "--alpha", type=_not_negative, default=2.5, metavar="A", help="order of the Renyi efficiency (default: 2.5)"
    )


def _not_negative(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"{text} is less than 0, the least possible")
    return value


def characters_or_all(text: str) -> int | None:
    """Give a whole number from 1 on, or None for `all`."""
    return None if text == "all" else whole_number(text)
