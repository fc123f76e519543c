"""Word BPE: the classic examples, the plain algorithm, and subword-nmt's own merges."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hard import hard_texts

from bpe_tui.bpe import reference
from bpe_tui.bpe.special import SpecialTokenError
from bpe_tui.bpe.trainer import StopReason, Ties, Trainer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer, make_word_tokenizer
from bpe_tui.bpe.word_training import word_sequence
from bpe_tui.bpe.words import Marker, Punctuation, WordSymbols, show, unshow, words_of
from bpe_tui.errors import Cancelled, MissingCharactersError, TextError, TokenIdError, VocabularySizeError

NEWEST = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)


def words_texts() -> st.SearchStrategy[str]:
    """Texts of few characters with white space in them."""
    return st.one_of(
        st.text("ab \n", min_size=1, max_size=80),
        st.lists(st.sampled_from(["low", "lower", "aaaa", "</w>", "<", "w>", "\\", "é", "ab,c"]), max_size=30).map(
            " ".join
        ),
        hard_texts(),
    )


def trained(text: str, size: int = 10_000, **options: object) -> WordBPETokenizer:
    return WordBPETokenizer.train(text, size, 2, verbose=False, **options)  # type: ignore[arg-type]


def subword_nmt(text: str, merges: int) -> list[tuple[str, ...]]:
    """The merges that subword-nmt learns, as its own file lists them."""
    learn_bpe = pytest.importorskip("subword_nmt.learn_bpe")
    output = io.StringIO()
    with redirect_stderr(io.StringIO()):
        learn_bpe.learn_bpe(io.StringIO(text), output, merges)
    return [tuple(line.split(" ")) for line in output.getvalue().splitlines()[1:]]


def test_the_first_classic_example() -> None:
    trainer = Trainer.on_sequence(word_sequence("low low low lower lowest"), 12)
    learned = [(show(trainer.tokens[merge.new_id]), merge.frequency) for merge in trainer]
    assert learned == [("lo", 5), ("low", 5), ("low</w>", 3), ("lowe", 2)]


def test_the_second_classic_example() -> None:
    tokenizer = trained(NEWEST, 11 + 8)
    assert tokenizer.merges == [
        ("e", "s"),
        ("es", "t"),
        ("est", "</w>"),
        ("l", "o"),
        ("lo", "w"),
        ("n", "e"),
        ("ne", "w"),
        ("new", "est</w>"),
    ]
    assert tokenizer.encode_tokens("lowest") == ["low", "est</w>"]
    assert tokenizer.decode(tokenizer.encode("  lowest\n\nlow ")) == "lowest low"
    assert not tokenizer.lossless


def test_a_trained_vocabulary_lists_characters_then_the_marker_then_what_was_learned() -> None:
    tokenizer = trained("ab ab", special_tokens=["[CLS]"])
    assert tokenizer.tokens == ["a", "b", "</w>", "ab", "ab</w>", "[CLS]"]
    assert tokenizer.stoi["[CLS]"] == 5
    assert tokenizer.base_tokens == ["a", "b", "</w>"]
    assert tokenizer.token_lengths().tolist() == [1, 1, 1, 2, 3, 6]


@settings(deadline=None)
@given(words_texts(), st.integers(1, 3), st.booleans())
def test_training_equals_the_plain_algorithm(text: str, minimum: int, largest: bool) -> None:
    if not text.split():
        with pytest.raises(TextError):
            word_sequence(text)
        return
    words = reference.words(text)
    # `</w>` in place of the space only matters to the order of strings.
    shown = [([show(token) for token in tokens], number) for tokens, number in words]
    expected = reference.train_stretches(shown if largest else words, 10_000, minimum, largest_string=largest)
    ties = Ties.LEXICOGRAPHIC if largest else Ties.FIRST
    trainer = Trainer.on_sequence(word_sequence(text), 10_000, minimum, ties=ties)
    trainer.run()
    plain = [(left.replace(" ", "</w>"), right.replace(" ", "</w>")) for left, right in trainer.pairs()]
    assert plain == [(a.replace(" ", "</w>"), b.replace(" ", "</w>")) for (a, b), _, _ in expected]
    log = trainer.log
    assert log.frequency[: log.count].tolist() == [merge.frequency for merge in expected]
    assert log.length[: log.count].tolist() == [merge.length for merge in expected]


@settings(deadline=None)
@given(
    words_texts().filter(lambda text: bool(text.split())),
    st.sampled_from(Marker),
    st.sampled_from(Punctuation),
    words_texts(),
)
def test_encoding_equals_the_plain_algorithm_and_decodes(
    text: str, marker: Marker, punctuation: Punctuation, other: str
) -> None:
    tokenizer = trained(text, base_tokens=text + other, marker=marker, punctuation=punctuation)
    words = words_of(other, punctuation)
    assert tokenizer.decode(tokenizer.encode(other)) == " ".join(words) == tokenizer.normalise(other)
    if marker is Marker.OWN:
        expected = reference.encode_words(" ".join(words), tokenizer.raw_merges())
        assert tokenizer.encode_tokens(other) == [show(token) for token in expected]
    again = WordBPETokenizer(tokenizer.base_tokens, tokenizer.merges, punctuation=punctuation, marker=marker)
    assert again.fingerprint() == tokenizer.fingerprint()


@settings(deadline=None)
@given(st.text(r"<\/w> a", max_size=20))
def test_what_people_see_of_a_token_can_be_read_back(token: str) -> None:
    assert unshow(show(token)) == token


@pytest.mark.parametrize("marker", Marker)
def test_the_marker_is_never_taken_for_those_four_characters_in_a_text(marker: Marker) -> None:
    text = "low</w> low</w> </w> </w> <\\/w> <\\/w> low low"
    tokenizer = trained(text, marker=marker)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert tokenizer.encode("low</w>") != tokenizer.encode("low")
    assert len(set(tokenizer.tokens)) == tokenizer.vocab_size
    again = WordBPETokenizer(tokenizer.base_tokens, tokenizer.merges, marker=marker)
    assert again.tokens == tokenizer.tokens
    assert again.encode(text) == ids


def test_punctuation_is_separated_if_wanted() -> None:
    assert words_of("Don't stop, «now»… $5", Punctuation.SEPARATE) == [
        *("Don", "'", "t", "stop", ",", "«", "now", "»", "…", "$", "5")
    ]
    tokenizer = trained("end. end. end? end!", punctuation="separate")
    assert "end</w>" in tokenizer.tokens
    assert tokenizer.decode(tokenizer.encode("end.")) == "end ."


def test_special_tokens_cut_words_and_have_ids_of_their_own() -> None:
    text = "one<|end|>two <|end|> one two one<|end|>two"
    tokenizer = trained(text, special_tokens=["<|end|>", "[SEP]"])
    assert not any("|" in token for token in tokenizer.vocabulary if len(token) > 1)
    assert tokenizer.encode_tokens("one") == ["one</w>"]
    ids = tokenizer.encode("one<|end|>two", special="special")
    assert [tokenizer.tokens[number] for number in ids] == ["one</w>", "<|end|>", "two</w>"]
    assert tokenizer.decode(ids) == "one <|end|> two"
    assert tokenizer.special_tokens == {
        "<|end|>": tokenizer.vocab_size - 2,
        "[SEP]": tokenizer.vocab_size - 1,
    }
    with pytest.raises(SpecialTokenError, match=r"'<\|end\|>' stands in the text at character 3"):
        tokenizer.encode("one<|end|>", special="error")
    with pytest.raises(MissingCharactersError):
        tokenizer.encode("one<|end|>")  # as text: these characters are not known


def test_the_target_counts_special_tokens() -> None:
    tokenizer = trained(NEWEST, 20, special_tokens=["[A]", "[B]"])
    assert tokenizer.vocab_size == 20
    with pytest.raises(VocabularySizeError, match="11 base tokens and 2 special tokens"):
        trained(NEWEST, 12, special_tokens=["[A]", "[B]"])


def test_a_special_token_equal_to_another_is_refused() -> None:
    with pytest.raises(SpecialTokenError, match="'l' is equal to the token with id"):
        trained(NEWEST, base_tokens=NEWEST, special_tokens=["l"])


def test_ids_can_have_holes() -> None:
    tokenizer = WordBPETokenizer(["a", "b", "</w>"], [("a", "b")], {"[X]": 1}, unused_ids=[3])
    assert tokenizer.stoi == {"a": 0, "b": 2, "</w>": 4, "ab": 5, "[X]": 1}
    assert tokenizer.encode("ab a") == [5, 4, 0, 4]
    assert tokenizer.decode([5, 4, 1, 0, 4]) == "ab [X] a"
    with pytest.raises(TokenIdError, match="id 3 at place 1"):
        tokenizer.decode([5, 3])


def test_missing_characters_are_named_with_their_place_in_the_text() -> None:
    with pytest.raises(MissingCharactersError, match=r"'x' \(U\+0078, 2 times") as caught:
        trained(NEWEST).encode("low\n low x low x")
    assert [(entry.character, entry.count, entry.first_position) for entry in caught.value.missing] == [("x", 2, 9)]


@pytest.mark.parametrize(
    ("base", "merges", "what"),
    [
        (["a", "b"], [], "the ends of words"),
        (["a", "ab", "</w>"], [], "'ab' is neither"),
        (["a", " ", "</w>"], [], "neither|each once|no word"),
        (["a", "\n", "</w>"], [], "no word has"),
        (["a", "</w>"], [("</w>", "a")], "merge 0 goes on behind the end"),
        (["a", "</w>"], [("a", "b")], "merge 0 uses 'b'"),
    ],
)
def test_what_is_no_word_tokenizer_is_refused(base: list[str], merges: list[tuple[str, str]], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        WordBPETokenizer(base, merges)


@pytest.mark.parametrize("text", [NEWEST, "aaaa aaa aa a aaaaa baaab " * 3, "a.b.c \\d \\d ((x)) ((x))", "ü é é ü üé"])
def test_lexicographic_ties_and_a_glued_marker_give_the_merges_of_subword_nmt(text: str) -> None:
    assert trained(text, ties="lexicographic", marker="glued").merges == subword_nmt(text, 1000)


def test_subword_nmt_on_a_chapter(bible: str) -> None:
    text = " ".join(bible[:60_000].split())
    merges = subword_nmt(text, 1500)
    ours = trained(text, ties="lexicographic", marker="glued")
    assert len(merges) == 1500
    assert ours.merges[:1500] == merges


def test_subword_nmt_on_shakespeare(shared: Path) -> None:
    text = " ".join((shared / "data/text/tinyshakespeare.txt").read_text().split())
    merges = subword_nmt(text, 3000)
    assert trained(text, ties="lexicographic", marker="glued").merges[:3000] == merges


def test_resuming_gives_what_an_uninterrupted_run_gives(bible: str) -> None:
    sequence = [word_sequence(bible[:50_000]) for _ in range(3)]
    for ties in (Ties.FIRST, Ties.LEXICOGRAPHIC):
        whole = Trainer.on_sequence(word_sequence(bible[:50_000]), 600, ties=ties)
        whole.run()
        half = Trainer.on_sequence(sequence.pop(), 600, merges=whole.pairs()[:200], ties=ties)
        half.run()
        assert half.pairs() == whole.pairs()
        assert half.stop_reason is StopReason.TARGET


def test_counting_can_be_cancelled() -> None:
    def report(step: str, done: int, total: int) -> None:
        raise Cancelled(step)

    with pytest.raises(Cancelled, match="counting words"):
        word_sequence("a b c", report=report)


@pytest.mark.parametrize("piece", ["a", "ab"])
def test_one_enormous_word_is_no_trouble(piece: str) -> None:
    text = piece * 500_000
    tokenizer = trained(text, 60)
    ids = tokenizer.encode_array(text)
    assert len(ids) < 2000
    assert tokenizer.decode(ids) == text
    assert len(trained("\n" * 1_000_000 + "a b").encode("\n" * 1_000_000 + "a")) == 2


def test_base_tokens_keep_their_order_when_a_whole_list_is_given() -> None:
    table = WordSymbols.of_characters(list("ba\n "), Marker.GLUED)
    assert table.tokens == ["a", "b", "a ", "b "]
    sequence = word_sequence("ab", base_tokens=["</w>", "b", "a"])
    assert sequence.tokens == (" ", "b", "a")
    assert make_word_tokenizer(Trainer.on_sequence(sequence, 3)).base_tokens == ["</w>", "b", "a"]
