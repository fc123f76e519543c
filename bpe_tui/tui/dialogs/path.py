"""Asking for a path: a corpus to open, a tokenizer to load, a file or folder to write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.widgets.path_picker import PathField, PathPicker, Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.widget import Widget


class PathDialog(Dialog[Path]):
    """Asks for a path. Whether the answer is any good is for the one who asked to find out."""

    width = 76

    def __init__(
        self,
        title: str,
        text: str,
        accept: str,
        *,
        value: str = "",
        suggestions: Sequence[Suggestion] = (),
        endings: tuple[str, ...] = (),
        must_exist: bool = False,
    ) -> None:
        super().__init__(
            title, [Choice("accept", accept)], hint=f"tab completes · ↓ list · enter: {accept.lower()} · esc leaves"
        )
        self._text = text
        self._picker = PathPicker(value, suggestions=suggestions, endings=endings)
        self._must_exist = must_exist

    def body(self) -> Iterable[Widget]:
        """Give the explanation, the field with its list, and the line that says what is wrong."""
        yield Static(Content(self._text), id="text")
        yield self._picker
        yield Static("", id="message", classes="message")

    def on_mount(self) -> None:
        """Put the cursor into the field."""
        self.query_one(PathField).focus()

    def on_path_picker_picked(self, event: PathPicker.Picked) -> None:
        """Take the path, if there is one."""
        event.stop()
        self._take(event.path)

    def on_path_picker_typed(self) -> None:
        """Take back the complaint about what stood there before."""
        self.say("#message", "")

    def choose(self, choice: str) -> None:  # noqa: ARG002
        """Take what stands in the field."""
        if self._picker.path is None:
            self.say("#message", "type a path, or choose one from the list")
        else:
            self._take(self._picker.path)

    def _take(self, path: Path) -> None:
        if self._must_exist and not path.exists():
            self.say("#message", "there is nothing at this path")
        else:
            self.dismiss(path)
