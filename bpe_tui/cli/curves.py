"""`bpe-tui curves`: what each further merge brings on a text, drawn in the terminal or saved as CSV, SVG or PNG."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import add_console, add_invalid, add_texts, add_tokenizer, natural_number, whole_number

if TYPE_CHECKING:
    from bpe_tui.analysis.curves import Curve, Gain
    from bpe_tui.cli.console import Console


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "curves",
        help="draw what each further merge brings",
        description="Draw characters per token and places merged against the merge's rank, on a text and with a "
        "tokenizer, or with --size for a tokenizer trained on that text, then with merges per second, too. The point "
        "of diminishing return is marked.",
    )
    add_texts(parser)
    parser.add_argument("--size", type=whole_number, metavar="N", help="train on the text to a vocabulary of N tokens")
    parser.add_argument("--minimum-pair-frequency", type=whole_number, default=2, metavar="N", help="default: 2")
    parser.add_argument("--at", type=natural_number, metavar="K", help="tell the gain of 1,000 merges from merge K on")
    parser.add_argument("--width", type=whole_number, metavar="N", help="cells (default: as wide as the terminal)")
    parser.add_argument("--height", type=whole_number, default=14, metavar="N", help="lines a curve (default: 14)")
    group = parser.add_argument_group("files")
    for name in ("csv", "svg", "png"):
        group.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"save the curves as {name.upper()}")
    add_tokenizer(parser)
    add_invalid(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.analysis.curves import gain, knee
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.failures import UsageError
    from bpe_tui.cli.inputs import read_texts
    from bpe_tui.cli.outputs import check_place
    from bpe_tui.cli.work import compile_kernels

    console = Console(arguments)
    for path in (arguments.csv, arguments.svg, arguments.png):
        if path is not None:
            check_place(path)
    text = "".join(given.text for given in read_texts(arguments, console))
    if not text:
        raise UsageError("the text is empty: there is nothing to draw")
    compile_kernels(console, "characters")
    curves, lengths = _measure(arguments, text, console)
    merges = len(lengths) - 1
    if arguments.at is not None and arguments.at > merges:
        raise UsageError(f"--at {arguments.at:,}: there are {merges:,} merges")
    point = knee(lengths)
    told = [gain(lengths, merges if arguments.at is None else arguments.at)]
    if point is not None:
        told.insert(0, gain(lengths, point))
    _answer(curves, point, told, arguments, console)
    _save(curves, point, arguments, console)
    console.document(_figures(curves, point, told, merges))
    return 0


def _measure(arguments: argparse.Namespace, text: str, console: Console) -> tuple[list[Curve], Any]:
    from bpe_tui.analysis import lengths_by_merge
    from bpe_tui.analysis.curves import compression_curve, frequency_curve, saved_by_merge
    from bpe_tui.analysis.recording import record
    from bpe_tui.cli.inputs import load_tokenizer
    from bpe_tui.cli.work import compile_kernels, run_job

    if arguments.size is not None:
        recorded = run_job(
            console,
            "training",
            lambda report: record(text, arguments.size, arguments.minimum_pair_frequency, report=report),
        )
        return recorded.curves(len(text)), recorded.lengths
    tokenizer = load_tokenizer(arguments.tokenizer, console)
    compile_kernels(console, tokenizer.unit)
    lengths = run_job(console, "replaying merges", lambda report: lengths_by_merge(tokenizer, text, report))
    return [compression_curve(lengths, len(text)), frequency_curve(saved_by_merge(lengths), "places merged")], lengths


def _answer(
    curves: list[Curve], point: int | None, told: list[Gain], arguments: argparse.Namespace, console: Console
) -> None:
    from bpe_tui.analysis.curves import decimate
    from bpe_tui.terminal.braille import Mark, line_chart

    width = arguments.width or min(shutil.get_terminal_size().columns, 120)
    mark = Mark(point, f"{point:,}") if point is not None else None
    for curve in curves:
        console.answer(curve.name + (" (logarithmic)" if curve.logarithmic else ""))
        thin = decimate(curve, 2 * width)
        lines = line_chart(
            thin.x.tolist(), thin.y.tolist(), width, arguments.height, logarithmic=curve.logarithmic, mark=mark,
            ascii_only=console.ascii_only,
        )  # fmt: skip
        for line in lines or ["too small to draw: give at least --width 20 --height 4"]:
            console.answer(line.rstrip())
    if point is not None:
        console.answer(f"point of diminishing return: {point:,} merges; further ones bring less than the average one")
    for entry in told:
        console.answer(entry.explain())


def _save(curves: list[Curve], point: int | None, arguments: argparse.Namespace, console: Console) -> None:
    from bpe_tui.analysis.curves import to_csv
    from bpe_tui.analysis.svg import to_png, to_svg
    from bpe_tui.atomic import write_bytes
    from bpe_tui.cli.failures import UsageError

    label = f"{point:,} merges" if point is not None else ""
    svg = to_svg(curves, "What each further merge brings", mark=point, mark_label=label)
    if arguments.csv is not None:
        write_bytes(arguments.csv, to_csv(curves).encode("utf-8"))
    if arguments.svg is not None:
        write_bytes(arguments.svg, svg.encode("utf-8"))
    if arguments.png is not None:
        try:
            picture = to_png(svg)
        except (ImportError, OSError):
            raise UsageError("--png needs the package cairosvg: pip install cairosvg, or save as --svg") from None
        write_bytes(arguments.png, picture)
    for path in (arguments.csv, arguments.svg, arguments.png):
        if path is not None:
            console.note(f"saved {console.message(path)}")


def _figures(curves: list[Curve], point: int | None, told: list[Gain], merges: int) -> dict[str, Any]:
    return {
        "merges": merges,
        "diminishing_return": point,
        "gains": [
            {
                "merges": entry.merges,
                "next_merges": entry.next_merges,
                "tokens_saved": entry.saved,
                "share": entry.share,
                "estimated": entry.estimated,
                "at_most": entry.bound,
            }
            for entry in told
        ],
        "curves": [
            {"name": curve.name, "unit": curve.unit, "x": curve.x.tolist(), "y": curve.y.tolist()} for curve in curves
        ],
    }
