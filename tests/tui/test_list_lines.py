"""What is drawn of a row that changed."""

from __future__ import annotations

from bpe_tui.tui.widgets.columns import Column
from bpe_tui.tui.widgets.list_lines import Placed, RowLine, changed_cells


def test_a_change_in_a_column_without_room_draws_nothing() -> None:
    shown = (Placed(Column("id", "id", 4), 0, 2, 4),)
    before = RowLine(shown, ("7", "120"), "", "", 20, ascii_only=False)
    assert changed_cells(before, before._replace(cells=("7", "119"))) == 0
    assert changed_cells(before, before._replace(cells=("8", "120"))) == 6
