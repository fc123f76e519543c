"""Figures for people."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.terminal import bytes_size, count, duration, percent, rate, short_count


def test_count() -> None:
    assert [count(number) for number in (0, 999, 1000, 1_234_567, None)] == ["0", "999", "1,000", "1,234,567", "–"]


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (999, "999"), (1000, "1.00k"), (45_600, "45.6k"), (999_499, "999k"), (999_500, "1.00M"), (1e9, "1.00G")],
)
def test_short_count(number: float, shown: str) -> None:
    assert short_count(number) == shown


@given(st.integers(0, 10**17))
def test_short_count_is_short(number: int) -> None:
    assert len(short_count(number)) <= 5


def test_percent() -> None:
    assert percent(53.21) == "53.2%"
    assert percent(100, 0) == "100%"


def test_bytes_size() -> None:
    assert [bytes_size(size) for size in (0, 512, 4_300_000, 1_048_576)] == ["0 B", "512 B", "4.30 MB", "1.05 MB"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-1, "0.0 s"),
        (0, "0.0 s"),
        (0.84, "0.8 s"),
        (9.97, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (3720, "1 h 02 min"),
        (183_600, "2 d 03 h"),
    ],
)
def test_duration(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_rate() -> None:
    assert rate(1234.4) == "1,234/s"
    assert rate(0.42, "merges") == "0.4 merges/s"
    assert rate(0) == "0/s"


@pytest.mark.parametrize("unknown", [None, math.nan, math.inf, -math.inf])
def test_what_is_not_known_says_so(unknown: float | None) -> None:
    assert {write(unknown) for write in (short_count, percent, bytes_size, duration, rate)} == {"–"}
