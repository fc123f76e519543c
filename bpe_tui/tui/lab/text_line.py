"""The line of the Text tab: a field that takes a pasted text whole, with its line ends, as far as it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.tui.lab.story import MOST
from bpe_tui.tui.widgets.field import Field

if TYPE_CHECKING:
    from textual import events


class TextLine(Field):
    """Line ends are characters like others; what is longer than `MOST` is cut, and `left_out` tells by how much."""

    def __init__(self, *, placeholder: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(placeholder=placeholder, id=id)
        self._lost = 0

    @property
    def left_out(self) -> int:
        """How many characters of what was pasted are not there; of what was typed, those that nobody looks at."""
        over = max(0, len(self.value) - MOST)
        return over + self._lost if len(self.value) >= MOST else 0

    def on_paste(self, event: events.Paste) -> None:
        """Take all lines, where a field of Textual takes the first."""
        event.stop()
        event.prevent_default()
        start, end = sorted(self.selection)
        room = max(0, MOST - len(self.value) + (end - start))
        self._lost = max(0, len(event.text) - room)
        self.replace(event.text[:room], start, end)
