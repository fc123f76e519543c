"""`bpe-tui build`: the whole way from a corpus to encoded splits, with every figure on it.

Read the splits, learn the merges, save the tokenizer and load it again, encode every split and prove the round trip,
save the tensors, show the longest tokens and a sample.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import (
    DEFAULT_ENCODED,
    DEFAULT_PROCESSED,
    DEFAULT_TOKENIZER,
    add_console,
    add_invalid,
    add_overwrite,
    add_splits,
    add_training,
    run_settings,
)
from bpe_tui.cli.memory import add_memory

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console
    from bpe_tui.corpus import Splits

LONGEST = 30
"""How many of the longest learned tokens are shown."""
SAMPLE_CHARACTERS = 120
"""How much of the validation split is shown tokenised."""

_DESCRIPTION = """Train a tokenizer on a corpus, save it, encode the splits with it, save them as tensors, and print the
figures of each step. Base tokens are the characters of all three splits, or the 256 bytes; merges are learned from the
beginning of the training split."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "build", help="train, save, encode the splits: the whole way in one command", description=_DESCRIPTION
    )
    parser.add_argument(
        "--processed-dir",
        type=Path,
        default=DEFAULT_PROCESSED,
        metavar="DIR",
        help=f"folder with the splits, one text file, or a shipped corpus (default: {DEFAULT_PROCESSED})",
    )
    parser.add_argument(
        "--tokenizer-output",
        type=Path,
        default=DEFAULT_TOKENIZER,
        metavar="FILE",
        help=f"tokenizer file to write (default: {DEFAULT_TOKENIZER})",
    )
    parser.add_argument(
        "--encoded-output-dir",
        type=Path,
        default=DEFAULT_ENCODED,
        metavar="DIR",
        help=f"folder for the encoded splits (default: {DEFAULT_ENCODED})",
    )
    add_training(parser)
    add_memory(parser)
    add_splits(parser)
    add_invalid(parser)
    add_overwrite(parser, "outputs of another tokenizer")
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.analysis import longest_tokens
    from bpe_tui.cli import figures
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.failures import UsageError
    from bpe_tui.cli.inputs import load_splits
    from bpe_tui.cli.memory import check_run, encoding_memory, memory_figures
    from bpe_tui.cli.outputs import check_place, check_replacing, save_tokenizer
    from bpe_tui.cli.work import compile_kernels, run_job, train
    from bpe_tui.dataset.folder import check_folder
    from bpe_tui.session.jobs import encode
    from bpe_tui.session.run import Run

    console = Console(arguments)
    settings = run_settings(arguments)
    folder: Path = arguments.encoded_output_dir
    check_place(arguments.tokenizer_output)
    check_folder(folder, None, overwrite=arguments.overwrite)
    check_place(folder / "manifest.json")

    named = arguments.train or arguments.val or arguments.test
    if not named and arguments.processed_dir == DEFAULT_PROCESSED and not DEFAULT_PROCESSED.exists():
        raise UsageError(
            f"{DEFAULT_PROCESSED} does not exist; name a corpus, as in --processed-dir king-james-bible, or prepare "
            "one with corpus clean"
        )
    splits = load_splits(arguments, None if named else arguments.processed_dir, console)
    figures.say_splits(splits, console)
    compile_kernels(console, settings.alphabet)
    training = Run(splits, settings)
    console.say(f"base vocabulary: {len(training.base_tokens()):,} tokens")
    memory = check_run(arguments, console, training, after=encoding_memory(splits, settings))
    end = train(console, training, figures.MergeLines(console))
    figures.say_training(end, console)

    tokenizer = training.tokenizer()
    fingerprint = tokenizer.fingerprint()
    # Both outputs may be written, or neither is.
    check_replacing(arguments.tokenizer_output, fingerprint, overwrite=arguments.overwrite)
    check_folder(folder, fingerprint, overwrite=arguments.overwrite)
    save_tokenizer(tokenizer, arguments.tokenizer_output, console, overwrite=arguments.overwrite)
    console.say(f"saved {console.message(arguments.tokenizer_output)}; loaded again, its fingerprint is equal")
    console.say(f"fingerprint {fingerprint}")

    dataset = run_job(
        console,
        "encoding the splits",
        lambda report: encode(tokenizer, splits, folder, overwrite=arguments.overwrite, report=report),
    )
    figures.say_dataset(dataset, console)
    longest = longest_tokens(tokenizer, LONGEST)
    figures.say_longest(longest, tokenizer, console)
    sample = _say_sample(tokenizer, splits, console)
    console.document(
        {
            "splits": figures.splits_figures(splits),
            "memory": memory_figures(memory),
            "training": figures.training_figures(end),
            "tokenizer": {
                "path": str(arguments.tokenizer_output),
                "fingerprint": fingerprint,
                "vocab_size": tokenizer.vocab_size,
                # Saving fails when it is not.
                "reloaded_equal": True,
            },
            "encoded": figures.dataset_figures(dataset),
            "longest_tokens": figures.longest_figures(longest, tokenizer),
            "sample": sample,
        }
    )
    return 0


def _say_sample(tokenizer: BPETokenizer, splits: Splits, console: Console) -> dict[str, Any]:
    """Print the beginning of the validation split as tokens and ids, and give it as JSON values."""
    text = (splits.val.text.lstrip() or splits.train.text)[:SAMPLE_CHARACTERS]
    ids = tokenizer.encode(text)
    tokens = [tokenizer.tokens[token_id] for token_id in ids]
    console.say("a sample, token by token:")
    console.say(f"  {' | '.join(console.token(token, tokenizer.kind) for token in tokens)}")
    console.say(f"  {' '.join(map(str, ids))}")
    return {"text": text, "tokens": tokens, "ids": ids}
