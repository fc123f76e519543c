"""Taking tokens out and learning more, without a surprise for those who have ids already."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hard import hard_texts

from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.extending import ExtendingError, extended, extending_trainer
from bpe_tui.bpe.pruning import PruningError, count_uses, prune
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.errors import VocabularySizeError

OPTIONS: dict[str, dict[str, object]] = {
    "characters": {},
    "words": {},
    "glued words": {"marker": "glued", "ties": "lexicographic", "punctuation": "separate"},
    "words and specials": {"special_tokens": ["[X]", "[Y]"]},
    "bytes": {},
    "raw bytes": {"ties": "bytes", "rule": "cl100k"},
    "bytes and specials": {"special_tokens": ["<|end|>"]},
}


def trained(name: str, text: str, size: int) -> BPETokenizer:
    """A tokenizer of that kind; `size` counts what comes on top of base tokens."""
    options = OPTIONS[name]
    if "bytes" in name:
        return ByteBPETokenizer.train(text, 256 + size, verbose=False, **options)  # type: ignore[arg-type]
    kind = WordBPETokenizer if "words" in name else BPETokenizer
    characters = sorted(set(text))
    base = len(characters)
    if "words" in name:
        inside = len([character for character in characters if not character.isspace()])
        base = 2 * inside if name == "glued words" else inside + 1
    return kind.train(text, base + size, base_tokens=characters, verbose=False, **options)  # type: ignore[arg-type]


def extend(tokenizer: BPETokenizer, text: str, more: int) -> BPETokenizer:
    trainer = extending_trainer(tokenizer, text, len(tokenizer.itos) + more)
    trainer.run()
    return extended(tokenizer, trainer)


@pytest.mark.parametrize("name", OPTIONS)
def test_extending_on_the_same_text_is_training_in_one_go(bible: str, name: str) -> None:
    text = bible[:60_000]
    small, large = trained(name, text, 100), trained(name, text, 200)
    made = extend(small, text, 100)
    assert made.merges == large.merges
    assert all(made.stoi[token] == number for token, number in small.stoi.items())
    if not small.special_tokens:
        assert made.fingerprint() == large.fingerprint()


@pytest.mark.parametrize("name", OPTIONS)
def test_extending_on_another_text_keeps_every_id_and_merge(bible: str, name: str) -> None:
    base = "".join(sorted(set(bible)))
    small = trained(name, base + bible[:30_000], 100)
    made = extend(small, bible[200_000:260_000], 50)
    assert len(made.itos) == len(small.itos) + 50
    assert made.merges[: len(small.merges)] == small.merges
    assert all(made.itos[number] == token for number, token in small.itos.items())
    again = extend(made, bible[200_000:260_000], 0)
    assert again.fingerprint() == made.fingerprint()


def test_what_cannot_be_extended_says_so(bible: str) -> None:
    tokenizer = trained("bytes", bible[:5000], 20)
    with pytest.raises(VocabularySizeError, match="has 276 tokens"):
        extending_trainer(tokenizer, bible[:5000], 100)
    assert isinstance(tokenizer, ByteBPETokenizer)
    with pytest.raises(ExtendingError, match="does not simply merge"):
        extending_trainer(tokenizer.with_changes(whole_pieces=True), bible[:5000], 300)
    with pytest.raises(ExtendingError, match="not in order"):
        extending_trainer(BPETokenizer(["b", "a"], []), "ab", 3)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("keep_ids", [False, True])
def test_pruning_removes_what_is_used_too_little_and_nothing_needs(bible: str, name: str, keep_ids: bool) -> None:
    if name == "characters" and keep_ids:
        with pytest.raises(PruningError, match="cannot have unused ids"):
            prune(trained(name, bible[:1000], 5), [0] * 100, 1, keep_ids=True)
        return
    text = bible[:60_000]
    tokenizer = trained(name, text, 300)
    text = bible[1000:21_000]
    uses = count_uses(tokenizer, text)
    pruned = prune(tokenizer, uses, 20, keep_ids=keep_ids)
    made = pruned.tokenizer
    assert pruned.removed
    assert pruned.kept
    gone = {number for number, _, _ in pruned.removed}
    assert set(pruned.ids) == set(tokenizer.itos) - gone
    assert all(uses[number] < 20 for number in gone)
    assert all(made.itos[new] == tokenizer.itos[old] for old, new in pruned.ids.items())
    assert list(pruned.ids.values()) == sorted(pruned.ids.values())
    assert made.special_tokens.keys() == tokenizer.special_tokens.keys()
    if keep_ids:
        assert all(old == new for old, new in pruned.ids.items())
    else:
        assert sorted(made.itos) == list(range(len(pruned.ids)))
    for kept in pruned.kept:
        assert kept.uses < 20
        assert kept.needed_by
        assert all(token in made.stoi for token in kept.needed_by)
        parts = {part for pair in made.merges for part in pair}
        assert kept.token in parts
    assert made.decode(made.encode(text)) == tokenizer.normalise(text)
    # Every token used too little is gone or is told of.
    low = {number for number in tokenizer.itos if uses[number] < 20}
    base = {tokenizer.stoi[token] for token in tokenizer.base_tokens} | set(tokenizer.special_tokens.values())
    assert low - base == gone | {kept.id for kept in pruned.kept}


def test_a_token_goes_when_all_that_is_made_of_it_goes() -> None:
    tokenizer = BPETokenizer("abc", [("a", "b"), ("ab", "c"), ("c", "c")])
    pruned = prune(tokenizer, count_uses(tokenizer, "cccc"), 1)
    assert pruned.tokenizer.merges == [("c", "c")]
    assert pruned.ids == {0: 0, 1: 1, 2: 2, 5: 3}
    pruned = prune(tokenizer, count_uses(tokenizer, "abc"), 1)
    assert pruned.tokenizer.merges == [("a", "b"), ("ab", "c")]
    assert [(kept.token, kept.needed_by) for kept in pruned.kept] == [("ab", ("abc",))]


@settings(deadline=None)
@given(hard_texts(), st.integers(1, 5), st.sampled_from(["characters", "bytes"]))
def test_what_is_left_still_encodes_everything(text: str, minimum: int, name: str) -> None:
    tokenizer = trained(name, text, 30)
    pruned = prune(tokenizer, count_uses(tokenizer, text), minimum)
    assert pruned.tokenizer.decode(pruned.tokenizer.encode(text)) == text
    assert len(pruned.removed) + len(pruned.ids) == len(tokenizer.itos)
