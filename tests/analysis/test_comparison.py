"""Tokenizers side by side, counts and cuts, probes, rules, sizes: each against the plainest way to find out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hard import hand_made_merges

from bpe_tui import BPETokenizer, VocabularySizeError, formats
from bpe_tui.analysis import Dial, encode, token_tree
from bpe_tui.analysis.baselines import baseline
from bpe_tui.analysis.comparison import align, compare, cost, parting, shared_tokens
from bpe_tui.analysis.counting import NOTHING, Count, count, cut
from bpe_tui.analysis.encoded import token_bytes
from bpe_tui.analysis.families import train_family
from bpe_tui.analysis.prefixes import lengths_by_merge
from bpe_tui.analysis.probe import probe, worst_first
from bpe_tui.analysis.recording import record
from bpe_tui.analysis.rules import Rules
from bpe_tui.analysis.sizes import Measure, compare_sizes, size_rows, suggested_sizes
from bpe_tui.analysis.word_lists import WORD_LISTS
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.errors import AnalysisError, Cancelled

from .conftest import byte_tokenizers

LOW = BPETokenizer(" elorstw", [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er"), ("e", "s"), ("es", "t")])


def test_baselines_give_characters_and_bytes() -> None:
    text = "naïve 東京"
    assert len(baseline("characters", text).encode(text)) == 8
    assert baseline("bytes", text).encode_array(text).tolist() == list(text.encode())
    with pytest.raises(ValueError, match="characters and bytes"):
        baseline("words", text)


def test_the_table_of_a_comparison() -> None:
    text = "lower lowest"
    other = BPETokenizer("elorstw", [])
    columns = compare([("low", LOW), ("characters", baseline("characters", text)), ("no space", other)], text)
    assert [column.statistics.tokens if column.statistics else None for column in columns] == [4, 12, None]
    assert columns[2].missing is not None
    assert "' ' (U+0020" in str(columns[2].missing)
    assert cost(4, 2.5) == 0.00001


def test_a_line_in_aligned_rows() -> None:
    line = align([("low", LOW), ("bytes", baseline("bytes", "")), ("none", BPETokenizer("x", []))], "lower low")
    assert line.segments == tuple(bytes([byte]) for byte in b"lower low")
    assert line.rows[0].cut_after == (False, False, False, False, True, True, False, False, True)
    assert line.rows[1].cut_after == (True,) * 9
    assert (line.rows[2].cut_after, line.rows[2].tokens) == (None, None)


@settings(max_examples=100, deadline=None)
@given(st.lists(byte_tokenizers(), min_size=1, max_size=4), st.text("abcé ", max_size=30))
def test_aligned_rows_give_the_tokens_of_each(tokenizers: list[ByteBPETokenizer], text: str) -> None:
    line = align([(str(number), tokenizer) for number, tokenizer in enumerate(tokenizers)], text)
    assert b"".join(line.segments) == text.encode()
    for row, tokenizer in zip(line.rows, tokenizers, strict=True):
        assert row.cut_after is not None
        pieces, piece = [], b""
        for segment, is_cut in zip(line.segments, row.cut_after, strict=True):
            piece += segment
            if is_cut:
                pieces.append(piece)
                piece = b""
        assert pieces == [token_bytes(tokenizer, number) for number in tokenizer.encode(text)]


def test_shared_tokens_and_where_merge_lists_part() -> None:
    other = BPETokenizer("elorstwx", [("l", "o"), ("lo", "w"), ("e", "s"), ("low", "es")])
    shared = shared_tokens(LOW, other)
    assert (shared.both, shared.first_only, shared.second_only) == (10, 4, 2)
    assert shared.first_examples == (b"lower", b"est", b"er", b" ")
    assert shared.second_examples == (b"lowes", b"x")
    assert shared.jaccard == 10 / 16
    found = parting(LOW, other)
    assert (found.rank, found.first, found.second) == (2, (b"e", b"r"), (b"e", b"s"))
    assert parting(LOW, LOW).equal
    shorter = BPETokenizer(LOW.base_tokens, LOW.merges[:3])
    assert parting(LOW, shorter).second is None
    assert parting(LOW, shorter).rank == 3


def test_gpt2_beside_a_character_tokenizer(gpt2: ByteBPETokenizer, small: BPETokenizer) -> None:
    """Tokens are compared as bytes: `Ġdog` and ` dog` are the same token."""
    shared = shared_tokens(gpt2, small)
    ours = {small.tokens[number].encode() for number in range(small.vocab_size)}
    theirs = {token_bytes(gpt2, number) for number in range(gpt2.vocab_size)}
    assert shared.both == len(ours & theirs)
    assert shared.both > 30


@settings(max_examples=200, deadline=None)
@given(hand_made_merges(), st.text("abc \n", max_size=40), st.integers(1, 12))
def test_a_cut_text_is_the_longest_that_ends_with_a_token(merges: list[tuple[str, str]], text: str, most: int) -> None:
    tokenizer = BPETokenizer("abc \n", merges)
    tokens = tokenizer.encode_tokens(text)
    beginning, found = cut(tokenizer, text, most)
    assert beginning == "".join(tokens[:most])
    assert found == len(tokenizer.encode(beginning)) == min(most, len(tokens))
    assert count(tokenizer, text).tokens == len(tokens)


@settings(max_examples=200, deadline=None)
@given(byte_tokenizers(), st.text("abcé ", max_size=30), st.integers(1, 12))
def test_a_cut_never_halves_a_character(tokenizer: ByteBPETokenizer, text: str, most: int) -> None:
    beginning, found = cut(tokenizer, text, most)
    assert text.startswith(beginning)
    assert found == len(tokenizer.encode(beginning)) <= most
    if len(tokenizer.encode(text)) <= most:
        assert beginning == text


def test_counts_add_up() -> None:
    one = count(LOW, "low lower low")
    assert one == Count(characters=13, bytes=13, words=3, lines=1, tokens=5)
    assert one + NOTHING == one
    assert count(baseline("bytes", ""), "é\nb\n") == Count(4, 5, 2, 2, 5)
    assert count(LOW, "") == NOTHING


def test_probes_name_what_cannot_be_encoded_and_put_the_worst_first() -> None:
    probed = probe([("low", LOW), ("bytes", baseline("bytes", ""))], ["lower", "zyx", "lower", "lol", "ö"])
    assert [entry.word for entry in probed] == ["lower", "zyx", "lol", "ö"]
    assert probed[0].cuts[0].pieces == (b"lower",)
    assert probed[1].cuts[0].missing == ("z", "y", "x")
    assert probed[3].cuts[1].pieces == (b"\xc3", b"\xb6")
    assert [entry.word for entry in worst_first(probed)] == ["zyx", "ö", "lower", "lol"]
    alone = worst_first(probe([("low", LOW)], ["lower", "ser", "lol"]))
    assert [entry.word for entry in alone] == ["lol", "ser", "lower"]


def test_the_built_in_lists_are_what_was_promised() -> None:
    assert {"electromagnetism", "neurocomputational", "uncharacteristically"} <= set(WORD_LISTS["words"])
    assert "zyxwv" in WORD_LISTS["nonsense"]
    assert len(set(WORD_LISTS["languages"])) == 20
    tokenizer = baseline("bytes", "")
    for entry in probe([("bytes", tokenizer)], [word for words in WORD_LISTS.values() for word in words]):
        assert b"".join(entry.cuts[0].pieces).decode() == entry.word


@settings(max_examples=100, deadline=None)
@given(hand_made_merges())
def test_rules_know_what_is_built_on_a_token(merges: list[tuple[str, str]]) -> None:
    tokenizer = BPETokenizer("abc", merges)
    rules = Rules(tokenizer)
    assert [(tokenizer.tokens[rule.left], tokenizer.tokens[rule.right]) for rule in rules] == merges
    found = [tokenizer.tokens[rule.new] for rule in rules.find(lambda token: "ab" in token)]
    assert found == [left + right for left, right in merges if "ab" in left + right]
    for number in range(tokenizer.vocab_size):
        holders = [
            other
            for other in range(tokenizer.vocab_size)
            if other != number and number in {node.id for node in token_tree(tokenizer, other).parts()}
        ]
        assert rules.built_on(number) == holders
        assert [rule.rank for rule in rules.uses(number)] == [
            rank for rank, pair in enumerate(merges) if tokenizer.tokens[number] in pair
        ]


def test_sizes_from_one_run_are_those_of_a_run_each(bible: str) -> None:
    text, held_out = bible[:30_000], bible[30_000:50_000]
    found = compare_sizes(text, [200, 120, 150], held_out=held_out, longest=3)
    assert [row.size for row in found.rows] == [120, 150, 200]
    assert [row.seconds for row in found.rows] == sorted(row.seconds for row in found.rows)
    for row in found.rows:
        alone = BPETokenizer.train(text, row.size, base_tokens=set(text + held_out), verbose=False)
        assert alone.merges == found.tokenizer.merges[: row.merges]
        assert row.vocab_size == alone.vocab_size == row.size
        assert row.sequence_length == len(alone.encode(text))
        assert row.held_out_length == len(alone.encode(held_out))
        assert row.compression == len(text) / len(alone.encode(text))
        assert row.embedding_parameters(64, tied=True) * 2 == row.embedding_parameters(64, tied=False) == row.size * 128
        assert row.context_characters(128) == pytest.approx(128 * len(held_out) / len(alone.encode(held_out)))
        assert [token for _, token in row.longest] == sorted(alone.tokens[-row.merges :], key=lambda t: -len(t))[:3]
    with pytest.raises(VocabularySizeError):
        compare_sizes(text, [3, 100])


def test_sizes_of_a_tokenizer_at_hand_are_those_of_training(bible: str) -> None:
    """No text is looked at, and yet the rows are the same but for the time."""
    text, held_out = bible[:30_000], bible[30_000:50_000]
    sizes = [120, 150, 200]
    found = compare_sizes(text, sizes, held_out=held_out)
    measures = [Measure(lengths_by_merge(found.tokenizer, of), len(of)) for of in (text, held_out)]
    rows = size_rows(Dial(found.tokenizer), [200, *sizes], training=measures[0], held_out=measures[1])
    assert rows == [replace(row, seconds=None) for row in found.rows]
    timed = size_rows(Dial(found.tokenizer), sizes, seconds_at=lambda merges: merges / 10)
    assert [row.seconds for row in timed] == [row.merges / 10 for row in timed]
    assert {(row.sequence_length, row.compression, row.held_out_compression) for row in timed} == {(0, 0.0, None)}
    base = len(found.tokenizer.base_tokens)
    below, beyond = size_rows(Dial(found.tokenizer), [1, 9_999])
    assert (below.vocab_size, below.merges, below.longest) == (base, 0, ())
    assert beyond.vocab_size == found.tokenizer.vocab_size


def test_sizes_suggest_themselves() -> None:
    assert suggested_sizes(73, 500) == [100, 200, 300, 500]
    assert suggested_sizes(256, 50_257) == [3_000, 5_000, 10_000, 20_000, 30_000, 50_000, 50_257]
    assert suggested_sizes(5, 5) == [5]
    assert suggested_sizes(30, 37, most=1) == [37]


def test_sizes_that_cannot_be_reached_and_runs_that_are_cancelled() -> None:
    found = compare_sizes("abababab", [4, 100], minimum_pair_frequency=1)
    assert [row.vocab_size for row in found.rows] == [4, 5]
    assert found.stop_reason is not None

    def refuse(step: str, done: int, total: int) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        compare_sizes("abababab", [4], report=refuse)


def test_a_recorded_run_holds_its_log(bible: str) -> None:
    text = bible[:20_000]
    recorded = record(text, 120)
    assert recorded.tokenizer.merges == BPETokenizer.train(text, 120, verbose=False).merges
    assert len(recorded.lengths) == len(recorded.tokenizer.merges) + 1
    assert recorded.lengths[-1] == len(recorded.tokenizer.encode(text))
    assert recorded.samples[-1][1] == len(recorded.frequencies)
    assert [curve.name for curve in recorded.curves(len(text))] == [
        "characters per token", "pair frequency", "merges per second",
    ]  # fmt: skip


@pytest.mark.parametrize("family", ["wordpiece", "unigram"])
def test_the_other_families_on_the_same_text(family: str, bible: str) -> None:
    pytest.importorskip("tokenizers")
    text = bible[:60_000]
    tokenizer = train_family(family, text, 400)
    assert 300 <= tokenizer.vocab_size <= 400
    encoded = encode(tokenizer, "And it came to pass")
    assert encoded.ends is not None
    assert len(encoded.ids) == len(encoded.ends)
    assert encoded.ends[-1] == len("And it came to pass")
    column = compare([(family, tokenizer)], text)[0]
    assert column.statistics is not None
    assert column.statistics.tokens == len(tokenizer.encode(text))
    assert 1 <= (column.statistics.pieces_per_word or 0) < 4
    with pytest.raises(AnalysisError, match="not made of merges"):
        Rules(tokenizer)
    assert np.all(np.diff(encoded.ends) >= 0)


def test_an_unknown_family() -> None:
    with pytest.raises(AnalysisError, match="wordpiece, unigram"):
        train_family("bpe-dropout", "text", 10)


@pytest.mark.parametrize(
    "name",
    [
        "bert_base_cased.tokenizer.json",
        "xlnet_base_cased.tokenizer.json",
        "clip_base.tokenizer.json",
        "sp_test_en.model",
    ],
)
def test_tokens_of_foreign_tokenizers_lie_in_the_text(name: str, shared: Path) -> None:
    """Ids are those of the package that encodes, and every letter of the text lies in one of its tokens."""
    pytest.importorskip("tokenizers")
    pytest.importorskip("sentencepiece")
    tokenizer = formats.read(shared / "data/tokenizers" / name)
    text = "The naïve café, and  the neurocomputational lab."
    encoded = encode(tokenizer, text)
    assert encoded.ids.tolist() == tokenizer.encode(text)
    assert encoded.ends is not None
    assert np.all(np.diff(encoded.ends) >= 0)
    assert encoded.ends[-1] == len(text.encode())
    beginning, found = cut(tokenizer, text, 4)
    assert text.startswith(beginning)
    assert found == len(tokenizer.encode(beginning)) <= 4
    with pytest.raises(AnalysisError, match="not made of merges"):
        Dial(tokenizer, text)
