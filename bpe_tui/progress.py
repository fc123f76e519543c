"""How every long job says how far it is, and how it is told to stop.

A job that can last takes a `Report` and calls it often (at least every 50 ms) with the name of the step, the units
done and the units in all. The one who gave the report may raise `Cancelled` from it: that is how a job is cancelled.
"""

from __future__ import annotations

from collections.abc import Callable

Report = Callable[[str, int, int], None]
"""`report(step, done, total)`; total is 0 while it is not known."""


def silent(step: str, done: int, total: int) -> None:
    """Take a report and say nothing."""


def nothing() -> None:
    """Do nothing, where one may stop a job."""
