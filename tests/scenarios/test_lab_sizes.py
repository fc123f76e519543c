"""A person compares vocabulary sizes in the Lab."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.lab import open_lab

from bpe_tui import BPETokenizer
from bpe_tui.__main__ import main
from bpe_tui.analysis import prefix
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer

OpenApp = Callable


async def until_said(person: Any, *words: str) -> None:
    """Wait for sentences, wherever their lines are broken."""
    await person.until(lambda: all(word in " ".join(person.text().split()) for word in words), f"the words {words}")


def table_of(screen: str) -> list[list[str]]:
    """The rows of the table of sizes, figures without marks for thousands."""
    lines = screen.splitlines()
    head = next(place for place, line in enumerate(lines) if line.split()[:1] == ["vocabulary"])
    rows = []
    for line in lines[head + 1 :]:
        if not line.strip():
            break
        rows.append(line.replace(",", "").split())
    return rows


@pytest.fixture
def expected(corpus: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What the command says of the same corpus."""
    command = ["compare-sizes", str(corpus), "--sizes", "60,100,240,500", "--dimension", "64", "--untied"]
    assert main([*command, "--context", "32", "--longest", "1", "--json"]) == 0
    figures: dict[str, Any] = json.loads(capsys.readouterr().out)
    return figures


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_sizes_are_those_that_the_command_gives(open_app: OpenApp, expected: dict[str, Any], size: Any) -> None:
    async with open_app(size=size) as person:
        await person.train()
        await open_lab(person)
        await person.press("5", "z")
        await person.paste("60,100,240,500")
        await person.press("enter", "d")
        await person.type("64")
        await person.press("enter", "k")
        await person.type("32")
        await person.press("enter", "u")
        await until_said(person, "untied: two matrices", "× 64", "32 tokens of validation text")
        rows = table_of(person.text())
        assert len(rows) == len(expected["sizes"]) == 4
        tokenizer = person.app.workspace.tokenizer()
        for row, figures in zip(rows, expected["sizes"], strict=True):
            at = 0 if size[0] < 100 else 1
            assert row[0] == str(figures["vocab_size"])
            assert row[at] == (row[0] if not at else str(figures["merges"]))
            assert float(row[at + 1]) >= 0
            assert row[at + 2 : at + 7] == [
                str(figures["sequence_length"]),
                f"{figures['compression_factor']:.3f}",
                f"{figures['validation_compression_factor']:.3f}",
                str(figures["embedding_parameters"]),
                f"{figures['context_characters']:.0f}",
            ]
            longest = figures["longest_tokens"][0]
            assert tokenizer.tokens[longest["id"]] == longest["token"]
            shown = longest["token"].replace(" ", "·").replace("\n", "⏎")
            assert shown in person.text().split("longest tokens")[1]
        seconds = [float(row[at + 1]) for row in rows]
        assert seconds == sorted(seconds)


async def test_what_cannot_be_read_is_told_and_what_stood_there_stays(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await open_lab(person)
        await person.press("5")
        await until_said(person, "validation text")
        before = table_of(person.text())
        await person.press("z")
        await person.paste("100,x7")
        await person.until_text("a vocabulary size must be a whole number, not 'x7'")
        assert table_of(person.text()) == before
        await person.press("ctrl+u")
        await person.paste("1,000")
        await until_said(person, "must be at least 1: the thousands of a size have no comma")
        await person.press("ctrl+u")
        await person.paste("5 100 99999")
        await until_said(person, "below the base vocabulary of", "not reached, the largest is")
        base = person.snapshot.base_size
        reached = person.snapshot.vocab_size
        assert [row[0] for row in table_of(person.text())] == [str(base), "100", str(reached)]
        await person.press("ctrl+u", "enter")
        await person.until(lambda: table_of(person.text()) == before, "the sizes that suggest themselves")
        await person.press("d", "0")
        await person.until_text("the dimension must be at least 1")
        await person.press("backspace", "8", "escape")
        await person.until_text("× 8,")
        before_click = table_of(person.text())
        await person.pilot.click("#lab-tied")
        await person.until_text("untied: two matrices")
        doubled = table_of(person.text())
        assert [int(row[5]) for row in doubled] == [2 * int(row[5]) for row in before_click]


async def test_sizes_fill_while_a_run_goes_on(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await open_lab(person)
        await person.press("5")
        await person.until_text("no tokenizer yet: t trains one")
        await person.press("v", "v", "v", "t")
        await until_said(person, "not yet", "measured when the run rests", "tokens of training text")
        await person.press("space")
        await person.until(lambda: person.snapshot.state.value == "paused", "the pause")
        await until_said(person, "tokens of validation text")
        assert "not yet" in person.text()
        await person.press("V", "V", "V", "V", "space")
        await person.until(lambda: person.snapshot.state.ended, "the end of training")
        await person.until(lambda: "not yet" not in person.text(), "the last size")
        await until_said(person, "tokens of validation text")
        rows = table_of(person.text())
        assert rows[-1][0] == str(person.snapshot.vocab_size)
        assert float(rows[-1][3]) == pytest.approx(person.snapshot.compression_factor, abs=0.001)


async def test_sizes_of_a_tokenizer_from_a_file(open_app: OpenApp, tmp_path: Path, verses: str) -> None:
    whole = ByteBPETokenizer.train(verses, 600, verbose=False)
    path = tmp_path / "bytes.json"
    whole.save(path)
    async with open_app(size=(200, 50), tokenizer=path) as person:
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        await open_lab(person)
        await person.press("5")
        await until_said(person, "tokens of validation text")
        rows = {int(row[0]): row for row in table_of(person.text())}
        assert set(rows) == {300, 500, 600}
        for size, row in rows.items():
            smaller = prefix(whole, size - 256)
            tokens = len(smaller.encode(verses))
            assert row[1:5] == [str(size - 256), "–", str(tokens), f"{len(verses) / tokens:.3f}"]
            assert row[6] == str(128 * size)


async def test_a_validation_text_that_cannot_be_encoded_is_told(open_app: OpenApp, tmp_path: Path, verses: str) -> None:
    path = tmp_path / "narrow.json"
    BPETokenizer.train(verses.replace("w", ""), 60, 2, verbose=False).save(path)
    async with open_app(size=(80, 24), tokenizer=path) as person:
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        await open_lab(person)
        await person.press("5")
        await person.until_text("validation: ", "vocabulary", "'w'")
        assert table_of(person.text())[-1][2] == "–"
