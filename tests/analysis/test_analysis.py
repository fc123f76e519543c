"""What is said about a tokenizer, held against the plainest way to find it out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer, MissingCharactersError, TokenIdError
from bpe_tui.analysis import longest_tokens, places, summarise, token_tree
from bpe_tui.analysis.places import CONTEXT
from bpe_tui.bpe import reference


@st.composite
def tokenizers(draw: st.DrawFn) -> BPETokenizer:
    """Hand-made ones: merges that repeat, and several ways to one string."""
    tokens = list("abc")
    merges = []
    for _ in range(draw(st.integers(0, 10))):
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        merges.append((left, right))
        if left + right not in tokens:
            tokens.append(left + right)
    return BPETokenizer("abc", merges)


LOW = BPETokenizer(" elorstw", [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er"), ("e", "s"), ("es", "t")])


def test_the_longest_tokens_of_low_lower_lowest() -> None:
    assert longest_tokens(LOW, 3) == [(11, "lower"), (9, "low"), (13, "est")]


def test_base_tokens_are_not_among_the_longest() -> None:
    assert longest_tokens(BPETokenizer("abc", []), 30) == []
    assert len(longest_tokens(LOW, 30)) == 6
    assert longest_tokens(LOW, 0) == []


@given(tokenizers(), st.integers(0, 12))
def test_longest_first_then_lower_id(tokenizer: BPETokenizer, count: int) -> None:
    everything = list(enumerate(tokenizer.tokens))[len(tokenizer.base_tokens) :]
    assert longest_tokens(tokenizer, count) == sorted(everything, key=lambda entry: (-len(entry[1]), entry[0]))[:count]


@given(tokenizers())
def test_a_tree_spells_its_token_and_names_the_merge(tokenizer: BPETokenizer) -> None:
    for token_id, token in enumerate(tokenizer.tokens):
        tree = token_tree(tokenizer, token_id)
        leaves = [node for _, node in tree.walk() if node.left is None]
        assert "".join(leaf.token for leaf in leaves) == token
        assert all(leaf.rank is None and len(leaf.token) == 1 for leaf in leaves)
        for node in tree.parts():
            assert tokenizer.tokens[node.id] == node.token
            if node.left is not None and node.right is not None:
                assert node.rank is not None
                assert tokenizer.merges[node.rank] == (node.left.token, node.right.token)
                # The first merge that made it, not a later one that made it again.
                made = [left + right for left, right in tokenizer.merges]
                assert node.rank == made.index(node.token)


def test_depth_counts_from_the_token_down() -> None:
    shown = [(depth, node.token) for depth, node in token_tree(LOW, 11).walk()]
    assert shown == [
        (0, "lower"), (1, "low"), (2, "lo"), (3, "l"), (3, "o"), (2, "w"), (1, "er"), (2, "e"), (2, "r"),
    ]  # fmt: skip


def test_very_deep_and_very_wide_trees() -> None:
    """A chain of 3,000 merges, and doublings to a token of a million characters that has 20 distinct parts."""
    chain = BPETokenizer("ab", [("a" + "b" * n, "b") for n in range(3000)])
    assert sum(1 for _ in token_tree(chain, chain.vocab_size - 1).walk()) == 6001
    doubling = BPETokenizer("a", [("a" * 2**n, "a" * 2**n) for n in range(20)])
    tree = token_tree(doubling, doubling.vocab_size - 1)
    assert len(tree.token) == 2**20
    assert len(tree.parts()) == 21
    assert tree.rank == 19


@pytest.mark.parametrize("token_id", [-1, 14, 10**12])
def test_an_id_outside_the_vocabulary(token_id: int) -> None:
    with pytest.raises(TokenIdError, match=r"the vocabulary holds 14 tokens, 0 to 13"):
        token_tree(LOW, token_id)


@settings(max_examples=200, deadline=None)
@given(tokenizers(), st.text("abc", max_size=120), st.integers(0, 12), st.integers(1, 5))
def test_places_are_those_of_the_encoded_text(tokenizer: BPETokenizer, text: str, token: int, limit: int) -> None:
    token %= tokenizer.vocab_size
    wanted = []
    offset = 0
    for piece in reference.encode(text, tokenizer.merges):
        if piece == tokenizer.tokens[token]:
            end = offset + len(piece)
            wanted.append((offset, text[max(0, offset - CONTEXT) : offset], text[end : end + CONTEXT]))
        offset += len(piece)
    for source in (tokenizer, tokenizer.encoder()):
        found = places(source, text, token, limit)
        assert [(place.offset, place.before, place.after) for place in found] == wanted[:limit]


def test_a_string_inside_a_longer_token_is_no_place() -> None:
    assert places(LOW, "lower low lo", LOW.stoi["low"], 10)[0].offset == 6
    assert [place.offset for place in places(LOW, "lower low lo", LOW.stoi["lo"], 10)] == [10]


def test_places_in_a_text_with_missing_characters() -> None:
    with pytest.raises(MissingCharactersError):
        places(LOW, "löw", 0, 10)


def test_summary() -> None:
    summary = summarise(BPETokenizer("ab", [("a", "b"), ("ab", "a"), ("b", "a"), ("a", "ba")]))
    assert summary.vocab_size == 5
    assert summary.base_size == 2
    assert summary.merges == 4
    assert summary.learned_tokens == 3
    assert summary.repeated_merges == 1
    assert summary.longest_token == 3
    assert summary.mean_token_length == pytest.approx(7 / 3)
    assert summary.tokens_by_length == ((1, 2), (2, 2), (3, 1))
    assert len(summary.fingerprint) == 64


@pytest.mark.parametrize("kind", ["words", "bytes", "characters"])
def test_places_of_tokens_of_every_kind(kind: str) -> None:
    from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
    from bpe_tui.bpe.word_tokenizer import WordBPETokenizer

    text = "ünder  the hät, the hat\nünder the hät"
    if kind == "bytes":
        tokenizer: BPETokenizer = ByteBPETokenizer.train(text, 270, verbose=False)
        wanted, shown = "Ġthe", " the"
    elif kind == "words":
        tokenizer = WordBPETokenizer.train(text, 40, verbose=False)
        wanted, shown = "the</w>", "the"
    else:
        tokenizer = BPETokenizer.train(text, 13, verbose=False)
        tokenizer = BPETokenizer(tokenizer.base_tokens, [("t", "h")])
        wanted, shown = "th", "th"
    read = tokenizer.normalise(text)
    found = places(tokenizer, text, tokenizer.stoi[wanted], 10)
    assert [place.offset for place in found] == [at for at in range(len(read)) if read.startswith(shown, at)]
    for place in found:
        assert read.startswith(place.before + shown, place.offset - len(place.before))
        assert read[place.offset :].endswith(place.after)


def test_the_summary_and_the_parts_of_byte_tokens() -> None:
    from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer

    text = "日本語 日本語 the cat the cat"
    tokenizer = ByteBPETokenizer.train(text, 275, verbose=False, special_tokens=["<s>"])
    summary = summarise(tokenizer)
    assert (summary.kind, summary.unit, summary.base_size) == ("byte_bpe", "bytes", 256)
    assert summary.special_tokens == ((tokenizer.stoi["<s>"], "<s>"),)
    assert summary.learned_tokens == summary.merges == len(tokenizer.merges)
    assert sum(count for _, count in summary.tokens_by_length) == tokenizer.vocab_size - 1
    number, token = longest_tokens(tokenizer, 1)[0]
    assert tokenizer.token_bytes[number] == "日本語".encode() or len(token) == summary.longest_token
    parts = {part.token for part in token_tree(tokenizer, number).parts()}
    assert set(token) <= parts
