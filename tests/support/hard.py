"""Texts and merge lists that are hard on BPE: small alphabets, long repeats, and merge lists nobody would learn."""

from __future__ import annotations

from hypothesis import strategies as st


def small_alphabet_texts(longest: int = 120) -> st.SearchStrategy[str]:
    """Texts over 1 to 5 characters, where ties and overlaps are everywhere."""
    return st.integers(1, 5).flatmap(lambda size: st.text("abcde"[:size], min_size=1, max_size=longest))


def repetitive_texts() -> st.SearchStrategy[str]:
    """A short piece, many times, with a disturbance somewhere."""
    return st.builds(
        lambda piece, times, middle, rest: piece * times + middle + piece * rest,
        st.text("abc", min_size=1, max_size=6),
        st.integers(1, 30),
        st.text("abc", max_size=4),
        st.integers(0, 30),
    )


def unicode_texts() -> st.SearchStrategy[str]:
    """Any characters at all, from few of them so that pairs repeat."""
    character = st.characters(codec="utf-8")
    return st.lists(character, min_size=1, max_size=8).flatmap(
        lambda alphabet: st.text(st.sampled_from(alphabet), min_size=1, max_size=80)
    )


def hard_texts() -> st.SearchStrategy[str]:
    return st.one_of(small_alphabet_texts(), repetitive_texts(), unicode_texts())


@st.composite
def hand_made_merges(draw: st.DrawFn, alphabet: str = "abc", most: int = 12) -> list[tuple[str, str]]:
    """Merge lists nobody would learn: repeats, many ways to one string, pairs that come about after their turn."""
    tokens = list(alphabet)
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, most))):
        if merges and draw(st.integers(0, 4)) == 0:
            merges.append(draw(st.sampled_from(merges)))
            continue
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if len(left + right) > 12:
            continue
        merges.append((left, right))
        if left + right not in tokens:
            tokens.append(left + right)
    return merges
