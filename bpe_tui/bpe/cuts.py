"""Cutting a text so that its parts, encoded one by one, give the ids of the whole: for texts larger than the memory.

What follows a place where a text may be cut is of no effect on what stands before it, and the other way round. Each
kind of tokenizer knows such places: see `last_cut` of the tokenizers. What they have in common stands here: the search
goes back from the end in ever larger windows, and no cut lies inside a special token.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

WINDOW = 1 << 10
"""Characters looked at first."""


def last_cut(text: str, find: Callable[[str], int], tokens: Collection[str] = ()) -> int:
    """Give a place near the end of `text` where it may be cut, whatever text follows; 0 if none is found.

    `find` gives a place inside of a part of the text where that part may be cut, whatever surrounds it, or 0. `tokens`
    are found in the text before anything else is done: no place is given that lies inside of one, or that would if the
    text went on.
    """
    longest = max(map(len, tokens), default=1)
    end = len(text) - longest + 1
    reach = WINDOW
    while end > 0:
        begin = max(0, end - reach)
        place = find(text[begin:end])
        if place and not _inside_one(text, begin + place, tokens):
            return begin + place
        if not begin:
            break
        reach *= 4
    return 0


def _inside_one(text: str, place: int, tokens: Collection[str]) -> bool:
    """Whether one of `tokens` stands in the text so that it begins before a place and ends behind it."""
    return any(text.find(token, max(0, place - len(token) + 1), place + len(token) - 1) >= 0 for token in tokens)
