"""A monkey at the keyboard: seeded keys at random, and whatever it hits, the app goes on, answers, and can be left.

`BPE_TUI_MONKEY_KEYS` says how many keys it presses at each size (default: 100), `BPE_TUI_MONKEY_SEED` with which die.
"""

from __future__ import annotations

import os
import random
import string
from pathlib import Path

import pytest
from textual.widgets import Input

from bpe_tui.tui.actions import ACTIONS

from .conftest import OpenApp, Person

KEYS = int(os.environ.get("BPE_TUI_MONKEY_KEYS", "100"))
SEED = int(os.environ.get("BPE_TUI_MONKEY_SEED", "1"))

_LEAVING = {"q", "ctrl+q"}
_OWN = sorted({key for action in ACTIONS for key in action.keys} - _LEAVING)
_MOVES = (
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "tab", "shift+tab", "backspace", "delete"),
    *("enter", "enter", "enter", "escape", "escape", "space", "ctrl+c", "ctrl+p", "ctrl+k", "ctrl+u", "ctrl+a"),
)
_LETTERS = tuple(sorted({*string.ascii_letters, *string.digits} - _LEAVING))


def _key(die: random.Random) -> str:
    return die.choice(die.choices((_OWN, _MOVES, _LETTERS), weights=(5, 4, 1))[0])


async def _strike(person: Person, die: random.Random) -> None:
    """Do one thing at random: nearly always a key, sometimes a paste or another size of the terminal."""
    chance = die.random()
    if chance < 0.01:
        await person.paste("\x1b]0;x\x07\0[/b]\u202e\ud800\n" + "é" * die.randint(0, 300))
    elif chance < 0.02:
        await person.pilot.resize_terminal(die.choice((1, 20, 60, 100, 200)), die.choice((1, 8, 16, 50)))
    else:
        await person.pilot.press(_key(die))


async def _back_to_the_main_screen(person: Person) -> None:
    for _ in range(20):
        await person.press("escape")
        if person.app.screen is person.app.main and not isinstance(person.app.focused, Input):
            return
    raise AssertionError(f"escape does not lead back from:\n{person.text()}")


async def _leave(person: Person) -> None:
    """Show that it answers, then go the way that a person goes."""
    app = person.app
    await _back_to_the_main_screen(person)
    await person.press("question_mark")
    await person.until(lambda: app.screen is not app.main, "help")
    await _back_to_the_main_screen(person)
    await person.press("q")
    for _ in range(3):
        # Up to two questions: about a job that is at work, and about what no file holds.
        await person.until(lambda: app._left or app.screen is not app.main, "an answer to q")
        if app._left:
            break
        await person.press("d")
        await person.until(lambda: app._left or not app._flows or app.screen is not app.main, "what follows")
    await person.until(lambda: app._left, "the end")


@pytest.mark.parametrize("size", [(60, 16), (100, 30), (160, 50)])
async def test_a_monkey_cannot_break_the_app(size: tuple[int, int], open_app: OpenApp, own_place: Path) -> None:
    die = random.Random(f"{SEED} {size}")
    pressed = 0
    while pressed < KEYS:
        async with open_app(size=size) as person:
            app = person.app
            # It may come to choose Quit in the menu or the palette, and then opens the app anew.
            while pressed < KEYS and not app._left:
                await _strike(person, die)
                pressed += 1
            if not app._left:
                await person.resize(*size)
                await _leave(person)
        assert app._exception is None
    assert not [file for file in own_place.rglob("*") if file.name.endswith(".partial")]
