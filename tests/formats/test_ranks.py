"""Merges from ranks: the list of merges must do exactly what merging by rank does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer, TokenizerFileError
from bpe_tui.bpe.byte_alphabet import to_bytes
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import rule
from bpe_tui.bpe.ranks import derive_merges

from .conftest import TEXT, byte_vocabulary, ranks_of


def by_rank(piece: bytes, ranks: dict[bytes, int], limit: int | None = None) -> list[bytes]:
    """Merging by rank as tiktoken's documentation tells it: the lowest rank first, leftmost among equals."""
    parts = [piece[index : index + 1] for index in range(len(piece))]
    while len(parts) > 1:
        found = [(ranks.get(left + right, 1 << 40), place) for place, (left, right) in enumerate(zip(parts, parts[1:]))]
        rank, place = min(found)
        if rank >= (limit if limit is not None else 1 << 40):
            break
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts


vocabularies = st.lists(st.text("ab", min_size=2, max_size=6), min_size=1, max_size=12, unique=True)


@settings(max_examples=300, deadline=None)
@given(vocabularies, st.text("ab", max_size=30))
def test_any_ranks_at_all_encode_as_tiktoken_does(tokens: list[str], text: str) -> None:
    vocabulary = byte_vocabulary() | {token: 256 + number for number, token in enumerate(tokens)}
    ranks = {to_bytes(token): number for token, number in vocabulary.items()}
    tokenizer = ByteBPETokenizer(vocabulary, (), rule("none"), by_rank=True, whole_pieces=True)
    piece = text.encode()
    expected = [ranks[piece]] if piece in ranks else [ranks[part] for part in by_rank(piece, ranks)]
    assert tokenizer.encode(text) == (expected if text else [])


@settings(max_examples=300, deadline=None)
@given(vocabularies, st.text("ab", max_size=30))
def test_where_every_token_can_be_derived_the_list_of_merges_does_the_same(tokens: list[str], text: str) -> None:
    vocabulary = byte_vocabulary() | {token: 256 + number for number, token in enumerate(tokens)}
    ranks = {to_bytes(token): number for token, number in vocabulary.items()}
    derived = derive_merges(vocabulary)
    if not derived.underivable:
        for (left, right), token in zip(derived.merges, tokens, strict=True):
            assert by_rank(to_bytes(token), ranks, ranks[to_bytes(token)]) == [to_bytes(left), to_bytes(right)]
        by_list = ByteBPETokenizer(vocabulary, derived.merges, rule("none"))
        assert by_list.encode(text) == ByteBPETokenizer(vocabulary, (), rule("none"), by_rank=True).encode(text)
        assert by_list.broken_tokens() == []
    else:
        first = derived.underivable[0]
        assert len(by_rank(to_bytes(first), ranks, ranks[to_bytes(first)])) != 2


def test_a_trained_tokenizer_has_the_merges_that_its_ranks_say(small: ByteBPETokenizer) -> None:
    derived = derive_merges(small.vocabulary)
    assert derived.merges == small.merges
    assert derived.underivable == []


def test_a_long_token_is_derived_like_a_short_one() -> None:
    vocabulary = byte_vocabulary() | {"a" * 2**power: 255 + power for power in range(1, 9)}
    assert derive_merges(vocabulary).merges == [("a" * 2**power, "a" * 2**power) for power in range(8)]


def test_merges_that_are_not_those_of_the_ranks_are_refused() -> None:
    vocabulary = byte_vocabulary() | {"ab": 256, "abc": 257}
    with pytest.raises(ValueError, match="merge 1 is not how"):
        ByteBPETokenizer(vocabulary, [("a", "b"), ("a", "bc")], rule("none"), by_rank=True)


def test_a_rank_file_is_read_and_written(small: ByteBPETokenizer, tmp_path: Path) -> None:
    path = tmp_path / "small.tiktoken"
    path.write_bytes(ranks_of(small))
    read = BPETokenizer.from_file(path, split="gpt2")
    assert isinstance(read, ByteBPETokenizer)
    assert read.merges == small.merges
    assert read.encode(TEXT) == small.encode(TEXT)
    read.save(tmp_path / "again.tiktoken")
    assert (tmp_path / "again.tiktoken").read_bytes() == path.read_bytes()


