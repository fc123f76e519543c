"""Line charts out of characters: Braille patterns, eight dots a cell, or `*` where only ASCII may be written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bpe_tui.terminal.cells import pad
from bpe_tui.terminal.numbers import short_count

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a Braille pattern: four rows of two. Source: Unicode, block Braille Patterns (U+2800)."""

LEAST_WIDTH = 20
LEAST_HEIGHT = 4


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the x axis to point at."""

    x: float
    label: str = ""


def line_chart(
    x: Sequence[float],
    y: Sequence[float],
    width: int,
    height: int,
    *,
    logarithmic: bool = False,
    mark: Mark | None = None,
    ascii_only: bool = False,
) -> list[str]:
    """Draw a line through points with x ascending, as `height` lines of `width` cells, axes and figures included.

    Thin long curves out first (`analysis.decimate`): every point is visited. `logarithmic` scales y by its logarithm
    and needs y above 0; points that are not finite are passed over. The last two lines are the x axis and its figures;
    below 20 x 4 cells there is no room and nothing is drawn.
    """
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return []
    points = [
        (float(px), math.log10(py) if logarithmic else float(py))
        for px, py in zip(x, y, strict=True)
        if math.isfinite(px) and math.isfinite(py) and (py > 0 or not logarithmic)
    ]
    if not points:
        return [pad("no data", width), *[" " * width for _ in range(height - 1)]]
    low, high = min(value for _, value in points), max(value for _, value in points)
    # Not 10 to the power of the logarithms: rounding can take the highest number there is beyond itself.
    heights = [py for px, py in zip(x, y, strict=True) if math.isfinite(px) and math.isfinite(py)]
    if logarithmic:
        heights = [height for height in heights if height > 0]
    labels = [figure(float(max(heights))), figure(float(min(heights)))]
    margin = max(map(len, labels)) + 1
    columns, rows = width - margin - 1, height - 2
    canvas = Canvas(columns, rows, (points[0][0], points[-1][0]), (low, high), ascii_only)
    marked = canvas.column(mark.x) if mark is not None and points[0][0] <= mark.x <= points[-1][0] else None
    canvas.draw(points)
    vertical, corner, bar = ("|", "+", "-") if ascii_only else ("│", "└", "─")
    sides = [labels[0], *[""] * (rows - 2), labels[1]] if rows > 1 else [labels[0]]
    lines = [side.rjust(margin - 1) + " " + vertical + canvas.line(row, marked) for row, side in enumerate(sides)]
    lines.append(" " * margin + corner + bar * columns)
    lines.append(" " * (margin + 1) + axis(points[0][0], points[-1][0], columns, marked, mark))
    return [pad(line, width, ascii_only=ascii_only) for line in lines]


class Canvas:
    """Dots in cells: two by four of them each with Braille, one each with ASCII."""

    def __init__(
        self, columns: int, rows: int, x: tuple[float, float], y: tuple[float, float], ascii_only: bool
    ) -> None:
        self._ascii_only = ascii_only
        self._across, self._down = (1, 1) if ascii_only else (2, 4)
        self._columns = columns
        self._x, self._y = x, y
        self._last = (columns * self._across - 1, rows * self._down - 1)
        self.cells = [[0] * columns for _ in range(rows)]

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Give the column and the row of the cell that holds a point."""
        row = self._last[1] - self._place(y, self._y, self._last[1])
        return self.column(x), row // self._down

    def column(self, x: float) -> int:
        """Give the column of cells that holds x."""
        return self._place(x, self._x, self._last[0]) // self._across

    def draw(self, points: Sequence[tuple[float, float]]) -> None:
        """Set the dots of the line through the points."""
        before: tuple[int, int] | None = None
        for x, y in points:
            now = self._place(x, self._x, self._last[0]), self._last[1] - self._place(y, self._y, self._last[1])
            for column, row in _segment(before or now, now):
                self._set(column, row)
            before = now

    def line(self, row: int, marked: int | None) -> str:
        """Give one row of cells; a cell of the marked column that holds no dot shows the mark."""
        shown = []
        for column, dots in enumerate(self.cells[row]):
            if not dots:
                shown.append((":" if self._ascii_only else "┊") if column == marked else " ")
            else:
                shown.append("*" if self._ascii_only else chr(0x2800 + dots))
        return "".join(shown)

    def _set(self, column: int, row: int) -> None:
        bit = 1 if self._ascii_only else _DOTS[row % 4][column % 2]
        self.cells[row // self._down][column // self._across] |= bit

    @staticmethod
    def _place(value: float, span: tuple[float, float], last: int) -> int:
        # Halved, so that the span of the largest numbers there are is still a number.
        low, high = span[0] / 2, span[1] / 2
        return round((value / 2 - low) / (high - low) * last) if high > low else 0


def _segment(start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    """Give the dots from one to the other, both included (Bresenham 1965)."""
    (column, row), (last_column, last_row) = start, end
    across, down = abs(last_column - column), -abs(last_row - row)
    right, below = (1 if column < last_column else -1), (1 if row < last_row else -1)
    error = across + down
    dots = [(column, row)]
    while (column, row) != (last_column, last_row):
        doubled = 2 * error
        if doubled >= down:
            error += down
            column += right
        if doubled <= across:
            error += across
            row += below
        dots.append((column, row))
    return dots


def axis(first: float, last: float, columns: int, marked: int | None, mark: Mark | None) -> str:
    """Give the figures below the x axis: both ends, and the label of the mark where there is room."""
    begin, end = figure(first), figure(last)
    cells = list(begin.ljust(columns)[:columns])
    if len(begin) + 1 + len(end) <= columns:
        cells[columns - len(end) :] = end
    if marked is not None and mark is not None and mark.label:
        start = min(max(marked - len(mark.label) // 2, len(begin) + 1), columns - len(end) - 1 - len(mark.label))
        if start > len(begin):
            cells[start : start + len(mark.label)] = mark.label
    return "".join(cells)


def figure(value: float) -> str:
    """Give a figure of an axis in few characters."""
    if abs(value) >= 1e15 or 0 < abs(value) < 0.005:
        return f"{value:.0e}"
    if value != 0 and abs(value) < 100 and value != int(value):
        return f"{value:.2f}"
    return short_count(value)
