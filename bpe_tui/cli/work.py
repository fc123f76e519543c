"""Running the jobs of a session from a command: progress shown meanwhile, cancelled cleanly by a signal.

The work is done in threads of the session. The main thread only waits, so that a signal always finds it where raising
does no harm, and then tells the job to stop and waits until it has cleaned up.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bpe_tui.cli.console import Console
from bpe_tui.cli.interrupts import raise_if_interrupted
from bpe_tui.errors import BPEError, Cancelled

if TYPE_CHECKING:
    from bpe_tui.progress import Report
    from bpe_tui.session.run import Run
    from bpe_tui.session.snapshot import Snapshot

T = TypeVar("T")

_LOOK = 0.1
"""Seconds between two looks at a job that lasts."""


class JobFailed(BPEError):
    """A job of the session failed; the message is the session's own."""
