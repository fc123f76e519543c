"""The Text tab: a line to type in, its tokens as of any merge, and the merges that made them, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.containers import Vertical
from textual.widgets import Input

from bpe_tui.analysis import encode
from bpe_tui.errors import BPEError, MissingCharactersError
from bpe_tui.terminal import count, fit
from bpe_tui.tui.lab.figures import comparison_lines, figure_lines
from bpe_tui.tui.lab.replay_rows import COLUMNS, ReplayRows
from bpe_tui.tui.lab.story import MOST, Story, chips, flow, table
from bpe_tui.tui.lab.text_line import TextLine
from bpe_tui.tui.missing import name_missing
from bpe_tui.tui.widgets.styled_lines import Line, StyledLines
from bpe_tui.tui.widgets.virtual_list import VirtualList
from bpe_tui.tui.wording import in_lines

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from bpe_tui.tui.lab.view import LabView

_FIRST: Final = 60
"""Characters of the training text that the line begins with."""


class TextTab(Vertical):
    """Tokens of a line, the dial, the replay."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab-text-tab", classes="lab-tab")
        self._ascii_only = ascii_only
        self._view: LabView | None = None
        self._story: Story | None = None
        self._trouble: list[str] = []
        self._plain: list[int] = []
        """The tokens of a text under a tokenizer that has no dial."""
        self._told: tuple[object, ...] = ()
        self._compares = False
        self._suggested = ""
        self._rows = ReplayRows(ascii_only=ascii_only)
        self._list = VirtualList(self._rows, COLUMNS, ascii_only=ascii_only, id="lab-replay")
        # The arrows that move it work everywhere on the tab, so it needs no focus.
        self._list.can_focus = False

    def compose(self) -> ComposeResult:
        """The line above, figures, tokens, then how they came about."""
        yield TextLine(placeholder="i: type or paste a text", id="lab-line")
        yield StyledLines(id="lab-figures")
        yield StyledLines(id="lab-tokens")
        yield StyledLines(id="lab-step")
        yield self._list

    # What the screen asks of it

    @property
    def text(self) -> str:
        """What stands in the line."""
        return self.query_one(TextLine).value

    def suggest(self, text: str) -> None:
        """Begin with a text, so that there is something to see; what the user wrote stays."""
        if self.text in {"", self._suggested}:
            self._suggested = text
            self.query_one(TextLine).value = text

    @property
    def merges(self) -> int:
        """Where the dial stands."""
        return self._view.merges if self._view is not None else 0

    @property
    def total(self) -> int:
        """Where the dial ends."""
        return self._view.total if self._view is not None else 0

    def compare(self) -> None:
        """Hold the dial against now, or cease to."""
        self._compares = not self._compares
        self._draw()

    def step(self, rows: int) -> None:
        """Step through the replay."""
        self._list.action_move(rows)

    def page(self, pages: int) -> None:
        """Step through the replay by as many rows as it shows."""
        self._list.action_page(pages)

    def show(self, view: LabView) -> None:
        """Draw a view."""
        self._view = view
        self._read()
        self._draw()

    # Within

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tokenize what was typed."""
        event.stop()
        self._read()
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Leave the line, so that keys are keys again."""
        event.stop()
        self.screen.set_focus(None)

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the text as of that step."""
        event.stop()
        self._draw_step()

    def on_resize(self) -> None:
        """Lay everything out anew."""
        self._draw()

    def _read(self) -> None:
        """Look at the text under the tokenizer, if either changed."""
        ground = self._view.ground if self._view is not None else None
        asked = (self.text, ground.key if ground is not None else None)
        if asked == self._told:
            return
        self._told = asked
        self._story, self._trouble, self._plain = None, [], []
        if ground is not None and ground.dial is not None:
            try:
                self._story = Story(ground.tokenizer, self.text)
            except MissingCharactersError as error:
                self._trouble = [name_missing(error)]
            except BPEError as error:
                self._trouble = [str(error)]
        elif ground is not None:
            self._trouble = [ground.why_no_dial]
            try:
                self._plain = encode(ground.tokenizer, self.text[:MOST]).ids.tolist()
            except BPEError as error:
                self._trouble.append(str(error))
        self._rows.story = self._story
        self._list.display = self._story is not None
        self._list.data_changed()
        self._list.move_cursor(max(0, self._rows.count() - 1))
        # With more or fewer lines above it, the list has another height soon.
        self.call_after_refresh(self._keep_in_sight)

    def _keep_in_sight(self) -> None:
        self._list.move_cursor(self._list.cursor)

    def _draw(self) -> None:
        view, width = self._view, self.size.width
        if view is None or not self.is_mounted or not width:
            return
        figures = self._cut_lines(width)
        tokens: list[Line] = []
        ground, story = view.ground, self._story
        room = max(4, (self.size.height - 14) // 4 * 4)
        if ground is None:
            figures = [((fit(view.waiting, width), "warning"),)]
        elif self._trouble:
            figures += [((line, "warning"),) for words in self._trouble for line in in_lines(words, width)]
        if ground is not None and ground.dial is None:
            found = chips(ground.tokenizer, self._plain[: width * room], ascii_only=self._ascii_only)
            tokens = table(found, width, room, len(self._plain))
        elif ground is not None:
            if self._compares:
                lines = comparison_lines(ground, view.measured, story, self.merges, width)
                if story is not None:
                    for name, merges in (("then", self.merges), ("now", self.total)):
                        found = chips(ground.tokenizer, story.ids(merges, width * room), ascii_only=self._ascii_only)
                        tokens.append(((name, "label"),))
                        tokens += flow(found, width, max(1, room // 2 - 1))
            else:
                lines = figure_lines(ground, view.measured, story, self.merges, width, ascii_only=self._ascii_only)
                if story is not None:
                    # More than fit: a token takes two cells at least.
                    ids = story.ids(self.merges, width * room)
                    found = chips(ground.tokenizer, ids, ascii_only=self._ascii_only)
                    tokens = table(found, width, room, story.dial.count(self.merges))
            figures += lines
        self.query_one("#lab-figures", StyledLines).show_lines(figures)
        self.query_one("#lab-tokens", StyledLines).show_lines(tokens)
        self._draw_step()

    def _cut_lines(self, width: int) -> list[Line]:
        left_out = self.query_one(TextLine).left_out
        if not left_out:
            return []
        looked_at = min(len(self.text), MOST)
        said = f"cut: the first {count(looked_at)} of {count(looked_at + left_out)} characters are looked at"
        return [((fit(said, width), "warning"),)]

    def _draw_step(self) -> None:
        story, width = self._story, self.size.width
        lines: list[Line] = []
        if story is not None and story.text:
            step = min(self._list.cursor, len(story.replay))
            found = chips(story.tokenizer, story.replay.ids(step, width), ascii_only=self._ascii_only)
            tokens = count(story.replay.count(step))
            title = f"how it got there: step {count(step)} of {count(len(story.replay))}, {tokens} tokens"
            lines = [((fit(title, width), "strong"),), *flow(found, width, 1)]
        self.query_one("#lab-step", StyledLines).show_lines(lines)


def first_line(text: str) -> str:
    """Give the beginning of the first line of a text that has something to it."""
    lines = [line.strip() for line in text[:4_000].splitlines()]
    line = next((line for line in lines if len(line) >= 20), max(lines, key=len, default=""))
    return line if len(line) <= _FIRST else line[:_FIRST].rpartition(" ")[0] or line[:_FIRST]
