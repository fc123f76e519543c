"""`bpe-tui compare`: tokenizers of any format side by side on the same text."""

from __future__ import annotations

import argparse
import itertools
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import add_alpha, add_console, add_invalid, natural_number, whole_number

if TYPE_CHECKING:
    from bpe_tui.analysis.comparison import AlignedLine, Column, Parting, Shared
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console
    from bpe_tui.progress import Report

    Named = list[tuple[str, BPETokenizer]]

_WIDE = 200
"""Columns that a table may take where its lines go to no terminal."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "compare",
        help="compare up to six tokenizers on the same text",
        description="Put up to six tokenizers side by side: tokens, bytes per token, tokens per word, how the same "
        "line is cut by each, tokens shared and not, the first merge at which two merge lists part, costs. "
        "`characters` and `bytes` are built in and learned nothing.",
    )
    parser.add_argument(
        "tokenizer_names",
        nargs="+",
        metavar="TOKENIZER",
        help="file (FILE@RULE names the splitting rule), or characters, or bytes",
    )
    parser.add_argument(
        "--text", type=Path, metavar="FILE", help="text to compare on (default: standard input; - for it)"
    )
    parser.add_argument(
        "--line", action="append", type=int, metavar="N", help="show how line N is cut; may be given again"
    )
    parser.add_argument(
        "--lines", type=natural_number, default=3, metavar="N", help="else show the first N lines that are not empty"
    )
    parser.add_argument("--price", type=float, metavar="P", help="price of a million tokens, for a column of costs")
    parser.add_argument("--show", type=natural_number, default=5, metavar="N", help="tokens named of those not shared")
    add_alpha(parser)
    group = parser.add_argument_group("other families, trained for the comparison by the package tokenizers")
    group.add_argument("--with", dest="families", metavar="NAMES", help="wordpiece, unigram, or both with a comma")
    group.add_argument("--size", type=whole_number, default=8000, metavar="N", help="their vocabulary (default: 8000)")
    group.add_argument("--train", type=Path, metavar="FILE", help="the text they learn from (default: --text)")
    add_invalid(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.analysis.comparison import align, compare
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import is_baseline, read_texts
    from bpe_tui.cli.work import compile_kernels, run_job

    console = Console(arguments)
    families = _families(arguments)
    given = read_texts(argparse.Namespace(text=[], file=arguments.text, invalid=arguments.invalid), console)[0]
    tokenizers = _load(arguments, given.text, families, console)
    compile_kernels(console, *(entry[1].unit for entry in tokenizers))
    columns = run_job(
        console, "comparing", lambda report: compare(tokenizers, given.text, report, alpha=arguments.alpha)
    )
    # What learned nothing cuts everywhere and shares nothing: it belongs into the table only, unless it stands alone.
    baselines = {name for name in arguments.tokenizer_names if is_baseline(name)}
    learned = [entry for entry in tokenizers if entry[0] not in baselines] or tokenizers
    shared, partings = run_job(
        console, "comparing vocabularies", lambda report: _compare_pairs(learned, arguments.show, report)
    )
    lines = [(number, align(learned, line)) for number, line in _lines(given.text, arguments)]
    _answer_table(columns, arguments, console)
    for number, line in lines:
        _answer_line(number, line, console)
    _answer_shared(shared, console)
    _answer_partings(partings, console)
    console.document(
        {
            "source": given.source,
            "tokenizers": [_column_figures(column, arguments.price) for column in columns],
            "lines": [_line_figures(number, line) for number, line in lines],
            "shared": [_shared_figures(a, b, found) for a, b, found in shared],
            "partings": [_parting_figures(a, b, found) for a, b, found in partings],
        }
    )
    return 0


def _compare_pairs(
    tokenizers: Named, examples: int, report: Report
) -> tuple[list[tuple[str, str, Shared]], list[tuple[str, str, Parting]]]:
    """Compare each two vocabularies, and each two merge lists."""
    from bpe_tui.analysis.comparison import parting, shared_tokens, token_set

    shared, partings = [], []
    sets = {name: token_set(tokenizer) for name, tokenizer in tokenizers}
    pairs = list(itertools.combinations(tokenizers, 2))
    for number, ((a, first), (b, second)) in enumerate(pairs):
        report("comparing vocabularies", number, len(pairs))
        shared.append((a, b, shared_tokens(sets[a], sets[b], examples)))
        if first.merges and second.merges:
            partings.append((a, b, parting(first, second)))
    return shared, partings


def _families(arguments: argparse.Namespace) -> list[str]:
    from bpe_tui.analysis.comparison import MOST
    from bpe_tui.analysis.families import FAMILIES
    from bpe_tui.cli.failures import UsageError

    families = [name.strip() for name in (arguments.families or "").split(",") if name.strip()]
    for name in families:
        if name not in FAMILIES:
            raise UsageError(f"--with knows no {name!r}: choose from {', '.join(FAMILIES)}")
    if len(arguments.tokenizer_names) + len(families) > MOST:
        raise UsageError(f"at most {MOST} tokenizers are compared at once")
    if arguments.price is not None and not arguments.price >= 0:
        raise UsageError("--price must be a number from 0 on")
    return families


def _load(arguments: argparse.Namespace, text: str, families: list[str], console: Console) -> Named:
    from bpe_tui.analysis.families import train_family
    from bpe_tui.cli.inputs import load_named, short_names
    from bpe_tui.cli.work import run_job
    from bpe_tui.corpus import read_text

    names = short_names(arguments.tokenizer_names)
    tokenizers = [
        (name, load_named(path, text, console)) for name, path in zip(names, arguments.tokenizer_names, strict=True)
    ]
    learned_from = text
    if families and arguments.train is not None:
        learned_from = run_job(
            console, "reading", lambda report: read_text(arguments.train, invalid=arguments.invalid, report=report)
        ).text
    for family in families:
        train = partial(train_family, family, learned_from, arguments.size)
        trained: BPETokenizer = run_job(console, f"training {family}", train)
        tokenizers.append((family, trained))
    return tokenizers


def _lines(text: str, arguments: argparse.Namespace) -> list[tuple[int, str]]:
    from bpe_tui.cli.failures import UsageError

    lines = text.splitlines()
    if arguments.line is None:
        return [(number, line) for number, line in enumerate(lines, 1) if line.strip()][: arguments.lines]
    for number in arguments.line:
        if not 1 <= number <= len(lines):
            raise UsageError(f"--line {number}: the text has the lines 1 to {len(lines):,}")
    return [(number, lines[number - 1]) for number in arguments.line]


def _answer_table(columns: list[Column], arguments: argparse.Namespace, console: Console) -> None:
    from bpe_tui.analysis.comparison import cost
    from bpe_tui.cli.tables import figure, share, table
    from bpe_tui.terminal import UNKNOWN, cell_width

    # Short, as in the Lab; the kind comes last, and only where there is room for it.
    header = ["tokenizer", "vocab", "tokens", "bytes/tok", "chars/tok", "tok/word", "one-token", "Renyi"]
    header += [*(["cost"] if arguments.price is not None else []), "kind"]
    rows = [header]
    for column in columns:
        found = column.statistics
        kind = console.message(column.kind)
        row = [console.message(column.name), f"{column.vocab_size:,}"]
        if found is None:
            rows.append([*row, *[UNKNOWN] * (len(header) - len(row) - 1), kind])
            continue
        row += [f"{found.tokens:,}", figure(found.bytes_per_token), figure(found.characters_per_token)]
        row += [figure(found.tokens_per_word), share(found.one_token_share), figure(found.renyi_efficiency)]
        row += [f"{cost(found.tokens, arguments.price):.6f}"] if arguments.price is not None else []
        rows.append([*row, kind])
    lines = table(rows, left=(0, len(header) - 1))
    if max(map(cell_width, lines)) > shutil.get_terminal_size(fallback=(_WIDE, 24)).columns:
        lines = table([row[:-1] for row in rows])
    for line in lines:
        console.answer(line)
    for column in columns:
        if column.missing is not None:
            console.note(f"{console.message(column.name)}: {console.message(column.missing)}")


def _answer_line(number: int, line: AlignedLine, console: Console) -> None:
    from bpe_tui.terminal import cell_width, pad, runs_that_fit

    width = max(cell_width(console.message(row.name)) for row in line.rows)
    bar = "|" if console.ascii_only else "│"
    segments = [console.piece(segment) for segment in line.segments]
    console.answer("")
    console.answer(f"line {number:,}:")
    for first, last in runs_that_fit(segments, max(20, shutil.get_terminal_size().columns - width - 2)):
        for row in line.rows:
            if row.cut_after is None:
                shown = "cannot encode this line" if row.tokens is None else f"{row.tokens:,} tokens, places not known"
            else:
                cuts = zip(segments[first:last], row.cut_after[first:last], strict=True)
                shown = "".join(segment + (bar if cut else " ") for segment, cut in cuts)
            console.answer(f"{pad(console.message(row.name), width)}  {shown.rstrip()}")
        if last < len(segments):
            console.answer("")


def _answer_shared(shared: list[tuple[str, str, Shared]], console: Console) -> None:
    from bpe_tui.terminal import fit

    for first, second, found in shared:
        console.answer("")
        console.answer(
            f"{console.message(first)} and {console.message(second)}: {found.both:,} tokens shared "
            f"({found.jaccard:.1%} of all)"
        )
        for name, count, examples in (
            (first, found.first_only, found.first_examples),
            (second, found.second_only, found.second_examples),
        ):
            named = " ".join(fit(console.piece(token), 24, ascii_only=console.ascii_only) for token in examples)
            console.answer(f"  only in {console.message(name)}: {count:,}  {named}".rstrip())


def _answer_partings(partings: list[tuple[str, str, Parting]], console: Console) -> None:
    for first, second, found in partings:
        console.answer("")
        names = f"merges of {console.message(first)} and {console.message(second)}"
        if found.equal:
            console.answer(f"{names}: the same {found.rank:,}")
            continue
        alike = f"the first {found.rank:,} are the same, then" if found.rank else "they part at the first one"
        console.answer(f"{names}: {alike}")
        for name, merge in ((first, found.first), (second, found.second)):
            shown = " + ".join(console.piece(part) for part in merge) if merge else "no further merge"
            console.answer(f"  {console.message(name)}: {shown}")


def _column_figures(column: Column, price: float | None) -> dict[str, Any]:
    from bpe_tui.analysis.comparison import cost
    from bpe_tui.cli.stats import text_figures

    figures: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind,
        "vocab_size": column.vocab_size,
        "merges": column.merges,
        "text": text_figures(column.statistics) if column.statistics is not None else None,
        "missing": [entry.character for entry in column.missing.missing] if column.missing is not None else [],
    }
    if price is not None:
        figures["cost"] = cost(column.statistics.tokens, price) if column.statistics is not None else None
    return figures


def _line_figures(number: int, line: AlignedLine) -> dict[str, Any]:
    return {
        "line": number,
        "segments": [_text(segment) for segment in line.segments],
        "rows": [
            {"name": row.name, "tokens": row.tokens, "cut_after": list(row.cut_after) if row.cut_after else None}
            for row in line.rows
        ],
    }


def _shared_figures(first: str, second: str, found: Shared) -> dict[str, Any]:
    return {
        "first": first,
        "second": second,
        "both": found.both,
        "first_only": found.first_only,
        "second_only": found.second_only,
        "jaccard": found.jaccard,
        "first_examples": [_text(token) for token in found.first_examples],
        "second_examples": [_text(token) for token in found.second_examples],
    }


def _parting_figures(first: str, second: str, found: Parting) -> dict[str, Any]:
    def merge(pair: tuple[bytes, bytes] | None) -> list[str] | None:
        return [_text(part) for part in pair] if pair is not None else None

    return {
        "first": first,
        "second": second,
        "equal_merges": found.rank,
        "first_merge": merge(found.first),
        "second_merge": merge(found.second),
    }


def _text(content: bytes) -> str:
    """Give bytes as JSON can hold them: a byte that is no character as a lone surrogate (U+DC80 to U+DCFF)."""
    return content.decode("utf-8", "surrogateescape")
