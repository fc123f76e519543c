"""The card of one token."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from textual.app import App

from bpe_tui.bpe.log import MergeLog
from bpe_tui.tui.dialogs.token import TokenScreen
from bpe_tui.tui.panes.token_details import MOST_PARTS, TokenDetails


@dataclass
class Spot:
    offset: int
    before: str
    after: str


def run(base: list[str], merges: list[tuple[int, int]]) -> Any:
    log = MergeLog(len(merges) + 1)
    tokens = list(base)
    for rank, (left, right) in enumerate(merges):
        log.left[rank], log.right[rank], log.new_id[rank] = left, right, len(tokens)
        log.frequency[rank], log.length[rank] = 1000 - rank, 5000 - rank
        tokens.append(tokens[left] + tokens[right])
    log.count = len(merges)
    return SimpleNamespace(
        merges=len(merges),
        log=log,
        tokens=tokens,
        vocab_size=len(tokens),
        base_size=len(base),
        token_counts=np.arange(len(tokens), dtype=np.int64),
        initial_length=6000,
    )


THE = run(["e", "h", "t", " "], [(2, 1), (4, 0), (5, 3), (3, 6)])  # th, the, the·, ·the·


class CardApp(App[None]):
    def __init__(self, snapshot: Any, token_id: int, *, ascii_only: bool = False) -> None:
        super().__init__()
        self.card = TokenScreen(snapshot, token_id, ascii_only=ascii_only)
        self.wanted: list[int] = []

    def on_mount(self) -> None:
        self.push_screen(self.card)

    def on_token_screen_places_wanted(self, event: TokenScreen.PlacesWanted) -> None:
        self.wanted.append(event.token_id)


def screen(app: App[None]) -> str:
    return "\n".join("".join(segment.text for segment in line) for line in app.screen._compositor.render_strips())


async def test_a_token_from_what_it_is_to_where_it_stands() -> None:
    app = CardApp(THE, 5)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        shown = screen(app)
        assert "token the" in shown
        assert "id 5, 3 characters" in shown
        assert "stands in the sequence 5 times right now" in shown
        assert "made by merge 2: th + e, found 999 times; 4,999 tokens in the sequence after it" in shown
        for line in ("├─ th  merge 1", "│  ├─ t", "│  └─ h", "└─ e", "1 merge builds on it", "the + · → the·"):
            assert line in shown
        assert "looking for places" in shown
        assert app.wanted == [5]
        app.card.show_places(4, [Spot(1, "of another", "token")])
        app.card.show_places(5, [Spot(1234, "over ", " lazy\x1b[31m dog"), Spot(2345, "日本" * 20, "n")])
        await pilot.pause()
        shown = screen(app)
        assert "of·another" not in shown
        assert "2 places in the training text" in shown
        first, second = (line for line in shown.splitlines() if "1,234" in line or "2,345" in line)
        assert r"over·the·lazy\x1b[31m·dog" in first
        assert "日本the" in second


async def test_going_to_a_part_and_back() -> None:
    app = CardApp(THE, 5)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert app.card.token_id == 4
        assert "token th " in screen(app)
        await pilot.press("backspace")
        await pilot.pause()
        assert app.card.token_id == 5
        assert app.wanted == [5, 4, 5]
        await pilot.press("backspace")
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is not app.card


async def test_a_base_token_and_places_that_cannot_be_found() -> None:
    app = CardApp(THE, 3)
    async with app.run_test(size=(100, 40)) as pilot:
        app.card.show_places_failed(3, "no corpus is open")
        await pilot.pause()
        shown = screen(app)
        assert "token ·" in shown
        assert "id 3, 1 character: U+0020 SPACE" in shown
        assert "a base token: no merge made it" in shown
        assert "no corpus is open" in shown
        app.card.show_places(3, [])
        await pilot.pause()
        assert "no place in the training text" in screen(app)


async def test_hostile_tokens_and_ascii() -> None:
    snapshot = run(["[/x]", "\x1b[31m", "\u202e", "日"], [(0, 1), (4, 2), (5, 3)])
    app = CardApp(snapshot, 6, ascii_only=True)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        shown = screen(app)
        assert r"[/x]\x1b[31m\u202e\u65e5" in shown
        assert "|- " in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_a_token_of_many_thousand_characters_is_no_burden() -> None:
    snapshot = run(["a"], [(number, number) for number in range(20)])
    details = TokenDetails(snapshot, 20)
    assert len(snapshot.tokens[20]) == 2**20
    parts = details.parts()
    assert len(parts) <= MOST_PARTS + 3
    assert parts[-1].cells[1] == (("and more", "muted"),)
