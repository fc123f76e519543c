"""The rows around the tabs of the Lab: what is at hand, the tabs, the samples, the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.message import Message

from bpe_tui.terminal import cell_width, fit
from bpe_tui.tui.widgets.styled_lines import Line, Span, StyledLines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

TABS: Final = (
    ("text", "Text"),
    ("statistics", "Statistics"),
    ("curves", "Curves"),
    ("rules", "Rules"),
    ("sizes", "Sizes"),
    ("sides", "Side by side"),
    ("probe", "Probe"),
)
"""Id and name of each tab, in the order of their numbers."""

DIALLED: Final = ("text", "statistics")
"""Tabs that show everything as of the merge on the dial."""

_KEYS: Final = {
    "text": "i type  ← → dial  g go to  c compare  ↑ ↓ replay  shift+← → tenths  home end",
    "statistics": "p another text  ← → dial  g go to  ↑ ↓ scroll  shift+← → tenths  home end",
    "curves": "e export SVG or CSV",
    "rules": "/ search  ↑ ↓ choose  enter token  backspace rules",
    "sizes": "z sizes  d dimension  k context  u tied or not  ↑ ↓ scroll",
    "sides": "a add  d remove  p text  ← → line  ↑ ↓ choose  g go to line  c price  pgup pgdn scroll",
    "probe": "w words  b worst first  a add  d remove  ↑ ↓ choose",
}
_ALWAYS: Final = "tab next  ? help  esc leave"
_ASCII: Final = str.maketrans({"←": "<", "→": ">", "↑": "^", "↓": "v"})


class ChoiceRow(StyledLines):
    """Names in one line, of which one is marked; a click chooses."""

    class Chosen(Message):
        """A name was clicked."""

        def __init__(self, row: ChoiceRow, index: int) -> None:
            super().__init__()
            self.row = row
            self.index = index

    def __init__(self, lead: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lead = lead
        self._ends: list[int] = []

    def show(self, names: Sequence[tuple[str, str]], marked: int | None) -> None:
        """Show names with the keys that choose them (or none), and mark one."""
        spans: list[Span] = [(self._lead, "key")]
        used = cell_width(self._lead)
        self._ends = []
        for number, (key, name) in enumerate(names):
            if number == marked:
                spans.append((f" {key}{' ' if key else ''}{name} ", "bar"))
            else:
                spans += [(f" {key}{' ' if key else ''}", "key"), (f"{name} ", "dim")]
            used += cell_width(key) + cell_width(name) + (3 if key else 2)
            self._ends.append(used)
        self.show_lines([tuple(spans)])

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked."""
        index = next((number for number, end in enumerate(self._ends) if event.x < end), None)
        if index is not None and event.x >= cell_width(self._lead):
            self.post_message(self.Chosen(self, index))


def key_line(tab: str, width: int, *, ascii_only: bool = False) -> Line:
    """Give the keys of a tab, as many as fit; what always works comes last and stays."""
    room = width - cell_width(_ALWAYS) - 3
    offered: list[str] = []
    for entry in _KEYS[tab].split("  "):
        if sum(cell_width(word) + 2 for word in offered) + cell_width(entry) > room:
            break
        offered.append(entry)
    spans: list[Span] = [(" ", "")]
    for entry in [*offered, *_ALWAYS.split("  ")]:
        words = entry.split(" ")
        # The keys come first, then what they do in words of several letters.
        keys = [word for place, word in enumerate(words) if place == 0 or len(word) == 1 or word == "end"]
        rest = words[len(keys) :]
        shown = " ".join(keys).translate(_ASCII) if ascii_only else " ".join(keys)
        spans += [(shown, "key"), (" " + " ".join(rest) if rest else "", "dim"), ("  ", "")]
    return tuple(spans)


def head_line(left: str, right: str, width: int) -> Line:
    """Give the first line: the tokenizer on the left, what goes on at the right; both safe to show."""
    right = fit(right, max(0, width // 2))
    room = max(0, width - cell_width(right) - 13)
    left = fit(left, room)
    gap = width - 12 - cell_width(left) - cell_width(right)
    return (
        (" bpe-tui lab", "strong"),
        ("  ", ""),
        (left, "dim"),
        (" " * max(1, gap - 3), ""),
        (right, "good"),
        (" ", ""),
    )
