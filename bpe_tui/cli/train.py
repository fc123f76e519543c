"""`bpe-tui train`: a corpus in, a tokenizer file out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import (
    DEFAULT_TOKENIZER,
    add_console,
    add_invalid,
    add_overwrite,
    add_splits,
    add_training,
)

if TYPE_CHECKING:
    from bpe_tui.cli.console import Console
    from bpe_tui.corpus import Splits
    from bpe_tui.session.run import Run

_DESCRIPTION = """Train a character BPE tokenizer. Base tokens are the characters of all splits; merges are learned from
the beginning of the training split."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("train", help="train a tokenizer and save it", description=_DESCRIPTION)
    parser.add_argument("corpus", nargs="?", type=Path, metavar="CORPUS", help="folder with splits, or one text file")
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        default=DEFAULT_TOKENIZER,
        metavar="FILE",
        help=f"tokenizer file to write (default: {DEFAULT_TOKENIZER})",
    )
    add_training(parser)
    add_splits(parser)
    add_invalid(parser)
    add_overwrite(parser, "the file of another tokenizer")
    group = parser.add_argument_group("going on later")
    group.add_argument(
        "--checkpoint", type=Path, metavar="FILE", help="when interrupted, leave FILE to resume from"
    )
    group.add_argument(
        "--resume", type=Path, metavar="FILE", help="go on from a checkpoint; its settings count, a larger target may be given"
    )
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.figures import MergeLines, say_splits, say_training, splits_figures, training_figures
    from bpe_tui.cli.outputs import check_place, save_tokenizer
    from bpe_tui.cli.work import compile_kernels, train

    console = Console(arguments)
    check_place(arguments.output)
    splits, training = _prepare(arguments, console)
    say_splits(splits, console)
    compile_kernels(console)
    console.say(f"base vocabulary: {len(training.base_characters()):,} tokens")
    try:
        end = train(console, training, MergeLines(console))
    except KeyboardInterrupt as interrupt:
        keep_checkpoint(arguments, training, interrupt)
        raise
    say_training(end, console)
    tokenizer = training.tokenizer()
    save_tokenizer(tokenizer, arguments.output, console, overwrite=arguments.overwrite)
    console.say(f"saved {console.message(arguments.output)}")
    console.say(f"fingerprint {tokenizer.fingerprint()}")
    console.document(
        {
            "splits": splits_figures(splits),
            "training": training_figures(end),
            "tokenizer": {
                "path": str(arguments.output),
                "fingerprint": tokenizer.fingerprint(),
                "vocab_size": tokenizer.vocab_size,
            },
        }
    )
    return 0
