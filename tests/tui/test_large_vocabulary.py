"""Two hundred thousand tokens: sorted, searched and shown while the screen goes on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.waiting import until
from textual.app import App, ComposeResult
from textual.widgets import Input

from bpe_tui.bpe.byte_alphabet import to_characters
from bpe_tui.bpe.log import MergeLog
from bpe_tui.session.state import RunState
from bpe_tui.tui.panes.vocabulary import VocabularyPane
from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns
from bpe_tui.tui.spelling import Spelling

SIZE = 200_000


def snapshot() -> Any:
    tokens = [to_characters(f"{' ' * (number % 2)}tok {number:o} é".encode()) for number in range(SIZE)]
    return SimpleNamespace(
        state=RunState.DONE,
        settings=SimpleNamespace(target_vocab_size=SIZE),
        merges=0,
        log=MergeLog(1),
        tokens=tokens,
        vocab_size=SIZE,
        base_size=256,
        token_counts=None,
        initial_length=0,
    )


class VocabularyApp(App[None]):
    def compose(self) -> ComposeResult:
        yield VocabularyPane()


async def test_searching_lets_the_screen_have_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    app = VocabularyApp()
    async with app.run_test(size=(80, 20)) as pilot:
        pane = app.query_one(VocabularyPane)
        columns = VocabularyColumns(Spelling("byte_bpe"))
        given = snapshot()
        columns.grow(given)
        pane.show(given, columns)
        pane.sort_by("length")
        pane.sort_by("token")
        await pilot.pause()
        pane.focus_filter()
        turns = 0
        go_on = pane._go_on

        def counted() -> None:
            nonlocal turns
            turns += 1
            go_on()

        monkeypatch.setattr(pane, "_go_on", counted)
        pane.filter_row.query_one(Input).value = " tok 777"
        await pilot.pause()
        await until(lambda: not pane._rows.behind, "the end of the search")
        await pilot.pause()
        assert turns > 1, "the search gave the screen its turn in between"
        expected = [number for number in range(SIZE) if number % 2 and f"{number:o}".startswith("777")]
        found = pane._rows._order
        assert sorted(found.tolist()) == expected
        assert np.array_equal(found, sorted(expected, key=columns.texts.__getitem__))
