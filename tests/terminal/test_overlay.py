"""Several curves in one chart: each is found by its letter, with and without colour."""

from __future__ import annotations

import math

import pytest

from bpe_tui.terminal import cell_width
from bpe_tui.terminal.overlay import NOBODY, Series, overlay_chart

FALLING = Series([(float(x), 10.0 / (x + 1)) for x in range(50)], "a")
RISING = Series([(float(x), float(x) / 5) for x in range(30)], "b")


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(("width", "height"), [(20, 4), (60, 12), (150, 30)])
def test_every_line_has_its_width_and_every_curve_its_letter(width: int, height: int, ascii_only: bool) -> None:
    lines = overlay_chart([FALLING, RISING], width, height, ascii_only=ascii_only)
    texts = ["".join(text for text, _ in line) for line in lines]
    assert len(lines) == height
    assert {cell_width(text) for text in texts[:-2]} == {width}
    assert all(text.isascii() for text in texts) or not ascii_only
    pieces = [piece for line in lines for piece in line]
    assert {owner for _, owner in pieces} == {NOBODY, 0, 1}
    assert any("a" in text for text, owner in pieces if owner == 0)
    assert any("b" in text for text, owner in pieces if owner == 1)


def test_nothing_to_draw_or_no_room_gives_no_lines() -> None:
    assert overlay_chart([], 60, 12) == []
    assert overlay_chart([Series([], "a"), Series([(1.0, math.nan)], "b")], 60, 12) == []
    assert overlay_chart([FALLING], 10, 12) == []


def test_letters_that_would_lie_on_each_other_lie_side_by_side() -> None:
    lines = overlay_chart([FALLING, Series(FALLING.points, "A")], 40, 8)
    text = "".join(text for line in lines for text, _ in line)
    assert "a" in text
    assert "A" in text
