"""`bpe-tui tokenize`: how a text falls into tokens, to look at, and how it got there."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import add_console, add_invalid, add_merges, add_special_policy, add_texts, add_tokenizer

if TYPE_CHECKING:
    from bpe_tui.analysis import Replay, ReplayRow
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console

_AROUND = 3
"""Tokens shown on both sides of a place where a merge fired."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "tokenize",
        help="show the tokens of a text with their ids",
        description="Show the tokens of a text, one a line: id, then the token with its blanks made visible. With "
        "--replay, show how it got there: each merge that fired, in order, with the first place where it did, before "
        "and after.",
    )
    add_texts(parser)
    parser.add_argument("--replay", action="store_true", help="show the merges that fired, one a line")
    add_merges(parser)
    add_tokenizer(parser)
    add_invalid(parser)
    add_special_policy(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import as_of, load_tokenizer, read_texts
    from bpe_tui.cli.work import compile_kernels

    console = Console(arguments)
    tokenizer = as_of(load_tokenizer(arguments.tokenizer, console), arguments)
    texts = read_texts(arguments, console)
    compile_kernels(console, tokenizer.unit)
    results = []
    for given in texts:
        if arguments.replay:
            figures = _replay(tokenizer, given.text, given.source, console)
        else:
            figures = _tokens(tokenizer, given.text, given.source, arguments.special_policy, console)
        results.append({"source": given.source, **figures})
    console.document({"fingerprint": tokenizer.fingerprint(), "texts": results})
    return 0


def _tokens(tokenizer: BPETokenizer, text: str, source: str, special: str, console: Console) -> dict[str, Any]:
    from bpe_tui.cli.figures import tokens_of
    from bpe_tui.cli.inputs import encode_text

    ids = encode_text(tokenizer, text, console, special).tolist()
    if console.json:
        return {
            "characters": len(text),
            "count": len(ids),
            "compression_factor": len(text) / len(ids) if ids else 0.0,
            "tokens": tokens_of(tokenizer, ids),
        }
    width = len(str(tokenizer.vocab_size))
    for token_id in ids:
        console.answer(f"{token_id:>{width}}  {console.token_of(tokenizer, token_id)}")
    factor = f", {len(text) / len(ids):.3f} characters per token" if ids else ""
    console.note(f"{source}: {len(ids):,} tokens of {len(text):,} characters{factor}")
    return {}


def _replay(tokenizer: BPETokenizer, text: str, source: str, console: Console) -> dict[str, Any]:
    from bpe_tui.analysis import replay
    from bpe_tui.cli.work import run_job

    story = run_job(console, "replaying merges", lambda report: replay(tokenizer, text, report))
    if console.json:
        return {
            "characters": len(text),
            "base_symbols": story.count(0),
            "count": story.count(len(story)),
            "replay": [_row_figures(story, row, tokenizer) for row in story.rows],
        }
    for row in story.rows:
        console.answer(_row_line(story, row, console))
    console.note(
        f"{source}: {len(story):,} merges fired; {story.count(0):,} base tokens became "
        f"{story.count(len(story)):,} tokens"
    )
    return {}


def _row_line(story: Replay, row: ReplayRow, console: Console) -> str:
    near = story.stretch(row.step, 0, _AROUND)
    places = len(row.places)

    def shown(ids: tuple[int, ...]) -> str:
        return " ".join(console.token_of(story.tokenizer, number) for number in ids)

    where = "1 place" if places == 1 else f"{places:,} places"
    what = f"merge {row.rank + 1:>6,}" if row.left is not None else "whole piece "
    parts, new = shown(near.parts), shown((near.new,))
    before, after = shown(near.before), shown(near.after)
    return f"{what}  {where:>10}  {before} [{parts}] {after} {console.arrow} {before} [{new}] {after}".replace(
        "  [", " ["
    )


def _row_figures(story: Replay, row: ReplayRow, tokenizer: BPETokenizer) -> dict[str, Any]:
    tokens = tokenizer.tokens
    return {
        "step": row.step,
        "rank": row.rank,
        "pair": None if row.left is None or row.right is None else [tokens[row.left], tokens[row.right]],
        "new_id": row.new,
        "token": tokens[row.new],
        "places": row.places.tolist(),
        "length_before": story.count(row.step),
        "length_after": story.count(row.step + 1),
    }
