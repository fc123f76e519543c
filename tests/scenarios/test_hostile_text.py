"""A corpus made to break terminals: nothing of it reaches one as it is, and nothing of it is taken for markup."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

OpenApp = Callable

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07 \x9b31m [/markup] [bold]x[/bold] [@click=app.quit]y[/]\n"
    "\u202egnp.exe\u2066 zero\u200bwidth \x00\x7f\x85 e\u0301\u0301\u0301\u0301\u0301 日本 👍🏽 $accent \\[ \ufeff\n"
)


def assert_harmless(text: str) -> None:
    for character in text:
        category = unicodedata.category(character)
        assert character == "\n" or category not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}, repr(character)


async def test_nothing_hostile_reaches_the_screen(open_app: OpenApp, make_corpus: Callable[..., Path]) -> None:
    corpus = make_corpus("[/red] \x1b[31m \u202e bad", train=HOSTILE * 60, val=HOSTILE, test=HOSTILE)
    async with open_app(corpus=corpus, size=(160, 45)) as person:
        assert_harmless(person.text())
        await person.train()
        await person.until_text("[/markup]")
        for size in [(160, 45), (120, 40), (80, 24)]:
            await person.resize(*size)
            for key in "1234":
                await person.press(key)
                assert_harmless(person.text())
        await person.resize(160, 45)
        await person.press("i")
        await person.paste("[/markup] [bold] \u202ex")
        assert_harmless(person.text())
        await person.press("escape", "b")
        for _ in range(6):
            await person.press("enter")
            await person.until(lambda: "looking for places" not in person.text(), "the places")
            assert_harmless(person.text())
            await person.press("escape", "down")
        for key in ("comma", "o", "e"):
            await person.press(key)
            await person.until(lambda: not person.app.situation().working, "the job")
            assert_harmless(person.text())
            await person.press("escape")
        await person.rest()
        await person.press("f")
        assert_harmless(person.text())


async def test_hostile_names_of_files(open_app: OpenApp, own_place: Path) -> None:
    (own_place / "[x] \x1b[31mred\u202e [bold].json").write_text("{}")
    async with open_app() as person:
        await person.press("l")
        await person.until_text("[x]")
        assert_harmless(person.text())
        await person.press("down", "enter")
        await person.until_told("Loading the tokenizer failed")
        assert_harmless(person.toasts())


async def test_meaning_is_never_colour_alone(open_app: OpenApp, monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_app(size=(120, 40)) as person:
        await person.train()
        passage = person.app.main.query_one("#passage")
        underlined = [
            bool(segment.style and segment.style.underline)
            for y in range(passage.size.height)
            for segment in passage.render_line(y)
        ]
        assert True in underlined
        assert False in underlined


async def test_every_theme_draws(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.train()
        for name in person.app.theme_names():
            person.app.theme = name
            await person.pilot.pause()
            assert "Corpus" in person.text()
        assert {"ansi-dark", "ansi-light"} <= set(person.app.theme_names())


async def test_ascii_only_is_ascii(open_app: OpenApp, make_corpus: Callable[..., Path]) -> None:
    corpus = make_corpus("größer", train=HOSTILE * 60, val=HOSTILE, test=HOSTILE)
    async with open_app(corpus=corpus, size=(160, 45), ascii_only=True) as person:
        await person.train()
        assert person.text().isascii()
        for key in ("m", "question_mark", "comma", "o", "f", "plus"):
            await person.press(key)
            assert person.text().isascii(), key
            await person.press("escape")
