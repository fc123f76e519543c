"""A text may be cut where a tokenizer says so: whatever follows, both parts encoded apart give the ids of the whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cuts import NASTY, damaged_texts, soup, texts

from bpe_tui import BPETokenizer
from bpe_tui.bpe import cuts
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.preparation import AddedToken, Preparation
from bpe_tui.bpe.pretokenize import RULES, rule
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.bpe.words import Marker, Punctuation

PROSE = soup(NASTY, 400, 1)
SPECIALS = ("<|end|>", "END", "the", "a b", "  ", "<|end|><|end|>")
POLICIES = st.sampled_from(["text", "special"])
tokenized = st.lists(st.sampled_from([*NASTY, *SPECIALS, "<|en", "d|>", "a", "b", "EN", "D"]), max_size=40).map("".join)

BYTES = {
    (name, specials): ByteBPETokenizer.train(
        PROSE, 500 + len(specials), verbose=False, rule=name, special_tokens=specials
    )
    for name in RULES
    for specials in ((), SPECIALS)
}


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search begins with a few characters, so that it has to go on."""
    monkeypatch.setattr(cuts, "WINDOW", 4)


def check(tokenizer: BPETokenizer, text: str, more: str, policy: str = "text") -> bool:
    place = tokenizer.last_cut(text, policy)
    assert 0 <= place < max(1, len(text))
    if place:
        parts = [text[:place], text[place:] + more]
        apart = [number for part in parts for number in tokenizer.encode_array(part, special=policy).tolist()]
        assert apart == tokenizer.encode_array(text + more, special=policy).tolist()
    return place > 0


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(list(BYTES)), st.one_of(texts, tokenized), st.one_of(texts, tokenized), POLICIES)
def test_bytes(which: tuple[str, tuple[str, ...]], text: str, more: str, policy: str) -> None:
    check(BYTES[which], text, more, policy)


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(list(RULES)), damaged_texts, damaged_texts)
def test_bytes_that_need_be_no_text(name: str, content: bytes, more: bytes) -> None:
    tokenizer = BYTES[name, ()]
    place = tokenizer.last_cut_of_bytes(content)
    assert 0 <= place < max(1, len(content))
    ids = tokenizer.encode_bytes(content + more)
    if place:
        assert tokenizer.encode_bytes(content[:place]) + tokenizer.encode_bytes(content[place:] + more) == ids


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(["whitespace", "gpt2", "cl100k"]), tokenized, tokenized, POLICIES)
def test_bytes_with_added_tokens(name: str, text: str, more: str, policy: str) -> None:
    plain = BYTES[name, SPECIALS]
    added = [AddedToken("abc", 600), AddedToken("D 7", 601, normalized=True)]
    preparation = Preparation(tuple(added))
    check(plain.with_changes(preparation=preparation), text, more, policy)


@pytest.mark.parametrize(
    "preparation",
    [
        Preparation(normalization="NFC"),
        Preparation(prefix_space=True),
        Preparation((AddedToken("<m>", 600, left_strip=True),)),
        Preparation((AddedToken("<m>", 600, right_strip=True),)),
    ],
)
def test_no_cut_where_more_is_done_to_the_text(preparation: Preparation) -> None:
    tokenizer = BYTES["gpt2", ()].with_changes(preparation=preparation)
    assert tokenizer.last_cut("some words, and some more") == 0


def test_no_cut_for_rules_that_may_look_at_all_of_the_text() -> None:
    assert BYTES["none", ()].last_cut("some words, and some more") == 0
    pattern = ByteBPETokenizer.train("low low", 257, verbose=False, rule=rule("pattern", r"\w+"))
    assert pattern.last_cut("some words, and some more") == 0
    assert pattern.last_cut_of_bytes(b"some words, and some more") == 0


def test_there_are_cuts_in_every_ordinary_text() -> None:
    text = "It was the best of times, it was the worst of times. " * 40
    for name in RULES.keys() - {"none"}:
        assert len(text) - 20 < BYTES[name, ()].last_cut(text) < len(text)
        assert len(text) - 20 < BYTES[name, ()].last_cut_of_bytes(text.encode()) < len(text)
        assert BYTES[name, SPECIALS].last_cut(text, "special") > len(text) - 100
    assert BPETokenizer.train(text, 40, verbose=False).last_cut(text) > len(text) - 300
    assert WordBPETokenizer.train(text, 40, verbose=False).last_cut(text) > len(text) - 20


