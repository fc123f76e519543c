"""Cutting a text so that its parts, encoded one by one, give the ids of the whole: for texts larger than the memory.

What follows a place where a text may be cut is of no effect on what stands before it, and the other way round. Each
kind of tokenizer knows such places: see `last_cut` of the tokenizers. What they have in common stands here: the search
goes back from the end in ever larger windows, and no cut lies inside a special token.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import AnyStr

from bpe_tui.bpe.pretokenize import SplittingRule, as_bytes, safe_place

WINDOW = 1 << 10
"""Characters or bytes looked at first."""


def last_cut(text: AnyStr, find: Callable[[AnyStr], int], tokens: Collection[AnyStr] = ()) -> int:
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


def cutter(rule: SplittingRule, tokens: Collection[bytes] = ()) -> Callable[[bytes], int]:
    """Give the `last_cut` of bytes that a rule cuts into pieces: where one surely ends, and no token is cut."""

    def find(part: bytes) -> int:
        place = safe_place(as_bytes(part), rule, 0)
        return place if place < len(part) else 0

    return lambda content: last_cut(content, find, tokens)


def cut_blocks(pieces: Iterable[AnyStr], cut: Callable[[AnyStr], int], size: int) -> Iterator[AnyStr]:
    """Give a text that comes in pieces as blocks of about `size` that may be encoded one by one.

    `cut` is the `last_cut` of a tokenizer. Where it finds none, the block grows, in the end to the whole text.
    """
    held: list[AnyStr] = []
    length = 0
    wanted = size
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length < wanted:
            continue
        text = piece[:0].join(held)
        held.clear()
        place = cut(text)
        if place:
            yield text[:place]
        held.append(text[place:])
        length -= place
        wanted = size if place else 2 * length
        del text
    if length:
        yield held[0][:0].join(held)


def _inside_one(text: AnyStr, place: int, tokens: Collection[AnyStr]) -> bool:
    """Whether one of `tokens` stands in the text so that it begins before a place and ends behind it."""
    return any(text.find(token, max(0, place - len(token) + 1), place + len(token) - 1) >= 0 for token in tokens)
