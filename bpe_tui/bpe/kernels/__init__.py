"""The compiled code: arrays in, arrays out. Numba translates it to machine code once and keeps that on disk.

Nothing outside this folder imports Numba, and nothing imports these modules before it needs them: importing one loads
its machine code, or compiles it if that has not been done on this machine (about ten seconds in all).
`python -m bpe_tui.bpe.kernels` compiles everything, which is how a program that must stay responsive has it done by
another process.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
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
    """Whether all machine code is on disk and fits these sources, this Python and this Numba. Cheap: looks at times.

    It can be wrong after a change of processor; then a first call compiles, and nothing worse happens.
    """
    return _stamp().exists()


def mark_cache_as_warm() -> None:
    """Leave the sign that `cache_is_warm` looks for: everything has been compiled. Raises OSError."""
    stamp = _stamp()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.touch()


def _stamp() -> Path:
    """Name the sign by all that Numba compiles anew for.

    The files of the machine code say too little: those of older sources and other Pythons stay beside the newest, and
    while everything is being compiled some are there already.
    """
    numba = importlib.util.find_spec("numba")
    sources = [_HERE / f"{module}.py" for module in MODULES]
    if numba is not None and numba.origin is not None:
        sources.append(Path(numba.origin))
    facts = [str(sys.implementation.cache_tag)]
    for source in sources:
        facts += [str(source), str(source.stat().st_mtime_ns), str(source.stat().st_size)]
    return cache_folder() / f"compiled-{hashlib.sha256(chr(0).join(facts).encode()).hexdigest()[:20]}"


def use_cache_folder() -> None:
    """Point Numba at `cache_folder()` when it is not the one that Numba would take by itself."""
    folder = cache_folder()
    if folder != _HERE / "__pycache__":
        os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))


use_cache_folder()
