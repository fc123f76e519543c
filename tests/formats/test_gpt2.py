"""GPT-2's pair of files: found from either, written so that it reads the same, and refused where they do not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer, TokenizerFileError
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import RULES
from bpe_tui.formats import gpt2

from .conftest import TEXT, hugging_face, tiny


@pytest.fixture
def pair(small: ByteBPETokenizer, tmp_path: Path) -> Path:
    folder = tmp_path / "pair"
    small.save(folder)
    return folder


@pytest.mark.parametrize("name", ["", "vocab.json", "merges.txt"])
def test_either_file_or_the_folder_will_do(pair: Path, small: ByteBPETokenizer, name: str) -> None:
    read = BPETokenizer.from_file(pair / name)
    assert isinstance(read, ByteBPETokenizer)
    assert read.merges == small.merges
    assert read.vocabulary == small.vocabulary
    assert read.special_tokens == small.special_tokens
    assert read.rule == RULES["gpt2"]
    assert read.encode(TEXT) == small.encode(TEXT)


def test_the_names_say_which_pair_is_meant(small: ByteBPETokenizer, tmp_path: Path) -> None:
    small.save(tmp_path / "old/encoder.json", format="gpt2")
    assert sorted(path.name for path in (tmp_path / "old").iterdir()) == ["encoder.json", "vocab.bpe"]
    small.save(tmp_path / "new/small-merges.txt")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["small-merges.txt", "small-vocab.json"]
    for path in (tmp_path / "old/vocab.bpe", tmp_path / "new/small-vocab.json", tmp_path / "new/small-merges.txt"):
        assert BPETokenizer.from_file(path).fingerprint() == BPETokenizer.from_file(tmp_path / "old").fingerprint()


def test_a_pair_opens_in_tokenizers_with_the_same_ids(pair: Path, small: ByteBPETokenizer) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    opened = tokenizers.ByteLevelBPETokenizer(str(pair / "vocab.json"), str(pair / "merges.txt"))
    assert opened.encode(TEXT).ids == small.encode(TEXT)


def test_a_pair_made_by_tokenizers_is_read(tmp_path: Path) -> None:
    theirs = hugging_face()
    theirs.model.save(str(tmp_path))
    assert BPETokenizer.from_file(tmp_path).encode(TEXT) == theirs.encode(TEXT).ids


def test_added_tokens_beside_the_pair_are_taken(pair: Path, small: ByteBPETokenizer) -> None:
    (pair / "added_tokens.json").write_text(json.dumps({"<|im_start|>": 500}))
    assert BPETokenizer.from_file(pair).special_tokens == {**small.special_tokens, "<|im_start|>": 500}


def test_another_rule_can_be_given(pair: Path) -> None:
    assert BPETokenizer.from_file(pair, split="qwen2").rule.name == "qwen2"  # type: ignore[attr-defined]


def test_a_half_pair_says_what_is_missing(pair: Path) -> None:
    (pair / "merges.txt").unlink()
    with pytest.raises(TokenizerFileError, match=r"vocab.json: .*put its merges \(merges.txt or vocab.bpe\)"):
        BPETokenizer.from_file(pair / "vocab.json")
    with pytest.raises(TokenizerFileError, match=r"neither tokenizer\.json nor vocab\.json"):
        BPETokenizer.from_file(pair)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\nt h\n", "\nt h\nt h\n", r"line \d+: merge \d+ \('t', 'h'\) is there already"),
        ("\nt h\n", "\nt h x\n", r"line \d+: 't h x' is not two tokens"),
        ("\nt h\n", "\nt\n", r"line \d+: 't' is not two tokens"),
        ("\nt h\n", "\nt  h\n", r"line \d+: 't  h' is not two tokens"),
        ("\nt h\n", "\nt €\n", r"line \d+: merge \d+ uses '€'"),
        ("\nt h\n", "\nq q\n", r"line \d+: merge \d+ makes 'qq'"),
        ("\nt h\n", "\n", "no merge makes the token 'th'"),
    ],
)
def test_damaged_merges_are_named_with_their_line(pair: Path, old: str, new: str, message: str) -> None:
    content = (pair / "merges.txt").read_text(encoding="utf-8")
    assert old in content
    (pair / "merges.txt").write_text(content.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TokenizerFileError, match=message) as caught:
        BPETokenizer.from_file(pair)
    assert caught.value.file == pair / "merges.txt"


def test_merges_cut_off_anywhere_never_load(pair: Path) -> None:
    content = (pair / "merges.txt").read_bytes()
    for length in range(0, len(content) - 1, 97):
        (pair / "merges.txt").write_bytes(content[:length])
        with pytest.raises(TokenizerFileError):
            BPETokenizer.from_file(pair)


def test_line_ends_of_windows_are_understood(pair: Path, small: ByteBPETokenizer) -> None:
    (pair / "merges.txt").write_bytes((pair / "merges.txt").read_bytes().replace(b"\n", b"\r\n"))
    assert BPETokenizer.from_file(pair).merges == small.merges


def test_a_vocabulary_with_a_byte_missing_is_refused(pair: Path) -> None:
    vocabulary = json.loads((pair / "vocab.json").read_bytes())
    del vocabulary["÷"]
    (pair / "vocab.json").write_text(json.dumps(vocabulary))
    with pytest.raises(TokenizerFileError, match="1 of the 256 single bytes have no token: 0xF7"):
        BPETokenizer.from_file(pair)


def test_what_the_pair_cannot_hold_is_named(tmp_path: Path) -> None:
    with pytest.raises(TokenizerFileError, match="splitting rule, but this is cl100k"):
        tiny(rule=RULES["cl100k"]).save(tmp_path / "pair")
    with pytest.raises(TokenizerFileError, match=r"'END' \(id 300\) is a special token"):
        tiny(special_tokens={"END": 300}).save(tmp_path / "pair")
    characters = BPETokenizer(" abe", [("a", "b"), ("e", " ")])
    with pytest.raises(TokenizerFileError, match=r"token ' ' \(id 0\) holds white space"):
        characters.save(tmp_path / "merges.txt")
    with pytest.raises(TokenizerFileError, match="tokens of bytes"):
        BPETokenizer("ab", [("a", "b")]).save(tmp_path / "pair", format="gpt2")
    assert list(tmp_path.iterdir()) == []


def test_openais_own_files_come_out_byte_for_byte(shared: Path, tmp_path: Path) -> None:
    source = shared / "data/gpt2"
    BPETokenizer.from_file(source).save(tmp_path / "encoder.json")
    assert (tmp_path / "encoder.json").read_bytes() == (source / "encoder.json").read_bytes()
    assert (tmp_path / "vocab.bpe").read_bytes() == (source / "vocab.bpe").read_bytes()


def test_a_folder_with_more_than_the_pair_prefers_tokenizer_json(small: ByteBPETokenizer, pair: Path) -> None:
    tiny().save(pair / "tokenizer.json")
    assert BPETokenizer.from_file(pair).merges == tiny().merges
    assert gpt2.pair_in(pair) == (pair / "vocab.json", pair / "merges.txt")
