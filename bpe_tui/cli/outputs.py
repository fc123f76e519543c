"""Saving what a command made, without destroying what the user has, and finding out early when that cannot work."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.atomic import refuse_special, write_text
from bpe_tui.cli.console import Console
from bpe_tui.cli.work import run_job
from bpe_tui.errors import BPEError, TokenizerFileError
from bpe_tui.system_errors import explain

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer


class OutputError(BPEError):
    """A file that cannot be written, or must not be replaced unasked."""


def check_place(path: Path) -> None:
    """Find out before a long job whether `path` can be written at all. Raises OutputError.

    Passing is no promise: the disk may still be full when the time comes.
    """
    try:
        refuse_special(path)
    except OSError as error:
        raise OutputError(explain(error, "write", path)) from error
    folder = next((parent for parent in path.absolute().parents if parent.exists()), None)
    if folder is None:
        return
    if not folder.is_dir():
        raise OutputError(explain(OSError(errno.ENOTDIR, ""), "write", path))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(explain(OSError(errno.EACCES, ""), "write", path))


def check_replacing(path: Path, fingerprint: str, *, overwrite: bool) -> None:
    """Make sure that a tokenizer with this fingerprint may be saved as `path`. Raises OutputError.

    It may replace itself, but another tokenizer, or a file that is none, only when `overwrite`.
    """
    if overwrite or not path.exists():
        return
    from bpe_tui.formats import read

    cure = "give --overwrite to replace it, or name another file"
    try:
        present = read(path).fingerprint()
    except TokenizerFileError as error:
        raise OutputError(f"{path} exists and is no tokenizer that could be read; {cure}") from error
    if present != fingerprint:
        raise OutputError(
            f"{path} holds another tokenizer (fingerprint {present[:16]}..., not {fingerprint[:16]}...); {cure}"
        )


def save_tokenizer(tokenizer: BPETokenizer, path: Path, console: Console, *, overwrite: bool) -> None:
    """Save `tokenizer` and prove that what was saved can be loaded again.

    Raises OutputError, TokenizerFileError, FingerprintMismatchError.
    """
    from bpe_tui.session.jobs import save_tokenizer as save

    check_replacing(path, tokenizer.fingerprint(), overwrite=overwrite)
    run_job(console, f"saving {path.name}", lambda report: save(tokenizer, path, report=report))


def save_json(content: Any, path: Path) -> None:
    """Write a JSON file, whole or not at all. Raises OutputError."""
    try:
        write_text(path, json.dumps(content, indent=1) + "\n")
    except OSError as error:
        raise OutputError(explain(error, "write", path)) from error