def test_no_cut_inside_a_special_token_that_may_still_go_on() -> None:
    tokenizer = ByteBPETokenizer.train("low low", 257, verbose=False, rule="gpt2", special_tokens=["low and slow"])
    assert tokenizer.last_cut("high, low and slo", "special") <= len("high, ")
    assert tokenizer.last_cut("high, low and slow, " + "or not, " * 9, "special") > len("high, low and slow")


@settings(max_examples=500, deadline=None)
@given(
    st.text("ab \n", max_size=60),
    st.text("ab \n", max_size=20),
    st.lists(st.sampled_from([("a", "b"), ("a", "a"), (" ", "a"), ("aa", "a"), ("b", "b"), ("ab", "ab")]), max_size=6),
)
def test_characters(text: str, more: str, pairs: list[tuple[str, str]]) -> None:
    merges: list[tuple[str, str]] = []
    for left, right in pairs:
        known = {*"ab \n", *(one + other for one, other in merges)}
        if left in known and right in known:
            merges.append((left, right))
    check(BPETokenizer("\n ab", merges), text, more)


@settings(max_examples=300, deadline=None)
@given(st.text("abcé.,-", max_size=60), st.text("abcé.,-", max_size=60), st.integers(7, 40))
def test_characters_of_a_trained_tokenizer(text: str, more: str, size: int) -> None:
    tokenizer = BPETokenizer.train("abé.,-c" + text, size, verbose=False)
    check(tokenizer, text, more)


WORDS = {
    (marker, punctuation): WordBPETokenizer.train(
        PROSE + " ".join(SPECIALS), 600, verbose=False, marker=marker, punctuation=punctuation, special_tokens=SPECIALS
    )
    for marker in Marker
    for punctuation in Punctuation
}


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(list(WORDS)), tokenized, tokenized, POLICIES)
def test_words(which: tuple[Marker, Punctuation], text: str, more: str, policy: str) -> None:
    tokenizer = WORDS[which]
    known = {*tokenizer.base_tokens, *" \n\t"}
    text, more = ("".join(character for character in given if character in known) for given in (text, more))
    check(tokenizer, text, more, policy)


@settings(max_examples=300, deadline=None)
@given(tokenized, st.lists(st.integers(1, 9)), st.integers(1, 30), st.sampled_from(list(BYTES)), POLICIES)
def test_blocks_of_any_pieces_give_the_ids_of_the_whole(
    text: str, lengths: list[int], size: int, which: tuple[str, tuple[str, ...]], policy: str
) -> None:
    tokenizer = BYTES[which]
    pieces = []
    left = text
    for length in lengths:
        pieces.append(left[:length])
        left = left[length:]
    pieces.append(left)
    blocks = list(cuts.cut_blocks(pieces, lambda given: tokenizer.last_cut(given, policy), size))
    assert "".join(blocks) == text
    apart = [number for block in blocks for number in tokenizer.encode_array(block, special=policy).tolist()]
    assert apart == tokenizer.encode_array(text, special=policy).tolist()
    raw = list(cuts.cut_blocks([piece.encode() for piece in pieces], tokenizer.last_cut_of_bytes, size))
    assert [number for block in raw for number in tokenizer.encode_bytes(block)] == tokenizer.encode(text)


@given(texts, st.sampled_from(["whitespace", "gpt2"]))
def test_ids_spell_their_bytes_and_no_others(text: str, name: str) -> None:
    tokenizer = BYTES[name, ()]
    content = text.encode()
    ids = tokenizer.encode_array(text)
    assert tokenizer.spells(ids, content)
    assert not tokenizer.spells(ids, content + b"a")
    assert not content or not tokenizer.spells(ids, content[:-1])
    assert not content or not tokenizer.spells(ids, content[:-1] + bytes([content[-1] ^ 1]))
