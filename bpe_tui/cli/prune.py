"""`bpe-tui prune`: a tokenizer without the tokens that a text hardly uses."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import add_console, add_invalid, add_overwrite, whole_number

if TYPE_CHECKING:
    from bpe_tui.bpe.pruning import Pruned
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console

_SHOWN = 20
"""How many of the tokens that had to stay are shown."""

_DESCRIPTION = """Remove learned tokens that are used fewer than N times when FILE is encoded, unless other merges need
them. Beside the new tokenizer, a JSON file maps old ids to new ones."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("prune", help="remove tokens that a text hardly uses", description=_DESCRIPTION)
    parser.add_argument("path", type=Path, metavar="TOKENIZER", help="tokenizer file")
    parser.add_argument(
        "--minimum-use", type=whole_number, required=True, metavar="N", help="tokens used less often than this go"
    )
    parser.add_argument("--on", type=Path, required=True, metavar="FILE", help="text whose encoding counts the uses")
    parser.add_argument("--output", "-o", type=Path, required=True, metavar="FILE", help="tokenizer file to write")
    parser.add_argument("--keep-ids", action="store_true", help="leave holes: no token that stays gets another id")
    add_invalid(parser)
    add_overwrite(parser, "the file of another tokenizer")
    add_console(parser)


def id_map_place(output: Path) -> Path:
    """Give where the map from old to new ids goes."""
    return output.with_name(f"{output.stem}_ids.json")


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import load_tokenizer, read_file
    from bpe_tui.cli.outputs import check_place, save_json, save_tokenizer
    from bpe_tui.cli.work import compile_kernels, run_job
    from bpe_tui.session.jobs import prune

    console = Console(arguments)
    output: Path = arguments.output
    check_place(output)
    check_place(id_map_place(output))
    tokenizer = load_tokenizer(arguments.path, console)
    text = read_file(arguments.on, arguments.invalid, console)
    compile_kernels(console, tokenizer.unit)
    pruned = run_job(
        console,
        "counting uses",
        lambda report: prune(tokenizer, text, arguments.minimum_use, keep_ids=arguments.keep_ids, report=report),
    )
    save_tokenizer(pruned.tokenizer, output, console, overwrite=arguments.overwrite)
    save_json(
        {
            "from": tokenizer.fingerprint(),
            "to": pruned.tokenizer.fingerprint(),
            "ids": {str(old): new for old, new in pruned.ids.items()},
        },
        id_map_place(output),
    )
    _say(tokenizer, pruned, arguments.minimum_use, console)
    console.say(f"saved {console.message(output)} and {console.message(id_map_place(output))}")
    console.say(f"fingerprint {pruned.tokenizer.fingerprint()}")
    console.document(
        {
            "tokenizer": {
                "path": str(output),
                "fingerprint": pruned.tokenizer.fingerprint(),
                "tokens": len(pruned.ids),
                "vocab_size": pruned.tokenizer.vocab_size,
            },
            "ids": str(id_map_place(output)),
            "removed": [{"id": number, "token": token, "uses": uses} for number, token, uses in pruned.removed],
            "kept": [
                {"id": kept.id, "token": kept.token, "uses": kept.uses, "needed_by": list(kept.needed_by)}
                for kept in pruned.kept
            ],
        }
    )
    return 0


def _say(tokenizer: BPETokenizer, pruned: Pruned, minimum_use: int, console: Console) -> None:
    kind = tokenizer.kind
    console.say(
        f"removed {len(pruned.removed):,} of {len(tokenizer.itos):,} tokens, used fewer than {minimum_use:,} times; "
        f"{len(pruned.ids):,} stay"
    )
    if pruned.kept:
        console.say(f"{len(pruned.kept):,} more are used as little, but tokens that stay are made of them:")
    for kept in pruned.kept[:_SHOWN]:
        needed = ", ".join(console.token(token, kind) for token in kept.needed_by[:3])
        more = f" and {len(kept.needed_by) - 3:,} more" if len(kept.needed_by) > 3 else ""
        console.say(
            f"{kept.id:>8,}  used {kept.uses:,} times  {console.token(kept.token, kind)}  needed by {needed}{more}"
        )
    if len(pruned.kept) > _SHOWN:
        console.say(f"          … and {len(pruned.kept) - _SHOWN:,} more; --json lists all")
