"""`bpe-tui extend`: a tokenizer with more merges, learned from a text; what it had stays as it is."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bpe_tui.cli.arguments import (
    add_console,
    add_invalid,
    add_overwrite,
    add_ties,
    characters_or_all,
    whole_number,
)
from bpe_tui.cli.memory import add_memory

_DESCRIPTION = """Learn further merges from FILE on top of a tokenizer. Every id and every merge that it has stays as it
is. Extending on the text that it was trained on gives what training in one go gives."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("extend", help="learn more merges on top of a tokenizer", description=_DESCRIPTION)
    parser.add_argument("path", type=Path, metavar="TOKENIZER", help="tokenizer file, or FILE@RULE")
    parser.add_argument("--on", type=Path, required=True, metavar="FILE", help="text to learn from")
    parser.add_argument(
        "--target-vocab-size", type=whole_number, required=True, metavar="N", help="stop at N tokens in all"
    )
    parser.add_argument("--output", "-o", type=Path, required=True, metavar="FILE", help="tokenizer file to write")
    parser.add_argument(
        "--minimum-pair-frequency",
        type=whole_number,
        default=2,
        metavar="N",
        help="stop when the most frequent pair occurs fewer than N times (default: 2)",
    )
    parser.add_argument(
        "--training-characters",
        type=characters_or_all,
        default=None,
        metavar="N",
        help="learn from the first N characters only (default: all)",
    )
    add_ties(parser)
    add_memory(parser)
    add_invalid(parser)
    add_overwrite(parser, "the file of another tokenizer")
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import load_tokenizer, read_file
    from bpe_tui.cli.memory import check_memory, memory_figures
    from bpe_tui.cli.outputs import check_place, save_tokenizer
    from bpe_tui.cli.work import compile_kernels, run_job
    from bpe_tui.session.jobs import extend
    from bpe_tui.session.memory import MemoryEstimator, extending_settings

    console = Console(arguments)
    output: Path = arguments.output
    check_place(output)
    tokenizer = load_tokenizer(arguments.path, console)
    whole = read_file(arguments.on, arguments.invalid, console)
    compile_kernels(console, tokenizer.unit)
    memory = check_memory(
        arguments,
        console,
        MemoryEstimator(whole, lambda _: len(tokenizer.base_tokens)),
        extending_settings(
            tokenizer, arguments.training_characters, arguments.target_vocab_size, arguments.minimum_pair_frequency
        ),
        other_kinds=False,
    )
    text = whole[: arguments.training_characters]
    made, reason = run_job(
        console,
        "learning merges",
        lambda report: extend(
            tokenizer,
            text,
            arguments.target_vocab_size,
            arguments.minimum_pair_frequency,
            getattr(arguments, "ties", None),
            report,
        ),
    )
    save_tokenizer(made, output, console, overwrite=arguments.overwrite)
    learned = len(made.merges) - len(tokenizer.merges)
    console.say(f"{learned:,} more merges: {reason.explain()}")
    console.say(f"{len(tokenizer.itos):,} tokens became {len(made.itos):,}; saved {console.message(output)}")
    console.say(f"fingerprint {made.fingerprint()}")
    console.document(
        {
            "tokenizer": {
                "path": str(output),
                "fingerprint": made.fingerprint(),
                "tokens": len(made.itos),
                "vocab_size": made.vocab_size,
            },
            "memory": memory_figures(memory),
            "tokens_before": len(tokenizer.itos),
            "merges_learned": learned,
            "stop_reason": reason.value,
            "explanation": reason.explain(),
        }
    )
    return 0
