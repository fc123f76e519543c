"""What a line of a virtual list shows, as a value: compared to see whether it changed, drawn from nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from rich.segment import Segment
from textual.strip import Strip

from bpe_tui.terminal import cell_width, fit, pad
from bpe_tui.tui.widgets.columns import Cell, Placed, Span, line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.style import Style

ROLES: Final = ("text", "muted", "accent", "strong", "header", "cursor", "cursor-blurred", "badge")
"""Everything that has a style of its own."""


class HeaderLine(NamedTuple):
    """The titles of the columns."""

    placed: tuple[Placed, ...]
    sorted_by: tuple[str, bool] | None
    """The key of the sorted column and whether it descends."""
    width: int
    ascii_only: bool


class RowLine(NamedTuple):
    """A row, which may have the cursor, and the sign that counts new rows over its end."""

    placed: tuple[Placed, ...]
    cells: tuple[Cell, ...]
    look: str
    """The role of the whole line if the cursor is on it, else empty."""
    badge: str
    width: int
    ascii_only: bool


class BlankLine(NamedTuple):
    """A line without a row; it may say why there is none."""

    said: str
    width: int
    ascii_only: bool


Line = HeaderLine | RowLine | BlankLine


def changed_cells(before: Line | None, now: Line) -> int:
    """Give how many cells must be drawn to turn one line into another, from its start; 0 if they are equal."""
    if before == now:
        return 0
    if not isinstance(before, RowLine) or not isinstance(now, RowLine) or before._replace(cells=now.cells) != now:
        return now.width
    # Only cells of the row differ. Textual draws a line from its start, so what can be spared is its end.
    old, new = before.cells, now.cells
    ends = (place.start + place.width for place in now.placed if old[place.index] != new[place.index])
    # What changed may be in columns that have no room here; then there is nothing to draw.
    return min(now.width, max(ends, default=0))


def draw(line_shown: Line, style: Callable[[str], Style]) -> Strip:
    """Give a line in the styles that `style` has for roles."""
    match line_shown:
        case HeaderLine():
            spans = _header(line_shown)
        case RowLine():
            spans = _row(line_shown)
        case BlankLine(said, width, ascii_only):
            spans = [(pad("  " + said, width, ascii_only=ascii_only), "muted")]
    strip = _strip(spans, style)
    if not isinstance(line_shown, RowLine) or not line_shown.badge:
        return strip
    badge = fit(line_shown.badge, line_shown.width, ascii_only=line_shown.ascii_only)
    return Strip.join([strip.crop(0, line_shown.width - cell_width(badge)), _strip([(badge, "badge")], style)])


def _header(header: HeaderLine) -> list[Span]:
    titles: dict[int, Cell] = {}
    for place in header.placed:
        column = place.column
        titles[place.index] = column.title
        if header.sorted_by is not None and header.sorted_by[0] == column.key:
            up, down = ("^", "v") if header.ascii_only else ("▲", "▼")
            sign = down if header.sorted_by[1] else up
            titles[place.index] = f"{column.title} {sign}" if column.alignment == "left" else f"{sign} {column.title}"
    spans = line(header.placed, titles, header.width, ascii_only=header.ascii_only)
    return [("".join(text for text, _ in spans), "header")]


def _row(row: RowLine) -> list[Span]:
    marker = (">" if row.ascii_only else "▸") if row.look else ""
    spans = line(row.placed, row.cells, row.width, marker, ascii_only=row.ascii_only)
    # One style for the whole line with the cursor: it must stand out, and costs fewest bytes so.
    return [("".join(text for text, _ in spans), row.look)] if row.look else spans


def _strip(spans: Sequence[Span], style: Callable[[str], Style]) -> Strip:
    return Strip([Segment(text, style(role)) for text, role in spans])
