"""Sentences that quote text from outside: safe to write to a terminal, and still sentences."""

from __future__ import annotations

from bpe_tui.terminal import cell_width, fit, visible


def readable(text: str) -> str:
    """Give `text` with everything strange made visible; a common space stays one, since words are to be read."""
    return " ".join(visible(part) for part in text.split(" "))


def in_lines(text: str, width: int) -> list[str]:
    """Give `text`, readable, in lines of at most `width` cells, broken between words."""
    lines: list[str] = []
    line = ""
    for word in map(visible, text.split()):
        longer = f"{line} {word}" if line else word
        if line and cell_width(longer) > width:
            lines.append(line)
            longer = word
        line = longer
    return [fit(line, width) for line in [*lines, line] if line]
