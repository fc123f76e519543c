"""The one shape of everything that opens over the main screen: a title, a body, choices, and Esc to leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from bpe_tui.tui.modal import Modal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Choice:
    """One button of a dialog."""

    id: str
    label: str
    key: str = ""
    """A letter that chooses it, unless a text field has the focus."""
    main: bool = False
    """Whether it is what people most likely want; it gets the focus if nothing in the body does."""


class Dialog(Modal[Result | None], Generic[Result]):
    """A box in the middle of the screen. It gives None when it is left with Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("right,down", "app.focus_next", show=False),
        Binding("left,up", "app.focus_previous", show=False),
    ]

    width: ClassVar[int] = 64
    """Cells of the box, where the screen is wide enough."""

    def __init__(self, title: str, choices: Sequence[Choice] = (), hint: str = "esc leaves") -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)
        self._hint = hint

    def body(self) -> Iterable[Widget]:
        """Give the widgets between the title and the choices."""
        return ()

    def compose(self) -> ComposeResult:
        """Title, body, choices."""
        box = Vertical(id="dialog")
        box.border_title = Content(f" {self._title} ")
        box.border_subtitle = Content(f" {self._hint} ")
        box.styles.width = self.width
        with box:
            yield from self.body()
            if self._choices:
                yield Horizontal(*[self._button(choice) for choice in self._choices], id="choices")

    def on_mount(self) -> None:
        """Put the focus where the next key press belongs."""
        if self.focused is None or isinstance(self.focused, Button):
            main = next((choice.id for choice in self._choices if choice.main), None)
            if main is not None:
                self.query_one(f"#{main}", Button).focus()

    def choose(self, choice: str) -> None:
        """Act on a choice; what most dialogs do more, they do here."""
        raise NotImplementedError(choice)

    def say(self, selector: str, message: str, style: str = "$warning") -> None:
        """Write `message`, safe to show, into the Static that `selector` finds."""
        self.query_one(selector, Static).update(Content.styled(message, style) if message else "")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Pass the button on as the choice it stands for."""
        event.stop()
        if event.button.id is not None:
            self.choose(event.button.id)

    def on_key(self, event: events.Key) -> None:
        """Choose by letter. A text field that has the focus takes its letters before they come here."""
        for choice in self._choices:
            if choice.key and event.key == choice.key and not self.query_one(f"#{choice.id}", Button).disabled:
                event.stop()
                self.choose(choice.id)
                return

    def action_leave(self) -> None:
        """Leave without a result."""
        self.dismiss(None)

    @staticmethod
    def _button(choice: Choice) -> Button:
        label = Content(choice.label)
        if choice.key:
            label = Content.assemble(
                ("esc" if choice.key == "escape" else choice.key, "bold underline"), "  ", choice.label
            )
        button = Button(label, id=choice.id, compact=True)
        if choice.main:
            button.add_class("-main")
        return button
