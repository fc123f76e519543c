"""The Probe tab: words, and the pieces into which each of the tokenizers set side by side cuts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical

from bpe_tui.terminal import cell_width, count, fit, shown_bytes, visible
from bpe_tui.tui.lab import sides_adding
from bpe_tui.tui.lab.sides_rows import flow, safe_lines, wrapped
from bpe_tui.tui.widgets.columns import Cell, Column
from bpe_tui.tui.widgets.styled_lines import Line, StyledLines
from bpe_tui.tui.widgets.virtual_list import VirtualList
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from bpe_tui.analysis.probe import Cut, Probed
    from bpe_tui.tui.lab.screen import LabScreen
    from bpe_tui.tui.lab.sides_keeper import SidesKeeper
    from bpe_tui.tui.lab.view import LabView

_WIDE = 100
_MOST_SHOWN = 400
"""Characters and pieces of a word that are looked at to show it: more fit in no row, and words may be of any length."""


def columns(width: int) -> tuple[Column, ...]:
    """Give the columns of the list: what is cut, by which tokenizer, into how many tokens, and these."""
    word, name = (28, 22) if width >= _WIDE else (16, 16)
    return (
        Column("word", "word", word, role="strong"),
        Column("tokenizer", "tokenizer", name, role="muted"),
        Column("tokens", "tokens", 8, "right"),
        Column("pieces", "pieces"),
    )


@dataclass
class ProbeRows:
    """A row for each word and tokenizer, those of a word below one another."""

    probed: Sequence[Probed] = ()
    names: Sequence[str] = ()
    wide: bool = False
    ascii_only: bool = False

    def count(self) -> int:
        """Give how many rows there are."""
        return len(self.probed) * len(self.names)

    def at(self, index: int) -> tuple[Probed, int]:
        """Give the word of a row, and which tokenizer it is about."""
        word, side = divmod(index, len(self.names))
        return self.probed[word], side

    def row(self, index: int) -> tuple[Cell, ...]:
        """Give the cells of one row."""
        entry, side = self.at(index)
        cut = entry.cuts[side]
        word = shown_word(entry.word, ascii_only=self.ascii_only) if side == 0 else ""
        tokens = count(len(cut.ids)) if not cut.missing else "–" if not self.ascii_only else "-"
        return word, readable(self.names[side]), tokens, self._pieces(cut)

    def _pieces(self, cut: Cut) -> Cell:
        if cut.missing:
            return ((cannot(cut, ascii_only=self.ascii_only), "muted"),)
        bar = "|" if self.ascii_only else "│"
        bar = f" {bar} " if self.wide else bar
        return bar.join(shown_bytes(piece, ascii_only=self.ascii_only) for piece in cut.pieces[:_MOST_SHOWN])


def shown_word(word: str, *, ascii_only: bool = False) -> str:
    """Give as much of a word as may fit in a row, as it may be written to a terminal."""
    more = ("~" if ascii_only else "…") if len(word) > _MOST_SHOWN else ""
    return visible(word[:_MOST_SHOWN], ascii_only=ascii_only) + more


def cannot(cut: Cut, *, ascii_only: bool = False) -> str:
    """Say what a tokenizer does not know of a word."""
    return "cannot encode " + " ".join(visible(character, ascii_only=ascii_only) for character in cut.missing[:8])


class ProbeTab(Vertical):
    """A list of words and pieces; below it the row under the cursor in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "words", "Other words", show=False),
        Binding("b", "worst", "Worst first", show=False),
        Binding("a", "add", "Set another tokenizer beside", show=False),
        Binding("d,delete", "remove", "Take a tokenizer away", show=False),
        Binding("r", "again", "Work it out again", show=False),
    ]

    def __init__(self, keeper: SidesKeeper, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab-probe-tab", classes="lab-tab")
        self._keeper = keeper
        self._ascii_only = ascii_only
        self._view: LabView | None = None
        self._rows = ProbeRows(ascii_only=ascii_only)
        self._list = VirtualList(self._rows, columns(0), ascii_only=ascii_only, id="lab-probe")
        self._shown: tuple[object, bool] = (None, False)

    def compose(self) -> ComposeResult:
        """Say which words, then the list, then the row under the cursor."""
        yield StyledLines(id="lab-probe-title")
        yield self._list
        yield StyledLines(id="lab-probe-said")

    def show(self, view: LabView) -> None:
        """Draw a view."""
        self._view = view
        self._draw()

    def on_resize(self) -> None:
        """Lay everything out anew."""
        self._draw()

    def focus_list(self) -> None:
        """Give the list the keyboard."""
        self._list.focus()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the row under the cursor in full."""
        event.stop()
        self._draw_row()

    def on_virtual_list_header_clicked(self, event: VirtualList.HeaderClicked) -> None:
        """Sort: by tokens worst first, by words in the order of the list."""
        event.stop()
        if event.key in {"tokens", "word"}:
            self._keeper.sides.worst_first = event.key == "tokens"
            self._draw()

    # Keys

    def action_words(self) -> None:
        """Ask for other words."""
        sides_adding.begin(self._lab, sides_adding.choose_words(self._lab))

    def action_worst(self) -> None:
        """Sort worst first, or in the order of the list."""
        self._keeper.sides.worst_first = not self._keeper.sides.worst_first
        self._draw()

    def action_add(self) -> None:
        """Set another tokenizer beside."""
        sides_adding.begin(self._lab, sides_adding.add(self._lab))

    def action_remove(self) -> None:
        """Take the tokenizer of the row under the cursor away."""
        if self._rows.count():
            sides_adding.remove(self._lab, self._rows.names[self._rows.at(self._list.cursor)[1]])

    def action_again(self) -> None:
        """Go on with what was stopped."""
        self._keeper.again()
        self._lab.redraw()

    # Within

    @property
    def _lab(self) -> LabScreen:
        return self.screen  # type: ignore[return-value]

    def _draw(self) -> None:
        width = self.size.width - 2
        if self._view is None or not self.is_mounted or width < 10:
            return
        sides, known = self._keeper.sides, self._keeper.sides.probed
        self._rows.wide = width >= _WIDE
        self._list.set_columns(columns(width), ("tokens", True) if sides.worst_first else None)
        if (known, sides.worst_first) != self._shown:
            before, self._shown = self._shown, (known, sides.worst_first)
            if known is None:
                self._rows.probed, self._rows.names = (), ()
            else:
                self._rows.probed = known.worst_first if sides.worst_first else known.probed
                self._rows.names = [side.name for side in known.sides]
            if before[1] != sides.worst_first or not _same_words(before[0], known):
                self._list.restart()
        self._list.data_changed()
        self.query_one("#lab-probe-title", StyledLines).show_lines(self._title(width))
        self._draw_row()

    def _title(self, width: int) -> list[Line]:
        sides = self._keeper.sides
        order = "most tokens per character first" if sides.worst_first else "in their order"
        words = self._keeper.probe_wanted()
        title = f"{readable(sides.probe_list)}: {count(len(words))} (w: others), {order} (b)"
        lines: list[Line] = [((fit(title, width, ascii_only=self._ascii_only), "dim"),)]
        if sides.said:
            lines += wrapped(sides.said, width)[:3]
        probing, adding = self._keeper.probing(), sides_adding.progress(self._lab)
        for said in (probing, adding):
            if said:
                lines += wrapped(f"{said} (ctrl+c stops)", width, "good")
        if self._keeper.stopped and not probing:
            lines += wrapped("stopped: r goes on, w takes other words", width)
        if sides.probed is not None and sides.probed.error:
            lines += wrapped(sides.probed.error, width)[:3]
        if self._view is not None and self._view.ground is None:
            lines += safe_lines(self._view.waiting, width)
        return lines

    def _draw_row(self) -> None:
        width = self.size.width - 2
        lines: list[Line] = []
        if self._rows.count():
            entry, side = self._rows.at(min(self._list.cursor, self._rows.count() - 1))
            cut = entry.cuts[side]
            word = shown_word(entry.word, ascii_only=self._ascii_only)
            tokens = "1 token" if len(cut.ids) == 1 else f"{count(len(cut.ids))} tokens"
            said = f"  {readable(self._rows.names[side])}: " + ("no tokens" if cut.missing else tokens)
            room = max(8, width - cell_width(said))
            lines = [((fit(word, room, ascii_only=self._ascii_only), "strong"), (said, "label"))]
            if cut.missing:
                lines += safe_lines(cannot(cut, ascii_only=self._ascii_only), width)
            else:
                lines += flow(cut.pieces, width, self._below - 1, ascii_only=self._ascii_only)
        said_lines = self.query_one("#lab-probe-said", StyledLines)
        # Always as high: or the list would jump under the cursor.
        if said_lines.styles.height is None or said_lines.styles.height.value != self._below + 1:
            said_lines.styles.height = self._below + 1
        said_lines.show_lines([*lines, *[()] * (self._below - len(lines))])

    @property
    def _below(self) -> int:
        """Lines below the list."""
        return max(3, self.size.height // 5)


def _same_words(before: object, now: object) -> bool:
    return getattr(before, "words", None) == getattr(now, "words", None)
