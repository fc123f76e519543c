"""A person sets tokenizers side by side in the Lab, and probes words with them."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.analysis.baselines import baseline
from bpe_tui.analysis.comparison import compare, cost, parting, shared_tokens
from bpe_tui.analysis.probe import probe, worst_first
from bpe_tui.analysis.word_lists import WORD_LISTS
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.tui.lab import sides_work

OpenApp = Callable
SIZES = [(80, 24), (200, 50)]


@pytest.fixture
def gpt2(tmp_path: Path) -> Path:
    """A small tokenizer in GPT-2's two files."""
    folder = tmp_path / "gpt2"
    text = "the water, the größe, and the low lower lowest river " * 20
    ByteBPETokenizer.train(text, 300, verbose=False).save(folder / "encoder.json", format="gpt2")
    return folder / "vocab.bpe"


async def open_tab(person: Any, number: int, *words: str) -> None:
    await person.press("L")
    await person.until(lambda: person.app.lab is not None and person.app.lab.is_mounted, "the Lab")
    await person.press(str(number))
    await worked_out(person)
    await person.until_text("bpe-tui lab", *words)


async def worked_out(person: Any) -> None:
    """Wait until nothing is loaded, encoded or asked for any more."""

    def rests() -> bool:
        keeper = person.app.lab.sides
        lacking = keeper._next_probe if person.app.lab.tab == "probe" else keeper._next_side
        return keeper._step is None and not keeper.asking and lacking() is None

    await person.until(rests, "the figures")


async def add_file(person: Any, path: Path) -> None:
    await person.press("a")
    await person.until_text("Set a tokenizer beside", "from a file")
    await person.press("enter")
    await person.until_text("tab completes")
    await person.press("ctrl+k")
    await person.paste(str(path))
    await person.press("enter")


async def add_baseline(person: Any, name: str) -> None:
    await person.press("a")
    await person.until_text("Set a tokenizer beside", "from a file")
    await person.press(*["down"] * (1 if name == "characters" else 2), "enter")
    await person.until(lambda: person.app.sides.added and person.app.sides.added[-1].name == name, name)
    await worked_out(person)


def row(person: Any, name: str) -> list[str]:
    """The words of the line of the table that ends in a name."""
    lines = [line.split() for line in person.text().splitlines()[4:]]
    return next(
        [word for word in line if word != "▸"] for line in lines if " ".join(line).endswith(name) and len(line) > 3
    )


@pytest.mark.parametrize("size", SIZES)
async def test_figures_are_those_of_the_analysis(open_app: OpenApp, gpt2: Path, verses: str, size: Any) -> None:
    async with open_app(size=size) as person:
        await person.train()
        await open_tab(person, 6, "a sets another tokenizer beside it")
        await add_file(person, gpt2)
        await person.until_text("gpt2/vocab")
        await worked_out(person)
        await add_baseline(person, "characters")
        await add_baseline(person, "bytes")

        here, other = person.app.workspace.tokenizer(), BPETokenizer.from_file(gpt2)
        text = verses[:100_000]
        named = [("at hand", here), ("gpt2/vocab", other)]
        named += [(name, baseline(name, text)) for name in ("characters", "bytes")]
        for column in compare(named, text):
            figures = column.statistics
            assert figures is not None
            assert row(person, column.name)[:4] == [
                f"{column.vocab_size:,}",
                f"{figures.tokens:,}",
                f"{figures.bytes_per_token:.3f}",
                f"{figures.tokens_per_word:.3f}",
            ]

        await person.press("c")
        await person.until_text("a million tokens cost")
        await person.type("2,5")
        await person.press("enter")
        await person.until_text("that is no number: 2.5 is one")
        await person.press("ctrl+u")
        await person.type("2.5")
        await person.press("enter")
        await person.until_text("2.5 per million tokens", "cost")
        tokens = len(other.encode(text))
        assert row(person, "gpt2/vocab")[4] == f"{cost(tokens, 2.5):.4f}"

        shared, part = shared_tokens(here, other), parting(here, other)
        await person.press("down")
        await person.until_text(
            f"{shared.both:,} tokens in both", f"{shared.first_only:,}", f"part at merge {part.rank + 1}"
        )


