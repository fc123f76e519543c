"""Asking where a tokenizer goes, and in which format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Select, Static

from bpe_tui.errors import TokenizerFileError
from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.widgets.path_picker import PathField, PathPicker
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

OWN: Final = "bpe-tui"
BY_NAME: Final = "by its name"

FORMATS: Final = {
    BY_NAME: "",
    OWN: "holds everything, for every kind",
    "huggingface": "tokenizer.json for tokenizers and transformers",
    "gpt2": "vocab.json and merges.txt, in a folder you name",
    "tiktoken": "ranks alone: no special tokens, no splitting rule",
    "minbpe": "a .model for Karpathy's minbpe",
}


@dataclass(frozen=True, slots=True)
class SaveWish:
    """Where to, and in which format, by its name in `formats`."""

    path: Path
    format: str


class SaveDialog(Dialog[SaveWish]):
    """A path and a format; the name of the file tells the format unless one is chosen."""

    width = 76

    def __init__(self, present: Path, kind: str) -> None:
        super().__init__(
            "Save tokenizer as", [Choice("accept", "Save", main=True)], hint="tab completes · enter: save · esc leaves"
        )
        self._kind = kind
        self._picker = PathPicker(str(present), endings=(".json", ".tiktoken", ".model"))

    def body(self) -> Iterable[Widget]:
        """Give the format, the field with its list, and the line that says what is wrong."""
        yield Static(Content("A file, or a folder for GPT-2's pair. What is missing of the path is made."), id="text")
        select = Select([(name, name) for name in FORMATS], value=BY_NAME, allow_blank=False, id="format", compact=True)
        yield Horizontal(
            Static(Content.styled("format", "$quiet"), classes="name"),
            select,
            Static("", id="about-format", classes="explanation"),
            classes="field",
        )
        yield self._picker
        yield Static("", id="message", classes="message")

    def on_mount(self) -> None:
        """Put the cursor into the path."""
        self.query_one(PathField).focus()
        self._explain()

    def on_select_changed(self, event: Select.Changed) -> None:
        """Say what the format is."""
        event.stop()
        self._explain()

    def on_path_picker_picked(self, event: PathPicker.Picked) -> None:
        """Take the path, if there is one."""
        event.stop()
        self._take(event.path)

    def on_path_picker_typed(self) -> None:
        """Say which format the name stands for, and take back the complaint about what stood there before."""
        self.say("#message", "")
        self._explain()

    def choose(self, choice: str) -> None:  # noqa: ARG002
        """Take what stands in the field."""
        if self._picker.path is None:
            self.say("#message", "type a path")
        else:
            self._take(self._picker.path)

    def _explain(self) -> None:
        chosen = str(self.query_one("#format", Select).value)
        about = FORMATS[chosen]
        if chosen == BY_NAME and self._picker.path is not None:
            try:
                about = f"this name means {self._by_name(self._picker.path)}"
            except TokenizerFileError:
                about = "this name does not say which"
        self.query_one("#about-format", Static).update(Content.styled(about, "$quiet"))

    def _by_name(self, path: Path) -> str:
        from bpe_tui.formats import detection

        return OWN if path.is_dir() else str(detection.by_name(path, self._kind))

    def _take(self, path: Path) -> None:
        chosen = str(self.query_one("#format", Select).value)
        try:
            self.dismiss(SaveWish(path, self._by_name(path) if chosen == BY_NAME else chosen))
        except TokenizerFileError as error:
            self.say("#message", readable(str(error)))
