"""Time keeping, with a clock that the tests turn themselves."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.session.pace import MOST_POINTS, SpeedLimit, Stopwatch, Trace, seconds_at


def test_pauses_do_not_count() -> None:
    watch = Stopwatch()
    watch.start(10.0)
    watch.stop(13.0)
    assert watch.seconds(100.0) == 3.0
    watch.start(100.0)
    assert watch.seconds(102.0) == 5.0


def test_the_recent_rate_forgets_how_fast_it_was_long_ago() -> None:
    watch = Stopwatch()
    watch.start(0.0)
    merges = 0
    for tick in range(501):  # 1,000 merges a second for five seconds, then 10 a second for another five
        watch.sample(tick / 100, merges)
        merges += 10
    for tick in range(1, 51):
        merges += 1
        watch.sample(5 + tick / 10, merges)
    assert watch.recent_rate() == pytest.approx(10, rel=0.2)
    assert watch.overall_rate() == pytest.approx(merges / 10, rel=0.01)


def test_no_rate_is_told_before_there_is_one() -> None:
    watch = Stopwatch()
    assert watch.recent_rate() is None
    assert watch.overall_rate() == 0
    watch.start(0.0)
    watch.sample(0.0, 0)
    watch.sample(0.01, 500)
    assert watch.recent_rate() is None, "ten milliseconds say nothing about the next minute"


@given(st.lists(st.integers(0, 3), min_size=1, max_size=3 * MOST_POINTS))
def test_a_trace_keeps_its_ends_and_rises(learned: list[int]) -> None:
    trace, merges, noted = Trace(), 0, []
    for tick, more in enumerate(learned):
        merges += more
        trace.note(tick / 10, merges)
        noted.append((tick / 10, merges))
    points = trace.points
    assert len(points) <= MOST_POINTS
    assert points[0] == noted[0]
    assert points[-1][1] == merges
    assert set(points) <= set(noted)
    assert all(one < other for one, other in pairwise(points))
    assert all(first[1] < second[1] for first, second in pairwise(points))


def test_the_time_of_a_merge_lies_between_its_borders() -> None:
    points = [(0.5, 10), (1.0, 20), (3.0, 30)]
    assert seconds_at(points, 10) == 0.5
    assert seconds_at(points, 15) == 0.75
    assert seconds_at(points, 30) == 3.0
    assert seconds_at(points, 9) is None, "a resumed run does not know when it learned what it was given"
    assert seconds_at(points, 31) is None
    assert seconds_at([], 0) is None


@given(st.floats(0.1, 5_000), st.lists(st.floats(0.0001, 0.5), min_size=10, max_size=300))
def test_a_limit_is_never_broken(limit, pauses) -> None:
    speed = SpeedLimit(limit)
    now, learned = 100.0, 0
    for pause in pauses:
        allowed = speed.allowance(now)
        assert allowed is not None
        speed.spend(allowed)
        learned += allowed
        assert learned <= 1 + (now - 100.0) * limit + 1e-6
        now += pause


@given(st.floats(0.1, 5_000))
def test_who_waits_as_long_as_told_keeps_up_with_the_limit(limit) -> None:
    speed = SpeedLimit(limit)
    now, learned = 0.0, 0
    for _ in range(100):
        allowed = speed.allowance(now)
        assert allowed is not None
        if speed.delay() == 0:
            speed.spend(allowed)
            learned += allowed
        now += max(speed.delay(), 1e-9)
    assert learned >= now * limit * 0.9 - 1 - limit * 0.05


def test_without_a_limit_nothing_is_held_back() -> None:
    speed = SpeedLimit()
    assert speed.allowance(0.0) is None
    assert speed.delay() == 0
