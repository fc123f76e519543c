"""Questions whose answer decides what happens next: nothing is lost without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.content import Content
from textual.widgets import Static

from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from textual.widget import Widget

STAY: Final = "stay"


class Question(Dialog[str]):
    """Some sentences and the possible answers; gives the id of the answer, None for Esc."""

    width: ClassVar[int] = 74

    def __init__(self, title: str, text: str, choices: Sequence[Choice]) -> None:
        super().__init__(title, choices, hint="arrows move · enter chooses")
        self._text = text

    def body(self) -> Iterable[Widget]:
        """Give the text."""
        yield Static(Content(self._text), id="text")

    def choose(self, choice: str) -> None:
        """Answer."""
        self.dismiss(choice)


def shown_path(path: Path) -> str:
    """Give a path as people read it: home shortened, spaces as spaces, everything strange made visible."""
    from pathlib import Path

    text = str(path)
    home = str(Path.home())
    if text.startswith(home + "/") and home != "/":
        text = "~" + text[len(home) :]
    return readable(text)


def leave_busy(doing: str, checkpoint: bool) -> Question:
    """Ask what becomes of work that is under way; answers keep, discard, stay."""
    if checkpoint:
        text = f"{doing}. Stopping with a checkpoint keeps every merge: R resumes the run the next time."
        keep = [Choice("keep", "Stop and keep a checkpoint", "k", main=True)]
    else:
        text = f"{doing}. Nothing of it is kept when you leave now."
        keep = []
    return Question(
        "Leave while busy?",
        text,
        [*keep, Choice("discard", "Discard", "d"), Choice(STAY, "Stay", "escape", main=not checkpoint)],
    )


def leave_unsaved(merges: int, doing: str) -> Question:
    """Ask what becomes of a trained tokenizer that no file holds; answers save, discard, stay."""
    return Question(
        "The tokenizer is not saved",
        f"{merges:,} learned merges are in no file yet, and {doing} drops them.",
        [
            Choice("save", "Save", "s", main=True),
            Choice("discard", "Discard", "d"),
            Choice(STAY, "Stay", "escape"),
        ],
    )


def overwrite(path: Path, what: str = "file") -> Question:
    """Ask before something is overwritten; answers overwrite, stay."""
    return Question(
        "Overwrite?",
        f"The {what} {shown_path(path)} exists already.",
        [Choice("overwrite", "Overwrite", "o"), Choice(STAY, "Keep it", "escape", main=True)],
    )
