"""The tutorial's tokenizer file: its exact layout, and every way in which one can be damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer, FingerprintMismatchError, TokenizerFileError
from bpe_tui.formats import character_bpe


def good() -> dict[str, Any]:
    return json.loads(character_bpe.dumps(BPETokenizer("ab\n€", [("a", "b"), ("ab", "€")])))


def test_the_layout_is_fixed(tmp_path: Path) -> None:
    BPETokenizer("a€", [("a", "€")]).save(tmp_path / "tokenizer.json")
    assert (tmp_path / "tokenizer.json").read_bytes().decode() == (
        '{\n  "type": "character_bpe",\n  "base_tokens": [\n    "a",\n    "€"\n  ],\n  "merges": [\n    [\n'
        '      "a",\n      "€"\n    ]\n  ],\n  "vocab_size": 3,\n  "fingerprint": '
        '"' + BPETokenizer("a€", [("a", "€")]).fingerprint() + '"\n}'
    )


@settings(max_examples=100, deadline=None)
@given(st.lists(st.characters(codec="utf-8"), min_size=1, unique=True))
def test_what_was_saved_comes_back(characters: list[str]) -> None:
    tokenizer = BPETokenizer(characters, [(characters[0], characters[-1])])
    again = character_bpe.loads(character_bpe.dumps(tokenizer).encode(), Path("x.json"))
    assert again.base_tokens == tokenizer.base_tokens
    assert again.merges == tokenizer.merges
    assert again.fingerprint() == tokenizer.fingerprint()


def test_a_file_without_fingerprint_is_read(tmp_path: Path) -> None:
    content = good()
    del content["fingerprint"], content["vocab_size"]
    (tmp_path / "old.json").write_text(json.dumps(content), encoding="utf-8")
    assert BPETokenizer.from_file(tmp_path / "old.json").vocab_size == 6


def changed(**fields: Any) -> bytes:
    return json.dumps({**good(), **fields}).encode()


@pytest.mark.parametrize(
    ("content", "field", "message"),
    [
        (b"", None, "empty"),
        (b"   \n", None, "empty"),
        (json.dumps(good()).encode()[:-30], None, "line 1, column .*not valid JSON"),
        (b"<html><body>404</body></html>", None, "not valid JSON"),
        (b"\xff\xfe{", None, "byte 0 is not UTF-8"),
        (b"[1, 2]", None, "JSON list"),
        (b"[" * 100_000, None, "not a tokenizer file|not valid JSON"),
        (changed(type="word_piece"), "type", "'word_piece'"),
        (b"{}", "type", "missing"),
        (changed(base_tokens="ab"), "base_tokens", "list of characters"),
        (changed(base_tokens=[]), "base_tokens", "empty"),
        (changed(base_tokens=["ab"]), "base_tokens", "single character"),
        (changed(base_tokens=["a", "a", "b"]), "base_tokens", "twice"),
        (changed(merges={"a": "b"}), "merges", "list of pairs"),
        (changed(merges=[["a", "b"], ["a"]]), "merges", "entry 1"),
        (changed(merges=[["a", 1]]), "merges", "entry 0"),
        (changed(merges=[["a", "b"], ["ab", "zz"]]), "merges", "merge 1 uses 'zz'"),
        (changed(vocab_size=99), "vocab_size", "says 99, but base tokens and merges give 6"),
        (changed(vocab_size="6"), "vocab_size", "says '6'"),
        (changed(fingerprint=7), "fingerprint", "says 7"),
    ],
)
def test_a_damaged_file_is_refused_with_file_and_field(
    tmp_path: Path, content: bytes, field: str | None, message: str
) -> None:
    path = tmp_path / "a folder, mit Umläuten" / "tokenizer.json"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(TokenizerFileError, match=message) as caught:
        BPETokenizer.from_file(path)
    assert str(path) in str(caught.value)
    assert caught.value.file == path
    assert caught.value.field == field


def test_a_wrong_fingerprint_is_its_own_error(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(changed(fingerprint="0" * 64))
    with pytest.raises(FingerprintMismatchError, match="field 'fingerprint'"):
        BPETokenizer.from_file(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TokenizerFileError, match="does not exist"):
        BPETokenizer.from_file(tmp_path / "absent.json")
    with pytest.raises(TokenizerFileError, match="is a folder"):
        BPETokenizer.from_file(tmp_path)


def test_saving_where_nothing_can_be_saved_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TokenizerFileError, match="cannot be saved"):
        BPETokenizer("a", []).save(tmp_path / "file" / "tokenizer.json")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tokenizer.json"
    BPETokenizer("a", []).save(path)
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bpe_tui.atomic.os.fsync", full)
    with pytest.raises(TokenizerFileError, match="No space left on device"):
        BPETokenizer("ab", []).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