async def test_lines_are_cut_above_one_another(open_app: OpenApp, gpt2: Path, verses: str) -> None:
    async with open_app(size=(120, 40)) as person:
        await person.train()
        await open_tab(person, 6, "line 1 of")
        await add_file(person, gpt2)
        await person.until_text("gpt2/vocab")
        await worked_out(person)
        await add_baseline(person, "characters")
        await person.press("right", "right")
        await person.until_text("line 3 of 400")
        line = verses.splitlines()[2]
        other = BPETokenizer.from_file(gpt2)
        await person.until_text(f"{len(line)}  each character is a token")
        shown = [found.split()[:2] for found in person.text().splitlines()]
        assert ["gpt2/vocab", str(len(other.encode(line)))] in shown

        await person.press("end")
        await person.until_text("line 400 of 400")
        await person.press("g", "1", "7", "enter")
        await person.until_text("line 17 of 400")
        await person.press("home", "left")
        await person.until_text("line 1 of 400")


async def test_another_text_and_the_line_that_was_typed(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await open_tab(person, 6, "on the training text: ")
        for name in ("the validation split", "the test split"):
            await person.press("p")
            await worked_out(person)
            await person.until_text(f"on {name}: ")
        await person.press("i", "backspace")
        await person.type("low lower water")
        await person.press("escape", "6", "p")
        await worked_out(person)
        await person.until_text("on the line: 15 characters, 3 words")
        await person.press("i", "backspace", "escape", "6")
        await worked_out(person)
        await person.until_text("the line is empty")


async def test_sides_are_taken_away_and_outlive_the_lab(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await open_tab(person, 6)
        await add_baseline(person, "characters")
        await add_baseline(person, "bytes")
        await person.press("a", "down", "enter")
        await person.until_text("characters: stands here already")
        await person.press("escape")
        await person.press("down", "d")
        await person.until(lambda: [side.name for side in person.app.sides.added] == ["bytes"], "one side less")
        await person.press("escape")
        await open_tab(person, 6, "bytes")
        assert "characters  " not in person.text()
        await person.press("up", "up", "d")
        await person.until_text("the tokenizer at hand stays")


async def test_a_broken_file_is_told_in_the_tab(open_app: OpenApp, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"type": "character_bpe", "merges": [\x1b')
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await open_tab(person, 6)
        await add_file(person, path)
        await person.until_text("not valid JSON")
        await worked_out(person)
        assert person.app.sides.said
        assert not person.app.sides.added
        assert "\x1b" not in person.text()
        await person.press("p")
        await worked_out(person)


async def test_a_text_that_one_cannot_encode_leaves_the_others_their_figures(open_app: OpenApp, tmp_path: Path) -> None:
    path = tmp_path / "few.json"
    BPETokenizer("abc", []).save(path)
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await open_tab(person, 6)
        await add_file(person, path)
        await person.until_text("few")
        await worked_out(person)
        await person.press("down")
        await person.until_text("few: no base token for", "cannot encode this line", "tokens in both")
        assert row(person, "at hand")[1].replace(",", "").isdigit()


async def test_what_takes_long_is_stopped_and_begun_again(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    find = sides_work.find
    waiting = threading.Event()

    def endless(side: Any, passage: Any, report: Any) -> Any:
        while not waiting.wait(0.005):
            report("encoding", 41, 100)
        return find(side, passage, report)

    async with open_app(size=(80, 24)) as person:
        await person.train()
        monkeypatch.setattr(sides_work, "find", endless)
        await person.press("L")
        await person.until_text("how it got there")
        await person.press("6")
        await person.until_text("at hand: encoding, 41% (ctrl+c stops)")
        await person.press("ctrl+c")
        await person.until_text("stopped: r goes on")
        assert person.app.sides.found == {}
        waiting.set()
        await person.press("r")
        await worked_out(person)
        await person.until(lambda: "stopped" not in person.text() and row(person, "at hand"), "the figures")


async def test_loading_is_stopped(open_app: OpenApp, gpt2: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(path: Path, split: Any, report: Any) -> Any:
        never = threading.Event()
        while not never.wait(0.005):
            report("reading the tokenizer", 0, 0)

    monkeypatch.setattr(sides_work, "load_side", endless)
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await open_tab(person, 6)
        await add_file(person, gpt2)
        await person.until_text("loading vocab.bpe: reading the tokenizer", "ctrl+c stops")
        await person.press("ctrl+c")
        await person.until_text("loading vocab.bpe: stopped")
        assert not person.app.sides.added


async def test_families_are_trained_or_say_what_they_need(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await open_tab(person, 6)
        with monkeypatch.context() as without:
            without.setattr(sides_work, "why_no_families", lambda: "needs the package tokenizers")
            await person.press("a", "end", "enter")
            await person.until_text("unigram: needs the package tokenizers")
            await person.press("escape")
        if importlib.util.find_spec("tokenizers") is None:
            return
        await person.press("a", "end", "up", "enter")
        await person.until_text("Train wordpiece", "trained on the training text")
        await person.press("enter")
        await person.until(lambda: person.app.sides.added, "WordPiece")
        await worked_out(person)
        await person.until_text("wordpiece")
        assert person.app.sides.found["wordpiece"].column.statistics.tokens > 0


async def test_it_follows_a_run_and_works_without_one(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await open_tab(person, 6, "no tokenizer yet: t trains one", "a sets a tokenizer here")
        await add_baseline(person, "characters")
        await person.until_text("characters", "1.000")
        await person.press("7")
        await person.until_text("no tokenizer yet")
        await person.press("6", "t")
        await person.until(lambda: person.snapshot.state.ended, "the end of training")
        await person.until(lambda: "at hand" in person.app.sides.found, "the tokenizer at hand")
        await worked_out(person)
        tokens = len(person.app.workspace.tokenizer().encode(person.app.workspace.training_text()))
        await person.until_text(f"{tokens:,}", "shared (")


@pytest.mark.parametrize("size", SIZES)
async def test_words_and_their_pieces(open_app: OpenApp, gpt2: Path, tmp_path: Path, size: Any) -> None:
    async with open_app(size=size) as person:
        await person.train()
        await open_tab(person, 6)
        await add_file(person, gpt2)
        await person.until_text("gpt2/vocab")
        await worked_out(person)
        await person.press("7")
        await person.until_text("words: 14", "most tokens per character first", "pieces")
        other = BPETokenizer.from_file(gpt2)
        here = person.app.workspace.tokenizer()
        expected = worst_first(probe([("at hand", here), ("gpt2", other)], WORD_LISTS["words"]))
        await person.until_text(expected[0].word[:12])

        await person.press("w", "enter")
        await person.until_text("blanks between them")
        await person.type("lowest zzz water")
        await person.press("enter")
        await person.until_text("typed: 3")
        await person.press("b")
        await person.until_text("in their order")
        cut = probe([("gpt2", other)], ["lowest"])[0].cuts[0]
        await person.press("home", "down")
        pieces = "│".join(piece.decode() for piece in cut.pieces)
        tokens = "1 token" if len(cut.ids) == 1 else f"{len(cut.ids)} tokens"
        await person.until_text(pieces, f"gpt2/vocab: {tokens}")
        await person.press("d")
        await person.until(lambda: "gpt2/vocab" not in person.text(), "one tokenizer less")

        words = tmp_path / "words.txt"
        words.write_text("river\nthe low\n\x1b[31m\n", encoding="utf-8")
        await person.press("w", "down", "enter")
        await person.until_text("tab completes")
        await person.press("ctrl+k")
        await person.paste(str(words))
        await person.press("enter")
        await person.until_text("words.txt: 3", "the·low", "\\x1b[31m", "cannot encode")
        assert "\x1b" not in person.text()


async def test_a_long_list_of_words_scrolls(open_app: OpenApp, tmp_path: Path) -> None:
    words = tmp_path / "many.txt"
    words.write_text("".join(f"water{number}\n" for number in range(3_000)), encoding="utf-8")
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await open_tab(person, 7, "words: 14")
        await person.press("w", "down", "enter")
        await person.until_text("tab completes")
        await person.press("ctrl+k")
        await person.paste(str(words))
        await person.press("enter")
        await person.until_text("many.txt: 3,000")
        await person.press("b", "end")
        await person.until_text("water2999")
        await person.press("b")
        await person.until_text("most tokens per character first", "water0")
