"""bpe-tui's own file for byte-level tokenizers: everything comes back, and every damage is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer, FingerprintMismatchError, TokenizerFileError
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.preparation import AddedToken, Preparation
from bpe_tui.bpe.pretokenize import RULES, rule
from bpe_tui.formats import byte_bpe

from .conftest import TEXT, tiny


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from([*RULES.values(), rule("pattern", r"\p{L}+|[^\p{L}]")]),
    st.dictionaries(st.text(min_size=1).filter(lambda token: len(token.encode("utf-8", "replace")) > 4), st.just(0)),
    st.sampled_from([None, "first", "lowest-id", "bytes"]),
    st.booleans(),
    st.sampled_from([None, Preparation((AddedToken("  x ", 999, normalized=True),), "NFC", True)]),
)
def test_everything_comes_back(
    split: Any, special: dict[str, int], ties: str | None, whole: bool, preparation: Preparation | None
) -> None:
    special = {
        token: 300 + number
        for number, token in enumerate(token for token in special if token.isprintable() and token != "  x ")
    }
    tokenizer = tiny(
        rule=split,
        special_tokens=special,
        ties=ties,
        whole_pieces=whole,
        preparation=preparation,
        corpus_sha256="ab" * 32,
    )
    again = byte_bpe.load(json.loads(byte_bpe.dumps(tokenizer)), Path("x.json"))
    for name in (
        "vocabulary",
        "merges",
        "rule",
        "special_tokens",
        "ties",
        "whole_pieces",
        "preparation",
        "corpus_sha256",
    ):
        assert getattr(again, name) == getattr(tokenizer, name), name
    assert again.fingerprint() == tokenizer.fingerprint()
    assert again.lossless is (preparation is None)


def test_it_is_saved_by_name_and_read_by_content(small: ByteBPETokenizer, tmp_path: Path) -> None:
    small.save(tmp_path / "small.json")
    again = BPETokenizer.from_file(tmp_path / "small.json")
    assert isinstance(again, ByteBPETokenizer)
    assert again.encode(TEXT) == small.encode(TEXT)
    marked = "the <|endoftext|> end"
    assert again.encode(marked, special="special") == small.encode(marked, special="special")
    content = json.loads((tmp_path / "small.json").read_bytes())
    assert content["split"] == {"rule": "gpt2", "pattern": RULES["gpt2"].pattern}
    assert content["unicode_version"] == RULES["gpt2"].unicode_version
    assert content["ties"] == "bytes"
    assert content["lossless"] is True


def test_one_token_and_one_merge_a_line(tmp_path: Path) -> None:
    tiny().save(tmp_path / "tiny.json")
    lines = (tmp_path / "tiny.json").read_text(encoding="utf-8").splitlines()
    assert '    "th": 256,' in lines
    assert '    ["Ġ", "the"]' in lines


def change(field: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def apply(content: dict[str, Any]) -> None:
        content[field] = value

    return apply


def without_byte(content: dict[str, Any]) -> None:
    del content["vocabulary"]["é"]


@pytest.mark.parametrize(
    ("damage", "field", "message"),
    [
        (change("vocabulary", []), "vocabulary", "object of tokens"),
        (change("vocabulary", {"a": -1}), "vocabulary", "'a' has the id -1"),
        (change("vocabulary", {"a": True}), "vocabulary", "no id"),
        (change("vocabulary", {"a": 1, "b": 1}), "vocabulary", "id 1 belongs to both 'a' and 'b'"),
        (without_byte, None, "1 of the 256 single bytes have no token: 0xE9"),
        (lambda content: content["vocabulary"].update({"€": 900}), None, "'€'.*not in the byte alphabet"),
        (lambda content: content["vocabulary"].update({"zz": 2_000_000}), None, "the highest id is 2,000,000"),
        (change("merges", [["t", "h"], ["t", "h"]]), "merges", r"merge 1 \('t', 'h'\) is there already as 0"),
        (change("merges", [["t", "h"], ["thx", "h"]]), "merges", "merge 1 uses 'thx'"),
        (change("merges", [["t", "t"]]), "merges", "merge 0 makes 'tt'"),
        (change("merges", [["t"]]), "merges", "entry 0 must be a pair"),
        (change("split", "gpt2"), "split", "must be an object"),
        (change("split", {"rule": "gpt3"}), "split", "no splitting rule 'gpt3'"),
        (change("split", {"rule": "pattern", "pattern": "("}), "split", "no regular expression"),
        (change("split", {"rule": "gpt2", "pattern": "x"}), "split", "another pattern"),
        (change("special_tokens", {"th": 300}), None, "special token 'th' is equal to the token with id 256"),
        (change("special_tokens", {"<x>": 256}), None, "id 256 belongs to both"),
        (change("special_tokens", {"<\ud800>": 300}), None, "surrogate|byte"),
        (change("whole_pieces", 1), "whole_pieces", "true or false"),
        (change("by_rank", True), None, None),
        (change("lossless", False), "lossless", "does not fit"),
        (change("preparation", {"normalization": "NFD"}), "preparation", "NFD"),
        (change("preparation", 3), "preparation", "no object"),
        (change("preparation", {"added_tokens": [{"content": "x"}]}), "preparation", "not understood"),
        (change("vocab_size", 7), "vocab_size", "says 7, but the tokens give 259"),
        (change("ties", 7), "ties", "must be text"),
    ],
)
def test_damage_is_named(
    tmp_path: Path, damage: Callable[[dict[str, Any]], None], field: str | None, message: str | None
) -> None:
    content = json.loads(byte_bpe.dumps(tiny()))
    damage(content)
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(content))
    with pytest.raises(TokenizerFileError, match=message) as caught:
        BPETokenizer.from_file(path)
    assert str(path) in str(caught.value)
    if field is not None:
        assert caught.value.field == field


def test_a_changed_file_has_another_fingerprint(tmp_path: Path) -> None:
    content = byte_bpe.dumps(tiny()).replace('["t", "h"],', '["t", "h"],').replace('"th": 256', '"th": 300')
    (tmp_path / "changed.json").write_text(content, encoding="utf-8")
    with pytest.raises((FingerprintMismatchError, TokenizerFileError), match="vocab_size|fingerprint"):
        BPETokenizer.from_file(tmp_path / "changed.json")
    (tmp_path / "other.json").write_text(byte_bpe.dumps(tiny()).replace('"rule": "gpt2"', '"rule": "none"'))
    with pytest.raises(TokenizerFileError, match="split"):
        BPETokenizer.from_file(tmp_path / "other.json")


def test_a_splitting_rule_is_not_asked_for(tmp_path: Path) -> None:
    tiny().save(tmp_path / "tiny.json")
    with pytest.raises(TokenizerFileError, match="says itself"):
        BPETokenizer.from_file(tmp_path / "tiny.json", split="gpt2")
