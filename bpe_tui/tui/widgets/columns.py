"""Rows of cells as lines of exactly so many terminal cells, whatever stands in them.

Fixed columns come first, one free column takes what is left: that is where text from outside belongs, already made
visible. When the line is narrow, columns give way by their priority.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bpe_tui.terminal.cells import Alignment, cell_width, fit, pad

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Span = tuple[str, str]
"""Text and its role: `text`, `muted`, `accent` or `strong`."""

Cell = str | tuple[Span, ...]
"""What a row has for one column: plain text in the column's role, or spans in roles of their own."""

GAP: Final = 2
"""Cells between columns."""

MARKER_WIDTH: Final = 2
"""Cells before the first column, where the cursor's sign stands."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a list."""

    key: str
    title: str
    width: int = 0
    """Cells; 0 for the free column, of which a list has one, the last."""
    alignment: Alignment = "left"
    role: str = "text"
    priority: int = 0
    """0 always stays; of the others the highest goes first when the line is narrow."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A column that has its place in the line."""

    column: Column
    index: int
    """Which cell of a row is its own."""
    start: int
    """Cells before it."""
    width: int


def place(columns: Sequence[Column], width: int, *, least_free: int = 16) -> tuple[Placed, ...]:
    """Give the columns for `width` cells; those that may go do so until the free one has `least_free`."""
    kept = list(enumerate(columns))
    while True:
        fixed = MARKER_WIDTH + sum(column.width + GAP for _, column in kept if column.width)
        optional = [column.priority for _, column in kept if column.priority and column.width]
        if width - fixed >= least_free or not optional:
            break
        lowest = max(optional)
        kept = [(index, column) for index, column in kept if column.priority != lowest or not column.width]
    placed: list[Placed] = []
    start = MARKER_WIDTH
    for index, column in kept:
        cells = column.width or max(0, width - fixed)
        cells = max(0, min(cells, width - start))
        placed.append(Placed(column, index, start, cells))
        start += cells + GAP
    return tuple(placed)


def line(
    placed: Sequence[Placed],
    cells: Sequence[Cell] | Mapping[int, Cell],
    width: int,
    marker: str = "",
    *,
    ascii_only: bool = False,
) -> list[Span]:
    """Give the spans of one row: together exactly `width` cells, neighbours of one role joined.

    Each change of role costs some forty bytes on its way to the terminal, so blanks take the role before them.
    """
    role = placed[0].column.role if placed else "text"
    spans: list[Span] = [(pad(marker, min(MARKER_WIDTH, width)), role)]
    used = min(MARKER_WIDTH, width)
    for position in placed:
        if position.start > used:
            spans.append((" " * (min(position.start, width) - used), spans[-1][1]))
            used = min(position.start, width)
        cell = cells[position.index]
        room = min(position.width, width - used)
        if isinstance(cell, str):
            spans.append((pad(cell, room, position.column.alignment, ascii_only=ascii_only), position.column.role))
        else:
            spans.extend(_fit_spans(cell, room, ascii_only=ascii_only))
        used += room
    if used < width:
        spans.append((" " * (width - used), spans[-1][1]))
    return _joined(spans)


def _fit_spans(spans: Sequence[Span], width: int, *, ascii_only: bool) -> list[Span]:
    """Give `spans` cut or filled to `width` cells; where they are cut, the role of what was cut stays."""
    fitted: list[Span] = []
    room = width
    total = sum(cell_width(text) for text, _ in spans)
    cut = total > width
    for text, role in spans:
        # Where something must go, every span but the cut one leaves a cell for the sign that says so.
        if cut and cell_width(text) > room - 1:
            shortened = fit(text + " " * room, room, ascii_only=ascii_only)
            fitted.append((pad(shortened, room), role))
            return fitted
        fitted.append((text, role))
        room -= cell_width(text)
    if room > 0:
        fitted.append((" " * room, fitted[-1][1] if fitted else "text"))
    return fitted


def _joined(spans: Sequence[Span]) -> list[Span]:
    joined: list[Span] = []
    for text, role in spans:
        if not text:
            continue
        if joined and joined[-1][1] == role:
            joined[-1] = (joined[-1][0] + text, role)
        else:
            joined.append((text, role))
    return joined
