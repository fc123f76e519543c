"""The row in which a list is filtered: hidden until asked for, with what it found or what is wrong at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label

from bpe_tui.tui.widgets.field import Harmless

if TYPE_CHECKING:
    from textual.app import ComposeResult


class FilterRow(Horizontal):
    """An input of one line with a note. Escape clears and hides it, Enter and Down go on to the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "clear", "Clear filter", show=False),
        Binding("down", "leave", "To the list", show=False),
    ]
    DEFAULT_CSS = """
    FilterRow { height: 1; display: none; }
    FilterRow.-open { display: block; }
    FilterRow > .filter-row--sign { width: 2; color: $text-accent; text-style: bold; }
    FilterRow > Input { width: 1fr; height: 1; border: none; padding: 0; }
    FilterRow > Input:focus { border: none; }
    FilterRow > .filter-row--note { width: auto; max-width: 70%; padding: 0 1; color: $text-muted; }
    FilterRow > .filter-row--note.-wrong { color: $text-error; }
    """

    class Changed(Message):
        """The filter reads otherwise now."""

        def __init__(self, value: str) -> None:
            self.value = value
            super().__init__()

    class Left(Message):
        """The user is done with the filter and goes on to the list."""

    def __init__(self, placeholder: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._placeholder = placeholder
        self._note = ""
        self._wrong = False

    def compose(self) -> ComposeResult:
        """Lay out sign, input and note."""
        yield Label("/", classes="filter-row--sign", markup=False)
        field = Input(placeholder=self._placeholder, select_on_focus=False, highlighter=Harmless())
        # A blinking cursor writes to the terminal twice a second for nothing.
        field.cursor_blink = False
        # Keys that come while the app is starting must not land in a row that nobody sees.
        field.can_focus = False
        yield field
        yield Label("", classes="filter-row--note", markup=False)

    @property
    def value(self) -> str:
        """What the filter reads."""
        return self.query_one(Input).value

    @property
    def is_open(self) -> bool:
        """Whether the row shows."""
        return self.has_class("-open")

    def open(self) -> None:
        """Show the row and write in it."""
        self.add_class("-open")
        field = self.query_one(Input)
        field.can_focus = True
        field.focus()

    def set_note(self, note: str, *, wrong: bool = False) -> None:
        """Say something at the end of the row. Cheap when it is said already."""
        if (note, wrong) == (self._note, self._wrong):
            return
        self._note, self._wrong = note, wrong
        label = self.query_one(".filter-row--note", Label)
        label.set_class(wrong, "-wrong")
        label.update(Content(note))

    def action_clear(self) -> None:
        """Filter nothing and hide."""
        self.query_one(Input).value = ""
        self._hide()
        self.post_message(self.Left())

    def action_leave(self) -> None:
        """Go on to the list; an empty row hides."""
        if not self.value:
            self._hide()
        self.post_message(self.Left())

    def _hide(self) -> None:
        self.remove_class("-open")
        self.query_one(Input).can_focus = False

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass on what was typed."""
        event.stop()
        self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the list."""
        event.stop()
        self.action_leave()
