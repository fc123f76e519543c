"""`count`: files, folders, standard input, and a text cut to so many tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui import BPETokenizer

from .conftest import RunCommand

pytestmark = pytest.mark.usefixtures("tokenizer_file")


@pytest.fixture
def tokenizer(tokenizer_file: Path) -> BPETokenizer:
    return BPETokenizer.from_file(tokenizer_file)


def test_files_folders_and_standard_input(command: RunCommand, tokenizer: BPETokenizer) -> None:
    texts = {"a/one.txt": "low lower\n", "a/b/two.txt": "slower\nlow", "three.txt": ""}
    for name, text in texts.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    Path("a/.hidden").write_text("no", encoding="utf-8")
    result = command("count", "three.txt", "a")
    assert result.code == 0, result.err
    assert [line.split()[-1] for line in result.out.splitlines()[1:4]] == ["three.txt", "a/one.txt", "a/b/two.txt"]
    assert "a: 1 hidden file or folder is left out" in result.err
    document = command("count", "a", "three.txt", "--json").document
    counted = {entry["source"]: entry for entry in document["files"]}
    for name, text in texts.items():
        assert counted[name]["tokens"] == len(tokenizer.encode(text))
        assert counted[name]["words"] == len(text.split())
        assert counted[name]["characters"] == len(text)
    assert document["total"]["tokens"] == sum(len(tokenizer.encode(text)) for text in texts.values())
    assert document["total"]["lines"] == 3
    total = command("count", "a", "three.txt", "--total").out.splitlines()
    assert len(total) == 2
    assert total[1].split()[0] == str(document["total"]["tokens"])


def test_standard_input(command: RunCommand) -> None:
    assert command("count", stdin="low lower low").out.splitlines()[1].split()[:5] == ["5", "3", "1", "13", "13"]
    assert command("count", "-", "--json", stdin="low").document["total"]["tokens"] == 1
    assert command("count", "-", "--merges", 0, "--json", stdin="low").document["total"]["tokens"] == 3


def test_what_cannot_be_counted_is_named_and_the_rest_counted(command: RunCommand) -> None:
    Path("good.txt").write_text("low", encoding="utf-8")
    Path("bad.txt").write_text("quark", encoding="utf-8")
    Path("bytes.txt").write_bytes(b"low \xff low")
    result = command("count", "bad.txt", "good.txt", "bytes.txt", "missing.txt", "--json")
    assert result.code == 1
    assert "3 of 4 files could not be counted; the first: bad.txt: the text cannot be encoded" in result.error
    assert "not counted: missing.txt" in result.err
    document = result.document
    assert [entry["source"] for entry in document["failed"]] == ["bad.txt", "bytes.txt", "missing.txt"]
    assert document["total"] == {"files": 1, "tokens": 1, "words": 1, "lines": 1, "characters": 3, "bytes": 3}


def test_thousands_of_files(command: RunCommand) -> None:
    Path("many").mkdir()
    for number in range(2000):
        Path(f"many/{number:04}.txt").write_bytes(b"low lower ")
    document = command("count", "many", "--total", "--json").document
    assert document["total"]["files"] == 2000
    assert document["total"]["tokens"] == 2000 * 4
    assert document["files"] == []


def test_a_text_is_cut_where_a_token_ends(command: RunCommand, tokenizer: BPETokenizer) -> None:
    text = "lower low\nslow "
    tokens = tokenizer.encode_tokens(text)
    for most in (1, 3, len(tokens), 100):
        result = command("count", "--max", most, stdin=text)
        assert result.out == "".join(tokens[:most])
    document = command("count", "--max", 2, "--json", stdin=text).document
    assert document["text"] == "lower "
    assert (document["tokens"], document["characters"], document["of_characters"]) == (2, 6, 15)
    assert command("count", "a", "b", "--max", 2).code == 2
    assert command("count", "--max", 0, stdin=text).code == 2


def test_hostile_names_do_not_reach_the_terminal(command: RunCommand) -> None:
    Path("a\x1b[31m.txt").write_text("low", encoding="utf-8")
    Path("\u202eb.txt").write_text("\x1b\u202e[/red]zzz", encoding="utf-8")
    result = command("count", "a\x1b[31m.txt", "\u202eb.txt")
    assert "\x1b" not in result.out + result.err
    assert "\u202e" not in result.out + result.err
