"""`bpe-tui inspect`: what is in a tokenizer file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import add_console, whole_number

if TYPE_CHECKING:
    from bpe_tui.analysis import TokenizerSummary, TokenNode
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console

_TREE_LINES = 200
"""A token of thousands of characters has thousands of parts; on paper the first ones do."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "inspect",
        help="look into a tokenizer file",
        description="Print the figures of a tokenizer and its longest tokens, or how one token is put together.",
    )
    parser.add_argument("file", type=Path, metavar="TOKENIZER", help="tokenizer file, or FILE@RULE")
    parser.add_argument(
        "--longest", type=whole_number, default=30, metavar="N", help="show the N longest learned tokens (default: 30)"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--token", metavar="TEXT", help="show the token that is this text")
    which.add_argument("--id", type=int, metavar="N", help="show the token with this id")
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.analysis import longest_tokens, summarise, token_tree
    from bpe_tui.cli import figures
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import load_tokenizer

    console = Console(arguments)
    tokenizer = load_tokenizer(arguments.file, console)
    if arguments.token is not None or arguments.id is not None:
        tree = token_tree(tokenizer, _wanted(tokenizer, arguments))
        _answer_tree(tree, tokenizer, console)
        console.document(_tree_figures(tree, tokenizer))
        return 0
    summary = summarise(tokenizer)
    longest = longest_tokens(tokenizer, arguments.longest)
    _answer_summary(summary, console)
    console.answer(f"the {len(longest)} longest learned tokens:")
    for line in figures.longest_lines(longest, tokenizer, console):
        console.answer(line)
    console.document({**_summary_figures(summary), "longest_tokens": figures.longest_figures(longest, tokenizer)})
    return 0


def _wanted(tokenizer: BPETokenizer, arguments: argparse.Namespace) -> int:
    from bpe_tui.errors import TokenIdError

    if arguments.id is not None:
        return int(arguments.id)
    wanted = arguments.token
    found = tokenizer.stoi.get(_in_byte_alphabet(wanted)) if tokenizer.kind == "byte_bpe" else None
    if found is None:
        found = tokenizer.stoi.get(wanted)
    if found is None:
        raise TokenIdError(
            f"{arguments.file} holds no token {arguments.token!r}; look at how the text falls into tokens with tokenize"
        )
    return found


def _in_byte_alphabet(text: str) -> str:
    from bpe_tui.bpe.byte_alphabet import to_characters

    return to_characters(text.encode("utf-8", "surrogateescape"))


def _losses(summary: TokenizerSummary) -> str:
    if summary.lossless:
        return ""
    return ", white space is not kept" if summary.kind == "word_bpe" else ", texts are normalised"


def _answer_summary(summary: TokenizerSummary, console: Console) -> None:
    console.answer(f"fingerprint      {summary.fingerprint}")
    console.answer(f"kind             {summary.kind}{_losses(summary)}")
    console.answer(f"vocabulary       {summary.vocab_size:,} tokens")
    console.answer(f"base tokens      {summary.base_size:,}")
    repeated = f", {summary.repeated_merges:,} of them make a token that was there" if summary.repeated_merges else ""
    console.answer(f"merges           {summary.merges:,}{repeated}")
    console.answer(
        f"learned tokens   {summary.learned_tokens:,}, {summary.mean_token_length:.2f} {summary.unit} on average"
    )
    for number, token in summary.special_tokens:
        console.answer(f"special token    {number:,}  {console.shown(token)}")
    console.answer(f"{summary.unit:<16} tokens with so many")
    for length, tokens in summary.tokens_by_length:
        console.answer(f"{length:>10,}       {tokens:,}")


def _summary_figures(summary: TokenizerSummary) -> dict[str, Any]:
    return {
        "fingerprint": summary.fingerprint,
        "kind": summary.kind,
        "lossless": summary.lossless,
        "unit": summary.unit,
        "special_tokens": {token: number for number, token in summary.special_tokens},
        "vocab_size": summary.vocab_size,
        "base_tokens": summary.base_size,
        "merges": summary.merges,
        "learned_tokens": summary.learned_tokens,
        "repeated_merges": summary.repeated_merges,
        "longest_token": summary.longest_token,
        "mean_token_length": summary.mean_token_length,
        "tokens_by_length": {str(length): tokens for length, tokens in summary.tokens_by_length},
    }


def _answer_tree(tree: TokenNode, tokenizer: BPETokenizer, console: Console) -> None:
    length = int(tokenizer.token_lengths()[tree.id])
    born = "base token" if tree.rank is None else f"made by merge {tree.rank + 1:,}"
    shown = console.token(tree.token, tokenizer.kind)
    console.answer(f"{shown}: id {tree.id:,}, {length:,} {tokenizer.unit}, {born}")
    for line, (depth, node) in enumerate(tree.walk()):
        if line == _TREE_LINES:
            console.answer("  ... and more parts; --json gives each merge of it")
            break
        merge = "" if node.rank is None else f"  merge {node.rank + 1:,}"
        # Deeper than this, indentation would only push the tokens off the screen.
        indent = "  " * min(depth, 30)
        console.answer(f"{indent}{node.id:>6}{merge}  {console.token(node.token, tokenizer.kind)}")


def _tree_figures(tree: TokenNode, tokenizer: BPETokenizer) -> dict[str, Any]:
    """Give the token and, once each, all the tokens that it is made of, by rising id."""
    nodes = {node.id: node for node in tree.parts()}
    return {
        "id": tree.id,
        "token": tree.token,
        tokenizer.unit: int(tokenizer.token_lengths()[tree.id]),
        "merge_rank": tree.rank,
        "parts": [
            {
                "id": node.id,
                "token": node.token,
                "merge_rank": node.rank,
                "left": node.left.id if node.left is not None else None,
                "right": node.right.id if node.right is not None else None,
            }
            for _, node in sorted(nodes.items())
        ],
    }
