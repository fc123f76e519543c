"""A person turns the dial of merges: with the mouse, and on the tab of figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.lab import open_lab, rows_of, write

from bpe_tui.analysis import prefix
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.tui.lab.dial_bar import DialBar
from bpe_tui.tui.lab.story import MOST

OpenApp = Callable


async def test_the_dial_is_dragged_with_the_mouse(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.train()
        tab = await open_lab(person, "how it got there")
        bar = person.app.lab.query_one(DialBar)
        last = bar.size.width - 1
        seen = []
        assert await person.pilot.mouse_down("#lab-dial", offset=(7, 0))
        for x in (7, 20, 35, 50):
            await person.pilot.hover("#lab-dial", offset=(x, 0))
            seen.append(tab.merges)
        assert seen[0] == 0
        assert seen == sorted(set(seen)), "every move to the right goes on"
        assert f"vocabulary {prefix(person.app.workspace.tokenizer(), seen[-1]).vocab_size}" in person.text()
        # Below the bar the button is still down; beyond its end is its end.
        await person.pilot.hover("#lab-tokens", offset=(20, 1))
        assert tab.merges == seen[1]
        await person.pilot.hover("#lab-dial", offset=(last, 0))
        assert tab.merges == tab.total
        await person.pilot.hover("#lab-dial", offset=(35, 0))
        await person.pilot.mouse_up("#lab-dial", offset=(35, 0))
        await person.pilot.hover("#lab-dial", offset=(10, 0))
        assert tab.merges == seen[2], "let go, it stays"
        assert person.app.mouse_captured is None


async def test_the_dial_reaches_the_statistics(open_app: OpenApp) -> None:
    async with open_app(size=(120, 40)) as person:
        await person.train()
        await open_lab(person, "how it got there")
        whole = person.app.workspace.tokenizer()
        await write(person, "the water and the river")
        await person.press("2")
        for keys, merges in [
            (["home"], 0),
            (["right"] * 2, 2),
            (["g", "5", "0", "enter"], 50),
            (["end"], len(whole.merges)),
        ]:
            await person.press(*keys)
            smaller = prefix(whole, merges)
            await person.until_text(f"vocabulary {smaller.vocab_size} ", f"figures of the line as of merge {merges} ")
            figures = rows_of(person.text())
            assert figures["tokens"].startswith(f"{len(smaller.encode('the water and the river'))} ")
        # It is one dial: the text is as of the same merge.
        await person.press("g", "7", "enter", "1")
        await person.until_text("  7 of")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_long_paste_is_taken_whole_or_said_to_be_cut(open_app: OpenApp, size: Any, tmp_path: Path) -> None:
    path = tmp_path / "bytes.json"
    ByteBPETokenizer.train("the water and the river\n" * 20, 300, verbose=False).save(path)
    async with open_app(size=size, tokenizer=path) as person:
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        tab = await open_lab(person, "how it got there")
        await person.press("i", "backspace")
        await person.paste("the water\r\nand\tthe\nriver")
        await person.until(lambda: tab.text == "the water\r\nand\tthe\nriver", "all lines")
        assert "cut:" not in person.text()
        await person.paste("x" * 2 * MOST)
        await person.until_text(f"cut: the first {MOST:,} of {2 * MOST + 24:,} characters are looked at")
        assert len(tab.text) == MOST
        await person.press("y")
        await person.until_text(f"of {2 * MOST + 25:,} characters")
        await person.press("backspace", "backspace")
        await person.until(lambda: "cut:" not in person.text(), "the text to fit")
