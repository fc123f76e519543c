"""The folders where a session keeps what outlives it: checkpoints, journals, the log of unexpected errors.

They are asked for anew each time, so that a changed environment (XDG_STATE_HOME, HOME) counts at once.
"""

from __future__ import annotations

from pathlib import Path

import platformdirs

_APPLICATION = "bpe-tui"


def checkpoint_folder() -> Path:
    """Where checkpoints go unless the user names a file. The folder need not exist yet."""
    return platformdirs.user_state_path(_APPLICATION, appauthor=False) / "checkpoints"


def journal_folder() -> Path:
    """Where the journals of running trainings lie. The folder need not exist yet."""
    return platformdirs.user_state_path(_APPLICATION, appauthor=False) / "journal"


def trainings_folder() -> Path:
    """Where the app notes which language models are in training. The folder need not exist yet."""
    return platformdirs.user_state_path(_APPLICATION, appauthor=False) / "trainings"


def error_log() -> Path:
    """The file that takes the tracebacks of unexpected errors. It need not exist yet."""
    return platformdirs.user_log_path(_APPLICATION, appauthor=False) / "errors.log"
