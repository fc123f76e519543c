"""The compiled code: arrays in, arrays out. Numba translates it to machine code once and keeps that on disk.

Nothing outside this folder imports Numba, and nothing imports these modules before it needs them: importing one loads
its machine code, or compiles it if that has not been done on this machine (about ten seconds in all).
`python -m bpe_tui.bpe.kernels` compiles everything, which is how a program that must stay responsive has it done by
another process.
"""

from __future__ import annotations

import os
from pathlib import Path

MODULES = ("training", "encoding", "decoding", "splitting")
"""The modules with compiled code, in the order in which a run needs them."""

_HERE = Path(__file__).parent


def cache_folder() -> Path:
    """Give the folder that holds the machine code: beside the source if that can be written, else the user's cache.

    NUMBA_CACHE_DIR in the environment overrides both.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    beside = _HERE / "__pycache__"
    if os.access(beside if beside.exists() else _HERE, os.W_OK):
        return beside
    from platformdirs import user_cache_path

    return user_cache_path("bpe-tui") / "kernels"


def cache_is_warm() -> bool:
    """Whether the machine code of every module is on disk and newer than its source. Cheap: looks at names and times.

    It can be wrong after a change of processor or of Numba; then a first call compiles, and nothing worse happens.
    """
    folder = cache_folder()
    for module in MODULES:
        indexes = list(folder.rglob(f"{module}.*.nbi"))
        if not indexes or min(path.stat().st_mtime for path in indexes) < (_HERE / f"{module}.py").stat().st_mtime:
            return False
    return True


def use_cache_folder() -> None:
    """Point Numba at `cache_folder()` when it is not the one that Numba would take by itself."""
    folder = cache_folder()
    if folder != _HERE / "__pycache__":
        os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))


use_cache_folder()
