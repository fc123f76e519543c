"""The numbers that stand for the order of strings."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui.bpe.string_order import StringOrder


@settings(deadline=None)
@given(st.lists(st.text("ab", max_size=4), min_size=1), st.lists(st.text("ab", max_size=60), max_size=60))
def test_numbers_have_the_order_of_strings(first: list[str], later: list[str]) -> None:
    # Strings that grow by one letter fall into the same gap again and again.
    later = [*later, *("a" * length for length in range(1, 60))]
    order = np.zeros(len(first) + len(later), np.int32)
    numbers = StringOrder(first)
    numbers.number(order)
    strings = list(first)
    for string in later:
        numbers.insert(string, len(strings), order)
        strings.append(string)
    by_number = sorted(range(len(strings)), key=order.__getitem__)
    assert [strings[place] for place in by_number] == sorted(strings)
    assert len(set(order.tolist())) == len(strings)
