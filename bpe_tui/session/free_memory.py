"""What memory is free to this process, and what it holds: asked of the system, in less than a millisecond on Linux.

A container may have far less than the machine: its limits (control groups, both versions) are looked at on every level
up to the root. Where the system does not tell, nothing is known, and nobody is refused anything for that.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PATIENCE: Final = 2.0
"""Seconds that a system command gets to answer; it takes a few milliseconds."""
_MACOS_FREE: Final = ("Pages free", "Pages inactive", "Pages speculative", "Pages purgeable")
"""Pages of macOS that a program can have without anything being swapped out."""


def free_memory(root: Path = Path("/")) -> int | None:
    """Give the bytes that this process can still take before something is swapped out or killed; None if not known.

    `root` is where the system's files are looked for.
    """
    if sys.platform == "darwin":
        return _free_on_macos()
    found = [size for size in (_available(root), *_left_in_groups(root)) if size is not None]
    return max(0, min(found)) if found else None


def held_memory(root: Path = Path("/")) -> int:
    """Give the bytes of memory that this process holds: those that are resident, on macOS the most that ever were."""
    words = _text(root / "proc/self/statm").split()
    if len(words) > 1 and words[1].isdigit():
        import resource

        return int(words[1]) * resource.getpagesize()
    if sys.platform == "win32":
        return 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _available(root: Path) -> int | None:
    found = re.search(r"^MemAvailable:\s+(\d+) kB", _text(root / "proc/meminfo"), re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def _left_in_groups(root: Path) -> Iterator[int]:
    """Give what each control group that holds this process has left."""
    mounts = root / "sys/fs/cgroup"
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            names = ("memory.max", "memory.current", "inactive_file")
            tops = [mounts, mounts / "unified"]
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            tops = [mounts / "memory"]
        else:
            continue
        for top in tops:
            # Inside of a container, the group often is the root of what can be seen, whatever its path says.
            folder = top / path.strip("/")
            for level in dict.fromkeys((folder, *folder.parents)):
                if level.is_relative_to(top):
                    left = _left(level, *names)
                    if left is not None:
                        yield left


def _left(group: Path, limit: str, used: str, cached: str) -> int | None:
    most, now = _text(group / limit).strip(), _text(group / used).strip()
    if not (most.isdigit() and now.isdigit()):
        return None  # "max": no limit
    # Files that were read a while ago make room when it is needed.
    found = re.search(rf"^{cached} (\d+)$", _text(group / "memory.stat"), re.MULTILINE)
    return int(most) - int(now) + (int(found[1]) if found else 0)


def _free_on_macos() -> int | None:
    try:
        done = subprocess.run(
            ["/usr/bin/vm_stat"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return pages_free(done.stdout)


def pages_free(told: str) -> int | None:
    """Give the bytes that macOS's `vm_stat` says are free or can be freed at once; None if it says something else."""
    size = re.search(r"page size of (\d+) bytes", told)
    pages = [re.search(rf"^{name}:\s+(\d+)\.", told, re.MULTILINE) for name in _MACOS_FREE]
    if size is None or pages[0] is None:
        return None
    return int(size[1]) * sum(int(found[1]) for found in pages if found)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
