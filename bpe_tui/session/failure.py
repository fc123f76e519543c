"""What a person is told when something fails in a thread: a sentence, never a traceback.

The project's own errors say everything themselves. Errors of the operating system are put into words. Anything else is
a defect of the program: its traceback goes to a log file, and the sentence names that file.
"""

from __future__ import annotations

import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bpe_tui.errors import BPEError
from bpe_tui.session import places
from bpe_tui.system_errors import reason

if TYPE_CHECKING:
    from pathlib import Path


def explain(error: BaseException, doing: str) -> str:
    """Give the sentence for people about `error`; `doing` says what failed ("training", "encode the splits").

    An error that nobody expected is written to the log file with its traceback.
    """
    if isinstance(error, BPEError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{reason(error)}"
    if isinstance(error, MemoryError):
        return f"{doing}: not enough memory; use fewer training characters, or close other programs"
    log = _write_traceback(error, doing)
    kept = f"the details are in {log}" if log is not None else "the details could not be written to a log file"
    return f"{doing}: unexpected {type(error).__name__}: {error}; {kept}"


def _write_traceback(error: BaseException, doing: str) -> Path | None:
    log = places.error_log()
    text = "".join(traceback.format_exception(error))
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"--- {datetime.now(UTC).isoformat(timespec='seconds')} {doing}\n{text}\n")
    except OSError:
        return None
    return log
