"""Lines of styled text that repaint only where they changed.

Over SSH every repainted cell is bytes. A pane hands over all its lines on every tick; those that are as they were cost
nothing, and those that differ are drawn alone. Styles are names of component classes, so that a change of theme
recolours what stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

Span = tuple[str, str]
"""A piece of text, safe to write to a terminal, and the name of its style ("" is plain)."""

Line = tuple[Span, ...]


class StyledLines(Widget):
    """Shows lines of spans; `show_lines` draws those that changed."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lines--dim",
        "lines--label",
        "lines--figure",
        "lines--strong",
        "lines--good",
        "lines--warning",
        "lines--bar",
        "lines--bar-rest",
        "lines--key",
        "lines--token-1",
        "lines--token-2",
    }

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
            style = self.get_component_rich_style(f"lines--{name}") if name else self.rich_style
            self._styles[name] = style
        return style
