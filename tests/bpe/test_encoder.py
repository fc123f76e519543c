"""The fast encoder replays merges exactly as the reference does, on any merge list and any text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import hard

import bpe_tui.bpe.encoder
from bpe_tui import BPETokenizer, MissingCharactersError, TokenIdError
from bpe_tui.bpe import reference
from bpe_tui.errors import Cancelled


@settings(max_examples=2000, deadline=None)
@given(st.text("abc", max_size=120), hard.hand_made_merges())
def test_hand_made_merges_encode_as_the_reference_does(text: str, merges: list[tuple[str, str]]) -> None:
    tokenizer = BPETokenizer("abc", merges)
    assert tokenizer.encode_tokens(text) == reference.encode(text, merges)
    assert tokenizer.tokens == reference.vocabulary("abc", merges)


@settings(max_examples=700, deadline=None)
@given(hard.hard_texts(), st.integers(0, 40), st.data())
def test_learned_merges_encode_any_text_over_the_base_characters(text: str, more: int, data: st.DataObject) -> None:
    tokenizer = BPETokenizer.train(text, len(set(text)) + more, verbose=False)
    other = data.draw(st.text(st.sampled_from(sorted(set(text))), max_size=80))
    for sample in (text, other):
        assert tokenizer.encode_tokens(sample) == reference.encode(sample, tokenizer.merges)
        assert tokenizer.decode(tokenizer.encode(sample)) == sample


@settings(max_examples=200, deadline=None)
@given(st.text("abc ", max_size=300), hard.hand_made_merges("abc "), st.integers(1, 40))
def test_where_the_text_is_cut_changes_nothing(text: str, merges: list[tuple[str, str]], size: int) -> None:
    tokenizer = BPETokenizer("abc ", merges)
    expected = [tokenizer.tokens.index(token) for token in reference.encode(text, merges)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bpe_tui.bpe.encoder, "CHUNK", size)
        patch.setattr(bpe_tui.bpe.encoder, "BLOCK", 2 * size)
        assert tokenizer.encode(text) == expected


def test_a_text_that_can_be_cut_nowhere_is_one_stretch() -> None:
    tokenizer = BPETokenizer("a", [("a", "a"), ("aa", "aa")])
    ids = tokenizer.encode_array("a" * 3_000_003)
    assert ids.tolist()[-3:] == [2, 1, 0]
    assert len(ids) == 750_000 + 2


def test_a_long_text_is_encoded_by_two_threads_with_the_same_result(bible: str) -> None:
    text = (bible * 3)[:2_500_000]
    tokenizer = BPETokenizer.train(text[:100_000], 300, base_tokens=text, verbose=False)
    heard: list[tuple[str, int, int]] = []
    ids = tokenizer.encode_array(text, lambda *progress: heard.append(progress))
    assert tokenizer.decode(ids) == text
    assert heard[-1] == ("encoding", len(text), len(text))
    pieces = text.split("\n")
    # A newline followed by a letter is cut in no token here, so that lines can be encoded one by one.
    lines = [line + "\n" for line in pieces[:-1]] + pieces[-1:]
    if not any("\n" in token[:-1] for token in tokenizer.tokens):
        assert ids.tolist() == [number for line in lines for number in tokenizer.encode(line)]


def test_encoding_can_be_cancelled() -> None:
    def give_up(step: str, done: int, total: int) -> None:
        raise Cancelled(f"{step} {done} of {total}")

    tokenizer = BPETokenizer("ab ", [("a", "b")])
    with pytest.raises(Cancelled, match="encoding"):
        tokenizer.encode_array("ab " * 1_000_000, give_up)


def test_missing_characters_are_named_with_code_point_count_and_first_position() -> None:
    tokenizer = BPETokenizer("abc", [("a", "b")])
    with pytest.raises(MissingCharactersError) as caught:
        tokenizer.encode("ab€a\x1b€")
    assert "'€' (U+20AC, 2 times, first at character 2)" in str(caught.value)
    assert "'\\x1b' (U+001B, once, first at character 4)" in str(caught.value)
    assert [entry.character for entry in caught.value.missing] == ["€", "\x1b"]


def test_a_lone_surrogate_is_a_missing_character() -> None:
    with pytest.raises(MissingCharactersError, match=r"U\+DC80"):
        BPETokenizer("ab", []).encode("a\udc80")


def test_ids_out_of_range_are_named_with_their_place() -> None:
    tokenizer = BPETokenizer("abc", [("a", "b")])
    assert tokenizer.decode([3, 2]) == "abc"
    for bad in (4, -1, 2**70):
        with pytest.raises(TokenIdError, match=rf"id {bad} at place 1 .* 0 to 3"):
            tokenizer.decode([0, bad])
    with pytest.raises(TokenIdError, match="id 9 at place 2"):
        tokenizer.decode(np.array([0, 1, 9]))
    with pytest.raises(TokenIdError, match="whole numbers"):
        tokenizer.decode([0, 1.5])  # type: ignore[list-item]
    with pytest.raises(TokenIdError, match="one dimension"):
        tokenizer.decode(np.zeros((2, 2), np.int64))


def test_arrays_come_as_int64_and_go_as_any_whole_numbers() -> None:
    tokenizer = BPETokenizer("abc", [("a", "b")])
    ids = tokenizer.encode_array("abcab")
    assert ids.dtype == np.int64
    assert ids.shape == (3,)
    for kind in (np.uint8, np.int32, np.uint64):
        assert tokenizer.decode(ids.astype(kind)) == "abcab"


def test_nothing_encodes_to_nothing() -> None:
    tokenizer = BPETokenizer("abc", [("a", "b")])
    assert tokenizer.encode("") == []
    assert tokenizer.decode([]) == ""
