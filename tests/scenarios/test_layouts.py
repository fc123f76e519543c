"""Three layouts and a card; a resize keeps the focus and what the panes hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.widgets import Input, OptionList

OpenApp = Callable
TITLES = {"corpus": "1 Corpus ─", "tokenizer": "2 Tokenizer ─", "merges": "3 Merges ─", "vocabulary": "4 Vocabulary ─"}


def seen(person) -> set[str]:
    return {pane for pane, title in TITLES.items() if title in person.text()}


@pytest.mark.parametrize(
    ("size", "panes"),
    [((60, 16), 1), ((80, 24), 1), ((99, 50), 1), ((100, 30), 4), ((139, 40), 4), ((140, 24), 4), ((200, 50), 4)],
)
async def test_each_width_has_its_layout(open_app: OpenApp, size: tuple[int, int], panes: int) -> None:
    async with open_app(size=size) as person:
        assert len(seen(person)) == panes
        assert "needs more room" not in person.text()
        left = person.app.main.query_one("#merges-pane").region
        right = person.app.main.query_one("#vocabulary-pane").region
        if panes == 4:
            assert (left.y == right.y) == (size[0] >= 140), (
                "side by side where there is width, else one above the other"
            )


@pytest.mark.parametrize("size", [(59, 40), (120, 15), (20, 5), (1, 1)])
async def test_too_small_says_how_much_is_needed(open_app: OpenApp, size: tuple[int, int]) -> None:
    async with open_app() as person:
        await person.resize(*size)
        if size[0] > 20:
            assert "at least 60 x 16" in person.text()
            assert not seen(person)
        await person.resize(120, 40)
        assert seen(person) == set(TITLES)


async def test_one_pane_at_a_time_on_narrow_screens(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.train()
        for key, pane in zip("1234", TITLES, strict=True):
            await person.press(key)
            assert seen(person) == {pane}
        await person.press("tab")
        assert seen(person) == {"corpus"}
        await person.press("shift+tab")
        assert seen(person) == {"vocabulary"}
        await person.pilot.click("#tabs", offset=(20, 0))
        assert seen(person) == {"tokenizer"}


async def test_a_resize_keeps_focus_and_contents(open_app: OpenApp) -> None:
    async with open_app(size=(160, 45)) as person:
        await person.train()
        await person.press("i")
        await person.type("water")
        field = person.app.main.query_one("#try", Input)
        for size in [(80, 24), (120, 40), (50, 10), (200, 50), (80, 24)]:
            await person.resize(*size)
            assert person.app.focused is field, f"at {size}"
            assert field.value == "water"
        await person.type("low")
        assert field.value == "waterlow"
        await person.until_text("8 characters,")
        assert seen(person) == {"tokenizer"}


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_line_longer_than_its_field_shows_its_end(open_app: OpenApp, size: tuple[int, int]) -> None:
    async with open_app(size=size) as person:
        await person.train()
        await person.press("i")
        await person.paste("the waters of the sea " * 10 + "and the END")
        await person.until_text("and the END")
        await person.press("home")
        await person.until_text("the waters of the sea the w")


async def test_dialogs_fit_the_smallest_screen(open_app: OpenApp) -> None:
    async with open_app(size=(60, 16)) as person:
        await person.train()
        for key, word in [("m", "Menu"), ("question_mark", "Help"), ("comma", "Settings"), ("f", "Fingerprint")]:
            await person.press(key)
            box = person.app.screen.query_one("#dialog").region
            assert word in person.text()
            assert person.app.screen.region.contains_region(box)
            await person.press("escape")
            assert person.app.screen is person.app.main


@pytest.mark.parametrize("key", ["ctrl+p", "m", "o"])
async def test_page_keys_in_a_terminal_without_room_for_a_list(key: str, open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press(key)
        await person.until(lambda: person.app.screen is not person.app.main, "a list")
        await person.until(lambda: person.app.screen.query_one(OptionList).option_count, "options")
        person.app.screen.query_one(OptionList).highlighted = 0
        if key == "o":
            person.app.screen.query_one(OptionList).focus()
        await person.resize(1, 40)
        await person.press("pageup", "pagedown")
        await person.resize(120, 40)
        await person.press("escape")
        await person.until(lambda: person.app.screen is person.app.main, "the main screen")
