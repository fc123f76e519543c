"""Time keeping of a run: how long it trained, how fast it is now, and how a speed limit holds it back.

None of it is thread-safe by itself: `Run` touches it under its lock only. Times are those of a monotonic clock, given
by the caller, so that tests need no waiting.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence

_WINDOW = 2.0
"""Seconds over which the recent rate is taken."""
_SHORTEST = 0.25
"""Seconds of training below which a rate is a guess."""
MOST_POINTS = 2_000
"""Points that a `Trace` holds."""
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


class Trace:
    """When a run had learned how many merges: from the training side, so that the shortest run has a curve.

    Points are (seconds of training, merges), both rising. When there are `MOST_POINTS`, every second one goes.
    """

    def __init__(self) -> None:
        self._points: list[tuple[float, int]] = []

    def note(self, seconds: float, merges: int) -> None:
        """Take down a border between two batches; one that learned nothing is no point."""
        points = self._points
        if points and merges <= points[-1][1]:
            return
        points.append((seconds, merges))
        if len(points) > MOST_POINTS:
            # The first and the last point stay.
            self._points = points[:-1:2] + points[-1:]

    @property
    def points(self) -> tuple[tuple[float, int], ...]:
        """What was taken down, in order."""
        return tuple(self._points)


def seconds_at(points: Sequence[tuple[float, int]], merges: int) -> float | None:
    """Give the seconds after which so many merges were learned; None where the points do not tell.

    Between two points it is taken from the straight line between them. They are as far apart as two borders, about
    20 ms, or a thousandth of the time of a long run.
    """
    place = bisect_left(points, merges, key=lambda point: point[1])
    if place == len(points) or (place == 0 and points[0][1] != merges):
        return None
    later, after = points[place]
    if after == merges:
        return later
    earlier, before = points[place - 1]
    return earlier + (later - earlier) * (merges - before) / (after - before)


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
