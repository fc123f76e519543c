"""The vocabulary: every token, how long it is, how often it stands in the sequence right now, where it comes from."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from bpe_tui.terminal import count
from bpe_tui.terminal.query import QueryError, parse
from bpe_tui.tui.panes.vocabulary_rows import FIELDS, LARGEST_FIRST, SORTS, VocabularyRows
from bpe_tui.tui.turns import after_a_turn
from bpe_tui.tui.widgets.columns import Column
from bpe_tui.tui.widgets.filter_row import FilterRow
from bpe_tui.tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns

SLICE_SECONDS: Final = 0.008
"""How long the filter works before it lets the screen have a turn."""

ARRANGE_SECONDS: Final = 0.7
"""Least time between two orders while the vocabulary grows: rows that jump more often cannot be read."""

NO_TOKENS: Final = "no tokens yet"
NO_MATCH: Final = "no token matches"


class VocabularyPane(Vertical):
    """Tokens by id; sorted by any column, filtered with `/`, Enter opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "clear_filter", "Clear filter", show=False),
        Binding("greater_than_sign", "sort_next(1)", "Sort by the next column", show=False),
        Binding("less_than_sign", "sort_next(-1)", "Sort by the column before", show=False),
        Binding("r", "reverse", "Reverse the order", show=False),
    ]
    DEFAULT_CSS = """
    VocabularyPane { height: 1fr; }
    """

    class TokenChosen(Message):
        """A token is to be looked at closely."""

        def __init__(self, token_id: int) -> None:
            self.token_id = token_id
            super().__init__()

    def __init__(self, *, empty: str = NO_TOKENS, ascii_only: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._empty = empty
        self._rows = VocabularyRows()
        self._rows.ascii_only = ascii_only
        self._snapshot: Snapshot | None = None
        self._table: VocabularyColumns | None = None
        self._shown: tuple[object, ...] = ()
        self._searching = False
        self._ready = False
        self._stale = False
        self._arranged_at = 0.0
        self.list = VirtualList(self._rows, _columns(None), empty=empty, ascii_only=ascii_only, id="vocabulary")
        self.filter_row = FilterRow("text, /regex/, len:>8, len:3..5, id:300, count:<10")

    def compose(self) -> ComposeResult:
        """Lay out the filter above the list."""
        yield self.filter_row
        yield self.list

    def on_mount(self) -> None:
        """Show what came before there was anything to show it on."""
        self._ready = True
        if self._snapshot is not None:
            self.show(self._snapshot, self._table, raw=self._rows.raw)

    def show(self, snapshot: Snapshot, columns: VocabularyColumns | None = None, *, raw: bool = False) -> None:
        """Draw a run as it is now. Cheap when nothing changed; while it trains, rows change places once in a while."""
        self._snapshot, self._table = snapshot, columns
        if raw != self._rows.raw:
            self._rows.set_raw(raw)
            self._stale = True
        busy = snapshot.state.busy
        state = (
            id(snapshot.log),
            id(snapshot.tokens),
            id(columns),
            snapshot.merges,
            snapshot.vocab_size,
            snapshot.token_counts is None,
            snapshot.initial_length,
        )
        if not self._ready:
            return
        if state != self._shown:
            self._shown = state
            another = self._rows.set_snapshot(snapshot, columns)
            self._stale = True
            if another:
                # The list counts the new rows before it draws any of them in other columns.
                self._arrange(restart=True)
                self._set_columns()
                return
            self._set_columns()
            # Counts live in the rows on screen at every tick; only the order waits.
            if not self._due(busy=busy):
                self.list.data_changed()
        if self._stale and self._due(busy=busy):
            self._arrange()

    def focus_list(self) -> None:
        """Give the list the keyboard."""
        self.list.focus()

    def focus_filter(self) -> None:
        """Open the filter and write in it."""
        self.filter_row.open()

    def toggle_follow(self) -> None:
        """Do nothing: only the merge log follows its end."""

    def sort_by(self, column: str, *, descending: bool | None = None) -> None:
        """Sort by `id`, `length`, `count`, `born` or `token`; by the same one again, the other way round.

        Lengths and counts begin with the largest, the others with the smallest, unless `descending` says otherwise.
        Raises ValueError for a column that there is not.
        """
        if column not in SORTS:
            raise ValueError(f"the vocabulary has no column {column!r}; it has {', '.join(SORTS)}")
        if descending is None:
            turned = not self._rows.descending if column == self._rows.sort else column in LARGEST_FIRST
        else:
            turned = descending
        self._rows.sort, self._rows.descending = column, turned
        self._set_columns()
        self._arrange(top=True)

    def set_empty(self, text: str) -> None:
        """Say `text` while there are no tokens."""
        self._empty = text
        self._tell()

    def set_ascii_only(self, ascii_only: bool) -> None:
        """Draw with ASCII signs alone, or no longer."""
        self._rows.ascii_only = ascii_only
        self.list.set_ascii_only(ascii_only)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Leave Escape to others while there is no filter."""
        return action != "clear_filter" or self.filter_row.is_open

    def action_clear_filter(self) -> None:
        """Show all tokens again."""
        self.filter_row.action_clear()

    def action_sort_next(self, step: int) -> None:
        """Sort by a neighbouring column."""
        self.sort_by(SORTS[(SORTS.index(self._rows.sort) + step) % len(SORTS)])

    def action_reverse(self) -> None:
        """Sort the other way round."""
        self.sort_by(self._rows.sort)

    def on_filter_row_changed(self, event: FilterRow.Changed) -> None:
        """Filter by what is typed; what cannot be read is told and filters nothing anew."""
        event.stop()
        try:
            query = parse(event.value, FIELDS)
        except QueryError as error:
            self.filter_row.set_note(str(error), wrong=True)
            return
        self._rows.set_query(query)
        self._arrange()

    def on_filter_row_left(self, event: FilterRow.Left) -> None:
        """Go on with the list."""
        event.stop()
        self.list.focus()

    def on_virtual_list_header_clicked(self, event: VirtualList.HeaderClicked) -> None:
        """Sort by the column."""
        event.stop()
        self.sort_by(event.key)

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        """Ask for the token to be opened."""
        event.stop()
        self.post_message(self.TokenChosen(self._rows.token_id(event.index)))

    def _due(self, *, busy: bool) -> bool:
        # By id and without a filter, new tokens only append: that order is always at hand.
        calm = self._rows.sort == "id" and not self._rows.descending and self._rows.query.is_empty
        return calm or not busy or time.monotonic() - self._arranged_at >= ARRANGE_SECONDS

    def _arrange(self, *, restart: bool = False, top: bool = False) -> None:
        """Put the rows in order, keep the cursor on its token, and come back for what the filter has not tested."""
        cursor = self.list.cursor
        token_id = self._rows.token_id(cursor) if cursor < self._rows.count() else None
        self._rows.advance(SLICE_SECONDS)
        self._rows.arrange()
        self._stale = False
        self._arranged_at = time.monotonic()
        if restart:
            self.list.restart()
        elif top:
            self.list.move_cursor(0)
            self.list.data_changed()
        else:
            self.list.data_changed()
            # Who looks at the top of the list wants to see what comes to the top.
            row = self._rows.index(token_id) if token_id is not None and cursor else None
            if row is not None:
                self.list.move_cursor(row, scroll=False)
        self._tell()
        if self._rows.behind and not self._searching:
            self._searching = True
            after_a_turn(self, self._go_on)

    def _go_on(self) -> None:
        self._searching = False
        self._arrange()

    def _set_columns(self) -> None:
        self.list.set_columns(_columns(self._snapshot), (self._rows.sort, self._rows.descending))

    def _tell(self) -> None:
        filtered = not self._rows.query.is_empty
        self.list.set_empty(NO_MATCH if filtered and self._rows.size else self._empty)
        if filtered:
            self.filter_row.set_note(f"{count(self._rows.count())} of {count(self._rows.size)}")
        else:
            self.filter_row.set_note("")


def _columns(snapshot: Snapshot | None) -> tuple[Column, ...]:
    """Give the columns, as wide as the largest figures that are to come and the titles with their sign."""
    size = merges = length = 0
    if snapshot is not None:
        size = max(snapshot.vocab_size, snapshot.settings.target_vocab_size)
        merges = max(snapshot.merges, size - snapshot.base_size)
        length = snapshot.initial_length
    return (
        Column("id", "id", max(4, len(count(size))), "right", "muted"),
        Column("length", "len", max(5, len(count(999))), "right", "muted", priority=2),
        Column("count", "count", max(7, len(count(length))), "right", "muted", priority=1),
        Column("born", "born", max(7, len(count(merges))), "right", "muted", priority=3),
        Column("token", "token", role="accent"),
    )
