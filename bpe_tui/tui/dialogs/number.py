"""One number, checked while it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.session.settings import SettingsError, parse_number
from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.widgets.field import Field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget


class NumberDialog(Dialog[int]):
    """Asks for a whole number of at least `minimum`."""

    width = 56

    def __init__(self, title: str, question: str, value: int, minimum: int, accept: str, name: str) -> None:
        super().__init__(title, [Choice("accept", accept, main=True)], hint=f"enter: {accept.lower()} · esc leaves")
        self._question = question
        self._value = value
        self._minimum = minimum
        self._what = name

    def body(self) -> Iterable[Widget]:
        """Give the question, the field and the line that says what is wrong."""
        yield Static(Content(self._question), id="text")
        yield Field(str(self._value), id="number")
        yield Static("", id="message", classes="message")

    def on_mount(self) -> None:
        """Put the cursor into the field, with everything selected."""
        self.query_one(Input).focus()

    def on_input_changed(self) -> None:
        """Take back the complaint about what stood there before."""
        self.say("#message", "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the number."""
        event.stop()
        self.choose("accept")

    def choose(self, choice: str) -> None:  # noqa: ARG002
        """Give the number, or say what is wrong with it."""
        try:
            number = parse_number(self.query_one(Input).value, self._what)
        except SettingsError as error:
            self.say("#message", str(error))
            return
        if number < self._minimum:
            self.say("#message", f"{self._what} must be at least {self._minimum:,}")
            return
        self.dismiss(number)
