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
    run_settings,
    training_settings,
)
from bpe_tui.cli.memory import add_memory

if TYPE_CHECKING:
    from bpe_tui.cli.console import Console
    from bpe_tui.corpus import SplitFile, SplitFiles, Splits
    from bpe_tui.session.run import Run
    from bpe_tui.session.settings import RunSettings

_DESCRIPTION = """Train a BPE tokenizer of characters, of words or of bytes. Base tokens are the characters of all
splits, or the 256 bytes; merges are learned from the beginning of the training split."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("train", help="train a tokenizer and save it", description=_DESCRIPTION)
    parser.add_argument(
        # Not "corpus": that is what was said with --corpus before the command, which a default would overwrite.
        "path",
        nargs="?",
        type=Path,
        metavar="CORPUS",
        help="folder with splits, one text file, or the name of a shipped corpus (see corpus list)",
    )
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        default=DEFAULT_TOKENIZER,
        metavar="FILE",
        help=f"tokenizer file to write (default: {DEFAULT_TOKENIZER})",
    )
    add_training(parser)
    add_memory(parser)
    add_splits(parser)
    add_invalid(parser)
    add_overwrite(parser, "the file of another tokenizer")
    group = parser.add_argument_group("going on later")
    group.add_argument("--checkpoint", type=Path, metavar="FILE", help="when interrupted, leave FILE to resume from")
    group.add_argument(
        "--resume",
        type=Path,
        default=argparse.SUPPRESS,
        metavar="FILE",
        help="go on from a checkpoint; its settings count, but a larger target may be given",
    )
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.figures import MergeLines, say_found, say_splits, say_training, splits_figures, training_figures
    from bpe_tui.cli.memory import check_run, memory_figures
    from bpe_tui.cli.outputs import check_place, save_tokenizer
    from bpe_tui.cli.work import compile_kernels, train
    from bpe_tui.corpus import Splits

    console = Console(arguments)
    check_place(arguments.output)
    if arguments.checkpoint is not None:
        # It is written when the run is interrupted, which is too late to find that it cannot be.
        check_place(arguments.checkpoint)
    splits, training = _prepare(arguments, console)
    if isinstance(splits, Splits):
        say_splits(splits, console)
    else:
        say_found(splits, console)
    compile_kernels(console, training.settings.alphabet)
    console.say(f"base vocabulary: {len(training.base_tokens()):,} tokens")
    # The settings of a run that goes on cannot change.
    memory = check_run(arguments, console, training, fixed=arguments.resume is not None)
    try:
        end = train(console, training, MergeLines(console))
    except KeyboardInterrupt as interrupt:
        keep_checkpoint(arguments, training, interrupt)
        raise
    if not isinstance(splits, Splits):
        _say_noticed(splits.train, training.settings, console)
    say_training(end, console)
    tokenizer = training.tokenizer()
    save_tokenizer(tokenizer, arguments.output, console, overwrite=arguments.overwrite)
    console.say(f"saved {console.message(arguments.output)}")
    console.say(f"fingerprint {tokenizer.fingerprint()}")
    console.document(
        {
            "splits": splits_figures(splits),
            "memory": memory_figures(memory),
            "training": training_figures(end),
            "tokenizer": {
                "path": str(arguments.output),
                "fingerprint": tokenizer.fingerprint(),
                "vocab_size": tokenizer.vocab_size,
            },
        }
    )
    return 0


def keep_checkpoint(arguments: argparse.Namespace, training: Run, interrupt: KeyboardInterrupt) -> None:
    """Put an interrupted run aside where `--checkpoint` says, and let the interrupt say so."""
    merges = training.snapshot().merges
    if arguments.checkpoint is None or not merges:
        return
    from bpe_tui.session.checkpoint import write_checkpoint
    from bpe_tui.system_errors import explain

    try:
        write_checkpoint(arguments.checkpoint, training)
    except OSError as error:
        interrupt.args = (explain(error, "write the checkpoint", arguments.checkpoint),)
    else:
        interrupt.args = (
            f"{merges:,} merges are kept in {arguments.checkpoint}; give --resume {arguments.checkpoint} to go on",
        )


def _prepare(arguments: argparse.Namespace, console: Console) -> tuple[Splits | SplitFiles, Run]:
    """Give the corpus and the idle run over it: a new one, or the one that a checkpoint put aside.

    Bytes are learned from files without ever holding them.
    """
    from bpe_tui.cli.failures import UsageError
    from bpe_tui.session.run import Run

    path: Path | None = arguments.path or arguments.corpus
    if path is None and not (arguments.train and arguments.val and arguments.test):
        raise UsageError("name a corpus: a folder with splits, a text file, or --train, --val and --test")
    if arguments.resume is None:
        settings = run_settings(arguments)
        splits = _find(arguments, path, console, settings)
        return splits, Run(splits, settings)
    from bpe_tui.session.checkpoint import read_checkpoint, resume

    checkpoint = read_checkpoint(arguments.resume)
    splits = _find(arguments, path, console, checkpoint.settings)
    training = resume(checkpoint, splits)
    said = training_settings(arguments)
    _refuse_changes(said, checkpoint.settings)
    target = said.get("target_vocab_size")
    if target is not None and target != checkpoint.settings.target_vocab_size:
        training.raise_target(target)
    console.say(f"going on from {console.message(arguments.resume)}: {len(checkpoint.merges):,} merges")
    return splits, training


def _say_noticed(train: SplitFile, settings: RunSettings, console: Console) -> None:
    """Print what was noticed in a file while it was trained on: known if it was read to its end.

    Whoever lets bytes be replaced is told how many were, even if that takes reading on.
    """
    if (
        settings.training_characters is None
        or settings.training_characters >= train.bytes
        or train.invalid == "replace"
    ):
        for note in train.facts().notes:
            console.say(f"train: note: {console.message(note)}")


def _find(
    arguments: argparse.Namespace, path: Path | None, console: Console, settings: RunSettings
) -> Splits | SplitFiles:
    from bpe_tui.cli.inputs import find_splits, load_splits
    from bpe_tui.session.settings import Alphabet

    find = find_splits if settings.alphabet is Alphabet.BYTES else load_splits
    return find(arguments, path, console)


def _refuse_changes(said: dict[str, Any], kept: RunSettings) -> None:
    """Raise UsageError if anything but the target was said that a checkpoint's settings contradict."""
    from bpe_tui.cli.failures import UsageError
    from bpe_tui.session.settings import DEFAULT_SPLIT, Alphabet

    values = {**kept.as_dict(), "ties": kept.tie_rule, "special_tokens": kept.special_tokens}
    if kept.alphabet is Alphabet.BYTES:
        values["split"] = kept.split or DEFAULT_SPLIT
    if kept.alphabet is Alphabet.WORDS:
        values["marker"] = kept.word_marker
    for name, value in said.items():
        if name == "target_vocab_size" or value == values[name]:
            continue
        option = "special" if name == "special_tokens" else name.replace("_", "-")
        present = values[name]
        if name == "training_characters":
            present = present or "all"
        if not present:
            raise UsageError(f"the checkpoint was made without --{option}, which cannot change now")
        shown = " ".join(present) if isinstance(present, tuple) else present
        raise UsageError(f"the checkpoint was made with --{option} {shown}, which cannot change now")
