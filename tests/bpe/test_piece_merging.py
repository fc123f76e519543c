"""Long pieces are merged rank by rank; that gives what the heap gives, whatever the merge list."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui.bpe.kernels import piece_merging as kernel


def merge_list(pairs: list[tuple[int, int]]) -> np.ndarray:
    """A table in which pair number n, of any earlier tokens, has rank n and becomes token 4 + n."""
    keys = np.array([left << 32 | right for left, right in pairs], np.int64)
    values = np.array([rank << 32 | (4 + rank) for rank in range(len(pairs))], np.int64)
    return kernel.index_pairs(keys, values)


def both_ways(text: list[int], table: np.ndarray, ranks: int) -> tuple[list[int], list[int]]:
    control = np.zeros(1, np.int64)
    by_heap, by_rank = np.array(text, np.int64), np.array(text, np.int64)
    left = kernel.merge_long(by_heap, len(text), table, control)
    others = kernel.merge_by_rank(by_rank, len(text), table, ranks, control)
    return by_heap[:left].tolist(), by_rank[:others].tolist()


@settings(max_examples=400, deadline=None)
@given(text=st.lists(st.integers(0, 3), max_size=200), data=st.data())
def test_rank_by_rank_equals_the_heap(text: list[int], data: st.DataObject) -> None:
    """Also where a merge makes a pair whose rank is over already, which no trained merge list does."""
    count = data.draw(st.integers(1, 20))
    token = st.integers(0, 3 + count)
    pairs = data.draw(st.lists(st.tuples(token, token), min_size=count, max_size=count, unique=True))
    by_heap, by_rank = both_ways(text, merge_list(pairs), count)
    assert by_rank == by_heap


@settings(max_examples=200, deadline=None)
@given(text=st.lists(st.sampled_from([0, 0, 0, 1]), max_size=300))
def test_overlapping_pairs_are_merged_from_the_left(text: list[int]) -> None:
    by_heap, by_rank = both_ways(text, merge_list([(0, 0), (4, 4), (4, 0), (5, 1), (0, 1)]), 5)
    assert by_rank == by_heap


def test_a_long_piece_takes_the_lists_and_agrees() -> None:
    """The same text in one piece long enough for the lists, and by the heap."""
    generator = np.random.default_rng(7)
    text = generator.integers(0, 4, 3 * kernel.MANY).tolist()
    pairs = [(0, 1), (2, 3), (4, 5), (1, 1), (6, 0), (7, 7), (0, 0)]
    table = merge_list(pairs)
    control = np.zeros(1, np.int64)
    whole = np.array(text, np.int64)
    left = kernel.merge_long(whole, len(text), table, control)
    assert left < len(text)
    expected = np.array(text, np.int64)
    for rank, (first, second) in enumerate(pairs):
        place, kept = 0, []
        while place < len(expected):
            if place + 1 < len(expected) and expected[place] == first and expected[place + 1] == second:
                kept.append(4 + rank)
                place += 2
            else:
                kept.append(int(expected[place]))
                place += 1
        expected = np.array(kept, np.int64)
    assert whole[:left].tolist() == expected.tolist()


def test_a_long_piece_can_be_cancelled() -> None:
    piece = np.zeros(4 * kernel.MANY, np.int64)
    table = merge_list([(0, 0), (4, 4)])
    assert kernel.merge_long(piece, len(piece), table, np.ones(1, np.int64)) == -1
