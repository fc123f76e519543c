"""Writing files so that a reader sees the old content or the new, never a part.

The content goes to a temporary name in the same folder, is fsynced, and is renamed over the target; whatever goes
wrong on the way, the temporary file and the folders made for it are removed and the old file stays as it was. Only
files are replaced: a rename over a device would, for root, take the device away from the whole system.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def atomic_writer(path: Path) -> Iterator[IO[bytes]]:
    """Give a binary file whose content becomes `path` when the block ends without an error.

    Folders above `path` are made. The file gets the permissions that a newly created file would have, or those of the
    file it replaces. A symbolic link is followed, so that the link stays a link.

    Raises OSError when the folder cannot be written, the disk is full, or something that is no file stands there.
    """
    refuse_special(path)
    target = Path(os.path.realpath(path))
    made = [folder for folder in target.parents if not folder.exists()]
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".bpe-tui-", suffix=".partial", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_permissions(target))
        temporary.replace(target)
        _fsync_folder(target.parent)
    except BaseException:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        # Innermost first; one that holds something else by now stays.
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path`, whole or not at all. Raises OSError."""
    with atomic_writer(path) as file:
        file.write(content)


def write_text(path: Path, content: str) -> None:
    """Write `content` to `path` as UTF-8 with its line ends as they are, whole or not at all. Raises OSError."""
    write_bytes(path, content.encode("utf-8"))


def refuse_special(path: Path) -> None:
    """Raise OSError if `path` cannot be a file: a folder, a device, a pipe or a circle of links, or no name at all."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except ValueError as error:
        # Python refuses names with a NUL or a surrogate in them before it asks the system.
        raise OSError(errno.EINVAL, "no file can have this name", str(path)) from error
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EOPNOTSUPP, "a device or pipe stands there, not a file", str(path))


def _permissions(target: Path) -> int:
    try:
        return target.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _fsync_folder(folder: Path) -> None:
    # Makes the rename itself durable. Not every system opens folders (Windows does not): the rename stands regardless.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
