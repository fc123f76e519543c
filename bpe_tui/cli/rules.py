"""`bpe-tui rules`: the learned merges to look through, and what a token is made of and used for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import add_console, add_invalid, add_tokenizer, natural_number

if TYPE_CHECKING:
    from bpe_tui.analysis.places import Place
    from bpe_tui.analysis.rules import Rule, Rules
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "rules",
        help="search the learned merges",
        description="Print the merges in learned order. QUERY filters: a text the new token holds, /regex/, and "
        "numbers such as merge:..100 or len:>5. With --token or --id, print what is built on one token, and with "
        "--file where it first occurs in a text.",
    )
    parser.add_argument("query", nargs="?", default="", metavar="QUERY", help="what to look for (default: all)")
    parser.add_argument("--parts", action="store_true", help="also merges that have such a token as a part")
    parser.add_argument(
        "--limit", type=natural_number, default=50, metavar="N", help="rows at most (default: 50; 0: all)"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--token", metavar="TEXT", help="what is built on the token that is this text")
    which.add_argument("--id", type=int, metavar="N", help="what is built on the token with this id")
    parser.add_argument(
        "--file", type=Path, metavar="FILE", help="text in which the token's first places are looked for"
    )
    add_tokenizer(parser)
    add_invalid(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.analysis.rules import Rules
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.failures import UsageError
    from bpe_tui.cli.inputs import load_tokenizer

    console = Console(arguments)
    about_one = arguments.token is not None or arguments.id is not None
    if about_one and arguments.query:
        raise UsageError("give QUERY, or --token or --id, not both")
    if arguments.file is not None and not about_one:
        raise UsageError("--file shows where one token occurs: name it with --token or --id")
    tokenizer = load_tokenizer(arguments.tokenizer, console)
    rules = Rules(tokenizer)
    if about_one:
        return _one_token(rules, arguments, console)
    found = _search(rules, arguments)
    shown = found[: arguments.limit or None]
    for rule in shown:
        console.answer(_line(tokenizer, rule, console))
    if not found:
        console.note("no merge matches" if arguments.query else "the tokenizer has no merges")
    if len(shown) < len(found):
        console.note(f"{len(found) - len(shown):,} more; --limit 0 shows all")
    console.document(
        {
            "fingerprint": tokenizer.fingerprint(),
            "merges": len(rules),
            "found": len(found),
            "rules": [_figures(tokenizer, rule) for rule in shown],
        }
    )
    return 0


def _search(rules: Rules, arguments: argparse.Namespace) -> list[Rule]:
    from bpe_tui.cli.failures import UsageError
    from bpe_tui.terminal.query import QueryError, parse

    try:
        query = parse(arguments.query, ("merge", "len"))
    except QueryError as error:
        raise UsageError(f"QUERY: {error}") from None
    lengths = rules.tokenizer.token_lengths()
    readable = _readable_tokens(rules.tokenizer)
    return [
        rule
        for rule in rules.find(lambda token: query.matches_text(readable.get(token, token)), parts=arguments.parts)
        if query.matches_numbers(merge=rule.rank + 1, len=int(lengths[rule.new]))
    ]


def _readable_tokens(tokenizer: BPETokenizer) -> dict[str, str]:
    """Give the text of tokens of bytes by how the tokenizer spells them: people look for what they can read."""
    from bpe_tui.analysis.encoded import counts_bytes, token_text

    if not counts_bytes(tokenizer):
        return {}
    texts = ((token, token_text(tokenizer, number)) for number, token in enumerate(tokenizer.tokens))
    return {token: text for token, text in texts if text is not None}


def _one_token(rules: Rules, arguments: argparse.Namespace, console: Console) -> int:
    from bpe_tui.analysis import encode, places_in, token_tree

    tokenizer = rules.tokenizer
    number = arguments.id if arguments.id is not None else _id_of(tokenizer, arguments.token)
    tree = token_tree(tokenizer, number)
    uses, built = rules.uses(number), rules.built_on(number)
    found: list[Place] = []
    limit = arguments.limit or None
    if arguments.file is not None:
        from bpe_tui.cli.work import compile_kernels, run_job
        from bpe_tui.corpus import read_text

        compile_kernels(console, tokenizer.unit)
        text = run_job(
            console, "reading", lambda report: read_text(arguments.file, invalid=arguments.invalid, report=report)
        ).text
        encoded = run_job(console, "encoding", lambda report: encode(tokenizer, text, report))
        found = places_in(encoded, number, arguments.limit or len(text))
    born = "base token" if tree.rank is None else f"made by merge {tree.rank + 1:,}"
    console.answer(f"{console.token_of(tokenizer, number)}: id {number:,}, {born}")
    if tree.left is not None and tree.right is not None:
        parts = [console.token_of(tokenizer, node.id) for _, node in tree.walk() if node.left is None]
        console.answer(
            f"parts: {console.token_of(tokenizer, tree.left.id)} + {console.token_of(tokenizer, tree.right.id)}; "
            f"down to {' '.join(parts[:100])}{' ...' if len(parts) > 100 else ''}"
        )
    merges = "1 merge" if len(uses) == 1 else f"{len(uses):,} merges"
    tokens = "1 token is" if len(built) == 1 else f"{len(built):,} tokens are"
    console.answer(f"part of {merges}; {tokens} built on it")
    for rule in uses[:limit]:
        console.answer(_line(tokenizer, rule, console))
    if arguments.file is not None:
        # A place is told by the character that the token begins with.
        console.answer(f"{'character':>10}  place" if found else f"no place in {console.message(arguments.file)}")
    for place in found:
        console.answer(
            f"{place.offset:>10,}  {console.shown(place.before)}[{console.token_of(tokenizer, number)}]"
            f"{console.shown(place.after)}"
        )
    console.document(
        {
            "fingerprint": tokenizer.fingerprint(),
            "id": number,
            "token": tokenizer.tokens[number],
            "merge_rank": tree.rank,
            "uses": [_figures(tokenizer, rule) for rule in uses],
            "built_on_it": [{"id": other, "token": tokenizer.tokens[other]} for other in built],
            "places": [{"offset": place.offset, "before": place.before, "after": place.after} for place in found],
        }
    )
    return 0


def _id_of(tokenizer: BPETokenizer, token: str) -> int:
    from bpe_tui.analysis.encoded import counts_bytes
    from bpe_tui.errors import TokenIdError

    found = tokenizer.stoi.get(token)
    if counts_bytes(tokenizer):
        from bpe_tui.bpe.byte_alphabet import to_characters

        found = tokenizer.stoi.get(to_characters(token.encode("utf-8", "surrogateescape")), found)
    if found is None:
        raise TokenIdError(
            f"the tokenizer holds no token {token!r}; look at how the text falls into tokens with tokenize"
        )
    return found


def _line(tokenizer: BPETokenizer, rule: Rule, console: Console) -> str:
    left, right, new = (console.token_of(tokenizer, number) for number in (rule.left, rule.right, rule.new))
    return f"merge {rule.rank + 1:>7,}  id {rule.new:>7,}  {left} + {right} {console.arrow} {new}"


def _figures(tokenizer: BPETokenizer, rule: Rule) -> dict[str, Any]:
    tokens = tokenizer.tokens
    return {
        "rank": rule.rank,
        "pair": [tokens[rule.left], tokens[rule.right]],
        "new_id": rule.new,
        "token": tokens[rule.new],
    }
