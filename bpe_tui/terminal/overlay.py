"""Several curves in one chart of characters. Each ends in a letter of its own, so that no colour is needed to tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bpe_tui.terminal.braille import LEAST_HEIGHT, LEAST_WIDTH, Canvas, axis, figure

NOBODY = -1
"""Stands for the axes and the empty places of a chart, which belong to no curve."""

Piece = tuple[str, int]
"""Cells that belong together, and the number of the curve that they show, or `NOBODY`."""


@dataclass(frozen=True, slots=True)
class Series:
    """One curve, x ascending."""

    points: Sequence[tuple[float, float]]
    marker: str
    """One ASCII character, drawn where the curve ends."""


def overlay_chart(
    series: Sequence[Series], width: int, height: int, *, ascii_only: bool = False
) -> list[tuple[Piece, ...]]:
    """Draw curves over each other as `height` lines of `width` cells, x from 0 on; the first ones lie on top.

    Points that are not finite are passed over. Without any point, or any room, there are no lines.
    """
    kept = [[(x, y) for x, y in one.points if math.isfinite(x) and math.isfinite(y)] for one in series]
    everything = [point for points in kept for point in points]
    if width < LEAST_WIDTH or height < LEAST_HEIGHT or not everything:
        return []
    across = 0.0, max(x for x, _ in everything)
    span = min(y for _, y in everything), max(y for _, y in everything)
    labels = figure(span[1]), figure(span[0])
    margin = max(map(len, labels)) + 1
    columns, rows = width - margin - 1, height - 2
    canvases = [Canvas(columns, rows, across, span, ascii_only) for _ in series]
    markers: dict[tuple[int, int], tuple[str, int]] = {}
    for number, (canvas, points) in enumerate(zip(canvases, kept, strict=True)):
        if not points:
            continue
        canvas.draw(points)
        column, row = canvas.cell(*points[-1])
        while (column, row) in markers and column > 0:
            column -= 1
        markers[column, row] = series[number].marker, number
    vertical, corner, bar = ("|", "+", "-") if ascii_only else ("│", "└", "─")
    lines: list[tuple[Piece, ...]] = []
    for row in range(rows):
        side = labels[0] if row == 0 else labels[1] if row == rows - 1 else ""
        cells = [markers.get((column, row)) or _cell(canvases, column, row, ascii_only) for column in range(columns)]
        lines.append(((side.rjust(margin - 1) + " " + vertical, NOBODY), *_joined(cells)))
    lines.append(((" " * margin + corner + bar * columns, NOBODY),))
    lines.append(((" " * (margin + 1) + axis(across[0], across[1], columns, None, None), NOBODY),))
    return lines


def _cell(canvases: Sequence[Canvas], column: int, row: int, ascii_only: bool) -> Piece:
    """Give a cell with the dots of all curves, in the name of the topmost one."""
    dots, owner = 0, NOBODY
    for number, canvas in enumerate(canvases):
        here = canvas.cells[row][column]
        if here and owner == NOBODY:
            owner = number
        dots |= here
    if not dots:
        return " ", NOBODY
    return "*" if ascii_only else chr(0x2800 + dots), owner


def _joined(cells: Sequence[Piece]) -> list[Piece]:
    joined: list[Piece] = []
    for text, owner in cells:
        if joined and joined[-1][1] == owner:
            joined[-1] = joined[-1][0] + text, owner
        else:
            joined.append((text, owner))
    return joined
