"""`python -m bpe_tui.bpe.kernels`: compile every kernel and leave the machine code on disk."""

from __future__ import annotations

import importlib

from bpe_tui.bpe.kernels import MODULES, mark_cache_as_warm


def main() -> None:
    """Import each module of compiled code: their signatures are explicit, so importing compiles."""
    for module in MODULES:
        importlib.import_module(f"bpe_tui.bpe.kernels.{module}")
    mark_cache_as_warm()


if __name__ == "__main__":
    main()
