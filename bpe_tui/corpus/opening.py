"""Opening what should be a text file, and saying plainly what it is when it is something else.

A pipe or a device would hang the program for ever, a folder gives a puzzling error: all are told apart before the
first byte is read.
"""

from __future__ import annotations

import errno
import os
import stat
from io import FileIO
from typing import TYPE_CHECKING

from bpe_tui.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

_KINDS = (
    (stat.S_ISDIR, "is a folder, not a text file; name a file in it"),
    (stat.S_ISFIFO, "is a pipe, not a file; save what it gives to a file and name that"),
    (stat.S_ISSOCK, "is a socket, not a file"),
    (stat.S_ISCHR, "is a device, not a file"),
    (stat.S_ISBLK, "is a device, not a file"),
)


def open_regular(path: Path) -> FileIO:
    """Open a regular file for reading bytes, unbuffered.

    Raises CorpusError, naming the file and what to do, for everything that is not a readable regular file.
    """
    try:
        _refuse_special(path, path.stat().st_mode)
        # Should the file be exchanged for a pipe just now, O_NONBLOCK keeps this open from waiting for a writer.
        flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    try:
        _refuse_special(path, os.fstat(descriptor).st_mode)
        return FileIO(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def unreadable(path: Path, error: OSError | ValueError) -> CorpusError:
    """Give the CorpusError that says why `path` cannot be read."""
    if isinstance(error, CorpusError):
        return error
    if not isinstance(error, OSError):
        # Python refuses names with a NUL in them before it asks the system.
        return CorpusError(f"{str(path)!r} cannot be the name of a file: {error}", file=path)
    if isinstance(error, FileNotFoundError):
        return CorpusError(f"{path} does not exist{_nearest(path)}", file=path)
    if isinstance(error, PermissionError):
        return CorpusError(
            f"{path} cannot be read: no permission; ask its owner, or copy it to a place of yours", file=path
        )
    if isinstance(error, NotADirectoryError):
        return CorpusError(f"{path} does not exist: a part of its path is a file, not a folder", file=path)
    if error.errno == errno.ELOOP:
        return CorpusError(f"{path} cannot be read: its symbolic links go round in a circle", file=path)
    return CorpusError(f"{path} cannot be read: {error.strerror or error}", file=path)


def _refuse_special(path: Path, mode: int) -> None:
    for is_kind, explanation in _KINDS:
        if is_kind(mode):
            raise CorpusError(f"{path} {explanation}", file=path)


def _nearest(path: Path) -> str:
    """Say where the path goes astray: a dangling link, or the first folder of it that is missing."""
    if path.is_symlink():
        return f": it is a symbolic link to {path.readlink()}, which is missing"
    missing = path
    while missing.parent != missing and not missing.parent.exists():
        missing = missing.parent
    return "" if missing == path else f": there is no folder {missing}"
