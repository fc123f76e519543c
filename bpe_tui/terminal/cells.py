"""Widths in terminal cells: a Chinese character takes two, a combining mark none.

The measure is the one that Textual lays out with, so that what is cut and padded here fits there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from rich.cells import cell_len

Alignment = Literal["left", "right"]

ELLIPSIS: Final = "…"
"""What stands where a text was cut; one cell wide."""

ASCII_ELLIPSIS: Final = "~"


def cell_width(text: str) -> int:
    """Give the cells that `text` takes. Text from outside goes through `visible` first."""
    return len(text) if text.isascii() else cell_len(text)


def fit(text: str, width: int, *, ascii_only: bool = False) -> str:
    """Give `text` if it fits into `width` cells, else as much of its beginning as fits before a `…` (ASCII: `~`).

    A wide character is never halved and a combining mark stays with its character, so the result may be a cell shorter
    than `width`; `pad` fills it up.
    """
    if width <= 0:
        return ""
    if text.isascii():
        if len(text) <= width:
            return text
        return text[: width - 1] + (ASCII_ELLIPSIS if ascii_only else ELLIPSIS)
    if len(text) <= 4 * width and cell_len(text) <= width:
        return text
    used = 0
    end = 0
    fits = True
    for index, character in enumerate(text):
        used += cell_len(character)
        if used > width:
            fits = False
            break
        if used <= width - 1:
            end = index + 1
    if fits:
        return text
    return text[:end] + (ASCII_ELLIPSIS if ascii_only else ELLIPSIS)


def pad(text: str, width: int, alignment: Alignment = "left", *, ascii_only: bool = False) -> str:
    """Give `text` cut or filled with spaces to exactly `width` cells."""
    fitted = fit(text, width, ascii_only=ascii_only)
    blank = " " * (width - cell_width(fitted))
    return blank + fitted if alignment == "right" else fitted + blank


def runs_that_fit(segments: Sequence[str], width: int) -> Iterator[tuple[int, int]]:
    """Give (first, last) of the segments that go beside one another into `width` cells, one cell behind each.

    There is at least one in each run, however wide it is.
    """
    first = used = 0
    for index, segment in enumerate(segments):
        cells = cell_width(segment) + 1
        if index > first and used + cells > width:
            yield first, index
            first, used = index, 0
        used += cells
    yield first, len(segments)
