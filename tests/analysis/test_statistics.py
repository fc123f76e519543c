"""Figures of texts and vocabularies: worked out by hand, counted plainly, and by the scorer of the paper's authors."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer
from bpe_tui.analysis import (
    encode,
    entropy,
    near_duplicates,
    places,
    renyi_efficiency,
    step_tokens,
    summarise,
    text_statistics,
    token_tree,
    vocabulary_statistics,
)
from bpe_tui.analysis.encoded import byte_offsets, token_bytes
from bpe_tui.analysis.scripts import script_counts
from bpe_tui.analysis.words import tokens_per_word, words
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer

from .conftest import byte_tokenizers

LOW = BPETokenizer(" elorstw", [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er"), ("e", "s"), ("es", "t")])


def test_the_figures_of_lower_lowest_by_hand() -> None:
    """lower| |low|est: four tokens, two words of five and six characters, the second cut in two."""
    found = text_statistics(LOW, "lower lowest")
    assert (found.characters, found.bytes, found.words, found.tokens) == (12, 12, 2, 4)
    assert found.tokens_per_word == 2.0
    assert found.pieces_per_word == 1.5
    assert found.continued_words == 0.5
    assert found.one_token_share == 5 / 11
    assert found.characters_per_token == found.bytes_per_token == 3.0
    assert found.used_tokens == 4
    assert [LOW.tokens[number] for number in found.unused] == ["e", "l", "o", "r", "s", "t", "w", "lo", "er", "es"]
    assert [LOW.tokens[number] for number in found.steps] == ["lo", "er", "es"]
    assert found.lengths == ((1, 1), (3, 2), (5, 1))
    assert found.entropy == 2.0
    # Four tokens, equally frequent: entropy 2 bits whatever the order.
    assert found.renyi_efficiency_used == pytest.approx(1.0)
    assert found.renyi_efficiency == pytest.approx(2 / math.log2(14))
    assert found.scripts == {"Latin": 11, "Common": 1}


def test_renyi_efficiency_by_hand() -> None:
    """Probabilities 1/2, 1/4, 1/4 at order 2: the sum of squares is 3/8, so H = log2(8/3)."""
    counts = np.array([2, 1, 1])
    assert entropy(counts, 2) == pytest.approx(math.log2(8 / 3))
    assert renyi_efficiency(counts, 2) == pytest.approx(math.log2(8 / 3) / math.log2(3))
    assert renyi_efficiency(counts, 2, vocab_size=8) == pytest.approx(math.log2(8 / 3) / 3)
    assert entropy(counts) == pytest.approx(1.5)
    assert entropy(counts, math.inf) == pytest.approx(1.0)
    assert entropy(counts, 0) == pytest.approx(math.log2(3))
    # 3/4 and 1/4 at order 2.5: -2/3 log2(0.75^2.5 + 0.25^2.5).
    assert entropy(np.array([3, 1]), 2.5) == pytest.approx(-2 / 3 * math.log2(0.75**2.5 + 0.25**2.5))
    assert renyi_efficiency(np.array([5]), 2.5) is None
    assert renyi_efficiency(np.zeros(0, np.int64), 2.5) is None
    with pytest.raises(ValueError, match="at least 0"):
        entropy(counts, -1)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=2, max_size=40), st.sampled_from([0.5, 1.0, 2.0, 2.5, 3.0]))
def test_renyi_efficiency_is_that_of_tokenization_scorer(counts: list[int], alpha: float) -> None:
    scorer = pytest.importorskip("tokenization_scorer")
    text = [[str(number)] * count for number, count in enumerate(counts)]
    metric = "shannon_efficiency" if alpha == 1.0 else "renyi_efficiency"
    expected = scorer.get_metric(metric)(text, power=alpha)
    assert renyi_efficiency(np.array(counts), alpha) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20))
def test_entropy_falls_with_its_order(counts: list[int]) -> None:
    orders = [0, 0.5, 1.0, 2.0, 2.5, 10.0, math.inf]
    values = [entropy(np.array(counts), order) for order in orders]
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(values))


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab é東🙂\n\u3000\u200b\x1c\x00"), max_size=40))
def test_words_are_those_of_split(text: str) -> None:
    found = words(text)
    content = text.encode()
    assert [content[start:end].decode() for start, end in zip(found.starts, found.ends, strict=True)] == text.split()


def plainly(pieces: list[bytes], text: str) -> list[int]:
    """Count for each word the tokens that hold a byte of it, byte by byte."""
    owner = [number for number, piece in enumerate(pieces) for _ in piece]
    offsets = byte_offsets(text).tolist()
    found, current = [], set()
    for place, character in enumerate(text):
        if character.isspace():
            if current:
                found.append(len(current))
            current = set()
        else:
            current |= set(owner[offsets[place] : offsets[place + 1]])
    return [*found, len(current)] if current else found


@settings(max_examples=200, deadline=None)
@given(byte_tokenizers(), st.text("abcé ", max_size=40))
def test_figures_of_bytes_counted_plainly(tokenizer: ByteBPETokenizer, text: str) -> None:
    pieces = [token_bytes(tokenizer, number) for number in tokenizer.encode(text)]
    found = text_statistics(tokenizer, text)
    counted = plainly(pieces, text)
    assert tokens_per_word(encode(tokenizer, text), words(text)).tolist() == counted
    assert found.tokens == len(pieces)
    assert found.bytes == len(text.encode())
    assert found.lengths == tuple(sorted(Counter(map(len, pieces)).items()))
    if counted:
        assert found.pieces_per_word == pytest.approx(sum(counted) / len(counted))
        assert found.continued_words == pytest.approx(sum(count > 1 for count in counted) / len(counted))
        sizes = [len(word.encode()) for word in text.split()]
        whole = sum(size for size, count in zip(sizes, counted, strict=True) if count == 1)
        assert found.one_token_share == pytest.approx(whole / sum(sizes))
    else:
        assert found.tokens_per_word is found.pieces_per_word is found.one_token_share is None
    used = set(tokenizer.encode(text))
    assert set(found.unused.tolist()) == set(tokenizer.vocabulary.values()) - used


@settings(max_examples=100, deadline=None)
@given(st.text("abc", max_size=60), st.integers(0, 2**32))
def test_steps_are_the_unused_parts_of_used_tokens(text: str, seed: int) -> None:
    letters = np.random.default_rng(seed).choice(list("abc"), 200)
    tokenizer = BPETokenizer.train("abc" + "".join(letters), 25, verbose=False)
    counts = np.bincount(tokenizer.encode_array(text), minlength=tokenizer.vocab_size)
    parts = {
        node.id
        for number in np.flatnonzero(counts).tolist()
        for node in token_tree(tokenizer, number).parts()
        if node.rank is not None
    }
    assert set(step_tokens(tokenizer, counts).tolist()) == {number for number in parts if not counts[number]}


def test_near_duplicates_differ_in_case_or_leading_space() -> None:
    tokenizer = BPETokenizer(" Tehtx", [("t", "h"), ("T", "h"), (" ", "th"), (" ", "Th"), ("e", " "), (" ", " ")])
    groups = [[tokenizer.tokens[number] for number in group] for group in near_duplicates(tokenizer)]
    assert groups == [["th", "Th", " th", " Th"], ["T", "t"]]


def test_scripts_of_characters_that_say_so_in_their_names(shared: Path) -> None:
    """Oracle: the names in Python's own Unicode data, for scripts whose letters carry theirs."""
    text = (shared / "data/text/udhr_all_languages.txt").read_text("utf-8")[:2_000_000]
    counts = Counter(text)
    found = script_counts(text)
    assert sum(found.values()) == len(text)
    for script, word in (
        ("Cyrillic", "CYRILLIC"),
        ("Ethiopic", "ETHIOPIC"),
        ("Georgian", "GEORGIAN"),
        ("Thai", "THAI"),
    ):
        named = sum(
            count
            for character, count in counts.items()
            if unicodedata.name(character, "").startswith(f"{word} ") and character != "฿"
        )
        assert found.get(script, 0) == pytest.approx(named, rel=0.001)


