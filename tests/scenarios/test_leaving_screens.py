"""Whoever leaves a screen that still works something out meets no traceback: nothing wakes up to what is not there."""

from __future__ import annotations

import pytest
from support.waiting import turn

from bpe_tui.tui.dialogs.settings import SettingsDialog

from .conftest import OpenApp


@pytest.mark.parametrize("key", ["comma", "L", "M", "4 enter", "o"])
async def test_nothing_wakes_up_on_a_screen_that_is_being_taken_down(open_app: OpenApp, key: str) -> None:
    async with open_app() as person:
        await person.train()
        await person.press(*key.split())
        await person.until(lambda: person.app.screen is not person.app.main, key)
        screen = person.app.screen
        looked = 0

        async def look() -> None:
            nonlocal looked
            names = [widget.id for widget in screen.query("*") if widget.id]
            while True:
                await turn()
                for name in names:
                    screen.query_one(f"#{name}")
                looked += 1

        screen.run_worker(look)  # type: ignore[arg-type]
        await person.until(lambda: looked > 1, "a look")
        await person.press("escape")
        await person.until(lambda: not screen.is_attached, f"the end of {key}")
        assert person.app.screen is person.app.main


async def test_settings_used_while_their_memory_is_estimated(open_app: OpenApp) -> None:
    async with open_app() as person:
        waiting, told = 0, 0

        async def tell(_: object) -> tuple[str, bool]:
            nonlocal waiting, told
            waiting += 1
            # Until its line is gone, and the dialog not yet.
            while screen.query("#memory"):
                await turn()
            told += 1
            return "told late", True

        await person.press("comma")
        screen = person.app.screen
        assert isinstance(screen, SettingsDialog)
        screen._tell_memory = tell
        await person.press("end", "backspace")
        await person.until(lambda: waiting, "the estimate of what was typed")
        await person.press("enter")
        await person.until(lambda: not screen.is_attached, "the settings to be taken")
        assert (waiting, told) == (2, 0)
