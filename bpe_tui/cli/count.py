"""`bpe-tui count`: how many tokens files or standard input are, and cutting a text to so many."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import add_console, add_invalid, add_merges, add_tokenizer, whole_number
from bpe_tui.errors import BPEError

if TYPE_CHECKING:
    from bpe_tui.analysis.counting import Count
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console
    from bpe_tui.progress import Report


class CountError(BPEError):
    """Files that could not be counted."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "count",
        help="count the tokens of files or standard input",
        description="Count tokens, words, lines, characters and bytes of files. Of a folder, all files in it are "
        "counted, hidden ones left out. With --max, print the beginning of one text that has at most N tokens.",
    )
    parser.add_argument(
        "path", nargs="*", type=Path, metavar="PATH", help="file or folder; - or nothing: read standard input"
    )
    parser.add_argument("--max", type=whole_number, metavar="N", help="print the text, cut where token N ends")
    parser.add_argument("--total", action="store_true", help="print the sum only")
    add_merges(parser)
    add_tokenizer(parser)
    add_invalid(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.failures import UsageError
    from bpe_tui.cli.inputs import as_of, load_tokenizer
    from bpe_tui.cli.work import compile_kernels

    console = Console(arguments)
    if arguments.max is not None and len(arguments.path) > 1:
        raise UsageError("--max cuts one text: name one file, or none for standard input")
    tokenizer = as_of(load_tokenizer(arguments.tokenizer, console), arguments)
    compile_kernels(console, tokenizer.unit)
    if arguments.max is not None:
        return _cut(arguments, tokenizer, console)
    if not arguments.path or arguments.path == [Path("-")]:
        return _count_one(arguments, tokenizer, console)
    return _count_files(arguments, tokenizer, console)


def _one_text(arguments: argparse.Namespace, console: Console) -> tuple[str, str]:
    from bpe_tui.cli.inputs import read_texts

    path = arguments.path[0] if arguments.path else None
    given = read_texts(argparse.Namespace(text=[], file=path, invalid=arguments.invalid), console)[0]
    return given.text, given.source


def _cut(arguments: argparse.Namespace, tokenizer: BPETokenizer, console: Console) -> int:
    from bpe_tui.analysis.counting import cut
    from bpe_tui.cli.work import run_job

    text, source = _one_text(arguments, console)
    beginning, tokens = run_job(console, "cutting", lambda report: cut(tokenizer, text, arguments.max, report))
    if not console.json:
        console.exactly(beginning.encode("utf-8"))
        if sys.stdout.isatty() and not beginning.endswith("\n"):
            console.exactly(b"\n")
        console.note(f"{console.message(source)}: {tokens:,} tokens, {len(beginning):,} of {len(text):,} characters")
    console.document(
        {
            "fingerprint": tokenizer.fingerprint(),
            "source": source,
            "max": arguments.max,
            "tokens": tokens,
            "characters": len(beginning),
            "of_characters": len(text),
            "text": beginning,
        }
    )
    return 0


def _count_one(arguments: argparse.Namespace, tokenizer: BPETokenizer, console: Console) -> int:
    from bpe_tui.analysis.counting import count
    from bpe_tui.cli.work import run_job

    text, source = _one_text(arguments, console)
    counted = run_job(console, "encoding", lambda report: count(tokenizer, text, report))
    _answer([(source, counted)], counted, arguments, tokenizer, console, [])
    return 0


def _count_files(arguments: argparse.Namespace, tokenizer: BPETokenizer, console: Console) -> int:
    from bpe_tui.analysis.counting import NOTHING, count
    from bpe_tui.cli.failures import failure_line
    from bpe_tui.cli.work import run_job
    from bpe_tui.corpus import read_text
    from bpe_tui.errors import Cancelled

    counted: list[tuple[str, Count]] = []
    failed: list[tuple[str, str]] = []
    notes: list[str] = []

    def work(report: Report) -> Count:
        files = [file for path in arguments.path for file in _files(path, notes)]
        total = NOTHING
        for number, file in enumerate(files):
            report("counting files", number, len(files))
            # A long file says how far it is; the many short ones only that they are still being counted.
            inner = report if len(files) == 1 else _polled(report, number, len(files))
            try:
                decoded = read_text(file, invalid=arguments.invalid, report=inner)
                notes.extend(f"{file}: {note}" for note in decoded.notes)
                found = count(tokenizer, decoded.text, inner)
            except Cancelled:
                raise
            except (BPEError, OSError) as error:
                reason = failure_line(error).removeprefix("error: ")
                failed.append((str(file), reason if str(file) in reason else f"{file}: {reason}"))
                continue
            counted.append((str(file), found))
            total += found
        return total

    total = run_job(console, "counting files", work)
    for note in notes:
        console.note(console.message(note))
    _answer(counted, total, arguments, tokenizer, console, failed)
    if failed:
        for _, reason in failed[1:]:
            console.note(f"not counted: {console.message(reason)}")
        raise CountError(
            f"{len(failed):,} of {len(failed) + len(counted):,} files could not be counted; the first: {failed[0][1]}"
        )
    return 0


def _polled(report: Report, number: int, files: int) -> Report:
    def poll(step: str, done: int, total: int) -> None:  # noqa: ARG001 - of a file among many, only that it goes on
        report("counting files", number, files)

    return poll


def _files(path: Path, notes: list[str]) -> Iterator[Path]:
    """Give `path`, or all files below it in the order of their names; hidden ones are left out, with a note."""
    if not path.is_dir():
        yield path
        return
    hidden = 0
    for folder, folders, names in os.walk(path):
        hidden += sum(name.startswith(".") for name in [*folders, *names])
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(folder) / name
    if hidden:
        left_out = "1 hidden file or folder is" if hidden == 1 else f"{hidden:,} hidden files and folders are"
        notes.append(f"{path}: {left_out} left out; what is named is counted")


def _answer(
    counted: list[tuple[str, Count]],
    total: Count,
    arguments: argparse.Namespace,
    tokenizer: BPETokenizer,
    console: Console,
    failed: list[tuple[str, str]],
) -> None:
    from bpe_tui.cli.tables import table

    rows = [] if arguments.total else [(console.message(source), found) for source, found in counted]
    if len(counted) != 1 or arguments.total:
        rows.append((f"total of {len(counted):,} files", total))
    header = ["tokens", "words", "lines", "characters", "bytes", "file"]
    body = [
        [*(f"{value:,}" for value in (one.tokens, one.words, one.lines, one.characters, one.bytes)), source]
        for source, one in rows
    ]
    for line in table([header, *body], left=(5,)):
        console.answer(line)
    console.document(
        {
            "fingerprint": tokenizer.fingerprint(),
            "files": [] if arguments.total else [{"source": source, **_figures(found)} for source, found in counted],
            "failed": [{"source": source, "error": reason} for source, reason in failed],
            "total": {"files": len(counted), **_figures(total)},
        }
    )


def _figures(found: Count) -> dict[str, int]:
    return {
        "tokens": found.tokens,
        "words": found.words,
        "lines": found.lines,
        "characters": found.characters,
        "bytes": found.bytes,
    }
