"""Where the dial of merges stands: one place for all tabs that show figures as of a merge."""

from __future__ import annotations

from typing import Final

LARGER_STEPS: Final = 10
"""How many of the larger steps the dial has."""


class DialPlace:
    """A number of merges, or the end, which moves on with what is learned."""

    def __init__(self) -> None:
        self.at: int | None = None
        """None follows the last merge."""
        self.total = 0
        """Where the dial ends."""

    @property
    def merges(self) -> int:
        """Where it stands."""
        return self.total if self.at is None else min(self.at, self.total)

    def turn(self, steps: int, *, large: bool = False) -> None:
        """Turn it, by single merges or by tenths of it."""
        self.go_to(self.merges + steps * (max(1, self.total // LARGER_STEPS) if large else 1))

    def go_to(self, merges: int) -> None:
        """Put it on a merge, or as near as there is one; at the end it follows what is learned."""
        self.at = None if merges >= self.total else max(0, merges)
