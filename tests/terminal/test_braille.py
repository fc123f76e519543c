"""Charts in the terminal: as large as asked for, dots where the points are, and nothing that is not theirs."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui.terminal import cell_width
from bpe_tui.terminal.braille import Mark, line_chart


def dots(lines: list[str], margin: int) -> set[tuple[int, int]]:
    """Read the dots back from a chart: (column, row from the top)."""
    found = set()
    bits = [
        (0x01, 0, 0),
        (0x02, 0, 1),
        (0x04, 0, 2),
        (0x08, 1, 0),
        (0x10, 1, 1),
        (0x20, 1, 2),
        (0x40, 0, 3),
        (0x80, 1, 3),
    ]
    for row, line in enumerate(lines[:-2]):
        for column, character in enumerate(line[margin:]):
            value = ord(character) - 0x2800
            if 0 < value < 256:
                found |= {(2 * column + right, 4 * row + down) for bit, right, down in bits if value & bit}
    return found


def test_a_rising_line_goes_from_corner_to_corner() -> None:
    lines = line_chart([0, 1], [0, 1], 22, 12)
    margin = lines[0].index("│") + 1
    found = dots(lines, margin)
    assert lines[0].startswith("1 │")
    assert lines[9].startswith("0 │")
    columns, rows = 2 * (22 - margin), 40
    assert {(0, rows - 1), (columns - 1, 0)} <= found
    assert len(found) == max(columns, rows)


def test_a_chart_in_ascii() -> None:
    assert line_chart([0, 10], [5, 5], 20, 4, ascii_only=True, mark=Mark(5, "5")) == [
        "5 |        :        ",
        "5 |*****************",
        "  +-----------------",
        "   0       5      10",
    ]


def test_a_mark_is_a_line_with_a_label() -> None:
    lines = line_chart([0, 100], [1, 1000], 40, 10, logarithmic=True, mark=Mark(50, "half"))
    assert sum("┊" in line for line in lines) >= 6
    assert "half" in lines[-1]
    assert lines[0].startswith("1.00k")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats() | st.floats(-1e9, 1e9)), max_size=60),
    st.integers(0, 90), st.integers(0, 20), st.booleans(), st.booleans(), st.none() | st.floats(-1e9, 1e9),
)  # fmt: skip
def test_any_points_fill_exactly_the_room_there_is(
    points: list[tuple[float, float]], width: int, height: int, ascii_only: bool, logarithmic: bool, mark: float | None
) -> None:
    points.sort(key=lambda point: point[0])
    lines = line_chart(
        [x for x, _ in points], [y for _, y in points], width, height, logarithmic=logarithmic, ascii_only=ascii_only,
        mark=None if mark is None else Mark(mark, "here"),
    )  # fmt: skip
    if width < 20 or height < 4:
        assert lines == []
        return
    assert len(lines) == height
    assert all(cell_width(line) == width for line in lines)
    if ascii_only:
        assert all(line.isascii() for line in lines)
    usable = [y for _, y in points if math.isfinite(y) and (y > 0 or not logarithmic)]
    assert ("no data" in lines[0]) == (not usable)
