"""The Side by side tab: up to six tokenizers on the same text, what they share, and how each cuts a line of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from bpe_tui.terminal import count, fit
from bpe_tui.tui.lab import sides_adding
from bpe_tui.tui.lab.sides import AT_HAND, PASSAGE, TEXTS, WHOLE
from bpe_tui.tui.lab.sides_lines import Wanted, cut_lines
from bpe_tui.tui.lab.sides_rows import SideRows, columns, overview, pair_lines, reason, safe_lines, wrapped
from bpe_tui.tui.widgets.styled_lines import Line, StyledLines
from bpe_tui.tui.widgets.virtual_list import HEADER, VirtualList
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from bpe_tui.tui.lab.screen import LabScreen
    from bpe_tui.tui.lab.sides import Sides
    from bpe_tui.tui.lab.sides_keeper import SidesKeeper
    from bpe_tui.tui.lab.view import LabView


class SidesTab(Vertical, can_focus=True):
    """A table; below it what scrolls: the tokens shared, and lines of the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "Set another tokenizer beside", show=False),
        Binding("d,delete", "remove", "Take a tokenizer away", show=False),
        Binding("p", "another_text", "Another text", show=False),
        Binding("r", "again", "Work it out again", show=False),
        Binding("c", "price", "Price of a million tokens", show=False),
        Binding("g", "go", "Go to a line", show=False),
        Binding("left", "line(-1)", "Line before", show=False),
        Binding("right", "line(1)", "Next line", show=False),
        Binding("home", "end_of_lines(0)", "First line", show=False),
        Binding("end", "end_of_lines(1)", "Last line", show=False),
        Binding("up", "choose(-1)", "Tokenizer above", show=False),
        Binding("down", "choose(1)", "Tokenizer below", show=False),
        Binding("pageup", "scroll_below(-1)", "Scroll up", show=False),
        Binding("pagedown", "scroll_below(1)", "Scroll down", show=False),
    ]

    def __init__(self, keeper: SidesKeeper, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab-sides-tab", classes="lab-tab")
        self._keeper = keeper
        self._ascii_only = ascii_only
        self._view: LabView | None = None
        self._rows = SideRows(ascii_only=ascii_only)
        self._list = VirtualList(
            self._rows, columns(None), empty="a sets a tokenizer here", ascii_only=ascii_only, id="lab-sides"
        )
        # The arrows that move it work everywhere on the tab, so it needs no focus.
        self._list.can_focus = False
        self._wanted: Wanted | None = None
        """The lines that are shown, or being cut."""
        self._cut_lines: list[Line] = []

    def compose(self) -> ComposeResult:
        """Say which text it is, then the table, then the rest."""
        yield StyledLines(id="lab-sides-title")
        yield self._list
        yield StyledLines(id="lab-sides-said")
        with VerticalScroll(id="lab-sides-below", can_focus=False):
            yield StyledLines(id="lab-sides-pair")
            yield StyledLines(id="lab-sides-lines")

    def show(self, view: LabView) -> None:
        """Draw a view."""
        self._view = view
        self._draw()

    def on_resize(self) -> None:
        """Lay everything out anew."""
        self._draw()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what the tokenizer under the cursor shares with the one at hand."""
        event.stop()
        self._draw()

    # Keys

    def action_add(self) -> None:
        """Set another tokenizer beside."""
        sides_adding.begin(self._lab, sides_adding.add(self._lab))

    def action_remove(self) -> None:
        """Take the tokenizer under the cursor away."""
        sides = self._keeper.all_sides()
        if sides:
            sides_adding.remove(self._lab, sides[min(self._list.cursor, len(sides) - 1)].name)

    def action_another_text(self) -> None:
        """Compare on the next text."""
        self._keeper.turn()
        self._lab.redraw()

    def action_again(self) -> None:
        """Go on with what was stopped."""
        self._keeper.again()
        self._lab.redraw()

    def action_price(self) -> None:
        """Ask for the price of a million tokens."""
        sides_adding.begin(self._lab, sides_adding.price(self._lab))

    def action_go(self) -> None:
        """Ask for a line."""
        sides_adding.begin(self._lab, sides_adding.go_to_line(self._lab))

    def action_line(self, by: int) -> None:
        """Cut another line."""
        self._go(self._sides.line + by)

    def action_end_of_lines(self, end: int) -> None:
        """Cut the first line, or the last."""
        passage = self._sides.passage
        self._go(len(passage.lines) - 1 if end and passage is not None else 0)

    def action_choose(self, by: int) -> None:
        """Go to another tokenizer."""
        self._list.action_move(by)

    def action_scroll_below(self, pages: int) -> None:
        """Scroll what is below the table."""
        below = self.query_one(VerticalScroll)
        below.scroll_relative(y=pages * max(1, below.size.height - 1), animate=False)

    # Within

    @property
    def _lab(self) -> LabScreen:
        return self.screen  # type: ignore[return-value]

    @property
    def _sides(self) -> Sides:
        return self._keeper.sides

    def _go(self, line: int) -> None:
        passage = self._sides.passage
        self._sides.line = max(0, min(line, len(passage.lines) - 1)) if passage is not None else 0
        self._draw()

    def _draw(self) -> None:
        view, width = self._view, self.size.width - 2
        if view is None or not self.is_mounted or width < 10:
            return
        sides, rows = self._sides, self._rows
        rows.sides = self._keeper.all_sides()
        rows.found, rows.price = sides.found, sides.price
        rows.said = {side.name: said for side in rows.sides if (said := self._keeper.progress(side.name))}
        self._list.set_columns(columns(sides.price))
        height = HEADER + max(1, len(rows.sides))
        if self._list.styles.height is None or self._list.styles.height.value != height:
            self._list.styles.height = height
        self._list.data_changed()
        self.query_one("#lab-sides-title", StyledLines).show_lines(self._title(width))
        self.query_one("#lab-sides-said", StyledLines).show_lines(self._said(view, width))
        self.query_one("#lab-sides-pair", StyledLines).show_lines(self._pair(width))
        self.query_one("#lab-sides-lines", StyledLines).show_lines(self._lines(width))

    def _title(self, width: int) -> list[Line]:
        working = self._keeper.working()
        if working:
            return [((fit(f"{readable(working)} (ctrl+c stops)", width, ascii_only=self._ascii_only), "good"),)]
        sides, passage = self._sides, self._sides.passage
        found = next((entry for entry in sides.found.values() if entry.passage is passage and entry.column), None)
        number = sides.text
        if number == WHOLE - 1 and passage is not None and len(passage.text) < PASSAGE:
            number = WHOLE
        facts = f"on {TEXTS[number]}"
        column = found.column if found is not None else None
        figures = column.statistics if column is not None else None
        if figures is not None:
            # How many characters a passage has, its name says already.
            characters = "" if number == WHOLE - 1 else f"{count(figures.characters)} characters, "
            facts += f": {characters}{count(figures.words)} words"
        if sides.price is not None:
            facts += f"; {sides.price:g} per million tokens"
        return [((fit(facts, width, ascii_only=self._ascii_only), "dim"),)]

    def _said(self, view: LabView, width: int) -> list[Line]:
        """Say what goes on and what went wrong."""
        sides = self._sides
        lines = wrapped(sides.said, width)[:3] if sides.said else []
        if self._keeper.stopped:
            lines += wrapped("stopped: r goes on, p takes another text", width)
        adding = sides_adding.progress(self._lab)
        if adding:
            lines += wrapped(f"{adding} (ctrl+c stops)", width, "good")
        if view.ground is None:
            lines += safe_lines(view.waiting, width)
        passage = sides.passage
        if passage is not None and not passage.text and not self._rows.said:
            nothing = "the line is empty: i types one" if sides.text == 0 else "no corpus is open: o opens one"
            lines += wrapped(f"{nothing}; p takes another text", width)
        return lines

    def _pair(self, width: int) -> list[Line]:
        """Give what is to be said of the tokenizer under the cursor."""
        sides, rows = self._sides, self._rows.sides
        if not rows:
            return []
        side = rows[min(self._list.cursor, len(rows) - 1)]
        found = sides.found.get(side.name)
        gap: list[Line] = [] if self._tight else [()]
        lines: list[Line] = []
        if found is not None and reason(found):
            # In the table there is no room for all of it.
            lines += safe_lines(f"{readable(side.name)}: {reason(found)}", width)
        if side.name == AT_HAND:
            pairs = [sides.pairs[other.name] for other in rows if other.name in sides.pairs]
            lines += overview(pairs, width, ascii_only=self._ascii_only)
            if not sides.added:
                lines += wrapped(
                    "a sets another tokenizer beside it: from a file of any format, characters, bytes, or WordPiece "
                    "and Unigram trained on the same text", width, "dim",
                )  # fmt: skip
        elif side.name in sides.pairs:
            lines += pair_lines(sides.pairs[side.name], width, ascii_only=self._ascii_only)
        return [*gap, *lines] if lines else []

    @property
    def _tight(self) -> bool:
        """Whether every line counts: then nothing is left blank."""
        return self.size.height < 2 * len(self._rows.sides) + 14

    def _lines(self, width: int) -> list[Line]:
        """Give lines of the text as they are cut; others follow soon where those are not the ones that are wanted."""
        sides, passage = self._sides, self._sides.passage
        if passage is None or not passage.lines:
            return []
        able = tuple(
            found
            for side in self._rows.sides
            if (found := sides.found.get(side.name)) is not None and found.passage is passage and not found.error
        )
        if not able:
            return []
        room = self.size.height - len(self._rows.sides) - HEADER - 1
        room -= len(self.query_one("#lab-sides-pair", StyledLines).lines)
        wanted = Wanted(passage, min(sides.line, len(passage.lines) - 1), able, width, room, self._tight)
        if wanted != self._wanted:
            self._wanted = wanted
            self.run_worker(self._cut(wanted), group="lab-sides-lines")
        return self._cut_lines

    async def _cut(self, wanted: Wanted) -> None:
        # A tokenizer that is at work on a text elsewhere may make others wait.
        lines = await asyncio.to_thread(cut_lines, wanted, ascii_only=self._ascii_only)
        if wanted == self._wanted:
            self._cut_lines = lines
            self._draw()
