"""What tests of the Lab's screen have in common."""

from __future__ import annotations

from typing import Any

from bpe_tui.tui.lab.text_tab import TextTab


async def open_lab(person: Any, *words: str) -> TextTab:
    await person.press("L")
    await person.until(lambda: person.app.lab is not None and person.app.lab.is_mounted, "the Lab")
    await person.until_text("bpe-tui lab", *words)
    return person.app.lab.query_one(TextTab)


async def write(person: Any, text: str) -> None:
    """Put `text` into the line in place of what stands there."""
    await person.press("i", "backspace")
    await person.type(text)
    await person.press("escape")


def rows_of(screen: str) -> dict[str, str]:
    """Names of figures at the left, and what stands behind them."""
    found = {}
    for line in screen.splitlines():
        name, _, rest = line.strip().partition("  ")
        found.setdefault(name, rest.strip())
    return found