def test_scripts_of_a_few_characters() -> None:
    assert script_counts("Latin, Кириллица 東京 ひらがな カタカナ \u0301\ue000") == {
        "Cyrillic": 9, "Common": 6, "Latin": 5, "Hiragana": 4, "Katakana": 4, "Han": 2, "Inherited": 1, "Unknown": 1,
    }  # fmt: skip
    assert script_counts("") == {}


def test_a_vocabulary_in_figures() -> None:
    found = vocabulary_statistics(LOW)
    assert (found.base_tokens, found.merges, found.vocab_size, found.learned_tokens) == (8, 6, 14, 6)
    assert found.lengths == ((1, 8), (2, 3), (3, 2), (5, 1))
    assert found.mean_length == pytest.approx((2 + 3 + 2 + 5 + 2 + 3) / 6)
    assert found.scripts == {"Latin": 13, "Common": 1}


def test_gpt2_in_figures(gpt2: ByteBPETokenizer, shared: Path) -> None:
    """OpenAI's tokenizer under the same questions, ids all over the place."""
    text = (shared / "data/text/pride_and_prejudice.txt").read_text("utf-8")[:200_000]
    found = text_statistics(gpt2, text)
    ids = gpt2.encode(text)
    assert found.tokens == len(ids)
    assert len(found.unused) == 50_257 - len(set(ids))
    pieces = [token_bytes(gpt2, number) for number in ids]
    assert tokens_per_word(encode(gpt2, text), words(text)).tolist() == plainly(pieces, text)
    vocabulary = vocabulary_statistics(gpt2)
    assert vocabulary.vocab_size == 50_257
    assert vocabulary.learned_tokens == 50_000
    assert vocabulary.scripts["Latin"] > 40_000
    assert sum(tokens for _, tokens in summarise(gpt2).tokens_by_length) == 50_256
    assert sum(tokens for _, tokens in vocabulary.lengths) == 50_257
    token = gpt2.stoi["Ġelectromagnetic"]
    leaves = [node for _, node in token_tree(gpt2, token).walk() if node.left is None]
    assert "".join(leaf.token for leaf in leaves) == "Ġelectromagnetic"
    first = places(gpt2, "naïve électromagnétique, electromagnetic", token, 5)[0]
    assert (first.offset, first.after) == (24, "")
