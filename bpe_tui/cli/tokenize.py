"""`bpe-tui tokenize`: how a text falls into tokens, to look at."""

from __future__ import annotations

import argparse
from typing import Any

from bpe_tui.cli.arguments import add_console, add_invalid, add_special_policy, add_texts, add_tokenizer


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "tokenize",
        help="show the tokens of a text with their ids",
        description="Show the tokens of a text, one a line: id, then the token with its blanks made visible.",
    )
    add_texts(parser)
    add_tokenizer(parser)
    add_invalid(parser)
    add_special_policy(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.figures import tokens_of
    from bpe_tui.cli.inputs import encode_text, load_tokenizer, read_texts
    from bpe_tui.cli.work import compile_kernels

    console = Console(arguments)
    tokenizer = load_tokenizer(arguments.tokenizer, console)
    texts = read_texts(arguments, console)
    compile_kernels(console)
    results = []
    width = len(str(tokenizer.vocab_size))
    for given in texts:
        text = given.text
        ids = encode_text(tokenizer, text, console, arguments.special_policy).tolist()
        if console.json:
            results.append(
                {
                    "source": given.source,
                    "characters": len(text),
                    "count": len(ids),
                    "compression_factor": len(text) / len(ids) if ids else 0.0,
                    "tokens": tokens_of(tokenizer, ids),
                }
            )
            continue
        for token_id in ids:
            console.answer(f"{token_id:>{width}}  {console.token(tokenizer.tokens[token_id], tokenizer.kind)}")
        factor = f", {len(text) / len(ids):.3f} characters per token" if ids else ""
        console.note(f"{given.source}: {len(ids):,} tokens of {len(text):,} characters{factor}")
    console.document({"fingerprint": tokenizer.fingerprint(), "texts": results})
    return 0
