"""Tables of figures, aligned by terminal cells."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.terminal import UNKNOWN, cell_width, pad


def table(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> list[str]:
    """Give rows as lines; columns are as wide as their widest cell, and `left` names those that are not figures."""
    columns = max(map(len, rows), default=0)
    widths = [max(cell_width(row[column]) for row in rows if column < len(row)) for column in range(columns)]
    return [
        "  ".join(
            pad(cell, widths[column], "left" if column in left else "right") for column, cell in enumerate(row)
        ).rstrip()
        for row in rows
    ]


def figure(value: float | None, digits: int = 3) -> str:
    """Give a ratio, or the sign for a figure that is not known."""
    return UNKNOWN if value is None else f"{value:.{digits}f}"


def share(value: float | None) -> str:
    """Give a share of 1 in percent, or the sign for a figure that is not known."""
    return UNKNOWN if value is None else f"{value:.1%}"
