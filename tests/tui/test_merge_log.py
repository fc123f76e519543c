"""The merge log, as someone who watches a training sees it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from textual.app import App, ComposeResult
from textual.widgets import Input

from bpe_tui.bpe.log import MergeLog
from bpe_tui.session.state import RunState
from bpe_tui.terminal.query import parse
from bpe_tui.tui.panes.merge_log import MergeLogPane
from bpe_tui.tui.panes.merge_rows import SLICE, MergeRows


class Training:
    """A run whose every merge joins the newest token and a base token."""

    def __init__(self, base: list[str]) -> None:
        self.log = MergeLog(4)
        self.tokens = list(base)
        self.base_size = len(base)

    def learn(self, left: int, right: int, frequency: int = 5) -> None:
        rank = self.log.count
        self.log.reserve(rank + 1)
        self.log.left[rank], self.log.right[rank], self.log.new_id[rank] = left, right, len(self.tokens)
        self.log.frequency[rank], self.log.length[rank] = frequency, 100_000 - rank
        self.tokens.append(self.tokens[left] + self.tokens[right])
        self.log.count = rank + 1

    def snapshot(self) -> Any:
        return SimpleNamespace(
            state=RunState.TRAINING,
            settings=SimpleNamespace(target_vocab_size=500),
            merges=self.log.count,
            log=self.log,
            tokens=self.tokens,
            vocab_size=len(self.tokens),
            base_size=self.base_size,
            token_counts=None,
            initial_length=100_000,
        )


def pairs(count: int) -> Training:
    """Give a run of `count` merges: aa, aaa, aaaa and so on, every tenth one with a b in it."""
    training = Training(["a", "b", " "])
    for rank in range(count):
        training.learn(0, 1 if rank % 10 == 9 else 0, frequency=1000 - rank)
    return training


class LogApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.pane = MergeLogPane(empty="no merges yet: press t to train")

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.pane.focus_list()


def screen(app: App[None]) -> list[str]:
    return ["".join(segment.text for segment in line) for line in app.screen._compositor.render_strips()]


async def test_merges_come_in_and_the_newest_is_in_sight() -> None:
    app, training = LogApp(), pairs(0)
    async with app.run_test(size=(70, 8)) as pilot:
        assert "no merges yet: press t to train" in screen(app)[1]
        training.learn(0, 1, 1234)
        app.pane.show(training.snapshot())
        await pilot.pause()
        assert screen(app)[0].split() == ["merge", "freq", "length", "left", "+", "right", "→", "token"]
        assert screen(app)[1].split() == ["▸", "1", "1,234", "100,000", "a", "+", "b", "→", "ab"]
        for _ in range(30):
            training.learn(3, 2)
        app.pane.show(training.snapshot())
        await pilot.pause()
        assert screen(app)[7].split()[:2] == ["▸", "31"]
        assert "ab + · → ab·" in screen(app)[7]


async def test_looking_back_while_merges_come_in() -> None:
    app, training = LogApp(), pairs(50)
    async with app.run_test(size=(70, 8)) as pilot:
        app.pane.show(training.snapshot())
        await pilot.press("up")
        for _ in range(142):
            training.learn(0, 0)
        app.pane.show(training.snapshot())
        await pilot.pause()
        assert "142 new ↓" in screen(app)[7]
        app.pane.toggle_follow()
        await pilot.pause()
        assert screen(app)[7].split()[:2] == ["▸", "192"]
        app.pane.toggle_follow()
        assert not app.pane.list.follows


async def test_filtering_while_merges_come_in() -> None:
    app, training = LogApp(), pairs(95)
    async with app.run_test(size=(70, 8)) as pilot:
        app.pane.show(training.snapshot())
        app.pane.focus_filter()
        await pilot.press(*"b")
        await pilot.pause()
        assert "9 of 95" in screen(app)[0]
        assert "a + b → ab" in screen(app)[7]
        training.learn(0, 0)
        training.learn(1, 1)
        app.pane.show(training.snapshot())
        await pilot.pause()
        assert "10 of 97" in screen(app)[0]
        assert "b + b → bb" in screen(app)[7]
        await pilot.press("enter")
        assert app.focused is app.pane.list
        await pilot.press("escape")
        await pilot.pause()
        assert screen(app)[0].split()[0] == "merge"
        assert not app.pane.filter_row.is_open
        assert app.pane.list.follows


async def test_a_merge_is_found_by_its_number_and_by_its_figures() -> None:
    app, training = LogApp(), pairs(300)
    async with app.run_test(size=(70, 8)) as pilot:
        app.pane.show(training.snapshot())
        app.pane.focus_filter()
        await pilot.press(*"243")
        await pilot.pause()
        assert "1 of 300" in screen(app)[0]
        assert screen(app)[2].split()[1] == "243"
        for typed, found in (("merge:>290", 10), ("freq:<=710", 10), ("seq:99,990..", 11), ("len:2 merge:..20 b", 2)):
            app.pane.filter_row.query_one(Input).value = typed
            await pilot.pause()
            assert f"{found} of 300" in screen(app)[0], typed


async def test_a_filter_that_cannot_be_read_is_told_and_changes_nothing() -> None:
    app, training = LogApp(), pairs(30)
    async with app.run_test(size=(90, 8)) as pilot:
        app.pane.show(training.snapshot())
        app.pane.focus_filter()
        await pilot.press(*"/(/")
        await pilot.pause()
        assert "no regular expression" in screen(app)[0]
        assert screen(app)[7].split()[1] == "30"
        app.pane.filter_row.query_one(Input).value = "zzz"
        await pilot.pause()
        assert "0 of 30" in screen(app)[0]
        assert "no merge matches" in screen(app)[2]


async def test_keys_never_land_in_a_filter_that_is_not_open() -> None:
    app = LogApp()
    async with app.run_test(size=(70, 8)) as pilot:
        assert not app.pane.filter_row.query_one(Input).can_focus
        app.pane.focus_filter()
        await pilot.press("a", "escape", "tab", "b")
        assert app.focused is app.pane.list
        assert app.pane.filter_row.value == ""
        app.pane.focus_filter()
        await pilot.press("c", "enter")
        app.pane.focus_filter()
        await pilot.press("d")
        assert app.pane.filter_row.value == "cd"


async def test_another_run_begins_anew() -> None:
    app = LogApp()
    async with app.run_test(size=(70, 8)) as pilot:
        app.pane.show(pairs(50).snapshot())
        await pilot.press("home")
        app.pane.show(pairs(3).snapshot())
        await pilot.pause()
        assert app.pane.list.follows
        assert app.pane.list.cursor == 2
        app.pane.show(pairs(0).snapshot())
        await pilot.pause()
        assert "no merges yet" in screen(app)[1]


async def test_what_was_shown_before_the_pane_was_there_is_there() -> None:
    app = LogApp()
    app.pane.show(pairs(5).snapshot())
    async with app.run_test(size=(70, 8)):
        assert screen(app)[5].split()[:2] == ["▸", "5"]


async def test_hostile_tokens_stay_in_their_row() -> None:
    app = LogApp()
    training = Training(["\x1b[31m", "[/x]", "\u202e", "日本語" * 20, "e\u0301" * 50, "\n"])
    for left in range(6):
        training.learn(left, 5 - left)
    async with app.run_test(size=(70, 10)) as pilot:
        app.pane.show(training.snapshot())
        await pilot.pause()
        text = "".join(screen(app))
        assert r"\x1b[31m" in text
        assert "[/x]" in text
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_a_filter_tests_only_what_is_new_and_in_slices() -> None:
    training = pairs(3 * SLICE)
    rows = MergeRows()
    rows.set_snapshot(training.snapshot())
    query = parse("b", ("merge",))
    rows.set_query(query)
    rows.advance(0)
    assert rows.behind
    first = rows.count()
    assert 0 < first <= SLICE
    while rows.behind:
        rows.advance(0)
    expected = [rank for rank in range(3 * SLICE) if rank % 10 == 9]
    assert [rows.rank(index) for index in range(rows.count())] == expected
    assert rows.index(expected[7]) == 7
    assert rows.index(expected[7] + 1) == 8
