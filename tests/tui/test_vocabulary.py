"""The vocabulary, as someone who looks for tokens in it sees it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.widgets import Input

from bpe_tui.bpe.log import MergeLog
from bpe_tui.session.state import RunState
from bpe_tui.terminal.query import parse
from bpe_tui.tui.panes.vocabulary import VocabularyPane
from bpe_tui.tui.panes.vocabulary_rows import FIELDS, SLICE, SORTS, VocabularyRows

WORDS = ["a", "b", "c", " "]
MERGES = [(0, 1), (4, 2), (5, 3), (0, 0), (7, 7), (6, 6)]  # ab, abc, abc·, aa, aaaa, abc·abc·
COUNTS = [9, 0, 3, 40, 7, 7, 12, 1, 0, 5]


class Training:
    def __init__(self, base: list[str] = WORDS, merges: list[tuple[int, int]] = MERGES) -> None:
        self.log = MergeLog(4)
        self.tokens = list(base)
        self.base_size = len(base)
        self.counts = np.array(COUNTS + [0] * 50, np.int64)
        self.state = RunState.PAUSED
        for left, right in merges:
            self.learn(left, right)

    def learn(self, left: int, right: int) -> None:
        rank = self.log.count
        self.log.reserve(rank + 1)
        token = self.tokens[left] + self.tokens[right]
        if token not in self.tokens:
            self.tokens.append(token)
        self.log.left[rank], self.log.right[rank] = left, right
        self.log.new_id[rank] = self.tokens.index(token)
        self.log.count = rank + 1

    def snapshot(self) -> Any:
        return SimpleNamespace(
            state=self.state,
            settings=SimpleNamespace(target_vocab_size=20),
            merges=self.log.count,
            log=self.log,
            tokens=self.tokens,
            vocab_size=len(self.tokens),
            base_size=self.base_size,
            token_counts=self.counts[: len(self.tokens)],
            initial_length=1000,
        )


class VocabularyApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.pane = VocabularyPane(empty="no tokens yet: press t to train")
        self.chosen: list[int] = []

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.pane.focus_list()

    def on_vocabulary_pane_token_chosen(self, event: VocabularyPane.TokenChosen) -> None:
        self.chosen.append(event.token_id)


def screen(app: App[None]) -> list[str]:
    return ["".join(segment.text for segment in line) for line in app.screen._compositor.render_strips()]


def ids(app: App[None], first: int = 1) -> list[int]:
    rows = [line.replace("▸", " ").split() for line in screen(app)[first:]]
    return [int(row[0]) for row in rows if row]


async def test_each_token_says_what_it_is() -> None:
    app = VocabularyApp()
    async with app.run_test(size=(70, 14)) as pilot:
        assert "no tokens yet: press t to train" in screen(app)[1]
        app.pane.show(Training().snapshot())
        await pilot.pause()
        assert screen(app)[0].split() == ["▲", "id", "len", "count", "born", "token"]
        assert screen(app)[1].split() == ["▸", "0", "1", "9", "base", "a"]
        assert screen(app)[4].split() == ["3", "1", "40", "base", "·"]
        assert screen(app)[7].split() == ["6", "4", "12", "3", "abc·"]
        assert ids(app) == list(range(10))


async def test_sorting_by_every_column() -> None:
    app = VocabularyApp()
    async with app.run_test(size=(70, 14)) as pilot:
        app.pane.show(Training().snapshot())
        app.pane.sort_by("length")
        await pilot.pause()
        assert ids(app) == [9, 6, 8, 5, 4, 7, 0, 1, 2, 3]
        assert "▼ len" in screen(app)[0]
        app.pane.sort_by("length")
        await pilot.pause()
        assert ids(app) == [0, 1, 2, 3, 4, 7, 5, 6, 8, 9]
        app.pane.sort_by("length", descending=True)
        await pilot.pause()
        assert ids(app)[0] == 9
        app.pane.sort_by("count")
        await pilot.pause()
        assert ids(app) == [3, 6, 0, 4, 5, 9, 2, 7, 1, 8]
        await pilot.press(">")
        assert ids(app) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        await pilot.press(">")
        assert ids(app) == [3, 0, 7, 8, 4, 5, 6, 9, 1, 2]
        await pilot.press("r")
        assert ids(app) == [2, 1, 9, 6, 5, 4, 8, 7, 0, 3]
        await pilot.click(app.pane.list, offset=(19, 0))
        await pilot.pause()
        assert ids(app)[0] == 3
        with pytest.raises(ValueError, match="no column 'colour'"):
            app.pane.sort_by("colour")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("abc", [5, 6, 9]),
        ("·", [3, 6, 9]),
        ("/^a+$/", [0, 7, 8]),
        ("len:>3", [6, 8, 9]),
        ("len:3..5", [5, 6, 8]),
        ("id:7", [7]),
        ("id:>7", [8, 9]),
        ("count:0", [1, 8]),
        ("born:2", [5]),
        ("len:>3 b", [6, 9]),
        ("zzz", []),
    ],
)
async def test_filters(typed: str, found: list[int]) -> None:
    app = VocabularyApp()
    async with app.run_test(size=(70, 14)) as pilot:
        app.pane.show(Training().snapshot())
        app.pane.focus_filter()
        app.pane.filter_row.query_one(Input).value = typed
        await pilot.pause()
        assert f"{len(found)} of 10" in screen(app)[0]
        if found:
            assert ids(app, 2) == found
        else:
            assert "no token matches" in screen(app)[2]


async def test_a_filter_that_cannot_be_read_is_told() -> None:
    app = VocabularyApp()
    async with app.run_test(size=(90, 14)) as pilot:
        app.pane.show(Training().snapshot())
        app.pane.focus_filter()
        await pilot.press(*"/[/")
        await pilot.pause()
        assert "no regular expression" in screen(app)[0]
        await pilot.press("escape")
        await pilot.pause()
        assert ids(app) == list(range(10))
        assert app.focused is app.pane.list


async def test_enter_asks_for_the_token_under_the_cursor() -> None:
    app = VocabularyApp()
    async with app.run_test(size=(70, 14)) as pilot:
        await pilot.press("enter")
        app.pane.show(Training().snapshot())
        app.pane.sort_by("length")
        await pilot.press("down", "enter")
        await pilot.pause()
        assert app.chosen == [6]


async def test_counts_live_and_the_order_settles_when_the_run_does() -> None:
    app, training = VocabularyApp(), Training()
    training.state = RunState.TRAINING
    async with app.run_test(size=(70, 16)) as pilot:
        app.pane.show(training.snapshot())
        app.pane.sort_by("count")
        await pilot.press("down")
        assert app.pane.list.cursor == 1
        training.learn(8, 1)
        training.counts[:11] = [9, 0, 3, 50, 7, 7, 2, 1, 0, 5, 99]
        app.pane.show(training.snapshot())
        await pilot.pause()
        assert screen(app)[1].split()[:3] == ["3", "1", "50"]
        training.state = RunState.DONE
        app.pane.show(training.snapshot())
        await pilot.pause()
        assert ids(app)[:3] == [10, 3, 0]
        # The cursor stays with its token, which is abc· with 2 occurrences left.
        assert screen(app)[app.pane.list.cursor + 1].split()[:2] == ["▸", "6"]


async def test_another_run_begins_anew() -> None:
    app = VocabularyApp()
    async with app.run_test(size=(70, 14)) as pilot:
        app.pane.show(Training().snapshot())
        await pilot.press("end")
        app.pane.show(Training(["x", "y"], [(0, 1)]).snapshot())
        await pilot.pause()
        assert [line.split()[-1] for line in screen(app)[1:4]] == ["x", "y", "xy"]
        assert screen(app)[3].split()[3] == "1"
        app.pane.show(Training([], []).snapshot())
        await pilot.pause()
        assert "no tokens yet" in screen(app)[1]


def test_a_token_is_born_at_the_first_merge_that_makes_it() -> None:
    rows = VocabularyRows()
    training = Training(["a"], [(0, 0), (0, 1), (1, 0), (1, 1)])
    assert training.tokens == ["a", "aa", "aaa", "aaaa"]
    rows.set_snapshot(training.snapshot())
    rows.arrange()
    assert [rows.row(index)[3] for index in range(4)] == ["base", "1", "2", "4"]


def test_the_filter_works_in_slices() -> None:
    training = Training(["a"], [])
    training.tokens = [f"t{number}" for number in range(2 * SLICE + 5)]
    training.counts = np.zeros(len(training.tokens), np.int64)
    rows = VocabularyRows()
    rows.set_snapshot(training.snapshot())
    rows.set_query(parse("7", FIELDS))
    rows.advance(0)
    rows.arrange()
    assert rows.behind
    while rows.behind:
        rows.advance(0)
    rows.arrange()
    found = [rows.token_id(index) for index in range(rows.count())]
    assert found == [number for number in range(2 * SLICE + 5) if "7" in str(number)]


@given(
    st.lists(st.text(alphabet="ab日", min_size=1, max_size=4), min_size=1, max_size=30, unique=True),
    st.sampled_from(SORTS),
    st.booleans(),
    st.sampled_from(["", "a", "len:2..", "a len:<4", "count:>3"]),
    st.integers(1, 30),
)
def test_rows_are_what_plain_python_makes_of_them(
    tokens: list[str], sort: str, descending: bool, typed: str, seen_first: int
) -> None:
    counts = np.array([(7 * place) % 5 for place in range(len(tokens))], np.int64)
    training = Training([], [])
    rows = VocabularyRows()
    rows.sort, rows.descending = sort, descending
    rows.set_query(parse(typed, FIELDS))
    for size in (min(seen_first, len(tokens)), len(tokens)):
        snapshot = training.snapshot()
        snapshot.tokens, snapshot.vocab_size, snapshot.token_counts = tokens, size, counts[:size]
        snapshot.base_size = len(tokens)
        rows.set_snapshot(snapshot)
        rows.advance(1.0)
        rows.arrange()
    keys: dict[str, list[Any]] = {
        "id": list(range(len(tokens))),
        "length": [len(token) for token in tokens],
        "count": counts.tolist(),
        "born": [0] * len(tokens),
        "token": tokens,
    }
    low, high = {"len:2..": (2, 99), "a len:<4": (0, 3)}.get(typed, (0, 99))
    kept = [
        token_id
        for token_id, token in enumerate(tokens)
        if ("a" in token or not typed.startswith("a"))
        and low <= len(token) <= high
        and (typed != "count:>3" or counts[token_id] > 3)
    ]
    expected = sorted(kept, key=lambda token_id: keys[sort][token_id], reverse=descending)
    assert [rows.token_id(index) for index in range(rows.count())] == expected
