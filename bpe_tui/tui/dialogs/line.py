"""One line, looked at before it is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.errors import BPEError
from bpe_tui.tui.dialogs.base import Choice, Dialog, Result
from bpe_tui.tui.widgets.field import Field
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.widget import Widget


class FieldDialog(Dialog[Result]):
    """Asks for a line, and gives what `read` makes of it."""

    def __init__(self, title: str, question: str, value: str, accept: str) -> None:
        super().__init__(title, [Choice("accept", accept, main=True)], hint=f"enter: {accept.lower()} · esc leaves")
        self._question = question
        self._value = value

    def read(self, text: str) -> Result:
        """Give what the line means. Raises BPEError that says what is wrong with it."""
        raise NotImplementedError

    def body(self) -> Iterable[Widget]:
        """Give the question, the field and the line that says what is wrong."""
        yield Static(Content(self._question), id="text")
        yield Field(self._value, id="line")
        yield Static("", id="message", classes="message")

    def on_mount(self) -> None:
        """Put the cursor into the field, with everything selected."""
        self.query_one(Input).focus()

    def on_input_changed(self) -> None:
        """Take back the complaint about what stood there before."""
        self.say("#message", "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the line."""
        event.stop()
        self.choose("accept")

    def choose(self, choice: str) -> None:  # noqa: ARG002
        """Give what the line means, or say what is wrong with it."""
        try:
            found = self.read(self.query_one(Input).value)
        except BPEError as error:
            self.say("#message", readable(str(error)))
        else:
            self.dismiss(found)


class LineDialog(FieldDialog[str]):
    """Asks for a line. `complaint(text)` says what is wrong with it, or nothing."""

    width = 64

    def __init__(
        self,
        title: str,
        question: str,
        value: str,
        accept: str,
        complaint: Callable[[str], str] = lambda _: "",
    ) -> None:
        super().__init__(title, question, value, accept)
        self._complaint = complaint

    def read(self, text: str) -> str:
        """Give the line as it is. Raises BPEError."""
        wrong = self._complaint(text)
        if wrong:
            raise BPEError(wrong)
        return text
