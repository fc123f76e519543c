"""Opening the app and, when it has closed, saying on the normal screen what was done."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_SWITCH_INTERVAL: Final = 0.001
"""Seconds after which the thread that draws gives way to one that waits."""


def launch(
    corpus: Path | None = None, tokenizer: Path | None = None, ascii_only: bool = False, resume: Path | None = None
) -> int:
    """Run the app until it is left and give the exit code.

    `corpus` is what to open instead of the first shipped corpus, `tokenizer` a file to load, `resume` a checkpoint to
    go on from. Without a terminal on both ends it says so and gives 1. A signal that ends the app gives 128 and its
    number, as shells expect.
    """
    # Started without a standard input (`<&-`), there is no such object at all.
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(
            "error: the app needs a terminal for input and output; `bpe-tui train --help` and the other commands do "
            "the same jobs without one",
            file=sys.stderr,
        )
        return 1
    # Before NumPy is loaded. Huge pages make the arrays of a training some 15 % slower in a process that has already
    # used and given back as much memory as the app has by then; measured with `tests/bench/tui_latency.py` on Linux.
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    from bpe_tui.session.signals import on_ending_signal
    from bpe_tui.tui.app import BpeTuiApp

    # The training thread needs the interpreter for a moment after each batch; by default it may wait 5 ms for it.
    sys.setswitchinterval(_SWITCH_INTERVAL)
    app = BpeTuiApp(corpus=corpus, tokenizer=tokenizer, ascii_only=ascii_only, resume=resume)
    with on_ending_signal(app.end_by_signal):
        app.run()
    _print_summary(app, ascii_only)
    if app.ended_by is not None:
        return 128 + app.ended_by
    return app.return_code or 0


def _print_summary(app: object, ascii_only: bool) -> None:
    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.wording import readable

    assert isinstance(app, BpeTuiApp)
    lines = app.workspace.summary.lines(ascii_only=ascii_only)
    if app.workspace.trouble:
        lines.append(f"error: {readable(app.workspace.trouble)}")
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except (OSError, ValueError):
        # The terminal is gone (a hang-up): there is nobody to tell. The interpreter would try to flush once more.
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
