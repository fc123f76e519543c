"""The last step before the terminal under `--ascii`: whatever sign of ours is not ASCII becomes one that is.

Text from outside is ASCII by then (`visible` saw to it); this takes care of borders, arrows and dots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.filter import LineFilter

if TYPE_CHECKING:
    from textual.color import Color

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("─━═▔▁╌┄▀▄", "-"),
        **dict.fromkeys("│┃║▏▕▌▐╎┆", "|"),
        **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼╞╡", "+"),
        **dict.fromkeys("·•", "."),
        **dict.fromkeys("…", "~"),
        **dict.fromkeys("–—", "-"),
        **dict.fromkeys("→▶▸", ">"),
        **dict.fromkeys("↑▲", "^"),
        **dict.fromkeys("↓▼", "v"),
        **dict.fromkeys("●◉█■", "#"),
        **dict.fromkeys("○◌", "o"),
        **dict.fromkeys("✓", "+"),
        **dict.fromkeys("✗×", "x"),
        **dict.fromkeys("‖", "="),
        # In our own words: Rényi, and the order of his entropy.
        **dict.fromkeys("é", "e"),
        **dict.fromkeys("α", "a"),
    }
)


class AsciiOnly(LineFilter):
    """Writes every line in ASCII, cell for cell."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Give `segments` in ASCII."""
        return [
            segment if segment.text.isascii() else Segment(_ascii(segment.text), segment.style, segment.control)
            for segment in segments
        ]


def _ascii(text: str) -> str:
    text = text.translate(_SIGNS)
    if text.isascii():
        return text
    return "".join(character if character.isascii() else "?" * cell_len(character) for character in text)
