"""Lines of styled text that repaint only where they changed.

Over SSH every repainted cell is bytes. A pane hands over all its lines on every tick; those that are as they were cost
nothing, and those that differ are drawn alone. Styles are names, looked up in the theme when a line is drawn, so that a
change of theme recolours what stands there. (Component classes would do the same, but Textual works out all of them for
every widget at every change of the focus: a third of the time until the first picture.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

Span = tuple[str, str]
"""A piece of text, safe to write to a terminal, and the name of its style ("" is plain)."""

Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """Colours, as names of theme variables, and marks."""

    color: str = ""
    background: str = ""
    bold: bool | None = None
    underline: bool | None = None
    reverse: bool | None = None
    dim: bool | None = None

    def resolve(self, variables: Mapping[str, str]) -> Style:
        """Give the style in a theme."""
        return Style(
            color=Color.parse(variables[self.color]).rich_color if self.color else None,
            bgcolor=Color.parse(variables[self.background]).rich_color if self.background else None,
            bold=self.bold,
            underline=self.underline,
            reverse=self.reverse,
            dim=self.dim,
        )


LOOKS: Final[dict[str, Look]] = {
    "dim": Look("quiet"),
    "label": Look("secondary"),
    "figure": Look("foreground"),
    "strong": Look("foreground", bold=True),
    "good": Look("success"),
    "warning": Look("warning"),
    "bar": Look("background", "primary", bold=True),
    "bar-rest": Look("rule"),
    "key": Look("accent", bold=True),
    "series-0": Look("primary", bold=True),
    "series-1": Look("accent"),
    "series-2": Look("success"),
    "series-3": Look("error"),
    "series-4": Look("secondary"),
    "series-5": Look("foreground"),
    "token-1": Look("token-text", "token-1"),
    "token-2": Look("token-text", "token-2", underline=True),
}
ANSI_LOOKS: Final[dict[str, Look]] = {
    "dim": Look(dim=True),
    "bar": Look(reverse=True),
    # Sixteen colours know no soft tints: the text takes the colour.
    "token-1": Look("token-1"),
    "token-2": Look("token-2", underline=True),
}
"""What themes that leave the colours to the terminal do otherwise."""


class StyledLines(Widget):
    """Shows lines of spans; `show_lines` draws those that changed."""

    DEFAULT_CSS = "StyledLines { height: auto; }"

    def __init__(
        self,
        lines: Sequence[Line] = (),
        *,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.lines: tuple[Line, ...] = tuple(lines)
        self._styles: dict[str, Style] = {}

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show `lines` instead of what is there."""
        before = self.lines
        after = tuple(lines)
        if after == before:
            return
        self.lines = after
        if len(after) != len(before):
            self.refresh(layout=self.styles.is_auto_height)
            return
        changed = [y for y, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
        width = self.size.width
        self.refresh(*[Region(0, y, width, 1) for y in changed])

    @property
    def plain(self) -> str:
        """What stands there, without styles; one line each."""
        return "\n".join("".join(text for text, _ in line) for line in self.lines)

    def get_content_width(self, container: object, viewport: object) -> int:  # noqa: ARG002
        """Give the cells of the longest line."""
        return max((sum(Segment(text).cell_length for text, _ in line) for line in self.lines), default=0)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:  # noqa: ARG002
        """Give the number of lines."""
        return len(self.lines)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        plain = self._style("")
        width = self.size.width
        if not 0 <= y < len(self.lines):
            return Strip.blank(width, plain)
        segments = [Segment(text, self._style(name)) for text, name in self.lines[y]]
        return Strip(segments).adjust_cell_length(width, plain)

    def notify_style_update(self) -> None:
        """Forget the styles of the theme before."""
        self._styles.clear()
        super().notify_style_update()

    def _style(self, name: str) -> Style:
        style = self._styles.get(name)
        if style is None:
            style = self.rich_style
            if name:
                look = (ANSI_LOOKS if self.app.native_ansi_color else {}).get(name) or LOOKS[name]
                style += look.resolve(self.app.theme_variables)
            self._styles[name] = style
        return style
