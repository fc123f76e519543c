"""One token, laid open over the main screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from bpe_tui.terminal import count, fit
from bpe_tui.tui.modal import Modal
from bpe_tui.tui.panes.token_details import DetailRow, DetailRows, TokenDetails
from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns
from bpe_tui.tui.widgets.columns import Column
from bpe_tui.tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.panes.token_details import PlaceLike

LOOKING = "looking for places in the training text …"


class TokenScreen(Modal[None]):
    """What a token is, its parts, what is built on it, where it occurs. Enter opens a token, Backspace goes back.

    Places are not looked for here: at the start and whenever another token is opened, the screen posts PlacesWanted,
    and whoever finds them calls `show_places` (or `show_places_failed`) with the id that they belong to.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", show=False),
        Binding("backspace", "back", "Back", show=False),
    ]
    DEFAULT_CSS = """
    TokenScreen { align: center middle; }
    TokenScreen > #token-card {
        width: 90%; max-width: 104; height: 85%; padding: 0 1;
        border: round $primary; background: $surface;
    }
    TokenScreen #token-facts { height: auto; max-height: 8; margin-bottom: 1; color: $text-muted; }
    """

    class PlacesWanted(Message):
        """Places of a token are asked for."""

        def __init__(self, screen: TokenScreen, token_id: int) -> None:
            self.screen = screen
            self.token_id = token_id
            super().__init__()

    def __init__(
        self,
        snapshot: Snapshot,
        token_id: int,
        columns: VocabularyColumns | None = None,
        *,
        raw: bool = False,
        ascii_only: bool = False,
    ) -> None:
        super().__init__()
        self._snapshot = snapshot
        self._vocabulary = VocabularyColumns() if columns is None else columns
        self._raw = raw
        self._ascii_only = ascii_only
        self._trail: list[tuple[int, int]] = []
        self._details = self._lay_open(token_id)
        self._rows = DetailRows()
        self._list = VirtualList(self._rows, self._columns(), ascii_only=ascii_only, id="token-rows")

    @property
    def token_id(self) -> int:
        """The token that is shown."""
        return self._details.token_id

    def compose(self) -> ComposeResult:
        """Facts above rows."""
        with Vertical(id="token-card") as card:
            card.border_subtitle = Content(" enter opens a part   backspace goes back   esc closes ")
            yield Static("", id="token-facts", markup=False)
            yield self._list

    def on_mount(self) -> None:
        """Show the token."""
        self._list.focus()
        self._open()

    def show_places(self, token_id: int, places: Sequence[PlaceLike]) -> None:
        """Show where a token occurs; nothing if another token is shown by now."""
        if token_id == self.token_id:
            self._set_places(self._details.places(places))

    def show_places_failed(self, token_id: int, reason: str) -> None:
        """Say why there are no places; nothing if another token is shown by now."""
        if token_id == self.token_id:
            self._set_places([_told(reason)])

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        """Open the part, or what is built on it."""
        event.stop()
        chosen = self._rows.rows[event.index].token_id
        if chosen is None or chosen == self.token_id:
            return
        self._trail.append((self.token_id, event.index))
        self._details = self._lay_open(chosen)
        self._open()

    def action_back(self) -> None:
        """Show the token from which this one was opened."""
        if not self._trail:
            return
        token_id, row = self._trail.pop()
        self._details = self._lay_open(token_id)
        self._open(row)

    def action_close(self) -> None:
        """Leave."""
        self.dismiss(None)

    def _lay_open(self, token_id: int) -> TokenDetails:
        return TokenDetails(self._snapshot, token_id, self._vocabulary, raw=self._raw, ascii_only=self._ascii_only)

    def _open(self, row: int | None = None) -> None:
        title = "token " + fit(self._details.token, 60, ascii_only=self._ascii_only)
        self.query_one("#token-card", Vertical).border_title = Content(f" {title} ")
        self.query_one("#token-facts", Static).update(Content("\n".join(self._details.facts())))
        self._list.restart()
        self._set_places([_told(LOOKING)])
        if row is not None:
            self._list.move_cursor(row)
        self.post_message(self.PlacesWanted(self, self.token_id))

    def _set_places(self, places: list[DetailRow]) -> None:
        self._rows.rows = []
        for section in (self._details.parts(), self._details.built(), places):
            if self._rows.rows and section:
                self._rows.rows.append(DetailRow(("", "")))
            self._rows.rows.extend(section)
        self._list.data_changed()

    def _columns(self) -> tuple[Column, ...]:
        widest = max(self._snapshot.initial_length, self._snapshot.vocab_size)
        return (
            Column("id", "id, place", max(9, len(count(widest))), "right", "muted", priority=1),
            Column("what", ""),
        )


def _told(text: str) -> DetailRow:
    return DetailRow(("", ((text, "muted"),)))
