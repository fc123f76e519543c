"""A person looks for where tokens stand in the training text, and how fast they were learned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.lab import open_lab

from bpe_tui.analysis import encode
from bpe_tui.analysis.curves import speed_curve

OpenApp = Callable


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_a_token_shows_parts_places_and_what_is_built_on_it(
    open_app: OpenApp, verses: str, size: tuple[int, int]
) -> None:
    async with open_app(size=size) as person:
        await person.train()
        await open_lab(person)
        await person.press("4")
        tokenizer = person.app.workspace.tokenizer()
        ids = encode(tokenizer, verses).ids.tolist()
        # A token that still stands by itself, and is part of others.
        token = next(number for number in range(person.snapshot.base_size, tokenizer.vocab_size) if number in ids)
        spelled = tokenizer.tokens[token]
        rank = tokenizer.merges.index(next(pair for pair in tokenizer.merges if "".join(pair) == spelled))
        await person.press("slash")
        await person.paste(f"merge:{rank + 1}")
        await person.press("enter", "home", "enter")
        await person.until_text(f"made by merge {rank + 1}: ", "part of ", "later token", "parts, down to characters")
        first = len(tokenizer.decode(ids[: ids.index(token)]))
        after = verses[first + len(spelled) :][:8].replace(" ", "·").replace("\n", "⏎")
        await person.press("pagedown")
        await person.until_text("places in the training text", f"{first:,} ", spelled.replace(" ", "·") + after)


async def test_what_is_said_of_a_token_is_never_cut(open_app: OpenApp) -> None:
    for size in ((120, 40), (80, 24)):
        async with open_app(size=size) as person:
            await person.train()
            await open_lab(person)
            await person.press("4")
            await person.until(lambda person=person: "sequence after it" in details(person), "the whole sentence")


def details(person: Any) -> str:
    """Give what stands in the list at the right, or in all lines where nothing is beside it."""
    return " ".join(" ".join(line.rpartition("│")[2] for line in person.text().splitlines()).split())


async def test_a_token_that_stands_only_inside_others_shows_those(open_app: OpenApp, verses: str) -> None:
    async with open_app(size=(120, 40)) as person:
        await person.train()
        await open_lab(person)
        await person.press("4")
        tokenizer = person.app.workspace.tokenizer()
        ids = set(encode(tokenizer, verses).ids.tolist())
        rank = next(rank for rank, number in enumerate(tokenizer.merge_ids()[2].tolist()) if number not in ids)
        await person.press("slash")
        await person.paste(f"merge:{rank + 1}")
        await person.press("enter", "home", "enter")
        await person.until_text("places inside later tokens")


async def test_places_wait_until_the_run_rests_and_go_with_the_corpus(open_app: OpenApp) -> None:
    async with open_app(size=(120, 40)) as person:
        await open_lab(person)
        await person.press("4", "v", "v", "v", "t")
        await person.until_text("places are looked for when the run rests")
        await person.press("x")
        await person.until_text("in the training text")
        await person.until(lambda: "looked for when" not in person.text(), "the places")
        assert person.snapshot.state.ended


async def test_without_a_corpus_there_are_no_places(open_app: OpenApp, corpus: Path, tmp_path: Path) -> None:
    async with open_app(size=(120, 40)) as person:
        await person.train()
        path = tmp_path / "verses.json"
        person.app.workspace.tokenizer().save(path)
    async with open_app(size=(120, 40), corpus=tmp_path / "nowhere", tokenizer=path) as person:
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        await open_lab(person)
        await person.press("4")
        await person.until_text("no corpus is open to look in")


async def test_the_shortest_run_has_a_curve_of_its_speed(open_app: OpenApp) -> None:
    async with open_app(size=(120, 40)) as person:
        await person.train()
        curve = speed_curve(person.snapshot.trace)
        assert len(curve) >= 2
        assert curve.x[-1] == person.snapshot.merges
        await open_lab(person)
        await person.press("3")
        await person.until_text("merges per second by merges", "an estimated", "diminishing return from")
        assert "one point only" not in person.text()
        assert "not known here" not in person.text()


async def test_a_run_without_pairs_left_says_so_in_place_of_an_estimate(open_app: OpenApp, make_corpus: Any) -> None:
    async with open_app(size=(80, 24), corpus=make_corpus(train="low lower lowest " * 3)) as person:
        await person.train()
        await open_lab(person)
        await person.press("3")
        await person.until(lambda: "no further merges:" in " ".join(person.text().split()), "the reason")