def test_a_rank_file_opens_in_tiktoken_with_the_same_ids(small: ByteBPETokenizer, tmp_path: Path) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    load = pytest.importorskip("tiktoken.load")
    small.with_changes(special_tokens={}).save(tmp_path / "small.tiktoken")
    tiktoken_load = load.load_tiktoken_bpe(str(tmp_path / "small.tiktoken"))
    encoding = tiktoken.Encoding(
        "small", pat_str=small.rule.pattern, mergeable_ranks=tiktoken_load, special_tokens=small.special_tokens
    )
    assert encoding.encode(TEXT) == small.encode(TEXT)
    marked = "the <|endoftext|> end[MASK]"
    assert encoding.encode(marked, allowed_special="all") == small.encode(marked, special="special")


def test_the_rule_is_never_guessed(small: ByteBPETokenizer, tmp_path: Path) -> None:
    path = tmp_path / "ranks.tiktoken"
    path.write_bytes(ranks_of(small))
    with pytest.raises(TokenizerFileError, match=r"none, whitespace, gpt2, cl100k, o200k, llama3, qwen2") as caught:
        BPETokenizer.from_file(path)
    assert caught.value.field == "split"
    assert "published" not in str(caught.value)
    with pytest.raises(TokenizerFileError, match="there is no splitting rule 'gpt9'"):
        BPETokenizer.from_file(path, split="gpt9")
    assert BPETokenizer.from_file(path, split=r"\p{L}+|\P{L}").rule.name == "pattern"  # type: ignore[attr-defined]


def test_a_well_known_file_names_the_rule_it_was_published_with(shared: Path) -> None:
    with pytest.raises(TokenizerFileError, match="this is OpenAI's cl100k_base, published with the rule cl100k"):
        BPETokenizer.from_file(shared / "data/ranks/cl100k_base.tiktoken")


def test_what_a_rank_file_cannot_hold_is_named(small: ByteBPETokenizer, tmp_path: Path) -> None:
    with pytest.raises(TokenizerFileError, match=r"special token.*'<\|endoftext\|>' \(id 400\)|id \d+"):
        small.save(tmp_path / "small.tiktoken")
    # "abc" is made of "a" and "bc" here, of "ab" and "c" by rank.
    vocabulary = byte_vocabulary() | {"ab": 256, "bc": 257, "abc": 258}
    other = ByteBPETokenizer(vocabulary, [("a", "b"), ("b", "c"), ("a", "bc")], rule("none"))
    with pytest.raises(TokenizerFileError, match=r"token 'abc' \(id 258\) of other parts"):
        other.save(tmp_path / "other.tiktoken")
    late = ByteBPETokenizer(byte_vocabulary() | {"ab": 257, "cd": 256}, [("a", "b"), ("c", "d")], rule("none"))
    with pytest.raises(TokenizerFileError, match=r"token 'cd' \(id 256\) comes later"):
        late.save(tmp_path / "late.tiktoken")
    assert list(tmp_path.iterdir()) == []


def test_ids_with_a_gap_are_kept(small: ByteBPETokenizer, tmp_path: Path) -> None:
    last = max(small.vocabulary.values())
    content = ranks_of(small).replace(b" %d\n" % last, b" %d\n" % (last + 10))
    (tmp_path / "gap.tiktoken").write_bytes(content)
    read = BPETokenizer.from_file(tmp_path / "gap.tiktoken", split="gpt2")
    assert read.tokens[last] == ""
    assert read.vocab_size == last + 11
    read.save(tmp_path / "gap.json")
    assert json.loads((tmp_path / "gap.json").read_bytes())["vocab_size"] == last + 11
    assert BPETokenizer.from_file(tmp_path / "gap.json").fingerprint() == read.fingerprint()
