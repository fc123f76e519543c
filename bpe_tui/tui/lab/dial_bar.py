"""The slider of the dial: a line to click on and to drag along."""

from __future__ import annotations

from textual import events
from textual.message import Message

from bpe_tui.terminal import count
from bpe_tui.tui.widgets.styled_lines import StyledLines

_NAME = "merges "


class DialBar(StyledLines):
    """Where on the dial one is, from 0 to all merges."""

    class Moved(Message):
        """The user clicked or dragged."""

        def __init__(self, merges: int) -> None:
            super().__init__()
            self.merges = merges

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab-dial")
        self._ascii_only = ascii_only
        self._merges = self._total = 0

    def show(self, merges: int, total: int) -> None:
        """Show a position."""
        self._merges, self._total = merges, total
        cells = self._cells
        place = round(merges / total * (cells - 1)) if total else 0
        full, knob, rest = ("#", "O", "-") if self._ascii_only else ("━", "●", "─")
        self.show_lines(
            [
                (
                    (_NAME, "label"),
                    (full * place, "good"),
                    (knob, "key"),
                    (rest * (cells - 1 - place), "bar-rest"),
                    (" " + self._figures, "strong"),
                )
            ]
        )

    @property
    def _figures(self) -> str:
        every = count(self._total)
        return f"{count(self._merges):>{len(every)}} of {every}"

    @property
    def _cells(self) -> int:
        return max(4, self.size.width - len(_NAME) - len(self._figures) - 1)

    def on_resize(self) -> None:
        """Draw as wide as there is room."""
        self.show(self._merges, self._total)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go where was clicked, and along with the mouse until it is let go."""
        self.capture_mouse()
        self._go(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while its button is down."""
        if self.app.mouse_captured is self:
            self._go(event.x)

    def on_mouse_up(self) -> None:
        """Let the mouse go."""
        self.release_mouse()

    def _go(self, x: int) -> None:
        share = (x - len(_NAME)) / max(1, self._cells - 1)
        self.post_message(self.Moved(round(min(max(share, 0.0), 1.0) * self._total)))
