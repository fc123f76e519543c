"""The help: every key on one page, read from the table of actions, and a few words on what is to be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from bpe_tui.tui.actions import ACTIONS, GROUPS, shown_key
from bpe_tui.tui.dialogs.base import Dialog
from bpe_tui.tui.lab.rows import TABS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

_INTRODUCTION = (
    "Byte Pair Encoding starts from single characters and again and again joins the most frequent pair of neighbours "
    "into one new token. Each such step is a merge. Press t and watch: the passage in the corpus pane is cut into "
    "tokens as the merges stand, the merge log lists every merge, and the vocabulary lists every token."
)

_LEGEND = (
    ("·  ⏎  ⇥", "a space, a newline, a tab: as they stand in tokens"),
    ("\\x1b  \\u202e", "a control or an invisible character, by its code point"),
    ("tab", "the next pane; esc leaves a text field, a filter or a dialog"),
    ("end", "in the merge log: follow the newest merge again"),
    ("enter", "on a row: the token, its parts, and where it occurs"),
)

_FILTERS = (
    ("the", "rows that hold these characters; · stands for a space"),
    ("len:>8", "tokens longer than eight characters"),
    ("id:300", "the token with this id"),
    ("/ing$/", "a regular expression between slashes"),
)

_LAB = (
    (f"1 to {len(TABS)}  tab", "its tabs: " + ", ".join(name for _, name in TABS)),
    ("i", "type or paste a text; esc leaves the line, then the Lab"),
    ("← → home end", "Text, Statistics: turn the dial of merges; with shift in tenths; g goes to a merge"),
    ("c", "Text: compare as of the merge on the dial with now"),
    ("↑ ↓", "Text: step through the merges that made the tokens"),
    ("[  ]", "train on another of the corpora that come with bpe-tui, at once"),
    ("/  enter", "Rules: search; the token of a rule: parts, places in the training text, later tokens"),
    ("z  d  k  u", "Sizes: the sizes to compare; embedding dimension, context, tied or untied"),
    ("p  e", "Statistics: another text; Curves: export as SVG or CSV"),
    ("a d p c", "Side by side: add a tokenizer, remove one, another text, cost by a price of tokens"),
    ("↑ ↓  ← →  g", "Side by side: choose a tokenizer; step through the lines of the text, go to one"),
    ("w  b", "Probe: other words; worst first, or in their order"),
)


class Help(Dialog[None]):
    """All keys; those of the Lab first where it was asked for."""

    width = 84

    def __init__(self, *, in_lab: bool = False) -> None:
        super().__init__("Help", hint="↑ ↓ scroll · esc leaves")
        self._in_lab = in_lab

    def body(self) -> Iterable[Widget]:
        """Give the page."""
        of_lab = _section("In the Lab", _LAB)
        lines: list[Content] = of_lab if self._in_lab else []
        lines += [Content(_INTRODUCTION), Content("")]
        for group in GROUPS:
            lines.append(Content.styled(group, "bold $primary"))
            for action in ACTIONS:
                if action.group == group:
                    keys = " ".join(shown_key(key) for key in action.keys) or "menu"
                    lines.append(_row(keys, action.help))
            lines.append(Content(""))
        lines += [*_section("On screen", _LEGEND), *_section("Filters", _FILTERS)]
        if not self._in_lab:
            lines += of_lab
        with VerticalScroll(id="help"):
            yield Static(Content("\n").join(lines[:-1]))

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one(VerticalScroll).focus()


def _section(title: str, rows: Iterable[tuple[str, str]]) -> list[Content]:
    return [Content.styled(title, "bold $primary"), *(_row(*row) for row in rows), Content("")]


def _row(keys: str, text: str) -> Content:
    return Content.assemble((f"{keys:<14}", "$accent"), text)
