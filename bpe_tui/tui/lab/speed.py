"""What a clock saw of the run at hand: the speed curve is drawn from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bpe_tui.session.snapshot import Snapshot

MOST: Final = 2_000
"""Samples that are kept; beyond that every second one goes."""


class SpeedSamples:
    """(seconds, merges) of one run, thinned out as they become many."""

    def __init__(self) -> None:
        self._log: object = None
        self._samples: list[tuple[float, int]] = []

    def note(self, snapshot: Snapshot) -> None:
        """Take down how far the run is; begin anew with another run."""
        if snapshot.log is not self._log:
            self._log = snapshot.log
            self._samples = []
        if not snapshot.seconds or not snapshot.initial_length:
            return
        if not self._samples or snapshot.merges > self._samples[-1][1]:
            self._samples.append((snapshot.seconds, snapshot.merges))
            if len(self._samples) > MOST:
                self._samples = self._samples[::2]

    @property
    def samples(self) -> tuple[tuple[float, int], ...]:
        """What was taken down, in order."""
        return tuple(self._samples)
