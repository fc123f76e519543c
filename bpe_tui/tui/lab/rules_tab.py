"""The Rules tab: the merge list to search, and beside it the token of a rule: its tree, and what is built on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from textual.containers import Horizontal, Vertical

from bpe_tui.analysis.places import places_in
from bpe_tui.terminal import count
from bpe_tui.tui.panes.merge_log import MergeLogPane
from bpe_tui.tui.panes.token_details import DetailRow, DetailRows, TokenDetails
from bpe_tui.tui.widgets.columns import Column
from bpe_tui.tui.widgets.styled_lines import StyledLines
from bpe_tui.tui.widgets.virtual_list import VirtualList
from bpe_tui.tui.wording import broken, readable

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from bpe_tui.analysis import EncodedText
    from bpe_tui.tui.lab.view import LabView

_BESIDE = 15
"""Cells of a row of details that are not free text: cursor, id, gaps, scrollbar."""
_MOST_PLACES = 8
"""Places in the training text that are listed at most."""
_MOST_INSIDE = 5
"""Later tokens whose places stand for a token that has none of its own."""
_MOST_NAMED = 2_000
"""Later tokens that are listed at most."""


class RulesTab(Vertical):
    """Rules, and the token of the rule under the cursor."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab-rules-tab", classes="lab-tab")
        self._ascii_only = ascii_only
        self._view: LabView | None = None
        self._opened: tuple[object, ...] = ()
        self._token: int | None = None
        """The token that is laid open."""
        self._text: EncodedText | None = None
        """The training text as the tokenizer at hand cuts it."""
        self._where = ""
        """What was searched for places; while there is no text, why not."""
        self._rules = MergeLogPane(ascii_only=ascii_only, id="lab-rules")
        self._rows = DetailRows()
        self._details = VirtualList(
            self._rows, (Column("id", "id, place", 9, "right", "muted", priority=1), Column("what", "")),
            ascii_only=ascii_only, id="lab-token",
        )  # fmt: skip

    def compose(self) -> ComposeResult:
        """The rules on one side, the token on the other, or one above the other."""
        yield StyledLines(id="lab-rules-said")
        with Horizontal(id="lab-rules-both"):
            yield self._rules
            yield self._details

    def show(self, view: LabView) -> None:
        """Draw a view."""
        self._view = view
        said = ""
        if not view.snapshot.merges:
            said = view.waiting
            if view.ground is not None:
                said = view.ground.why_no_dial or "no merges: base tokens only"
        self.query_one("#lab-rules-said", StyledLines).show_lines(
            [((line, "warning"),) for line in broken(said, max(20, self.size.width - 2))]
        )
        self.query_one("#lab-rules-both").display = not said
        if not said:
            self._rules.show(view.snapshot, view.columns)
            self._open()

    def on_resize(self) -> None:
        """Put the lists side by side where there is room."""
        self.set_class(self.size.width >= 100, "-wide")
        if self._view is not None:
            self.show(self._view)
        # The list of details gets its width only now, and sentences in it are broken to that.
        self.call_after_refresh(self._open)

    def show_text(self, text: EncodedText | None, where: str) -> None:
        """Take in the training text in tokens and what it is called, or why it is not there."""
        self._text, self._where = text, where
        if self._token is not None and self._view is not None and self._view.snapshot.merges:
            self._fill(self._token)
            self._details.data_changed()

    def search(self) -> None:
        """Search the rules."""
        self._rules.focus_filter()

    def focus_list(self) -> None:
        """Give the rules the keyboard."""
        if self.query_one("#lab-rules-both").display:
            self._rules.focus_list()

    def turn_side(self) -> None:
        """Give the keyboard to the other list."""
        (self._rules.list if self._details.has_focus else self._details).focus()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Open the token of the rule."""
        event.stop()
        if event.virtual_list is self._rules.list:
            self._open()

    def on_merge_log_pane_rows_changed(self, event: MergeLogPane.RowsChanged) -> None:
        """Open the token of the rule that stands under the cursor now, though the cursor may not have moved."""
        event.stop()
        self._open()

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        """Go on to the token, or open one of those that it lists."""
        event.stop()
        if event.virtual_list is self._rules.list:
            self._details.focus()
        else:
            chosen = self._rows.rows[event.index].token_id
            if chosen is not None:
                self._lay_open(chosen)

    def _open(self) -> None:
        view = self._view
        token = self._rules.token_at(self._rules.list.cursor)
        if view is None or token is None:
            return
        # What is built on a token changes while the run goes on; the list is looked at anew when it rests.
        key = view.ground.key if view.ground is not None else None
        state = (token, view.snapshot.log, key, self._details.size.width)
        if state != self._opened:
            self._opened = state
            self._lay_open(token)

    def _lay_open(self, token: int) -> None:
        self._token = token
        self._fill(token)
        self._details.restart()

    def _fill(self, token: int) -> None:
        view = self._view
        assert view is not None
        details = TokenDetails(view.snapshot, token, view.columns, ascii_only=self._ascii_only)
        first, *others = details.facts()
        rows = [DetailRow(("", ((details.token, "accent"), (f"  {first}", "muted"))))]
        rows += [row for fact in others for row in self._told(fact)]
        later = self._later(token)
        if later:
            # How many there are stands among the facts, too: the list itself is far down.
            rows.append(DetailRow(("", ((f"part of {_tokens(len(later))}", "muted"),))))
        places = self._place_rows(details, later)
        for section in (details.parts(), places, details.built(), self._later_rows(later)):
            rows += [DetailRow(("", "")), *section] if section else []
        self._rows.rows = rows

    def _place_rows(self, details: TokenDetails, later: list[int]) -> list[DetailRow]:
        """Give where the token occurs; if nowhere by itself, where tokens do that hold it."""
        view, text = self._view, self._text
        if text is None or view is None:
            return self._told(readable(self._where))
        found = places_in(text, details.token_id, _MOST_PLACES + 1)
        if found:
            more = len(found) > _MOST_PLACES
            title = f"{'first' if more else 'all'} places in {self._where}"
            return [DetailRow(("", ((title, "strong"),))), *details.places(found[:_MOST_PLACES])[1:]]
        if text.ends is None:
            return self._told("no places: this tokenizer does not keep the text as it is")
        inside = text.ids[np.flatnonzero(np.isin(text.ids, later))[: 20 * _MOST_INSIDE]].tolist()
        if not inside:
            return self._told(f"no place in {self._where}")
        rows = [DetailRow(("", (("places inside later tokens", "strong"),)))]
        for number in list(dict.fromkeys(inside))[:_MOST_INSIDE]:
            other = TokenDetails(view.snapshot, number, view.columns, ascii_only=self._ascii_only)
            rows += [DetailRow(row.cells, number) for row in other.places(places_in(text, number, 1))[1:]]
        return rows

    def _told(self, text: str) -> list[DetailRow]:
        """Give a sentence, which is safe to show, in as many rows as it takes."""
        room = max(20, self._details.size.width - _BESIDE)
        return [DetailRow(("", ((line, "muted"),))) for line in broken(text, room)]

    def _later(self, token: int) -> list[int]:
        """Give all later tokens that hold this one, also those that are built on what is built on it."""
        ground = self._view.ground if self._view is not None else None
        if ground is None or ground.rules is None or token >= ground.tokenizer.vocab_size:
            return []
        return ground.rules.built_on(token)

    def _later_rows(self, later: list[int]) -> list[DetailRow]:
        view = self._view
        if view is None or not later:
            return []
        rows = [DetailRow(("", ((f"{_tokens(len(later))} with it inside", "strong"),)))]
        for number in later[:_MOST_NAMED]:
            if number < view.columns.size:
                shown = view.columns.shown(number, ascii_only=self._ascii_only)
                rows.append(DetailRow((count(number), shown), number))
        if len(later) > _MOST_NAMED:
            rows.append(DetailRow(("", ((f"and {count(len(later) - _MOST_NAMED)} more", "muted"),))))
        return rows


def _tokens(number: int) -> str:
    return "1 later token" if number == 1 else f"{count(number)} later tokens"
