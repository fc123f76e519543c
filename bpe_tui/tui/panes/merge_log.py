"""The merge log: every merge as it is learned, the newest in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from bpe_tui.terminal import count
from bpe_tui.terminal.query import QueryError, parse
from bpe_tui.tui.panes.merge_rows import FIELDS, MergeRows
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

NO_MERGES: Final = "no merges yet"
NO_MATCH: Final = "no merge matches"


class MergeLogPane(Vertical):
    """Merges with frequency and sequence length; follows the end, filtered with `/`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "clear_filter", "Clear filter", show=False)]
    DEFAULT_CSS = """
    MergeLogPane { height: 1fr; }
    """

    class RowsChanged(Message):
        """There are other rows than before: merges came, or another filter."""

    def __init__(self, *, empty: str = NO_MERGES, ascii_only: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._empty = empty
        self._rows = MergeRows()
        self._rows.ascii_only = ascii_only
        self._snapshot: Snapshot | None = None
        self._table: VocabularyColumns | None = None
        self._shown: tuple[object, ...] = ()
        self._searching = False
        self._ready = False
        self.list = VirtualList(
            self._rows, _columns(None), can_follow=True, empty=empty, ascii_only=ascii_only, id="merges"
        )
        self.filter_row = FilterRow("text, /regex/, 243, merge:>200, freq:<10, len:>8")

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
        """Draw a run as it is now. Cheap when nothing changed."""
        self._snapshot, self._table = snapshot, columns
        self._rows.set_raw(raw)
        state = (raw, id(columns), id(snapshot.log), snapshot.merges, snapshot.settings.target_vocab_size)
        if not self._ready or state == self._shown:
            return
        self._shown = state
        self._keep_up(another_run=self._rows.set_snapshot(snapshot, columns))
        self.list.set_columns(_columns(snapshot))

    def focus_list(self) -> None:
        """Give the list the keyboard."""
        self.list.focus()

    def focus_filter(self) -> None:
        """Open the filter and write in it."""
        self.filter_row.open()

    def token_at(self, index: int) -> int | None:
        """Give the id of the token that the merge in a row makes; None if there is no such row."""
        if self._snapshot is None or not 0 <= index < self._rows.count():
            return None
        return int(self._snapshot.log.new_id[self._rows.rank(index)])

    def toggle_follow(self) -> None:
        """Follow the end, or cease to."""
        self.list.set_follows(not self.list.follows)

    def set_empty(self, text: str) -> None:
        """Say `text` while there are no merges."""
        if text == self._empty:
            return
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
        """Show all merges again."""
        self.filter_row.action_clear()

    def on_filter_row_changed(self, event: FilterRow.Changed) -> None:
        """Filter by what is typed; what cannot be read is told and filters nothing anew."""
        event.stop()
        try:
            query = parse(event.value, FIELDS)
        except QueryError as error:
            self.filter_row.set_note(str(error), wrong=True)
            return
        rank = self._rows.rank(self.list.cursor) if self._rows.count() else 0
        self._rows.set_query(query)
        self._keep_up()
        if not self.list.follows:
            self.list.move_cursor(self._rows.index(rank))

    def on_filter_row_left(self, event: FilterRow.Left) -> None:
        """Go on with the list."""
        event.stop()
        self.list.focus()

    def _keep_up(self, *, another_run: bool = False) -> None:
        """Test a slice of what is new, draw, and come back for the rest."""
        self._rows.advance(SLICE_SECONDS)
        if another_run:
            self.list.restart()
        else:
            self.list.data_changed()
        self._tell()
        self.post_message(self.RowsChanged())
        if self._rows.behind and not self._searching:
            self._searching = True
            after_a_turn(self, self._go_on)

    def _go_on(self) -> None:
        self._searching = False
        self._keep_up()

    def _tell(self) -> None:
        filtered = not self._rows.query.is_empty
        self.list.set_empty(NO_MATCH if filtered and self._rows.merges else self._empty)
        if filtered:
            self.filter_row.set_note(f"{count(self._rows.count())} of {count(self._rows.merges)}")
        else:
            self.filter_row.set_note("")


def _columns(snapshot: Snapshot | None) -> tuple[Column, ...]:
    """Give the columns, as wide as the largest figures that are to come."""
    merges = frequency = length = 0
    if snapshot is not None:
        merges = max(snapshot.merges, snapshot.settings.target_vocab_size - snapshot.base_size)
        # Frequencies only fall from the first merge on, and so does the length of the sequence.
        frequency = int(snapshot.log.frequency[0]) if snapshot.merges else 0
        length = snapshot.initial_length
    return (
        Column("merge", "merge", max(5, len(count(merges))), "right", "muted"),
        Column("frequency", "freq", max(5, len(count(frequency))), "right", "muted", priority=1),
        Column("length", "length", max(6, len(count(length))), "right", "muted", priority=2),
        Column("token", "left + right → token"),
    )
