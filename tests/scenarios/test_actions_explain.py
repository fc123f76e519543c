"""Every action can be found, and one that does not apply says why."""

from __future__ import annotations

from collections.abc import Callable

from textual.widgets import Input, OptionList

from bpe_tui.session.state import RunState
from bpe_tui.tui.actions import ACTIONS

OpenApp = Callable


async def test_disabled_keys_say_why(open_app: OpenApp) -> None:
    async with open_app() as person:
        for key, words in [
            ("space", "nothing is training: t starts"),
            ("x", "nothing is training"),
            ("s", "there is no tokenizer yet"),
            ("e", "there is no tokenizer yet"),
            ("plus", "there is no run to go on with"),
            ("R", "no interrupted run is at hand"),
            ("slash", "only the merge log and the vocabulary have a filter"),
        ]:
            await person.press(key)
            assert words in person.toasts(), key
        await person.press("v", "v", "v", "v", "t")
        await person.until(lambda: person.snapshot.state is RunState.TRAINING, "training")
        for key, words in [("t", "the run is training; space pauses it"), ("o", "x stops it"), ("s", "the run is")]:
            await person.press(key)
            assert words in person.toasts(), key


async def test_the_menu_lists_everything(open_app: OpenApp) -> None:
    async with open_app(size=(140, 60)) as person:
        await person.press("m")
        menu = person.app.screen.query_one(OptionList)
        listed = {option.id for option in menu.options} - {None}
        assert listed == {action.id for action in ACTIONS} - {"menu"}
        await person.until_text("not now: there is no tokenizer yet")
        await person.press("down", "enter")
        assert "nothing is training" in person.toasts()
        assert person.app.screen is not person.app.main, "a greyed action leaves the menu open"
        await person.press("up", "enter")
        await person.until(lambda: person.snapshot.merges > 0, "training from the menu")
        assert person.app.screen is person.app.main


async def test_the_palette_finds_actions(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("ctrl+p")
        await person.until(lambda: person.app.screen is not person.app.main, "the palette")
        assert all(not field.cursor_blink for field in person.app.screen.query(Input))
        await person.type("settings")
        await person.until_text("Alphabet, splitting rule, ties")
        await person.press("enter")
        await person.until_text("Use these settings")
        await person.press("escape")


async def test_help_names_every_key(open_app: OpenApp) -> None:
    async with open_app(size=(120, 120)) as person:
        await person.press("question_mark")
        text = person.text()
        for action in ACTIONS:
            assert action.help[:40] in text, action.id


async def test_escape_leaves_everything(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.train()
        for key in ("m", "question_mark", "comma", "o", "l", "S", "E", "f", "plus", "ctrl+p"):
            await person.press(key)
            await person.until(lambda: person.app.screen is not person.app.main, key)
            await person.press("escape")
            await person.until(lambda: person.app.screen is person.app.main, f"leaving {key}")
        for key in ("i", "4", "slash"):
            await person.press(key)
        await person.press("escape", "escape")
        assert not isinstance(person.app.focused, Input)


async def test_settings_are_checked_beside_the_field(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("comma")
        await person.type("many")
        await person.until_text("training characters must be a whole number")
        await person.press("tab")
        await person.type("3")
        await person.until_text("the base vocabulary alone has 29 tokens")
        await person.press("enter")
        assert person.app.screen is not person.app.main
        await person.type("00")
        await person.press("shift+tab")
        await person.type("all")
        person.app.screen.query_one("#refresh_rate", Input).focus()
        await person.pilot.pause()
        await person.type("99")
        await person.until_text("between 0.5 and 30")
        await person.press("backspace", "enter")
        await person.until(lambda: person.app.screen is person.app.main, "the settings to be taken")
        settings = person.app.workspace.settings
        assert (settings.training_characters, settings.target_vocab_size) == (None, 300)
        assert person.app.rate == 9


async def test_a_token_opens(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.train()
        await person.press("b", "enter")
        await person.until(lambda: person.app.screen is not person.app.main, "the card")
        await person.until_text("token ", "enter opens a part")
        await person.until(lambda: "looking for places" not in person.text(), "the places")
        assert "cannot" not in person.text()
        await person.press("escape")
        assert person.app.screen is person.app.main
