"""`python -m bpe_tui.bpe.kernels [MODULE ...]`: compile kernels, all by default, and leave the machine code on disk."""

from __future__ import annotations

import importlib
import sys

from bpe_tui.bpe.kernels import MODULES, mark_as_compiled


def main() -> None:
    """Import each module of compiled code: their signatures are explicit, so importing compiles."""
    for module in sys.argv[1:] or MODULES:
        importlib.import_module(f"bpe_tui.bpe.kernels.{module}")
        mark_as_compiled(module)


if __name__ == "__main__":
    main()
