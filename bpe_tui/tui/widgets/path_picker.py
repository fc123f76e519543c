"""A field for a path, with what lies there listed below it. Names of files are text from outside."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from bpe_tui.tui.widgets.field import Field
from bpe_tui.tui.widgets.options import Options
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

_LISTED = 200
"""Entries of a folder that are listed; a longer list is narrowed by typing."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A path that is offered while nothing is typed."""

    label: str
    path: Path
    description: str = ""


def matches(typed: str, endings: tuple[str, ...] = ()) -> list[Path]:
    """Give what the folder in `typed` holds that begins with its last part: folders first, then files.

    `endings` limits the files. Hidden entries are given when the last part begins with a dot. A folder that cannot be
    read has no matches.
    """
    expanded = os.path.expanduser(typed)  # noqa: PTH111 - a Path would lose the slash at the end
    folder, start = os.path.split(expanded)
    try:
        with os.scandir(folder or ".") as entries:
            found = [
                (not _is_folder(entry), entry.name)
                for entry in entries
                if entry.name.casefold().startswith(start.casefold())
                and (start.startswith(".") or not entry.name.startswith("."))
                and (not endings or _is_folder(entry) or entry.name.endswith(endings))
            ]
    except (OSError, ValueError):
        return []
    return [Path(folder) / name for _, name in sorted(found)[:_LISTED]]


def completion(typed: str, found: Sequence[Path]) -> str | None:
    """Give `typed` completed as far as all of `found` agree; None if they agree on less than what is typed."""
    if not found:
        return None
    # Two paths agree on their first characters when the first and the last in order do.
    first, last = min(names := [str(path) for path in found]), max(names)
    common = first[: next((at for at, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1), None)]
    common = common[: min(len(first), len(last))]
    if len(found) == 1 and found[0].is_dir():
        common += os.sep
    return common if len(common) >= len(os.path.expanduser(typed)) else None  # noqa: PTH111


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


class PathField(Field):
    """The field; Tab completes, Down goes to the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", show=False),
        Binding("down", "into_list", show=False),
        Binding("up", "ignore", show=False),
    ]

    def action_complete(self) -> None:
        """Complete what is typed as far as it is clear."""
        picker = self.parent
        if isinstance(picker, PathPicker):
            picker.complete()

    def action_into_list(self) -> None:
        """Go to the list."""
        picker = self.parent
        if isinstance(picker, PathPicker):
            picker.into_list()

    def action_ignore(self) -> None:
        """Stay; there is nothing above."""


class PathPicker(Vertical):
    """The field and the list. Posts Picked when a path is submitted or an offered one is chosen."""

    class Picked(Message):
        """A path was chosen."""

        def __init__(self, path: Path) -> None:
            super().__init__()
            self.path = path

    class Typed(Message):
        """What stands in the field has changed."""

    def __init__(
        self, value: str = "", *, suggestions: Sequence[Suggestion] = (), endings: tuple[str, ...] = ()
    ) -> None:
        super().__init__(classes="path-picker")
        self._value = value
        self._suggestions = tuple(suggestions)
        self._endings = endings
        self._paths: list[Path] = []

    def compose(self) -> ComposeResult:
        """The field, and the list below."""
        yield PathField(self._value, placeholder="a path; tab completes", id="path")
        yield Options(id="paths", compact=True, markup=False)

    def on_mount(self) -> None:
        """List what fits the first value."""
        self._list()

    @property
    def path(self) -> Path | None:
        """What stands in the field, with `~` spelled out; None if that is nothing."""
        typed = self.query_one(PathField).value.strip()
        return Path(typed).expanduser() if typed else None

    def complete(self) -> None:
        """Complete the path as far as all matches agree."""
        field = self.query_one(PathField)
        completed = completion(field.value, matches(field.value, self._endings) if field.value else [])
        if completed is not None:
            field.value = completed
            field.cursor_position = len(completed)

    def into_list(self) -> None:
        """Move the focus to the list, if it holds anything."""
        options = self.query_one(OptionList)
        if options.option_count:
            options.focus()
            if options.highlighted is None:
                options.action_first()

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what fits now."""
        event.stop()
        self._list()
        self.post_message(self.Typed())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what is typed."""
        event.stop()
        if self.path is not None:
            self.post_message(self.Picked(self.path))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take a suggestion or file as it is; step into a folder."""
        event.stop()
        path = self._paths[event.option_index]
        field = self.query_one(PathField)
        if not field.value or not path.is_dir():
            self.post_message(self.Picked(path))
            return
        field.value = f"{path}{os.sep}"
        field.cursor_position = len(field.value)
        field.focus()

    def _list(self) -> None:
        typed = self.query_one(PathField).value
        options = self.query_one(OptionList)
        options.clear_options()
        if not typed and self._suggestions:
            self._paths = [suggestion.path for suggestion in self._suggestions]
            width = max(len(suggestion.label) for suggestion in self._suggestions)
            options.add_options(
                Option(
                    Content.assemble(
                        (f"{readable(suggestion.label):<{width + 2}}", "bold"),
                        (readable(suggestion.description), "$quiet"),
                    )
                )
                for suggestion in self._suggestions
            )
            return
        self._paths = matches(typed, self._endings)
        options.add_options(Option(_name(path)) for path in self._paths)


def _name(path: Path) -> Content:
    name = readable(path.name)
    return Content.assemble(name, ("/", "$accent")) if path.is_dir() else Content(name)
