"""`bpe-tui encode`: a text to ids, or the splits of a corpus to tensors."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import (
    DEFAULT_ENCODED,
    add_console,
    add_invalid,
    add_overwrite,
    add_special_policy,
    add_splits,
    add_texts,
    add_tokenizer,
)

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console

_DESCRIPTION = """Encode a text and print its ids, separated by spaces, one line a text. With --splits, or --train --val
--test, encode a corpus into tensors instead: block by block, so that it may be larger than the memory, unless a single
file is to be cut into three or the tokenizer cannot work on parts of a text."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("encode", help="text to ids, or splits to tensors", description=_DESCRIPTION)
    add_texts(parser)
    add_tokenizer(parser)
    parser.add_argument("--splits", type=Path, metavar="DIR", help="encode the splits of this folder, or of one file")
    add_splits(parser)
    parser.add_argument(
        "--output-dir",
        type=Path,
        default=DEFAULT_ENCODED,
        metavar="DIR",
        help=f"folder for the encoded splits (default: {DEFAULT_ENCODED})",
    )
    parser.add_argument(
        "--format",
        choices=("pt", "npy"),
        default="pt",
        help="files of ids for torch.load or for numpy.load, int64 in one dimension (default: pt)",
    )
    add_invalid(parser)
    add_special_policy(parser)
    add_overwrite(parser, "the output of another tokenizer")
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.failures import UsageError
    from bpe_tui.cli.inputs import load_tokenizer

    console = Console(arguments)
    named = arguments.train or arguments.val or arguments.test
    if arguments.splits is None and not named:
        return _encode_texts(load_tokenizer(arguments.tokenizer, console), arguments, console)
    if arguments.text or arguments.file is not None:
        raise UsageError("give a text or the splits of a corpus, not both")
    if arguments.splits is not None and named:
        raise UsageError("give --splits or --train --val --test, not both")
    return _encode_splits(load_tokenizer(arguments.tokenizer, console), arguments, console)


def _encode_texts(tokenizer: BPETokenizer, arguments: argparse.Namespace, console: Console) -> int:
    from bpe_tui.bpe.special import count_specials
    from bpe_tui.cli.inputs import encode_text, note_specials, read_texts
    from bpe_tui.cli.work import compile_kernels

    texts = read_texts(arguments, console)
    compile_kernels(console, tokenizer.unit)
    results = []
    for given in texts:
        text = given.text
        ids = encode_text(tokenizer, text, console, arguments.special_policy).tolist()
        specials = count_specials(text, tokenizer.special_tokens)
        note_specials(given.source, specials, arguments.special_policy, console)
        if console.json:
            results.append(
                {
                    "source": given.source,
                    "characters": len(text),
                    "tokens": len(ids),
                    "compression_factor": len(text) / len(ids) if ids else 0.0,
                    **({"special_tokens": specials} if tokenizer.special_tokens else {}),
                    "ids": ids,
                }
            )
        else:
            console.answer(" ".join(map(str, ids)))
    console.document({"fingerprint": tokenizer.fingerprint(), "vocab_size": tokenizer.vocab_size, "texts": results})
    return 0


def _encode_splits(tokenizer: BPETokenizer, arguments: argparse.Namespace, console: Console) -> int:
    from bpe_tui.cli import figures
    from bpe_tui.cli.allocation import give_large_blocks_back
    from bpe_tui.cli.inputs import find_splits, note_specials
    from bpe_tui.cli.outputs import check_place
    from bpe_tui.cli.work import compile_kernels, run_job
    from bpe_tui.dataset.folder import check_folder
    from bpe_tui.session.jobs import encode

    folder: Path = arguments.output_dir
    check_folder(folder, tokenizer.fingerprint(), overwrite=arguments.overwrite)
    check_place(folder / "manifest.json")
    splits = find_splits(arguments, arguments.splits, console)
    figures.say_found(splits, console)
    compile_kernels(console, tokenizer.unit)
    give_large_blocks_back()
    dataset = run_job(
        console,
        "encoding the splits",
        lambda report: encode(
            tokenizer,
            splits,
            folder,
            overwrite=arguments.overwrite,
            special=arguments.special_policy,
            file_format=arguments.format,
            report=report,
        ),
    )
    for split in splits:
        for note in split.facts().notes:
            console.say(f"{split.name + ':':<6} note: {console.message(note)}")
    for encoded in dataset.splits:
        note_specials(encoded.name, encoded.special_tokens or 0, arguments.special_policy, console)
    figures.say_dataset(dataset, console)
    console.document({"splits": figures.splits_figures(splits), "encoded": figures.dataset_figures(dataset)})
    return 0
