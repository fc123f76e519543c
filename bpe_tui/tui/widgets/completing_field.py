"""A field for a path in a form of several fields: Tab completes as in a shell, and then goes to the next field."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from bpe_tui.tui.widgets.field import Field
from bpe_tui.tui.widgets.path_picker import completion, matches

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class CompletingField(Field):
    """The field. Posts Several when what is typed can become more than one path; the next Tab goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", show=False)]

    class Several(Message):
        """What is typed can become any of these."""

        def __init__(self, paths: Sequence[Path]) -> None:
            super().__init__()
            self.paths = tuple(paths)

    def __init__(
        self,
        value: str = "",
        *,
        placeholder: str = "",
        id: str | None = None,  # noqa: A002
        endings: tuple[str, ...] = (),
    ) -> None:
        super().__init__(value, placeholder=placeholder, id=id)
        self._endings = endings
        self._listed = ""

    def action_complete(self) -> None:
        """Complete what is typed as far as it is clear; list the possibilities; or go to the next field."""
        typed = self.value
        found = matches(typed, self._endings) if typed and self.cursor_position == len(typed) else []
        completed = completion(typed, found)
        if completed is not None and completed != typed:
            self.value = completed
            self.cursor_position = len(completed)
        elif len(found) > 1 and self._listed != typed:
            self._listed = typed
            self.post_message(self.Several(found))
        else:
            self.screen.focus_next()
