"""Cutting and filling by cells: a column stays a column whatever stands in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.terminal import cell_width, fit, pad, runs_that_fit, visible

SHOWN = st.text(max_size=40).map(visible)


@pytest.mark.parametrize(
    ("text", "width", "fitted"),
    [
        ("token", 5, "token"),
        ("token", 4, "tok…"),
        ("token", 1, "…"),
        ("token", 0, ""),
        ("token", -3, ""),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("", 3, ""),
    ],
)
def test_fit(text: str, width: int, fitted: str) -> None:
    assert fit(text, width) == fitted


def test_fit_can_keep_to_ascii() -> None:
    assert fit("token", 4, ascii_only=True) == "tok~"


@given(SHOWN, st.integers(-1, 30))
def test_fit_never_takes_more_cells_than_it_was_given(text: str, width: int) -> None:
    fitted = fit(text, width)
    assert cell_width(fitted) <= max(0, width)
    assert fitted == text or fitted.endswith("…") or width <= 0


@given(SHOWN, st.integers(0, 30), st.sampled_from(["left", "right"]))
def test_pad_takes_exactly_the_cells_it_was_given(text: str, width: int, alignment: str) -> None:
    assert cell_width(pad(text, width, alignment)) == width  # type: ignore[arg-type]


def test_a_very_long_text_is_cut_without_being_measured_whole() -> None:
    assert fit("日" * 1_000_000, 5) == "日日…"


@given(st.lists(SHOWN, min_size=1, max_size=20), st.integers(1, 30))
def test_segments_side_by_side_fit_and_none_is_left_out(segments: list[str], width: int) -> None:
    runs = list(runs_that_fit(segments, width))
    assert [place for first, last in runs for place in range(first, last)] == list(range(len(segments)))
    for first, last in runs:
        assert last - first == 1 or sum(cell_width(segment) + 1 for segment in segments[first:last]) <= width
