"""`bpe-tui compare-sizes`: what vocabularies of several sizes give, from one training run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import (
    add_console,
    add_invalid,
    add_splits,
    characters_or_all,
    natural_number,
    whole_number,
)
from bpe_tui.cli.memory import add_memory

if TYPE_CHECKING:
    from bpe_tui.analysis.sizes import SizeComparison, SizeRow
    from bpe_tui.cli.console import Console

_HELD_OUT_MEMORY = 15
"""Bytes that finding the length of the held-out text after each merge takes for each of its characters."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "compare-sizes",
        help="compare vocabulary sizes, from one training run",
        description="Train once, to the largest size, and print for each size the training time, the sequence length, "
        "the compression of training and validation text, what the embedding costs and what a context covers.",
    )
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        metavar="CORPUS",
        help="folder with splits, one text file, or the name of a shipped corpus (see corpus list)",
    )
    parser.add_argument(
        "--sizes", type=_sizes, default=[300, 500, 1000], metavar="N,N,...",
        help="vocabulary sizes (default: 300,500,1000)",
    )  # fmt: skip
    parser.add_argument(
        "--training-characters", type=characters_or_all, default=500_000, metavar="N",
        help="learn from the first N characters, or from all (default: 500000)",
    )  # fmt: skip
    parser.add_argument("--minimum-pair-frequency", type=whole_number, default=2, metavar="N", help="default: 2")
    parser.add_argument(
        "--dimension", type=whole_number, default=128, metavar="N", help="width of the embedding (default: 128)"
    )
    parser.add_argument("--untied", action="store_true", help="input and output embeddings are two matrices, not one")
    parser.add_argument("--context", type=whole_number, default=128, metavar="N", help="tokens (default: 128)")
    parser.add_argument(
        "--longest", type=natural_number, default=5, metavar="N", help="longest tokens to name (default: 5)"
    )
    add_memory(parser)
    add_splits(parser)
    add_invalid(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.analysis.sizes import compare_sizes
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import load_splits
    from bpe_tui.cli.memory import check_memory, memory_figures
    from bpe_tui.cli.work import compile_kernels, run_job
    from bpe_tui.session.memory import MemoryEstimator
    from bpe_tui.session.settings import RunSettings

    console = Console(arguments)
    splits = load_splits(arguments, arguments.path, console)
    compile_kernels(console, "characters")
    base_tokens = splits.base_characters()
    memory = check_memory(
        arguments,
        console,
        MemoryEstimator(splits.train.text, lambda _: len(base_tokens), after=_HELD_OUT_MEMORY * len(splits.val.text)),
        RunSettings(arguments.training_characters, arguments.sizes[-1], arguments.minimum_pair_frequency),
        other_kinds=False,
        remark=True,
    )
    text = splits.train.text[: arguments.training_characters]
    found = run_job(
        console,
        "training",
        lambda report: compare_sizes(
            text,
            arguments.sizes,
            held_out=splits.val.text,
            base_tokens=base_tokens,
            minimum_pair_frequency=arguments.minimum_pair_frequency,
            longest=arguments.longest,
            report=report,
        ),
    )
    _answer(found, arguments, console)
    console.document(
        {
            "corpus": splits.name,
            "memory": memory_figures(memory),
            "fingerprint": found.tokenizer.fingerprint(),
            "stop_reason": found.stop_reason.value if found.stop_reason is not None else None,
            "embedding_dimension": arguments.dimension,
            "tied": not arguments.untied,
            "context_tokens": arguments.context,
            "sizes": [_row_figures(row, arguments) for row in found.rows],
        }
    )
    return 0


def _answer(found: SizeComparison, arguments: argparse.Namespace, console: Console) -> None:
    from bpe_tui.cli.tables import figure, table
    from bpe_tui.terminal import count

    tied = "two matrices" if arguments.untied else "tied"
    rows = [["vocabulary", "merges", "seconds", "sequence", "training", "validation", "embedding", "context"]]
    longest = [["vocabulary", "longest tokens"]]
    for row in found.rows:
        rows.append(
            [
                count(row.vocab_size),
                count(row.merges),
                figure(row.seconds, 2),
                count(row.sequence_length),
                figure(row.compression),
                figure(row.held_out_compression),
                count(row.embedding_parameters(arguments.dimension, tied=not arguments.untied)),
                f"{row.context_characters(arguments.context):,.0f}",
            ]
        )
        longest.append([count(row.vocab_size), " ".join(console.shown(token) for _, token in row.longest)])
    # Beside the figures there is no room for them in a terminal of 80 columns.
    for line in [*table(rows, left=()), "", *table(longest, left=(1,))]:
        console.answer(line)
    for row in found.rows:
        if row.vocab_size < row.size and found.stop_reason is not None:
            console.note(f"{row.size:,} tokens were not reached: {found.stop_reason.explain()}")
    console.note(
        "training, validation: characters per token of these texts; "
        f"embedding: parameters at dimension {arguments.dimension:,}, {tied}; "
        f"context: characters that {arguments.context:,} tokens of validation text cover"
    )


def _row_figures(row: SizeRow, arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "size": row.size,
        "vocab_size": row.vocab_size,
        "merges": row.merges,
        "seconds": row.seconds,
        "training_characters": row.characters,
        "sequence_length": row.sequence_length,
        "compression_factor": row.compression,
        "validation_tokens": row.held_out_length,
        "validation_compression_factor": row.held_out_compression,
        "embedding_parameters": row.embedding_parameters(arguments.dimension, tied=not arguments.untied),
        "context_characters": row.context_characters(arguments.context),
        "longest_tokens": [{"id": number, "token": token} for number, token in row.longest],
    }


def _sizes(text: str) -> list[int]:
    sizes = [whole_number(part.strip()) for part in text.split(",") if part.strip()]
    if not sizes:
        raise argparse.ArgumentTypeError("name at least one size")
    return sorted(set(sizes))
