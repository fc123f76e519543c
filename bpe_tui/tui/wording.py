"""Sentences that quote text from outside: safe to write to a terminal, and still sentences."""

from __future__ import annotations

from bpe_tui.terminal import cell_width, visible


def readable(text: str) -> str:
    """Give `text` with everything strange made visible; a common space stays one, since words are to be read."""
    return " ".join(visible(part) for part in text.split(" "))


def in_lines(text: str, width: int) -> list[str]:
    """Give `text`, readable and whole, in lines of at most `width` cells, if possible broken between words."""
    return broken(" ".join(map(visible, text.split())), width)


def broken(text: str, width: int) -> list[str]:
    """Give `text`, which is safe to show already, in lines as `in_lines` does."""
    width = max(width, 2)
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and cell_width(longer) > width:
            lines.append(line)
            longer = word
        while cell_width(longer) > width:
            end = next(end for end in range(len(longer), 0, -1) if cell_width(longer[:end]) <= width)
            lines.append(longer[:end])
            longer = longer[end:]
        line = longer
    return [line for line in [*lines, line] if line]
