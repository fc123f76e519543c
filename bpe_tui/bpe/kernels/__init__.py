"""The compiled code: arrays in, arrays out. Numba translates it to machine code once and keeps that on disk.

Nothing outside this folder imports Numba, and nothing imports these modules before it needs them: importing one loads
its machine code, or compiles it if that has not been done on this machine (about ten seconds in all).
`python -m bpe_tui.bpe.kernels` compiles everything, which is how a program that must stay responsive has it done by
another process.

Numba compiles a module anew when its own file changes, but not when a kernel that it calls in another file does. So all
machine code lies in a folder that is named by the content of all sources here: any change makes a new folder.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

CHARACTERS = ("training", "encoding", "decoding")
"""The modules that runs on characters and words need, in the order in which they need them."""
BYTES = (
    *CHARACTERS,
    "texts",
    "checking",
    "splitting",
    "piece_table",
    "piece_counting",
    "piece_merging",
    "byte_encoding",
    "rank_merges",
    "spelling",
)
"""The modules that runs on bytes need."""
MODULES = BYTES
"""All modules with compiled code."""

_HERE = Path(__file__).parent
_FROZEN = ("character_classes", "sequence")


def cache_folder() -> Path:
    """Give the folder that holds the machine code of these very sources, for this Python and this Numba.

    It lies in NUMBA_CACHE_DIR if that is in the environment, else beside the sources if that can be written, else in
    the user's cache.
    """
    return _cache_root() / f"{_prefix()}{_digest()}"


def _cache_root() -> Path:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    beside = _HERE / "__pycache__"
    if os.access(beside if beside.exists() else _HERE, os.W_OK):
        return beside
    from platformdirs import user_cache_path

    return user_cache_path("bpe-tui")


def _prefix() -> str:
    return f"kernels-{sys.implementation.cache_tag}-"


def _digest() -> str:
    digest = hashlib.sha256(str(_HERE).encode())
    # Kernels freeze the constants of the last two.
    for source in (*sorted(_HERE.glob("*.py")), *(_HERE.parent / f"{name}.py" for name in _FROZEN)):
        if source.exists():
            digest.update(source.read_bytes())
    # Asking for Numba's version would take longer than everything else here.
    numba = importlib.util.find_spec("numba")
    if numba is not None and numba.origin is not None:
        digest.update(f"{numba.origin} {Path(numba.origin).stat().st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def cache_is_warm(modules: Sequence[str] = MODULES) -> bool:
    """Whether the machine code of these modules is on disk. Takes well under a millisecond a module.

    It can be wrong after a change of processor; then a first call compiles, and nothing worse happens.
    """
    folder = cache_folder()
    return all((folder / f"{module}.compiled").exists() for module in modules)


def mark_as_compiled(module: str) -> None:
    """Leave the sign that `cache_is_warm` looks for, and clear away the code of older sources. Raises OSError."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.compiled").touch()
    for older in folder.parent.glob(f"{_prefix()}*"):
        if older != folder:
            shutil.rmtree(older, ignore_errors=True)
