"""`bpe-tui fingerprint`: what identifies a tokenizer, computed from its content and not merely read from the file."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from bpe_tui.cli.arguments import add_console


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "fingerprint",
        help="print or check fingerprints",
        description="Print the fingerprint of tokenizer files, or check that they all have a given one.",
    )
    parser.add_argument("file", nargs="+", type=Path, metavar="FILE", help="tokenizer file")
    parser.add_argument(
        "--check", type=_digits, metavar="HEX", help="fail unless every file has this fingerprint (at least 8 digits)"
    )
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import load_tokenizer
    from bpe_tui.errors import FingerprintMismatchError

    console = Console(arguments)
    found = []
    wrong = []
    for file in arguments.file:
        fingerprint = load_tokenizer(file, console).fingerprint()
        found.append({"file": str(file), "fingerprint": fingerprint})
        console.answer(f"{fingerprint}  {console.message(file)}")
        if arguments.check is not None and not fingerprint.startswith(arguments.check):
            wrong.append((file, fingerprint))
    console.document({"fingerprints": found, "checked": arguments.check, "equal": not wrong})
    if wrong:
        file, fingerprint = wrong[0]
        more = f" ({len(wrong) - 1} more differ too)" if len(wrong) > 1 else ""
        raise FingerprintMismatchError(
            f"{file} has the fingerprint {fingerprint}, not {arguments.check}{more}; it is another tokenizer", file=file
        )
    return 0


def _digits(text: str) -> str:
    digits = text.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{8,64}", digits):
        raise argparse.ArgumentTypeError(f"{text!r} is not a fingerprint: 8 to 64 hexadecimal digits")
    return digits
