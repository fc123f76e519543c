"""What others ask of a training at work, from any process: to hold, to go on, to stop. One small file in its folder.

A signal would reach the process only, and whoever got its number meanwhile; a file is also seen by those who show the
training, outlives whoever asked, and works the same for a training that another program has started. It names the
process that it is meant for: one that was left behind says nothing to the next.
"""

from __future__ import annotations

import contextlib
import json
from enum import StrEnum
from pathlib import Path

from bpe_tui.atomic import write_text
from bpe_tui.lm.errors import RunFolderError
from bpe_tui.lm.run_folder import CONTROL_NAME, read_json
from bpe_tui.system_errors import explain


class Wish(StrEnum):
    """What a training is asked to do; without a wish it trains."""

    PAUSE = "pause"
    """Keep a checkpoint, hold, and stay there: going on takes no time."""
    STOP = "stop"
    """Keep a checkpoint and end: a new process can go on from it."""


def ask(folder: Path, pid: int, wish: Wish | None) -> None:
    """Ask the process `pid` that trains in `folder`; None takes a wish back. Raises RunFolderError."""
    file = folder / CONTROL_NAME
    if not folder.exists():
        # To make it anew would give a training that is about to fail a folder that holds nothing of it.
        raise RunFolderError(f"the folder {folder} is gone: the training in it ends by itself")
    try:
        if wish is None:
            file.unlink(missing_ok=True)
        else:
            write_text(file, json.dumps({"pid": pid, "wish": wish.value}) + "\n")
    except OSError as error:
        raise RunFolderError(explain(error, "write", file)) from error


def asked(folder: Path, pid: int) -> Wish | None:
    """Give what the process `pid` is asked to do."""
    content = read_json(folder / CONTROL_NAME)
    if content is None or content.get("pid") != pid:
        return None
    with contextlib.suppress(ValueError):
        return Wish(str(content.get("wish")))
    return None
