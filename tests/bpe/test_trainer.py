"""The fast trainer says what the reference says, merge for merge, however it is driven."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import hard

from bpe_tui import MissingCharactersError, StopReason, TextError, Trainer, VocabularySizeError
from bpe_tui.bpe import reference
from bpe_tui.bpe.sequence import BOUNDARY, TrainingSequence
from bpe_tui.bpe.trainer import Ties
from bpe_tui.errors import Cancelled


def learned(trainer: Trainer) -> list[tuple[tuple[str, str], int, int]]:
    rows = [trainer.log[rank] for rank in range(len(trainer.log))]
    return [((trainer.tokens[row.left], trainer.tokens[row.right]), row.frequency, row.length) for row in rows]


def run_to_end(trainer: Trainer) -> None:
    while trainer.stop_reason is None:
        trainer.advance()


@settings(max_examples=1500, deadline=None)
@given(hard.hard_texts(), st.integers(0, 40), st.integers(1, 4))
def test_equals_the_reference(text: str, more: int, minimum: int) -> None:
    target = len(set(text)) + more
    merges, reason = reference.train(text, target, minimum)
    trainer = Trainer(text, target, minimum)
    run_to_end(trainer)
    assert learned(trainer) == merges
    assert trainer.stop_reason == reason
    assert trainer.tokens == reference.vocabulary(text, [merge.pair for merge in merges])


@settings(max_examples=300, deadline=None)
@given(hard.hard_texts(), st.lists(st.integers(0, 3), min_size=1, max_size=8), st.integers(0, 30))
def test_steps_of_any_size_change_nothing(text: str, steps: list[int], more: int) -> None:
    target = len(set(text)) + more
    merges, _ = reference.train(text, target)
    trainer = Trainer(text, target)
    for step in steps:
        assert trainer.advance(max_merges=step) <= step
        assert learned(trainer) == merges[: len(trainer.log)]
    run_to_end(trainer)
    assert learned(trainer) == merges


@settings(max_examples=300, deadline=None)
@given(hard.hard_texts(), st.integers(0, 30), st.integers(0, 20))
def test_a_run_taken_up_again_ends_as_if_never_stopped(text: str, more: int, stopped_after: int) -> None:
    target = len(set(text)) + more
    whole = Trainer(text, target)
    run_to_end(whole)
    first = Trainer(text, target)
    first.advance(max_merges=stopped_after)
    second = Trainer(text, target, merges=first.pairs())
    run_to_end(second)
    assert learned(second) == learned(whole)
    assert second.stop_reason == whole.stop_reason


@settings(max_examples=300, deadline=None)
@given(st.text("abc", min_size=1, max_size=60), hard.hand_made_merges())
def test_given_merges_are_replayed_whatever_they_are(text: str, merges: list[tuple[str, str]]) -> None:
    trainer = Trainer(text, 3, base_tokens="abc", merges=merges)
    run_to_end(trainer)
    assert trainer.pairs() == merges
    sequence = list(text)
    for pair, (_, frequency, length) in zip(merges, learned(trainer), strict=True):
        assert frequency == sum(neighbours == pair for neighbours in pairwise(sequence))
        sequence = reference.replace_pair(sequence, pair)
        assert length == len(sequence)


@settings(max_examples=400, deadline=None)
@given(st.text("abc", min_size=1, max_size=120), hard.hand_made_merges(), st.integers(0, 20), st.integers(1, 3))
def test_learning_goes_on_after_merges_that_nobody_would_learn(
    text: str, merges: list[tuple[str, str]], more: int, work: int
) -> None:
    """Many ways to one string before learning begins: what is learned then joins the lists of tokens made twice."""
    target = len(reference.vocabulary("abc", merges)) + more
    trainer = Trainer(text, target, 1, base_tokens="abc", merges=merges)
    while trainer.stop_reason is None:
        trainer.advance(max_work=work)
    sequence, vocabulary = reference.encode(text, merges), set(reference.vocabulary("abc", merges))
    for pair, frequency, length in learned(trainer)[len(merges) :]:
        assert (pair, frequency) == Counter(pairwise(sequence)).most_common(1)[0]
        sequence = reference.replace_pair(sequence, pair)
        vocabulary.add("".join(pair))
        assert length == len(sequence)
    assert len(vocabulary) == target if trainer.stop_reason is StopReason.TARGET else len(sequence) == 1


@pytest.mark.parametrize(("room", "enough"), [(3, False), (4, False), (5, True)])
def test_counting_leaves_a_record_free_for_a_given_pair_that_does_not_occur(room: int, enough: bool) -> None:
    from bpe_tui.bpe.kernels import training as kernel

    four_pairs = np.array([BOUNDARY, 0, 0, 1, 0, 2, BOUNDARY], np.int32)
    table, records = np.full(64, -1, np.int32), np.zeros((room, 4), np.int64)
    info, control, weight = np.zeros(kernel.INFO_SIZE, np.int64), np.zeros(1, np.int64), np.ones(1, np.int32)
    dense = np.full(9, -1, np.int32)
    assert kernel.count_pairs(four_pairs, weight, 3, dense, table, records, info, control) is enough


def test_a_given_pair_that_does_not_occur_in_a_text_that_fills_the_first_tables() -> None:
    letters = [chr(0x4E00 + number) for number in range(46)]
    # No pair of this comes twice, and there is room for 2,048 at first.
    no_pair_twice = "".join(
        first + "".join(first + second for second in letters[number + 1 :]) for number, first in enumerate(letters)
    )
    text = no_pair_twice[:2049]
    assert len(set(pairwise(text))) == 2048
    never = (letters[-1], letters[-1])
    assert never not in set(pairwise(text))
    trainer = Trainer(text, 47, base_tokens=letters, merges=[never])
    run_to_end(trainer)
    assert learned(trainer) == [(never, 0, 2049)]


@settings(max_examples=300, deadline=None)
@given(hard.hard_texts(), st.integers(0, 20))
def test_the_figures_tell_the_sequence_as_it_is(text: str, more: int) -> None:
    trainer = Trainer(text, len(set(text)) + more)
    run_to_end(trainer)
    sequence = reference.encode(text, trainer.pairs())
    assert trainer.sequence_length == len(sequence)
    assert trainer.pairs_alive == len(set(pairwise(sequence)))
    counts = {token: int(trainer.token_counts[number]) for number, token in enumerate(trainer.tokens)}
    assert counts == {token: sequence.count(token) for token in trainer.tokens}


def stretches_to_sequence(stretches: list[tuple[str, int]]) -> TrainingSequence:
    tokens = sorted({character for stretch, _ in stretches for character in stretch})
    symbols, weights = [BOUNDARY], [0]
    for stretch, number in stretches:
        symbols += [*map(tokens.index, stretch), BOUNDARY]
        weights += [number] * len(stretch) + [0]
    length = sum(len(stretch) * number for stretch, number in stretches)
    return TrainingSequence(np.array(symbols, np.int32), np.array(weights, np.int32), tuple(tokens), length)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.tuples(hard.small_alphabet_texts(12), st.integers(1, 5)), min_size=1, max_size=20),
    st.integers(0, 30),
    st.sampled_from([Ties.FIRST, Ties.LOWEST_ID]),
)
def test_weighted_stretches_equal_the_reference(stretches: list[tuple[str, int]], more: int, ties: Ties) -> None:
    sequence = stretches_to_sequence(stretches)
    target = len(sequence.tokens) + more
    trainer = Trainer.on_sequence(sequence, target, ties=ties)
    run_to_end(trainer)
    assert learned(trainer) == reference.train_stretches(stretches, target, lowest_first=ties is Ties.LOWEST_ID)


def test_a_raised_target_goes_on_where_training_ended() -> None:
    text = "the quick brown fox and the slow brown dog and the fox " * 5
    trainer = Trainer(text, 25)
    run_to_end(trainer)
    assert trainer.stop_reason is StopReason.TARGET
    trainer.target_vocab_size = 60
    run_to_end(trainer)
    assert learned(trainer) == reference.train(text, 60)[0]


def test_it_iterates() -> None:
    trainer = Trainer("low lower lowest", 10)
    assert [(row.rank, row.frequency) for row in trainer] == [(0, 3), (1, 3)]
    assert trainer.stop_reason is StopReason.TARGET


def test_many_base_tokens_take_the_other_way_of_counting() -> None:
    text = "".join(chr(0x4E00 + (number * number) % 3001) for number in range(9000))
    trainer = Trainer(text, len(set(text)) + 40)
    run_to_end(trainer)
    assert trainer.base_size > 1000
    assert learned(trainer) == reference.train(text, trainer.base_size + 40)[0]
    wide = "".join(map(chr, range(0x4E00, 0x4E00 + 3000))) * 2 + "".join(map(chr, range(0x4E00, 0x4E00 + 2500)))
    trainer = Trainer(wide, 3020)
    run_to_end(trainer)
    assert learned(trainer) == reference.train(wide, 3020)[0]


def test_a_cancelled_trainer_says_so_and_its_log_stays_good() -> None:
    trainer = Trainer("abcabcabd" * 50, 30)
    trainer.advance(max_merges=2)
    trainer.cancel()
    with pytest.raises(Cancelled):
        trainer.advance()
    assert trainer.pairs() == [merge.pair for merge in reference.train("abcabcabd" * 50, 30)[0][:2]]
    assert trainer.tokenizer().encode_tokens("abc")


def test_cancel_reaches_a_running_kernel() -> None:
    trainer = Trainer("ab" * 2_000_000, 10_000, minimum_pair_frequency=1)
    trainer.prepare()
    outcome: list[BaseException | None] = []

    def train() -> None:
        try:
            run_to_end(trainer)
            outcome.append(None)
        except Cancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=train)
    trainer.cancel()
    thread.start()
    thread.join(timeout=30)
    assert isinstance(outcome[0], Cancelled)


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(TextError, match="empty"):
        Trainer("", 10)


def test_a_lone_surrogate_is_refused_with_its_place() -> None:
    with pytest.raises(TextError, match=r"U\+D800.*character 2"):
        Trainer("ab\ud800", 10)


def test_a_target_below_the_base_vocabulary_says_the_least_possible() -> None:
    with pytest.raises(VocabularySizeError, match="least possible target is 3"):
        Trainer("abc", 2)
    with pytest.raises(ValueError, match="least possible target is 3"):
        Trainer("abc", 2)


def test_base_tokens_that_lack_training_characters_are_named() -> None:
    with pytest.raises(MissingCharactersError, match=r"'c' \(U\+0063, 2 times, first at character 2"):
        Trainer("abcc", 10, base_tokens="ab")


def test_base_tokens_are_sorted_and_taken_once() -> None:
    trainer = Trainer("ab", 10, base_tokens="zbaab")
    assert trainer.base_tokens == ("a", "b", "z")
