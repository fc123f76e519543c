"""A text field. What is typed is the user's own, but what is pasted may come from anywhere and hold anything."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rich.cells import cell_len
from rich.highlighter import Highlighter
from rich.text import Text
from textual.geometry import Region
from textual.widgets import Input

from bpe_tui.terminal import visible
from bpe_tui.terminal.text import SYMBOLS

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


class Harmless(Highlighter):
    """Shows what a terminal could take for a command as a sign, one for one, so that the cursor stays where it is."""

    def __call__(self, text: str | Text) -> Text:
        """Give the text as it may be shown."""
        plain = text if isinstance(text, str) else text.plain
        return Text("".join(map(_sign, plain)), no_wrap=True, overflow="ignore", end="")

    def highlight(self, text: Text) -> None:
        """Leave the styles alone."""


@lru_cache(4096)
def _sign(character: str) -> str:
    if character == " " or character == "\\" or character in SYMBOLS.values():
        return character
    shown = visible(character)
    if len(shown) == 1:
        return shown
    # A mark that combines is shown on a carrier; here it has the character before it.
    return character if shown.endswith(character) else _REPLACEMENT


class Field(Input):
    """A field of one line, without a frame; its cursor does not blink, because idle costs no bytes."""

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(value, placeholder=placeholder, id=id, highlighter=Harmless(), compact=True)
        self.cursor_blink = False

    def _position_to_cell(self, position: int) -> int:
        # Textual looks for tabs by an expression that takes half a second for 20,000 characters; here they are signs.
        return cell_len("".join(map(_sign, self.value[:position])))

    def watch_value(self, value: str) -> None:
        """Show where the cursor is: Textual does not when the first text comes all at once, by paste."""
        before = cell_len(value[: self.cursor_position])
        self.scroll_to_region(Region(before, 0, width=1, height=1), force=True, animate=False)
