"""The replay as rows of a list: the text before any merge, then one row for each merge that fired."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.terminal import count, shown_token
from bpe_tui.tui.widgets.columns import Column

if TYPE_CHECKING:
    from bpe_tui.tui.lab.story import Story
    from bpe_tui.tui.widgets.columns import Cell, Span

COLUMNS = (
    Column("step", "step", 5, "right", "muted"),
    Column("merge", "merge", 7, "right", "muted"),
    Column("times", "times", 5, "right", "muted", priority=1),
    Column("rule", "where it first fired, before → after"),
)


class ReplayRows:
    """Row s is the text after s merges that fired."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        self.ascii_only = ascii_only
        self.story: Story | None = None

    def count(self) -> int:
        """Give how many rows there are."""
        return len(self.story.replay) + 1 if self.story is not None and self.story.text else 0

    def row(self, index: int) -> tuple[Cell, ...]:
        """Give step, number of the merge, how often it fired, and the stretch where it first did."""
        assert self.story is not None
        replay = self.story.replay
        if index == 0:
            unit = "bytes" if self.story.tokenizer.unit == "bytes" else "characters"
            return "0", "", "", ((f"{count(replay.count(0))} {unit}, before any merge", "muted"),)
        row = replay.row(index - 1)
        stretch = replay.stretch(index - 1)
        before, after = self._joined(stretch.before), self._joined(stretch.after)
        plus, arrow = (" + ", " -> ") if self.ascii_only else (" + ", " → ")
        spans: tuple[Span, ...] = (
            (before + " " if before else "", "muted"),
            (plus.join(map(self._shown, stretch.parts)), "text"),
            (arrow, "muted"),
            (self._shown(stretch.new), "accent"),
            (" " + after if after else "", "muted"),
        )
        return count(index), count(row.rank + 1), count(len(row.places)), spans

    def _joined(self, ids: tuple[int, ...]) -> str:
        return " ".join(map(self._shown, ids))

    def _shown(self, token_id: int) -> str:
        assert self.story is not None
        return shown_token(self.story.tokenizer, token_id, ascii_only=self.ascii_only)
