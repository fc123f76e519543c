"""Options that several commands share, so that the same thing has the same name and default everywhere."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bpe_tui.session.settings import RunSettings

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

    add_kind(parser)


def add_kind(parser: argparse.ArgumentParser) -> None:
    """Add what is trained: `--alphabet --split --pattern --ties --punctuation --marker --special`."""
    group = parser.add_argument_group("kind of tokenizer")
    group.add_argument(
        "--alphabet",
        choices=("characters", "words", "bytes"),
        default=argparse.SUPPRESS,
        help="what is merged: characters of the whole text, of words, or the bytes of pieces (default: characters)",
    )
    group.add_argument(
        "--split",
        default=argparse.SUPPRESS,
        metavar="RULE",
        help="bytes: how text is cut into pieces: none, whitespace, gpt2, cl100k, o200k, llama3, qwen2 (default: gpt2)",
    )
    group.add_argument(
        "--pattern",
        default=argparse.SUPPRESS,
        metavar="REGEX",
        help="bytes: a regular expression whose matches are the pieces, instead of a named rule",
    )
    add_ties(group)
    group.add_argument(
        "--punctuation",
        choices=("keep", "separate"),
        default=argparse.SUPPRESS,
        help="words: punctuation stays part of words, or each character of it is a word (default: keep)",
    )
    group.add_argument(
        "--marker",
        choices=("own", "glued"),
        default=argparse.SUPPRESS,
        help="words: </w> is a symbol of its own, or part of the last character as in subword-nmt (default: own, but "
        "glued with lexicographic ties)",
    )
    group.add_argument(
        "--special",
        dest="special_tokens",
        action="append",
        default=argparse.SUPPRESS,
        metavar="TOKEN",
        help="words, bytes: a special token, such as '<|endoftext|>'; may be repeated",
    )


def add_ties(group: Any) -> None:
    """Add `--ties`: which of several equally frequent pairs is merged."""
    group.add_argument(
        "--ties",
        choices=("first", "lowest-id", "bytes", "lexicographic"),
        default=argparse.SUPPRESS,
        help="of equally frequent pairs merge the one met first, the one with the lowest ids (as tokenizers does; for "
        "raw bytes as rustbpe does: bytes), or with the largest strings (as subword-nmt does); default: first, with "
        "bytes lowest-id",
    )


_SETTINGS = (
    "target_vocab_size",
    "training_characters",
    "minimum_pair_frequency",
    "alphabet",
    "split",
    "pattern",
    "ties",
    "punctuation",
    "marker",
    "special_tokens",
)


def training_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Give the settings of a training run that were said, by their names in `RunSettings`."""
    said = {name: getattr(arguments, name) for name in _SETTINGS if hasattr(arguments, name)}
    if "special_tokens" in said:
        said["special_tokens"] = tuple(said["special_tokens"])
    return said


def run_settings(arguments: argparse.Namespace) -> RunSettings:
    """Give the settings of a training run. Raises UsageError for such that do not go together."""
    from bpe_tui.cli.failures import UsageError
    from bpe_tui.session.settings import RunSettings, SettingsError

    try:
        return RunSettings(**training_settings(arguments))
    except SettingsError as error:
        raise UsageError(str(error)) from None


def add_special_policy(parser: argparse.ArgumentParser) -> None:
    """Add `--special-policy`: what special tokens in a text are."""
    parser.add_argument(
        "--special-policy",
        choices=("text", "special", "error"),
        default="text",
        help="special tokens in the text are ordinary text, their own ids, or an error (default: text)",
    )


def add_tokenizer(parser: argparse.ArgumentParser) -> None:
    """Add `--tokenizer`: the file to encode or decode with."""
    parser.add_argument(
        "--tokenizer",
        type=Path,
        # The top parser has the same option, for the app; a default here would overwrite what was said there.
        default=argparse.SUPPRESS,
        metavar="FILE",
        help=f"tokenizer file; FILE@RULE names the splitting rule if the file does not (default: {DEFAULT_TOKENIZER})",
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
