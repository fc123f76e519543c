"""`bpe-tui decode`: ids to the exact text that they stand for."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import add_console, add_invalid, add_tokenizer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console
    from bpe_tui.progress import Report

_DESCRIPTION = """Decode ids to text. The text goes to standard output as UTF-8, byte for byte, without a newline added.
On a terminal, control characters are shown instead of sent, and a newline ends it."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("decode", help="ids to text", description=_DESCRIPTION)
    parser.add_argument("id", nargs="*", metavar="ID", help="token ids; - or nothing: read them from standard input")
    parser.add_argument("--file", type=Path, metavar="FILE", help="a .pt or .npy file, or a text file with ids")
    parser.add_argument("--output", "-o", type=Path, metavar="FILE", help="write the text to FILE instead")
    add_tokenizer(parser)
    add_invalid(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.atomic import write_bytes
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import load_tokenizer, read_ids
    from bpe_tui.cli.outputs import OutputError
    from bpe_tui.cli.work import compile_kernels, run_job
    from bpe_tui.system_errors import explain

    console = Console(arguments)
    tokenizer = load_tokenizer(arguments.tokenizer, console)
    ids = read_ids(arguments, console)
    compile_kernels(console, tokenizer.unit)
    text = run_job(console, "decoding", lambda report: _decode(tokenizer, ids, arguments.invalid, report))
    output: Path | None = arguments.output
    if output is not None:

        def save(report: Report) -> None:
            report(f"saving {output.name}", 0, 0)
            try:
                write_bytes(output, text.encode("utf-8"))
            except OSError as error:
                raise OutputError(explain(error, "write", output)) from error

        run_job(console, f"saving {output.name}", save)
        console.note(f"saved {console.message(output)}: {len(text):,} characters of {len(ids):,} tokens")
    elif not console.json:
        _write(text, console)
    console.document(
        {
            "fingerprint": tokenizer.fingerprint(),
            "tokens": len(ids),
            "characters": len(text),
            **({"text": text} if output is None else {"file": str(output)}),
        }
    )
    return 0


def _decode(tokenizer: BPETokenizer, ids: npt.NDArray[np.int64], invalid: str, report: Report) -> str:
    from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer

    if isinstance(tokenizer, ByteBPETokenizer) and invalid == "replace":
        return tokenizer.decode(ids, report, errors="replace")
    return tokenizer.decode(ids, report)


def _write(text: str, console: Console) -> None:
    if sys.stdout.isatty():
        # What a corpus holds must not run on the terminal; line ends and tabs are harmless and wanted.
        for line in text.split("\n"):
            sys.stdout.write("\t".join(console.message(cell) for cell in line.split("\t")) + "\n")
        return
    console.exactly(text.encode("utf-8"))
