"""What went wrong, as the one line that a person gets on standard error."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.errors import BPEError
from bpe_tui.system_errors import explain


class UsageError(Exception):
    """Arguments that make no sense together; the exit code is 2."""


def failure_line(error: Exception) -> str:
    """Give `error: …` for `error`, in one line; whoever prints it makes it harmless."""
    if isinstance(error, (BPEError, UsageError)):
        message = str(error)
    elif isinstance(error, OSError):
        place = Path(error.filename) if isinstance(error.filename, str) else None
        message = explain(error, "use", place) if place else f"the system refused: {error.strerror or error}"
    elif isinstance(error, MemoryError):
        message = "not enough memory; use fewer training characters or a smaller text"
    else:
        from bpe_tui.session.failure import explain as explain_defect

        message = explain_defect(error, "the command")
    return f"error: {message}"
