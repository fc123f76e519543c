"""The first line: which corpus, and what the run is doing. And the row of tabs below it on narrow screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from bpe_tui.session.state import RunState
from bpe_tui.terminal import cell_width, fit
from bpe_tui.tui.widgets.styled_lines import Line, Span, StyledLines
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from textual import events

SIGNS = {
    RunState.IDLE: ("○", "o"),
    RunState.READING: ("◌", "~"),
    RunState.COUNTING: ("◌", "~"),
    RunState.TRAINING: ("▶", ">"),
    RunState.PAUSED: ("‖", "="),
    RunState.DONE: ("●", "*"),
    RunState.STOPPED: ("■", "#"),
    RunState.FAILED: ("✗", "!"),
}
"""A sign for each state of a run, and the same for terminals that know ASCII only."""


def state_style(state: RunState) -> str:
    """Give the style in which a state is written."""
    if state is RunState.FAILED:
        return "warning"
    return "good" if state in {RunState.TRAINING, RunState.DONE} else "strong"


class Headline(StyledLines):
    """Corpus on the left, state on the right."""

    def __init__(self) -> None:
        super().__init__(id="headline")
        self._shown: tuple[str, Line] | None = None

    def show(self, corpus: str, right: Line) -> None:
        """Show the name of the corpus (text from outside) and what goes on."""
        self._shown = (corpus, right)
        width = self.size.width
        right_cells = sum(cell_width(text) for text, _ in right)
        title = " bpe-tui"
        name = fit(readable(corpus), max(0, width - right_cells - len(title) - 5))
        gap = width - len(title) - 2 - cell_width(name) - right_cells - 1
        left: list[Span] = [(title, "strong"), ("  ", ""), (name, "dim"), (" " * max(1, gap), "")]
        self.show_lines([(*left, *right, (" ", ""))])

    def on_resize(self) -> None:
        """Lay the line out anew."""
        if self._shown is not None:
            self.show(*self._shown)


TABS = (
    ("1", "Corpus", "corpus"),
    ("2", "Tokenizer", "tokenizer"),
    ("3", "Merges", "merges"),
    ("4", "Vocabulary", "vocabulary"),
)


class TabRow(StyledLines):
    """The four panes by name; shown where only one of them has room."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, pane: str) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self) -> None:
        super().__init__(id="tabs")

    def show(self, pane: str) -> None:
        """Mark the tab of `pane`."""
        spans: list[Span] = [(" ", "")]
        for key, label, name in TABS:
            if name == pane:
                spans.append((f" {key} {label} ", "bar"))
            else:
                spans += [(f" {key} ", "key"), (f"{label} ", "dim")]
            spans.append((" ", ""))
        self.show_lines([tuple(spans)])

    def on_click(self, event: events.Click) -> None:
        """Go to the pane whose tab was clicked."""
        end = 1
        for key, label, name in TABS:
            end += len(key) + len(label) + 4
            if event.x < end:
                self.post_message(self.Chosen(name))
                return
