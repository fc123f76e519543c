"""Saying what the operating system refused in the words of the person who asked, with what to do about it."""

from __future__ import annotations

import errno
from pathlib import Path

CURES: dict[int, str] = {
    errno.ENOSPC: "the disk is full; free some space or name another place",
    errno.EDQUOT: "the disk quota is used up; free some space or name another place",
    errno.EFBIG: "the file would grow larger than the system allows here; name another place or raise the limit",
    errno.EACCES: "no permission; change the permissions or name another place",
    errno.EPERM: "not permitted; change the permissions or name another place",
    errno.EROFS: "the file system is read-only; name another place",
    errno.ENOENT: "no such file or folder; check the path",
    errno.ENOTDIR: "a part of the path is a file, not a folder; move it away or name another place",
    errno.EEXIST: "something else stands there already; move it away or name another place",
    errno.EISDIR: "a folder stands there; name a file",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    errno.ELOOP: "its symbolic links go round in a circle; name another place",
    errno.EIO: "the device reported an error; check the disk or name another place",
}


def explain(error: OSError, action: str, path: Path) -> str:
    """Give one sentence for people: `cannot {action} {place}: {what is wrong}; {what to do}`.

    `path` is what was asked for; the system's own word on the place wins when it has one, except for the temporary
    names that nobody asked for.
    """
    place = path
    if isinstance(error.filename, str) and not Path(error.filename).name.startswith(".bpe-tui-"):
        place = Path(error.filename)
    return f"cannot {action} {place}: {reason(error)}"


def reason(error: OSError) -> str:
    """Give the second half of such a sentence: `{what is wrong}; {what to do}`."""
    return CURES.get(error.errno or 0) or f"{error.strerror or error}; check the path or name another place"
