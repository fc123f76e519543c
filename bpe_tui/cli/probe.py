"""`bpe-tui probe`: into which pieces words fall under several tokenizers, worst first."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import DEFAULT_TOKENIZER, add_console, add_invalid, natural_number

if TYPE_CHECKING:
    from bpe_tui.analysis.probe import Cut, Probed
    from bpe_tui.cli.console import Console


LISTS = ("words", "nonsense", "identifiers", "numbers", "emoji", "languages")
"""The names of `analysis.word_lists.WORD_LISTS`, which help must not load."""

_WIDEST = 24
"""Cells of the longest label that the others are aligned with."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "probe",
        help="see into which pieces words fall",
        description="Cut words with each tokenizer, those that fare worst first: what cannot be encoded, then the "
        "most tokens per character.",
    )
    parser.add_argument("word", nargs="*", metavar="WORD", help="words; without any, all built-in lists")
    parser.add_argument("--file", type=Path, metavar="FILE", help="words, one a line")
    parser.add_argument(
        "--list", dest="lists", action="append", choices=LISTS, help="a built-in list; may be given again"
    )
    parser.add_argument(
        "--tokenizer", dest="tokenizer_names", action="append", metavar="FILE",
        help=f"file (FILE@RULE names the splitting rule), or characters, or bytes; may be given "
        f"again (default: {DEFAULT_TOKENIZER})",
    )  # fmt: skip
    parser.add_argument("--worst", type=natural_number, metavar="N", help="only the N worst")
    parser.add_argument("--in-order", action="store_true", help="in the order given, not worst first")
    add_invalid(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.analysis.probe import probe, worst_first
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import load_named, short_names
    from bpe_tui.cli.work import compile_kernels, run_job

    console = Console(arguments)
    words = _words(arguments, console)
    paths = arguments.tokenizer_names or [str(arguments.tokenizer or DEFAULT_TOKENIZER)]
    tokenizers = [
        (name, load_named(path, "".join(words), console)) for name, path in zip(short_names(paths), paths, strict=True)
    ]
    compile_kernels(console, *(tokenizer.unit for _, tokenizer in tokenizers))
    probed = run_job(console, "probing", lambda report: probe(tokenizers, words, report))
    if not arguments.in_order:
        probed = worst_first(probed)
    probed = probed[: arguments.worst]
    names = [name for name, _ in tokenizers]
    _answer(probed, names, console)
    console.document(
        {"tokenizers": names, "words": [_figures(entry, names) for entry in probed]},
    )
    return 0


def _words(arguments: argparse.Namespace, console: Console) -> list[str]:
    from bpe_tui.analysis.word_lists import WORD_LISTS
    from bpe_tui.cli.inputs import read_texts

    words: list[str] = []
    if arguments.word:
        given = argparse.Namespace(text=arguments.word, file=None, invalid=arguments.invalid)
        texts = read_texts(given, console)
        # `-` alone is standard input, words one a line.
        words += texts[0].text.splitlines() if arguments.word == ["-"] else [text.text for text in texts]
    if arguments.file is not None:
        given = argparse.Namespace(text=[], file=arguments.file, invalid=arguments.invalid)
        words += read_texts(given, console)[0].text.splitlines()
    lists = arguments.lists or ([] if arguments.word or arguments.file is not None else list(WORD_LISTS))
    for name in lists:
        words += WORD_LISTS[name]
    return [word for word in words if word]


def _answer(probed: list[Probed], names: list[str], console: Console) -> None:
    from bpe_tui.terminal import cell_width, pad

    labels = names if len(names) > 1 else [entry.word for entry in probed]
    # Sentences among the words do not push the others' pieces out of sight.
    width = max((cells for label in labels if (cells := cell_width(console.message(label))) <= _WIDEST), default=0)
    for entry in probed:
        if len(names) > 1:
            console.answer(console.message(entry.word))
        for name, cut in zip(names, entry.cuts, strict=True):
            label = console.message(name if len(names) > 1 else entry.word)
            label = label if cell_width(label) > width else pad(label, width)
            console.answer(f"{'  ' if len(names) > 1 else ''}{label}  {_shown(cut, console)}")


def _shown(cut: Cut, console: Console) -> str:
    if cut.missing:
        return f"cannot encode {' '.join(console.shown(character) for character in cut.missing)}"
    bar = " | " if console.ascii_only else " │ "
    return f"{len(cut.ids):>3}  {bar.join(console.piece(piece) for piece in cut.pieces)}"


def _figures(entry: Probed, names: list[str]) -> dict[str, Any]:
    return {
        "word": entry.word,
        "cuts": [
            {
                "tokenizer": name,
                "tokens": None if cut.missing else len(cut.ids),
                "ids": list(cut.ids),
                "pieces": [piece.decode("utf-8", "surrogateescape") for piece in cut.pieces],
                "missing": list(cut.missing),
            }
            for name, cut in zip(names, entry.cuts, strict=True)
        ],
    }
