"""The Lab without a screen: tokenize --replay, stats, curves, compare, compare-sizes, probe, rules."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.analysis.word_lists import WORD_LISTS
from bpe_tui.bpe import reference
from bpe_tui.cli.probe import LISTS

from .conftest import RunCommand

TEXT = "low lower\nslower [low]\n"


@pytest.fixture
def tokenizer(tokenizer_file: Path) -> BPETokenizer:
    return BPETokenizer.from_file(tokenizer_file)


@pytest.fixture
def text_file(at_home: Path) -> Path:
    path = at_home / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.usefixtures("tokenizer_file")
def test_how_a_text_got_to_its_tokens(command: RunCommand, tokenizer: BPETokenizer) -> None:
    lines = command("tokenize", "lower", "--replay").out.splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        "merge 1 1 place [l o] w e r → [lo] w e r",
        "merge 2 1 place [lo w] e r → [low] e r",
        "merge 3 1 place low [e r] → low [er]",
        "merge 4 1 place [low er] → [lower]",
    ]
    told = command("tokenize", TEXT, "--replay", "--json").document["texts"][0]
    lengths = [len(reference.encode(TEXT, tokenizer.merges[:merges])) for merges in range(5)]
    assert [row["length_before"] for row in told["replay"]] == lengths[:-1]
    assert [row["length_after"] for row in told["replay"]] == lengths[1:]
    assert told["replay"][0]["places"] == [0, 4, 11, 18]
    assert command("tokenize", "\x1b]0;\u202elow", "--replay").out.count("\x1b") == 0


@pytest.mark.usefixtures("tokenizer_file")
def test_a_text_as_of_an_earlier_merge(command: RunCommand) -> None:
    assert [line.split()[1] for line in command("tokenize", "lower", "--merges", 2).out.splitlines()] == [
        "low",
        "e",
        "r",
    ]
    assert len(command("tokenize", "lower", "--merges", 0).out.splitlines()) == 5
    wrong = command("tokenize", "lower", "--merges", 5)
    assert wrong.code == 2
    assert "this tokenizer has 4" in wrong.error
    assert command("tokenize", "zoo", "--replay").code == 1


@pytest.mark.usefixtures("tokenizer_file")
def test_figures_of_a_text(command: RunCommand, tokenizer: BPETokenizer, text_file: Path) -> None:
    result = command("stats", "--file", text_file)
    assert result.code == 0, result.err
    assert "Renyi efficiency" in result.out
    document = command("stats", "--file", text_file, "--json", "--alpha", 2).document
    text = document["texts"][0]
    ids = tokenizer.encode(TEXT)
    assert text["tokens"] == len(ids)
    assert text["tokens_per_word"] == len(ids) / 4
    assert {entry["id"] for entry in text["unused"]} == set(range(tokenizer.vocab_size)) - set(ids)
    assert text["renyi_alpha"] == 2
    assert document["vocabulary"]["vocab_size"] == tokenizer.vocab_size
    assert command("stats", "", "--json").document["texts"][0]["tokens_per_word"] is None
    assert command("stats", "low", "--alpha", "-1").code == 2


@pytest.mark.usefixtures("tokenizer_file")
def test_tokenizers_side_by_side(command: RunCommand, tokenizer: BPETokenizer, text_file: Path) -> None:
    BPETokenizer(tokenizer.base_tokens, [("l", "o"), ("o", "w")]).save("other.json")
    names = ("tokenizer/bpe_tokenizer.json", "other.json", "characters", "bytes")
    result = command("compare", *names, "--text", text_file, "--price", 2)
    assert result.code == 0, result.err
    assert "the first 1 are the same, then" in result.out
    document = command("compare", *names, "--text", text_file, "--price", 2, "--json").document
    tokens = [column["text"]["tokens"] for column in document["tokenizers"]]
    assert tokens == [len(tokenizer.encode(TEXT)), len(BPETokenizer.from_file("other.json").encode(TEXT)), 23, 23]
    assert document["tokenizers"][3]["cost"] == 23 * 2 / 1e6
    assert document["partings"][0]["first_merge"] == ["lo", "w"]
    line = document["lines"][0]
    assert "".join(line["segments"]) == "low lower"
    assert [row["tokens"] for row in line["rows"]] == [3, 7]
    shared = document["shared"][0]
    assert shared["both"] + shared["first_only"] == tokenizer.vocab_size


@pytest.mark.usefixtures("tokenizer_file")
def test_a_file_named_like_a_baseline_is_compared_in_full(
    command: RunCommand, tokenizer: BPETokenizer, text_file: Path
) -> None:
    tokenizer.save("bytes.json")
    document = command(
        "compare", "tokenizer/bpe_tokenizer.json", "bytes.json", "characters", "--text", text_file, "--json"
    ).document
    assert [row["name"] for row in document["lines"][0]["rows"]] == ["bpe_tokenizer", "bytes"]
    assert [(pair["first"], pair["second"]) for pair in document["shared"]] == [("bpe_tokenizer", "bytes")]


@pytest.mark.usefixtures("tokenizer_file")
def test_comparisons_that_make_no_sense(command: RunCommand, text_file: Path) -> None:
    assert command("compare", *["bytes"] * 7, "--text", text_file).code == 2
    assert "choose from wordpiece, unigram" in command("compare", "bytes", "--with", "bpe", "--text", text_file).error
    assert "the lines 1 to 2" in command("compare", "bytes", "--line", 3, "--text", text_file).error
    assert command("compare", "missing.json", "--text", text_file).code == 1
    Path("odd.txt").write_text("quark \x1b[0m\n", encoding="utf-8")
    result = command("compare", "tokenizer/bpe_tokenizer.json", "bytes", "--text", "odd.txt")
    assert result.code == 0
    assert "cannot be encoded" in result.err
    assert "\x1b" not in result.out + result.err


def test_four_families_in_one_table(command: RunCommand, tokenizer_file: Path, corpus: Path) -> None:
    pytest.importorskip("tokenizers")
    result = command(
        "compare", tokenizer_file, "bytes", "--text", corpus / "val.txt", "--with", "wordpiece,unigram", "--size", 60,
        "--train", corpus / "train.txt", "--json",
    )  # fmt: skip
    assert result.code == 0, result.err
    kinds = [column["kind"] for column in result.document["tokenizers"]]
    assert kinds == ["character_bpe", "byte_bpe", "WordPiece", "Unigram"]


def test_sizes_side_by_side(command: RunCommand, corpus: Path) -> None:
    result = command("compare-sizes", corpus, "--sizes", "30,25,40")
    assert result.code == 0, result.err
    figures, longest = ([line.split() for line in part.splitlines()] for part in result.out.split("\n\n"))
    assert [line[0] for line in figures] == ["vocabulary", "25", "30", "40"]
    assert [line[0] for line in longest] == ["vocabulary", "25", "30", "40"]
    assert max(map(len, result.out.split("\n\n")[0].splitlines())) <= 80
    document = command(
        "compare-sizes", corpus, "--sizes", "25,30,5000", "--json", "--dimension", 64, "--untied"
    ).document
    rows = document["sizes"]
    assert [row["size"] for row in rows] == [25, 30, 5000]
    train = (corpus / "train.txt").read_text("utf-8")
    characters = set("".join((corpus / f"{name}.txt").read_text("utf-8") for name in ("train", "val", "test")))
    for row in rows:
        alone = BPETokenizer.train(train, row["size"], base_tokens=characters, verbose=False)
        assert row["vocab_size"] == alone.vocab_size
        assert row["sequence_length"] == len(alone.encode(train))
        assert row["embedding_parameters"] == row["vocab_size"] * 64 * 2
    assert document["stop_reason"] is not None
    assert command("compare-sizes", corpus, "--sizes", "3").code == 1
    assert command("compare-sizes", corpus, "--sizes", "many").code == 2


@pytest.mark.usefixtures("tokenizer_file")
def test_words_under_several_tokenizers(command: RunCommand) -> None:
    result = command("probe", "lower", "slow", "zyxwv")
    assert [line.split()[0] for line in result.out.splitlines()] == ["zyxwv", "slow", "lower"]
    assert "cannot encode z y x v" in result.out
    document = command(
        "probe", "lower", "slow", "--tokenizer", "tokenizer/bpe_tokenizer.json", "--tokenizer", "bytes", "--json"
    ).document
    assert document["tokenizers"] == ["bpe_tokenizer", "bytes"]
    assert [[cut["pieces"] for cut in word["cuts"]] for word in document["words"]] == [
        [["lower"], list("lower")], [["s", "low"], list("slow")],
    ]  # fmt: skip
    assert tuple(WORD_LISTS) == LISTS
    built_in = command("probe", "--list", "languages", "--tokenizer", "bytes", "--worst", 3, "--json").document
    assert len(built_in["words"]) == 3
    Path("words.txt").write_text("low\n\nslow\n", encoding="utf-8")
    assert len(command("probe", "--file", "words.txt", "--in-order").out.splitlines()) == 2
    assert len(command("probe", "-", stdin="low\nlower\n").out.splitlines()) == 2


@pytest.mark.usefixtures("tokenizer_file")
def test_the_learned_rules(command: RunCommand, tokenizer: BPETokenizer, text_file: Path) -> None:
    assert [line.split()[-1] for line in command("rules").out.splitlines()] == ["lo", "low", "er", "lower"]
    assert [line.split()[-1] for line in command("rules", "len:>2").out.splitlines()] == ["low", "lower"]
    assert [line.split()[-1] for line in command("rules", "/^e/").out.splitlines()] == ["er"]
    none = command("rules", "xyz")
    assert (none.code, none.out) == (0, "")
    assert "no merge matches" in none.err
    limited = command("rules", "--limit", 1)
    assert len(limited.out.splitlines()) == 1
    assert "3 more" in limited.err
    document = command("rules", "--token", "low", "--file", text_file, "--json").document
    assert [entry["token"] for entry in document["built_on_it"]] == ["lower"]
    assert [place["offset"] for place in document["places"]] == [0, 18]
    assert "part of 1 merge; 1 token is built on it" in command("rules", "--id", tokenizer.stoi["low"]).out
    assert command("rules", "--token", "wol").code == 1
    assert command("rules", "x", "--token", "low").code == 2
    assert command("rules", "--file", text_file).code == 2
    assert command("rules", "/(/").code == 2


@pytest.mark.usefixtures("tokenizer_file")
def test_curves_in_the_terminal_and_in_files(command: RunCommand, corpus: Path) -> None:
    result = command(
        "curves", "--file", corpus / "val.txt", "--size", 30, "--width", 60, "--csv", "c.csv", "--svg", "c.svg"
    )
    assert result.code == 0, result.err
    assert all(name in result.out for name in ("characters per token", "pair frequency", "merges per second"))
    rows = list(csv.reader(io.StringIO(Path("c.csv").read_text("utf-8"))))
    assert rows[0] == ["merges", "characters per token", "pair frequency", "merges per second"]
    assert rows[1][:2] == ["0", "1"]
    ElementTree.fromstring(Path("c.svg").read_text("utf-8"))
    assert command("curves", "low lower", "--width", 60, "--ascii").out.isascii()
    document = command("curves", "low lower", "--json").document
    assert document["curves"][0]["y"] == [1.0, 9 / 7, 9 / 5, 9 / 4, 3.0]
    assert document["gains"][-1]["merges"] == 4
    assert command("curves", "low", "--at", 5).code == 2
    assert command("curves", "").code == 2
    assert "a folder stands there" in command("curves", "low", "--svg", ".").error
