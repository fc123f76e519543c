"""A person takes a tokenizer apart in the Lab."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.lab import open_lab, write

from bpe_tui import BPETokenizer
from bpe_tui.analysis import prefix
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer

OpenApp = Callable


async def test_without_a_tokenizer_it_says_what_to_do(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await open_lab(person, "no tokenizer yet: t trains one", "[ ]", "newest-widest")
        await person.press("left", "home", "g", "escape", "c", "down", "pagedown", "tab", "shift+tab", "1")
        await person.press("t")
        await person.until_text("how it got there", "vocabulary")
        await person.press("escape")
        await person.until(lambda: person.app.screen is person.app.main, "the main screen")


async def test_help_in_the_lab_begins_with_its_keys(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await open_lab(person)
        await person.press("question_mark")
        await person.until_text("In the Lab", "Text, Statistics: turn the dial")


async def test_the_dial_shows_the_text_as_of_any_merge(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.train()
        tab = await open_lab(person, "how it got there")
        whole = person.app.workspace.tokenizer()
        await write(person, "the water and")
        merges = len(whole.merges)
        assert tab.merges == merges
        assert f"{len(whole.encode('the water and'))} tokens  of 13 characters" in person.text()

        for keys, expected in [
            (["home"], 0),
            (["right"] * 3, 3),
            (["shift+right"], 3 + merges // 10),
            (["left"], 2 + merges // 10),
            (["end"], merges),
            (["g", "4", "0", "enter"], 40),
        ]:
            await person.press(*keys)
            await person.until(lambda wanted=expected: tab.merges == wanted, f"merge {expected}")
            smaller = prefix(whole, expected)
            ids = smaller.encode("the water and")
            await person.until_text(f"vocabulary {smaller.vocab_size}", f"{len(ids)} tokens  of 13 characters")
            assert " ".join(map(str, ids)) in " ".join(person.text().split("id     ")[1].splitlines()[0].split())

        await person.press("c")
        await person.until_text("after 40", "now", "change")
        await person.pilot.click("#lab-dial", offset=(7, 0))
        assert tab.merges == 0


async def test_switching_samples_trains_at_once(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await open_lab(person)
        for _ in range(2):
            before = person.app.workspace.run
            await person.press("right_square_bracket")
            await person.until(lambda run=before: person.app.workspace.run not in {None, run}, "another run")
        await person.until(lambda: person.snapshot.state.ended, "the end of training")
        assert person.app.workspace.corpus.splits.name == "low-lower-lowest"
        await person.until_text("low-lower-lowest", "4 merges, done", "how it got there")
        await write(person, "lowest low")
        await person.until_text("step 3 of 3")
        await person.press("up", "up")
        await person.until_text("step 1 of 3")
        await person.press("pageup")
        await person.until_text("step 0 of 3, 10 tokens")


async def test_a_target_that_one_sample_needs_is_not_that_of_the_next(open_app: OpenApp) -> None:
    async with open_app() as person:
        await open_lab(person)
        wanted = person.app.workspace.settings.target_vocab_size
        await person.press("left_square_bracket")
        await person.until_text("many-scripts")
        await person.until(lambda: person.app.workspace.settings.target_vocab_size > wanted, "the target raised")
        await person.until(lambda: person.snapshot.merges > 0 and person.snapshot.state.ended, "the end of training")
        before = person.app.workspace.run
        await person.press("left_square_bracket")
        await person.until(lambda: person.app.workspace.run not in {None, before}, "another run")
        assert person.app.workspace.settings.target_vocab_size == wanted
        assert person.app.workspace.run.settings.target_vocab_size == wanted


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_tokens_of_bytes_and_text_from_anywhere(open_app: OpenApp, tmp_path: Path, size: Any) -> None:
    tokenizer = ByteBPETokenizer.train("the water, the größe, the low lower lowest " * 20, 300, verbose=False)
    path = tmp_path / "bytes.json"
    tokenizer.save(path)
    async with open_app(size=size, tokenizer=path) as person:
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        await open_lab(person, "how it got there")
        await person.press("i", "backspace")
        await person.paste("the ö\x1b[31m 日")
        await person.press("escape", "home")
        await person.until_text("0 of", "\\xc3", "\\x1b")
        assert "\x1b" not in person.text()
        await person.until_text("characters/token")


async def test_characters_without_a_base_token_are_named(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await open_lab(person, "how it got there")
        await write(person, "low %")
        await person.until_text("no base token for %")
        await write(person, "")
        assert person.app.lab is not None


def test_a_story_agrees_with_every_prefix() -> None:
    from bpe_tui.tui.lab.story import Story

    text = "the water and the river, the low lower lowest\n" * 3
    for whole in (
        BPETokenizer.train(text, 60, 2, verbose=False),
        ByteBPETokenizer.train(text, 300, verbose=False),
        WordBPETokenizer.train(text, 60, verbose=False),
    ):
        story = Story(whole, "the lowest water lower and")
        for merges in range(len(whole.merges) + 1):
            assert story.ids(merges) == prefix(whole, merges).encode(story.text)


async def test_curves_are_drawn_told_and_exported(open_app: OpenApp, own_place: Path) -> None:
    async with open_app(size=(80, 24)) as person:
        await open_lab(person)
        await person.press("3")
        await person.until_text("no tokenizer yet: t trains one")
        await person.press("e")
        assert "there are no curves to export yet" in person.toasts()
        await person.press("t")
        await person.until_text("diminishing return from", "the next 1,000 merges", "characters per token by merges")
        await person.until_text("pair frequency by merges", "└──")
        await person.until(lambda: person.snapshot.state.ended, "the end of training")
        for name, start in [("curves.svg", "<svg"), ("curves.csv", "merges,characters per token,pair frequency")]:
            await person.press("e")
            await person.until_text("Export curves")
            await person.press("home", "ctrl+k")
            await person.type(name)
            await person.press("enter")
            await person.until((own_place / name).exists, "the file")
            assert (own_place / name).read_text().startswith(start)
        table = (own_place / "curves.csv").read_text().splitlines()
        assert len(table) == person.snapshot.merges + 2


async def test_rules_are_searched_and_laid_open(open_app: OpenApp) -> None:
    async with open_app(size=(120, 40)) as person:
        await person.train()
        await open_lab(person)
        await person.press("4")
        await person.until_text("left + right → token", "parts, down to characters")
        await person.press("slash")
        await person.type("er")
        await person.press("enter")
        await person.until(lambda: f"of {person.snapshot.merges}" in person.text(), "the count of what was found")
        await person.press("home")
        await person.until_text("token", "e + r → er", "part of 1", "later tokens", "merges build on it")
        await person.press("enter", "end")
        await person.until_text("rules")
        await person.press("enter")
        await person.until_text("made by merge")
        await person.press("backspace", "escape", "escape")
        await person.until(lambda: person.app.screen is person.app.main, "the main screen")


async def test_statistics_of_the_line_and_of_the_training_text(open_app: OpenApp, verses: str) -> None:
    async with open_app(size=(200, 50)) as person:
        await person.train()
        await open_lab(person, "how it got there")
        await write(person, "the water and the river")
        await person.press("2")
        await person.until_text("figures of the line", "The vocabulary", "Rényi efficiency", "tokens/word", "Latin")
        await person.until(lambda: any(line.split()[:2] == ["words", "5"] for line in person.text().splitlines()))
        await person.press("p", "p")
        await person.until_text("figures of the training text", f"{len(verses):,}")


async def test_a_tokenizer_without_merges_says_so_on_every_tab(open_app: OpenApp, tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    BPETokenizer("abc", []).save(path)
    async with open_app(size=(80, 24), tokenizer=path) as person:
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        await open_lab(person, "0 of 0")
        for key in "1234":
            await person.press(key, "left", "c", "slash", "escape", "p", "up", "c")
            if person.app.lab is None:
                await open_lab(person)
        await person.press("4")
        await person.until_text("no merges")


async def test_the_lab_follows_a_run(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.press("v", "v", "v")
        tab = await open_lab(person)
        await person.press("t")
        await person.until(lambda: tab.total > 1, "the first merges")
        for key in "3412":
            await person.press(key)
            before = person.snapshot.merges
            await person.until(lambda more=before: person.snapshot.merges > more, "more merges")
        await person.press("x")
        await person.until(lambda: person.snapshot.state.ended, "the end")
        await person.press("1")
        await person.until(lambda: tab.total == person.snapshot.merges, "the last merge")
        assert tab.merges == tab.total


async def test_a_tokenizer_that_no_merges_explain_still_shows_its_tokens(open_app: OpenApp, tmp_path: Path) -> None:
    vocabulary = {"[UNK]": 0, "the": 1, "water": 2, "##s": 3}
    model = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": vocabulary,
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(
        json.dumps({"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"}, "model": model})
    )
    async with open_app(size=(80, 24), tokenizer=path) as person:
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        await open_lab(person)
        await write(person, "the waters")
        await person.until_text("is not made of merges", "the water ##s")
        await person.press("right", "c", "down", "3")
        await person.until_text("is not made of merges")
        await person.press("2")
        await person.until_text("The text", "tokens/word")
        await person.press("4")
        await person.until_text("is not made of merges")


async def test_keys_in_a_hurry_lead_to_the_last_sample_asked_for(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await open_lab(person)
        await person.pilot.press("left_square_bracket", "left_square_bracket", "left_square_bracket")
        await person.until(
            lambda: person.snapshot.merges and person.app.workspace.corpus.splits.name == "newest-widest",
            "the third sample from the end",
        )
        await person.until_text("newest-widest", "done", "how it got there")
