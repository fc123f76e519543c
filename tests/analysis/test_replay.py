"""Replays and the dial of merges, held against encoding anew with fewer merges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hard import hand_made_merges, hard_texts

from bpe_tui import BPETokenizer, formats
from bpe_tui.analysis import Dial, lengths_by_merge, longest_tokens, prefix, replay
from bpe_tui.analysis.encoded import token_bytes
from bpe_tui.bpe import reference
from bpe_tui.bpe.byte_alphabet import to_bytes
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.errors import AnalysisError, Cancelled

from .conftest import byte_tokenizers, first_merges_of_bytes

LOW = BPETokenizer(" elorstw", [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er"), ("e", "s"), ("es", "t")])


def test_the_replay_of_lower_lowest() -> None:
    story = replay(LOW, "lower lowest")
    told = [
        (LOW.tokens[row.left or 0], LOW.tokens[row.right or 0], row.rank, row.places.tolist()) for row in story.rows
    ]
    assert told == [
        ("l", "o", 0, [0, 6]), ("lo", "w", 1, [0, 6]), ("e", "r", 2, [3]), ("low", "er", 3, [0]), ("e", "s", 4, [9]),
        ("es", "t", 5, [9]),
    ]  # fmt: skip
    assert [LOW.tokens[number] for number in story.ids(3)] == ["low", "er", " ", "low", "e", "s", "t"]
    assert [story.count(step) for step in range(7)] == [12, 10, 8, 7, 6, 5, 4]
    near = story.stretch(4, around=2)
    assert [[LOW.tokens[number] for number in part] for part in (near.before, near.parts, [near.new], near.after)] == [
        [" ", "low"], ["e", "s"], ["es"], ["t"],
    ]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(hand_made_merges(), st.text("abc", max_size=60))
def test_every_step_of_a_character_replay_is_the_encoding_with_fewer_merges(
    merges: list[tuple[str, str]], text: str
) -> None:
    tokenizer = BPETokenizer("abc", merges)
    story = replay(tokenizer, text)
    assert [row.step for row in story.rows] == list(range(len(story)))
    ranks = [row.rank for row in story.rows]
    assert ranks == sorted(set(ranks))
    for step, row in enumerate(story.rows):
        before = reference.encode(text, merges[: row.rank])
        after = reference.encode(text, merges[: row.rank + 1])
        assert [tokenizer.tokens[number] for number in story.ids(step)] == before
        assert [tokenizer.tokens[number] for number in story.ids(step + 1)] == after
        assert len(row.places) == len(before) - len(after) == story.count(step) - story.count(step + 1)
        assert row.left is not None
        assert row.right is not None
        assert (tokenizer.tokens[row.left], tokenizer.tokens[row.right]) == merges[row.rank]
        for place, start in enumerate(row.places.tolist()):
            assert text.startswith(tokenizer.tokens[row.new], start)
            near = story.stretch(step, place, around=len(text))
            assert [*near.before, *near.parts, *near.after] == story.ids(step)
            assert sum(len(tokenizer.tokens[number]) for number in near.before) == start
            assert near.parts == (row.left, row.right)
    assert story.ids(len(story)) == tokenizer.encode(text)


@settings(max_examples=100, deadline=None)
@given(byte_tokenizers(), st.text("abcé ", max_size=40))
def test_every_prefix_of_a_tokenizer_of_bytes_cuts_as_it_does_alone(tokenizer: ByteBPETokenizer, text: str) -> None:
    """Even where merges go out of order, several make one token, and pieces are taken whole."""
    dial = Dial(tokenizer, text)
    for merges in range(len(tokenizer.merges) + 1):
        expected = [to_bytes(token) for token in first_merges_of_bytes(tokenizer, text, merges)]
        assert dial.tokens(merges) == expected
        assert dial.count(merges) == dial.joins.count(merges) == len(expected)
        smaller = prefix(tokenizer, merges)
        assert [token_bytes(smaller, number) for number in smaller.encode(text)] == expected
    assert [token_bytes(tokenizer, number) for number in tokenizer.encode(text)] == dial.tokens(len(tokenizer.merges))


@settings(max_examples=100, deadline=None)
@given(byte_tokenizers(), st.text("abcé ", max_size=40))
def test_a_replay_of_bytes_goes_from_bytes_to_the_encoding_step_by_step(tokenizer: ByteBPETokenizer, text: str) -> None:
    story = replay(tokenizer, text)
    assert story.ids(0) == [tokenizer.vocabulary[token] for token in first_merges_of_bytes(tokenizer, text, 0)]
    assert story.ids(len(story)) == tokenizer.encode(text)
    for step, row in enumerate(story.rows):
        ids, after = story.ids(step), story.ids(step + 1)
        assert len(row.places)
        for place in range(len(row.places)):
            near = story.stretch(step, place, around=len(ids))
            assert [*near.before, *near.parts, *near.after] == ids
            if row.left is None:
                assert len(near.parts) >= 2
            else:
                assert near.parts == (row.left, row.right)
                assert tokenizer.merges[row.rank] == (tokenizer.tokens[row.left], tokenizer.tokens[row.right or 0])
        joined = sum(len(story.stretch(step, place).parts) - 1 for place in range(len(row.places)))
        assert len(ids) - len(after) == joined


@settings(max_examples=200, deadline=None)
@given(byte_tokenizers(proper=True), st.text("abcé ", max_size=40))
def test_ranks_rise_where_the_merge_list_was_learned(tokenizer: ByteBPETokenizer, text: str) -> None:
    ranks = [row.rank for row in replay(tokenizer, text).rows if row.left is not None]
    assert ranks == sorted(ranks)


def by_rank(tokenizer: ByteBPETokenizer) -> ByteBPETokenizer:
    """The tokenizer that merges whatever gives a token of the vocabulary; some tokens may never come about so."""
    return ByteBPETokenizer(tokenizer.vocabulary, [], tokenizer.rule, whole_pieces=True, by_rank=True)


@settings(max_examples=100, deadline=None)
@given(byte_tokenizers(), st.text("abcé ", max_size=40))
def test_prefixes_of_tiktoken_like_tokenizers(tokenizer: ByteBPETokenizer, text: str) -> None:
    """Their ranks are ids: a prefix is the same as a vocabulary that ends earlier."""
    tokenizer = by_rank(tokenizer)
    dial = Dial(tokenizer, text)
    for merges in range(len(tokenizer.merges) + 1):
        smaller = prefix(tokenizer, merges)
        assert dial.tokens(merges) == [token_bytes(smaller, number) for number in smaller.encode(text)]
    story = replay(tokenizer, text)
    assert story.ids(len(story)) == tokenizer.encode(text)
    for step in range(len(story)):
        near = story.stretch(step, around=10**6)
        assert [*near.before, *near.parts, *near.after] == story.ids(step)


@settings(max_examples=100, deadline=None)
@given(st.text("abcé \n", max_size=60), st.integers(0, 12))
def test_replay_and_prefixes_of_words(text: str, merges: int) -> None:
    """Ends of words are symbols, white space is not kept."""
    tokenizer = WordBPETokenizer.train("ab ba aab abc é\n" + text, 15 + merges, 1, verbose=False)
    dial, story = Dial(tokenizer, text), replay(tokenizer, text)
    for count in range(len(tokenizer.merges) + 1):
        smaller = prefix(tokenizer, count)
        assert dial.vocab_size(count) == len(smaller.vocabulary)
        assert dial.tokens(count) == [token_bytes(smaller, number) for number in smaller.encode(text)]
    assert story.ids(len(story)) == tokenizer.encode(text)
    for step, row in enumerate(story.rows):
        assert row.left is not None
        assert (tokenizer.tokens[row.left], tokenizer.tokens[row.right or 0]) == tokenizer.merges[row.rank]
        assert story.ids(step + 1) == prefix(tokenizer, row.rank + 1).encode(text)


@settings(max_examples=100, deadline=None)
@given(hard_texts(), st.integers(0, 30))
def test_lengths_are_those_of_the_training_log(text: str, merges: int) -> None:
    from bpe_tui import Trainer

    trainer = Trainer(text, len(set(text)) + merges)
    while trainer.stop_reason is None:
        trainer.advance()
    lengths = lengths_by_merge(trainer.tokenizer(), text)
    assert lengths.tolist() == [trainer.initial_length, *trainer.log.length[: trainer.log.count].tolist()]


@settings(max_examples=100, deadline=None)
@given(hand_made_merges())
def test_the_dial_knows_the_vocabulary_of_every_prefix(merges: list[tuple[str, str]]) -> None:
    dial = Dial(BPETokenizer("abc", merges))
    for count in range(len(merges) + 1):
        smaller = BPETokenizer("abc", merges[:count])
        assert dial.vocab_size(count) == smaller.vocab_size == prefix(dial.tokenizer, count).vocab_size
        for most in (0, 1, 3, 30):
            assert dial.longest(count, most) == longest_tokens(smaller, most)
        least = dial.merges_for(smaller.vocab_size)
        assert dial.vocab_size(least) == smaller.vocab_size
        assert least == 0 or dial.vocab_size(least - 1) < smaller.vocab_size


def test_a_dial_says_what_it_cannot() -> None:
    dial = Dial(LOW, "low lower")
    assert dial.compression(0) == 1.0
    assert dial.compression(6) == 9 / 3
    assert Dial(LOW).compression(6) == 0.0
    for count in (-1, 7):
        with pytest.raises(AnalysisError, match="this tokenizer has 6"):
            dial.count(count)
        with pytest.raises(AnalysisError, match="this tokenizer has 6"):
            prefix(LOW, count)
    with pytest.raises(AnalysisError, match="this replay has 3"):
        replay(LOW, "low er").ids(99)
    with pytest.raises(AnalysisError, match="not made of merges"):
        replay(object(), "text")  # type: ignore[arg-type]


def test_a_replay_can_be_cancelled(bible: str) -> None:
    def refuse(step: str, done: int, total: int) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        replay(BPETokenizer.train(bible[:20_000], 90, verbose=False, base_tokens=set(bible)), bible, refuse)


def test_gpt2_as_of_any_merge(gpt2: ByteBPETokenizer, shared: Path) -> None:
    text = (shared / "data/text/tinyshakespeare.txt").read_text("utf-8")[:100_000] + "  naïve 東京 🙂\n"
    dial = Dial(gpt2, text)
    assert dial.count(0) == len(text.encode())
    assert dial.count(50_000) == len(gpt2.encode(text))
    assert dial.vocab_size(50_000) == 50_257
    for merges in (1, 1_000, 20_000):
        assert np.array_equal(
            np.cumsum([len(token) for token in dial.tokens(merges)]),
            np.cumsum(gpt2.token_lengths()[prefix(gpt2, merges).encode(text)]),
        )
    story = replay(gpt2, text)
    assert story.ids(len(story)) == gpt2.encode(text)
    assert [row.rank for row in story.rows] == sorted({row.rank for row in story.rows})


@pytest.mark.parametrize("name", ["gpt_neox", "modernbert", "qwen3"])
def test_prepared_texts_are_replayed_as_they_are_encoded(name: str, shared: Path) -> None:
    """Published tokenizers with added tokens, normalisation or a space in front."""
    tokenizer = formats.read(shared / f"data/tokenizers/{name}.tokenizer.json")
    text = (shared / "data/text/udhr_all_languages.txt").read_text("utf-8")[
        100_000:130_000
    ] + "\n      e\u0301 <tool_call>x"
    ids = tokenizer.encode(text)
    dial, story = Dial(tokenizer, text), replay(tokenizer, text)
    assert dial.count(len(tokenizer.merges)) == len(ids)
    assert story.ids(len(story)) == ids
    middle = len(tokenizer.merges) // 2
    assert dial.count(middle) == len(prefix(tokenizer, middle).encode(text))


def test_tiktoken_ranks_are_replayed_as_they_are_encoded(shared: Path) -> None:
    tokenizer = formats.read(shared / "data/ranks/cl100k_base.tiktoken", "cl100k")
    text = (shared / "data/text/udhr_all_languages.txt").read_text("utf-8")[100_000:130_000]
    dial, story = Dial(tokenizer, text), replay(tokenizer, text)
    assert story.ids(len(story)) == tokenizer.encode(text)
    assert dial.count(50_000) == len(prefix(tokenizer, 50_000).encode(text))
    assert dial.vocab_size(50_000) == 50_256
