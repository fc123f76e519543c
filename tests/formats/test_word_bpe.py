"""bpe-tui's own file for word tokenizers: all comes back, damage is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.errors import FingerprintMismatchError, TokenizerFileError

TEXT = "low low low low low lower lower newest newest newest widest </w> </w> <\\/w> it's [X] it's\n"


@pytest.fixture
def tokenizer() -> WordBPETokenizer:
    made = WordBPETokenizer.train(TEXT, 40, verbose=False, special_tokens=["[X]"], punctuation="separate")
    return WordBPETokenizer(
        made.base_tokens, made.merges, {"[X]": 3}, punctuation="separate", ties="first", unused_ids=[5, 7]
    )


@pytest.mark.parametrize("options", [{}, {"marker": "glued"}, {"punctuation": "separate"}, {"ties": "lexicographic"}])
def test_everything_comes_back(tmp_path: Path, options: dict[str, str]) -> None:
    made = WordBPETokenizer.train(TEXT, 60, verbose=False, special_tokens=["[X]"], **options)  # type: ignore[arg-type]
    made.save(tmp_path / "w.json")
    again = BPETokenizer.from_file(tmp_path / "w.json")
    assert isinstance(again, WordBPETokenizer)
    assert again.fingerprint() == made.fingerprint()
    assert again.tokens == made.tokens
    assert (again.ties, again.marker, again.punctuation) == (made.ties, made.marker, made.punctuation)
    assert again.encode(TEXT, special="special") == made.encode(TEXT, special="special")
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "w.json").read_bytes()


def test_the_file_can_be_read_by_people(tokenizer: WordBPETokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "w.json")
    content = json.loads((tmp_path / "w.json").read_text("utf-8"))
    assert content["type"] == "word_bpe"
    assert content["lossless"] is False
    assert content["base_tokens"][-1] == "</w>"
    assert ["l", "o"] in content["merges"]
    assert content["special_tokens"] == {"[X]": 3}
    assert content["unused_ids"] == [5, 7]


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("base_tokens", ["a", 1], "field 'base_tokens': must be a list"),
        ("base_tokens", ["ab", "</w>"], "neither a single character nor the end of a word"),
        ("merges", [["l", "o", "w"]], "field 'merges': entry 0"),
        ("merges", [["l", "q"]], "merge 0 uses 'q'"),
        ("merges", [["</w>", "l"]], "goes on behind the end of a word"),
        ("merges", [["l", "o"], ["l", "o"]], "is there already"),
        ("marker", "none", "field 'marker'"),
        ("punctuation", 1, "field 'punctuation'"),
        ("special_tokens", {"[X]": 3, "[Y]": 3}, "belongs to both"),
        ("special_tokens", {"l": 3}, "equal to the token with id"),
        ("special_tokens", {"[X]": 5}, "an id that is unused"),
        ("unused_ids", [-1], "field 'unused_ids'"),
        ("lossless", True, "field 'lossless'"),
        ("vocab_size", 7, "field 'vocab_size'"),
        ("ties", 7, "field 'ties'"),
    ],
)
def test_damage_is_named(tokenizer: WordBPETokenizer, tmp_path: Path, field: str, value: object, what: str) -> None:
    path = tmp_path / "w.json"
    tokenizer.save(path)
    content = json.loads(path.read_text("utf-8"))
    content[field] = value
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(TokenizerFileError, match=what) as caught:
        BPETokenizer.from_file(path)
    assert str(path) in str(caught.value)


def test_a_change_is_found_by_the_fingerprint(tokenizer: WordBPETokenizer, tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    tokenizer.save(path)
    content = json.loads(path.read_text("utf-8"))
    content["punctuation"] = "keep"
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(FingerprintMismatchError):
        BPETokenizer.from_file(path)
