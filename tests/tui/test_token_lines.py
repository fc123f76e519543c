"""Laws of drawing text token by token."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui.terminal import cell_width, visible
from bpe_tui.tui.ascii_filter import _ascii
from bpe_tui.tui.panes.tokenizer import chips
from bpe_tui.tui.widgets.token_lines import LOOKS, looks, tokens_over, wrap

TEXT = st.text(alphabet=st.one_of(st.sampled_from("ab \n\t\\é́日👍\x1b\u202e"), st.characters()), max_size=120)


@settings(max_examples=200, deadline=None)
@given(TEXT, st.integers(8, 40))
def test_wrapping_keeps_every_character_in_order(text: str, width: int) -> None:
    lines = wrap(text, width, 10_000)
    indexes = [index for line in lines for _, index in line]
    assert indexes == sorted(set(indexes))
    assert indexes[:1] == ([0] if text else [])
    for line in lines:
        assert sum(cell_width(shown) for shown, _ in line) <= max(width, *(cell_width(shown) for shown, _ in line))
    assert "".join(shown for line in lines for shown, _ in line) or not text


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="ab \n", min_size=1, max_size=5), max_size=40), st.integers(4, 30))
def test_neighbours_always_differ(tokens: list[str], width: int) -> None:
    text = "".join(tokens)
    lines = tokens_over(wrap(text, width, 10_000), [len(token) for token in tokens])
    assert "".join(span for line in lines for span, _ in line) == visible(text)
    for line in lines:
        for (_, before), (_, after) in pairwise(line):
            assert before != after or before == after == ""
    for token, style in zip(tokens, looks([len(token) for token in tokens]), strict=True):
        assert (style in LOOKS) == (len(token) > 1)


@given(st.lists(st.text(alphabet="abc·", min_size=1, max_size=9), max_size=20), st.integers(6, 50))
def test_tokens_stand_above_their_ids(tokens: list[str], width: int) -> None:
    ids = list(range(95, 95 + len(tokens)))
    lines = chips(tokens, ids, [""] * len(tokens), width)
    upper = "".join(text for line in lines[::2] for text, _ in line).split()
    lower = "".join(text for line in lines[1::2] for text, _ in line).split()
    assert [int(number) for number in lower] == ids
    assert len(upper) == len(tokens)


@given(st.text())
def test_the_last_filter_gives_ascii_cell_for_cell(text: str) -> None:
    shown = visible(text)
    assert _ascii(shown).isascii()
    assert len(_ascii(shown)) == cell_width(shown)
