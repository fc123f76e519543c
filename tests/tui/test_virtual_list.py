"""The virtual list, as someone who scrolls through it sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from bpe_tui.terminal import cell_width, visible
from bpe_tui.tui.widgets.columns import Column, line, place
from bpe_tui.tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from textual.strip import Strip

    from bpe_tui.tui.widgets.columns import Cell

COLUMNS = (
    Column("number", "no", 7, "right", "muted"),
    Column("square", "square", 14, "right", priority=1),
    Column("text", "text", role="accent"),
)

HOSTILE = [
    "\x1b[31mred",
    "\x9b5m",
    "\u202eevil",
    "[/x]",
    "[b]bold",
    "日本語の長い文字列" * 9,
    "👩\u200d🔬👩\u200d🔬" * 9,
    "e\u0301" * 60,
    "\u0301\u0301",
    "हिन्दी",
    "مرحبا",
    "a\tb\nc\rd",
    "",
]


class Numbers:
    def __init__(self, count: int) -> None:
        self.length = count
        self.asked: list[int] = []
        self.changed: dict[int, str] = {}

    def count(self) -> int:
        return self.length

    def row(self, index: int) -> tuple[Cell, ...]:
        self.asked.append(index)
        return (f"{index:,}", f"{index * index:,}", self.changed.get(index, f"row {index}"))


class CountingList(VirtualList):
    drawn: list[int]

    def render_line(self, y: int) -> Strip:
        self.drawn.append(y)
        return super().render_line(y)


class ListApp(App[None]):
    def __init__(self, rows: Numbers, *, can_follow: bool = False) -> None:
        super().__init__()
        self.list = CountingList(rows, COLUMNS, can_follow=can_follow, empty="nothing here yet")
        self.list.drawn = []
        self.told: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.list

    def on_mount(self) -> None:
        self.list.focus()

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        self.told.append(("selected", event.index))

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        self.told.append(("highlighted", event.index))

    def on_virtual_list_header_clicked(self, event: VirtualList.HeaderClicked) -> None:
        self.told.append(("header", event.key))

    def on_virtual_list_follow_changed(self, event: VirtualList.FollowChanged) -> None:
        self.told.append(("follows", event.follows))


def screen(app: App[None]) -> list[str]:
    return ["".join(segment.text for segment in line) for line in app.screen._compositor.render_strips()]


async def test_two_hundred_thousand_rows_are_never_asked_for() -> None:
    rows = Numbers(200_000)
    app = ListApp(rows)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("end")
        assert "row 199999" in screen(app)[11]
        assert "199,999" in screen(app)[11]
        await pilot.press("home")
        assert "row 0" in screen(app)[1]
    assert set(rows.asked) <= set(range(12)) | set(range(199_980, 200_000))


async def test_the_header_stays_and_the_cursor_moves() -> None:
    app = ListApp(Numbers(100))
    async with app.run_test(size=(60, 12)) as pilot:
        assert screen(app)[0].split() == ["no", "square", "text"]
        assert screen(app)[1].startswith("▸")
        await pilot.press("down", "down")
        assert app.list.cursor == 2
        assert screen(app)[3].startswith("▸")
        await pilot.press("pagedown")
        assert app.list.cursor == 12
        await pilot.press("pageup", "pageup")
        assert app.list.cursor == 0
        await pilot.press("up")
        assert app.list.cursor == 0
        await pilot.press("end", "enter")
        assert app.list.cursor == 99
        assert screen(app)[0].split() == ["no", "square", "text"]
        assert app.told[-1] == ("selected", 99)
        assert ("highlighted", 2) in app.told


async def test_the_mouse() -> None:
    app = ListApp(Numbers(100))
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.click(app.list, offset=(5, 4))
        assert app.list.cursor == 3
        await pilot.click(app.list, offset=(5, 4), times=2)
        await pilot.pause()
        assert ("selected", 3) in app.told
        await pilot.click(app.list, offset=(5, 0))
        await pilot.pause()
        assert app.told[-1] == ("header", "number")
        app.list.scroll_to(y=50, animate=False)
        await pilot.pause()
        assert "row 50" in screen(app)[1]
        assert app.list.cursor == 3


async def test_following_until_the_user_looks_back() -> None:
    rows = Numbers(100)
    app = ListApp(rows, can_follow=True)
    async with app.run_test(size=(60, 12)) as pilot:
        assert screen(app)[11].startswith("▸")
        rows.length = 150
        app.list.data_changed()
        await pilot.pause()
        assert "row 149" in screen(app)[11]
        await pilot.press("up")
        assert app.told[-2:] == [("follows", False), ("highlighted", 148)]
        rows.length = 292
        app.list.data_changed()
        await pilot.pause()
        assert "row 149" in screen(app)[11]
        assert "142 new ↓" in screen(app)[11]
        await pilot.press("end")
        await pilot.pause()
        assert "row 291" in screen(app)[11]
        assert "new" not in screen(app)[11]
        rows.length = 300
        app.list.data_changed()
        await pilot.pause()
        assert "row 299" in screen(app)[11]
        assert app.list.cursor == 299


async def test_scrolling_ceases_to_follow_and_the_sign_resumes() -> None:
    rows = Numbers(100)
    app = ListApp(rows, can_follow=True)
    async with app.run_test(size=(60, 12)) as pilot:
        app.list._on_mouse_scroll_up(mouse_scroll(app.list))
        await pilot.pause()
        assert not app.list.follows
        rows.length = 107
        app.list.data_changed()
        await pilot.pause()
        assert app.list.unseen == 7
        assert "7 new ↓" in screen(app)[11]
        await pilot.click(app.list, offset=(55, 11))
        await pilot.pause()
        assert app.list.follows
        assert "row 106" in screen(app)[11]


async def test_only_lines_that_changed_are_drawn() -> None:
    rows = Numbers(100)
    app = ListApp(rows)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        app.list.drawn.clear()
        app.list.data_changed()
        await pilot.pause()
        assert app.list.drawn == []
        rows.changed[4] = "other"
        rows.changed[50] = "out of sight"
        app.list.data_changed()
        await pilot.pause()
        assert set(app.list.drawn) == {5}
        assert "other" in screen(app)[5]
        app.list.drawn.clear()
        await pilot.press("down")
        assert set(app.list.drawn) == {1, 2}
        app.list.drawn.clear()
        rows.length = 150
        app.list.data_changed()
        await pilot.pause()
        assert app.list.drawn == []


async def test_growing_does_not_lay_out_the_screen() -> None:
    rows = Numbers(100)
    app = ListApp(rows, can_follow=True)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        layouts: list[object] = []
        app.screen.screen_layout_refresh_signal.subscribe(app.list, layouts.append)
        for _ in range(5):
            rows.length += 100
            app.list.data_changed()
            await pilot.pause()
        assert layouts == []
        assert "row 599" in screen(app)[11]


async def test_an_empty_list_says_so_and_cannot_be_chosen_from() -> None:
    rows = Numbers(0)
    app = ListApp(rows, can_follow=True)
    async with app.run_test(size=(60, 12)) as pilot:
        assert screen(app)[1].strip() == "nothing here yet"
        await pilot.press("up", "down", "pagedown", "end", "enter", "home")
        await pilot.click(app.list, offset=(5, 4))
        assert ("selected", 0) not in app.told
        rows.length = 3
        app.list.restart()
        await pilot.pause()
        assert "row 0" in screen(app)[1]
        assert app.list.follows


async def test_rows_that_vanish_take_the_cursor_along() -> None:
    rows = Numbers(100)
    app = ListApp(rows)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("end")
        rows.length = 5
        app.list.data_changed()
        await pilot.pause()
        assert app.list.cursor == 4
        assert "row 0" in screen(app)[1]
        assert screen(app)[6].strip() == ""


async def test_columns_give_way_when_it_is_narrow_and_come_back() -> None:
    app = ListApp(Numbers(100))
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.resize_terminal(30, 12)
        await pilot.pause()
        assert screen(app)[0].split() == ["no", "text"]
        assert screen(app)[3].split()[:3] == ["2", "row", "2"]
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        assert screen(app)[0].split() == ["no", "square", "text"]


async def test_signs_can_be_ascii() -> None:
    rows = Numbers(100)
    app = ListApp(rows, can_follow=True)
    async with app.run_test(size=(60, 12)) as pilot:
        app.list.set_ascii_only(True)
        app.list.set_columns(COLUMNS, ("square", True))
        rows.changed[98] = "x" * 99
        await pilot.press("up")
        rows.length = 120
        app.list.data_changed()
        await pilot.pause()
        assert "".join(screen(app)).isascii()
        assert screen(app)[10].startswith(">")
        assert "20 new v" in screen(app)[11]
        assert "v square" in screen(app)[0]


@pytest.mark.parametrize("width", [10, 24, 60])
async def test_no_text_breaks_the_table(width: int) -> None:
    rows = Numbers(len(HOSTILE))
    rows.changed = {index: visible(text) for index, text in enumerate(HOSTILE)}
    app = ListApp(rows)
    async with app.run_test(size=(width, 20)):
        lines = screen(app)
        assert {cell_width(text) for text in lines} == {width}
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in "".join(lines))


CELL = st.one_of(
    st.text(max_size=20).map(visible),
    st.lists(st.tuples(st.text(max_size=9).map(visible), st.sampled_from(["text", "muted", "accent"])), max_size=4).map(
        tuple
    ),
)


@given(st.tuples(CELL, CELL, CELL), st.integers(0, 70), st.sampled_from(["", "▸"]))
def test_a_line_takes_exactly_its_width(cells: tuple[Cell, ...], width: int, marker: str) -> None:
    spans = line(place(COLUMNS, width), cells, width, marker)
    assert sum(cell_width(text) for text, _ in spans) == width


def mouse_scroll(widget: VirtualList):  # type: ignore[no-untyped-def]
    from textual.events import MouseScrollUp

    return MouseScrollUp(widget, 1, 1, 0, -1, 0, False, False, False)
