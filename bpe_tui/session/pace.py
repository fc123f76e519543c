"""Time keeping of a run: how long it trained, how fast it is now, and how a speed limit holds it back.

None of it is thread-safe by itself: `Run` touches it under its lock only. Times are those of a monotonic clock, given
by the caller, so that tests need no waiting.
"""

from __future__ import annotations

from collections import deque

_WINDOW = 2.0
"""Seconds over which the recent rate is taken."""
_SHORTEST = 0.25
"""Seconds of training below which a rate is a guess."""
_BURST = 0.1
"""Seconds worth of merges that a limited run may learn at once, so that fast limits do not mean many tiny batches."""


class Stopwatch:
    """Adds up the time in which a run trains, and knows the rate over the last moments of it."""

    def __init__(self) -> None:
        self._elapsed = 0.0
        self._since: float | None = None
        self._samples: deque[tuple[float, int]] = deque()
        self._first: tuple[float, int] | None = None

    def start(self, now: float) -> None:
        """Let the time run."""
        if self._since is None:
            self._since = now

    def stop(self, now: float) -> None:
        """Hold the time."""
        self._elapsed = self.seconds(now)
        self._since = None

    def seconds(self, now: float) -> float:
        """Give the seconds in which the time ran."""
        return self._elapsed + (now - self._since if self._since is not None else 0.0)

    def sample(self, now: float, merges: int) -> None:
        """Note how many merges there are now. Called between batches."""
        seconds = self.seconds(now)
        self._samples.append((seconds, merges))
        if self._first is None:
            self._first = self._samples[0]
        while len(self._samples) > 2 and self._samples[1][0] <= seconds - _WINDOW:
            self._samples.popleft()

    def recent_rate(self) -> float | None:
        """Give the merges per second over the last moments of training; None while that would be a guess."""
        if len(self._samples) < 2:
            return None
        (earlier, before), (later, after) = self._samples[0], self._samples[-1]
        if later - earlier < _SHORTEST or after == before:
            return None
        return (after - before) / (later - earlier)

    def overall_rate(self) -> float:
        """Give the merges per second over all the training time since the pairs were counted; 0 if there was none."""
        if self._first is None:
            return 0.0
        seconds = self._samples[-1][0] - self._first[0]
        return (self._samples[-1][1] - self._first[1]) / seconds if seconds > 0 else 0.0


class SpeedLimit:
    """Hands out merges at no more than `limit` a second; a limit of None hands out as many as wanted."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self._credit = 1.0
        self._seen: float | None = None

    def allowance(self, now: float) -> int | None:
        """Give how many merges may be learned right now: None for no limit, 0 if it must wait."""
        if self.limit is None:
            return None
        if self._seen is not None:
            most = max(1.0, self.limit * _BURST)
            self._credit = min(most, self._credit + (now - self._seen) * self.limit)
        self._seen = now
        return int(self._credit)

    def delay(self) -> float:
        """Give the seconds until the next allowance is worth a batch."""
        if self.limit is None:
            return 0.0
        wanted = max(1.0, self.limit * _BURST / 4)
        return max(0.0, (wanted - self._credit) / self.limit)

    def spend(self, merges: int) -> None:
        """Take `merges` learned merges off the allowance."""
        if self.limit is not None:
            self._credit -= merges
