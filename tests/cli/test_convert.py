"""`bpe-tui convert`: the same ids in another format, or a refusal that says where they would differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.formats.detection import Format

from .conftest import CORPUS, RunCommand, files_below

TEXT = CORPUS["train"] + "the naïve café 漢字 🙂 <|end|>\n" * 5


@pytest.fixture
def source(at_home: Path) -> Path:
    """A byte-level tokenizer in its own format."""
    tokenizer = ByteBPETokenizer.train(TEXT, 300, verbose=False, ties="bytes", special_tokens=("<|end|>",))
    tokenizer.save(at_home / "source.json")
    return at_home / "source.json"


@pytest.mark.parametrize(
    ("target", "name", "files"),
    [
        ("out/tokenizer.json", "huggingface", ["out/tokenizer.json"]),
        ("out/pair", "gpt2", ["out/pair/merges.txt", "out/pair/vocab.json"]),
        ("out/vocab.bpe", "gpt2", ["out/encoder.json", "out/vocab.bpe"]),
        ("out/x.model", "minbpe", ["out/x.model"]),
        ("out/x.json", "bpe-tui", ["out/x.json"]),
    ],
)
def test_there_and_back_again(
    command: RunCommand, at_home: Path, source: Path, target: str, name: str, files: list[str]
) -> None:
    done = command("convert", source, target, "--json")
    assert done.code == 0, done.err
    assert done.document["format"] == name
    assert sorted(entry["file"] for entry in done.document["files"]) == files
    assert sorted(str(path) for path in files_below(at_home) if path.startswith("out/")) == files
    assert done.document["checked_by"][0] == "bpe-tui"
    assert done.document["compared_characters"] > 1000
    back = command("convert", target, "back.json", "--json")
    assert back.code == 0, back.err
    before, after = BPETokenizer.from_file(source), BPETokenizer.from_file(at_home / "back.json")
    assert after.fingerprint() == before.fingerprint()


def test_to_tiktoken_special_tokens_must_be_left_out_knowingly(
    command: RunCommand, at_home: Path, source: Path
) -> None:
    refused = command("convert", source, "x.tiktoken")
    assert refused.code == 1
    assert "x.tiktoken" in refused.error
    assert "'<|end|>' (id 2" in refused.error
    assert not (at_home / "x.tiktoken").exists()
    done = command("convert", source, "x.tiktoken", "--without-special")
    assert done.code == 0
    assert "not in the file: special token <|end|>, id 2" in done.out
    assert "not in the file: the splitting rule gpt2" in done.out
    back = command("convert", "x.tiktoken", "back.json")
    assert back.code == 1
    assert "give one of none, whitespace, gpt2" in back.error
    back = command("convert", "x.tiktoken", "back.json", "--split", "gpt2")
    assert back.code == 0
    ours = BPETokenizer.from_file(source)
    assert BPETokenizer.from_file(at_home / "back.json").encode(TEXT) == ours.encode(TEXT)


def test_the_programs_they_are_meant_for_are_asked(command: RunCommand, source: Path) -> None:
    pytest.importorskip("tokenizers")
    pytest.importorskip("tiktoken")
    done = command("convert", source, "tokenizer.json", "--json")
    assert done.document["checked_by"] == ["bpe-tui", "tokenizers"]
    done = command("convert", source, "x.tiktoken", "--json", "--without-special")
    assert done.document["checked_by"] == ["bpe-tui", "tiktoken"]
    assert done.document["special_tokens_left_out"] == BPETokenizer.from_file(source).special_tokens


def test_the_first_difference_is_named_and_nothing_is_written(command: RunCommand, at_home: Path, source: Path) -> None:
    # minbpe's own reader drops what a pattern does not match; so does tiktoken, and convert finds out.
    pytest.importorskip("tiktoken")
    ranks = command("convert", source, "x.tiktoken", "--without-special", "--quiet")
    assert ranks.code == 0
    done = command("convert", "x.tiktoken", "y.tiktoken", "--split", r"\p{L}+")
    assert done.code == 1
    assert "read by tiktoken, the format tiktoken gives other ids: at character" in done.error
    assert "nothing was written" in done.error
    assert not (at_home / "y.tiktoken").exists()


def test_the_users_own_text_is_compared_too(command: RunCommand, at_home: Path, source: Path) -> None:
    (at_home / "own.txt").write_text("some text of my own\n" * 1000)
    plain = command("convert", source, "a.json", "--json").document["compared_characters"]
    more = command("convert", source, "b.json", "--json", "--on", "own.txt").document["compared_characters"]
    assert more == plain + 20_000
    missing = command("convert", source, "c.json", "--on", "absent.txt")
    assert missing.code == 1
    assert "absent.txt" in missing.error


def test_exceptions_are_listed(command: RunCommand, at_home: Path, source: Path) -> None:
    tokenizer = BPETokenizer.from_file(source)
    assert isinstance(tokenizer, ByteBPETokenizer)
    number = tokenizer.vocab_size
    odd = tokenizer.with_changes(vocabulary={**tokenizer.vocabulary, "Ġxyz!": number})
    odd.save(at_home / "odd.json")
    done = command("convert", "odd.json", "again.json")
    assert done.code == 0
    # The others end or begin within a character, where the rule cuts.
    assert f"{len(odd.broken_tokens())} tokens do not encode back to themselves" in done.out
    assert f"{number}  ·xyz!" in done.out
    document = command("convert", "odd.json", "more.json", "--json").document
    assert document["exceptions"][-1] == {"id": number, "token": "Ġxyz!"}


def test_nothing_is_replaced_unasked(command: RunCommand, at_home: Path, source: Path) -> None:
    (at_home / "out").mkdir()
    (at_home / "out/merges.txt").write_text("mine")
    before = files_below(at_home)
    done = command("convert", source, "out")
    assert done.code == 1
    assert "merges.txt exists already; give --overwrite" in done.error
    assert files_below(at_home) == before
    assert command("convert", source, "out", "--overwrite").code == 0
    assert BPETokenizer.from_file(at_home / "out").encode(TEXT) == BPETokenizer.from_file(source).encode(TEXT)


def test_formats_can_be_named(command: RunCommand, at_home: Path, source: Path) -> None:
    assert command("convert", source, "x.data", "--to", "huggingface").code == 0
    assert json.loads((at_home / "x.data").read_bytes())["model"]["type"] == "BPE"
    assert command("convert", "x.data", "y.data", "--from", "huggingface", "--to", "bpe-tui").code == 0
    wrong = command("convert", "x.data", "z.json", "--from", "minbpe")
    assert wrong.code == 1
    assert "is a file of the format huggingface, not minbpe" in wrong.error
    unknown = command("convert", source, "x.data2")
    assert unknown.code == 1
    assert "does not say which format is meant" in unknown.error
    assert command("convert", source, "x.json", "--to", "sentencepiece").code == 2


def test_the_formats_of_the_command_line_are_those_of_the_library() -> None:
    from bpe_tui.cli.convert import _FORMATS

    assert tuple(Format) == _FORMATS


def test_characters_and_words(command: RunCommand, at_home: Path) -> None:
    from bpe_tui.bpe.word_tokenizer import WordBPETokenizer

    BPETokenizer.train(CORPUS["train"], 40, verbose=False).save(at_home / "characters.json")
    WordBPETokenizer.train(CORPUS["train"], 40, verbose=False).save(at_home / "words.json")
    assert command("convert", "characters.json", "hf.json", "--to", "huggingface").code == 0
    assert command("convert", "hf.json", "back.json").code == 0
    assert (at_home / "back.json").read_bytes() == (at_home / "characters.json").read_bytes()
    merges = command("convert", "characters.json", "merges.txt")
    assert merges.code == 1
    assert "holds white space, which merges.txt cannot hold" in merges.error
    assert command("convert", "words.json", "again.json").code == 0
    assert (at_home / "again.json").read_bytes() == (at_home / "words.json").read_bytes()
    words = command("convert", "words.json", "hf2.json", "--to", "huggingface")
    assert words.code == 1
    assert "cannot hold a tokenizer of words" in words.error


def test_other_kinds_are_not_converted(command: RunCommand, at_home: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    theirs.save(str(at_home / "t.json"))
    done = command("convert", "t.json", "x.json")
    assert done.code == 1
    assert "this WordLevel tokenizer can be inspected and compared, not converted" in done.error


def test_no_file_is_left_where_something_is_wrong(command: RunCommand, at_home: Path) -> None:
    (at_home / "broken.json").write_text("{")
    before = files_below(at_home)
    done = command("convert", "broken.json", "x.json")
    assert done.code == 1
    assert "broken.json: line 1, column 2" in done.error
    assert files_below(at_home) == before
