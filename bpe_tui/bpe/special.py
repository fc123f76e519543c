"""Special tokens: strings with an id of their own that no merge ever touches.

Text is cut at them before anything is counted or encoded. What a special token that stands in a text means is the
caller's choice, since text from outside may hold such strings by accident or malice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import AnyStr

from bpe_tui.errors import BPEError

FEW = 8
"""Special tokens that are looked for one by one."""


class SpecialPolicy(StrEnum):
    """What special tokens in a text to encode are."""

    TEXT = "text"
    """Ordinary text, like any other characters."""
    SPECIAL = "special"
    """Their own ids."""
    ERROR = "error"
    """A reason to refuse the text."""


class SpecialTokenError(BPEError, ValueError):
    """A special token where none may stand, or one that cannot be declared."""


def check_special_tokens(special_tokens: Mapping[str, int], vocabulary: Mapping[str, int]) -> None:
    """Raise SpecialTokenError for an empty special token, or one that is equal to another token."""
    for token, number in special_tokens.items():
        if not token:
            raise SpecialTokenError("a special token must have at least one character")
        if token in vocabulary:
            raise SpecialTokenError(
                f"the special token {token!r} is equal to the token with id {vocabulary[token]}: choose another string"
            )
        if number < 0:
            raise SpecialTokenError(f"the special token {token!r} has the id {number}, ids start at 0")


def check_new_special_tokens(special_tokens: Sequence[str]) -> None:
    """Raise SpecialTokenError for special tokens that a training cannot take: empty ones, no text, or one twice."""
    for place, token in enumerate(special_tokens):
        if not token:
            raise SpecialTokenError("a special token must have at least one character")
        if any("\ud800" <= character <= "\udfff" for character in token):
            raise SpecialTokenError(f"the special token {token!r} is no text: it holds a lone surrogate")
        if token in special_tokens[:place]:
            # Its id would be a hole in the vocabulary.
            raise SpecialTokenError(f"the special token {token!r} is given twice: leave one of them out")


def special_pattern(special_tokens: Mapping[str, int]) -> re.Pattern[str] | None:
    """Give an expression that finds special tokens, the longest that stands at a place; None if there are none."""
    if not special_tokens:
        return None
    return re.compile("|".join(re.escape(token) for token in sorted(special_tokens, key=len, reverse=True)))


def cut_at(text: str, pattern: re.Pattern[str] | None) -> Iterator[tuple[str, str | None]]:
    """Give (ordinary text, special token behind it) from left to right; the last has None behind it."""
    start = 0
    if pattern is not None:
        for match in pattern.finditer(text):
            yield text[start : match.start()], match.group()
            start = match.end()
    yield text[start:], None


def count_specials(text: str, special_tokens: Mapping[str, int]) -> int:
    """Give how many special tokens stand in a text."""
    pattern = special_pattern(special_tokens) if may_hold(text, special_tokens) else None
    return sum(1 for _ in pattern.finditer(text)) if pattern is not None else 0


def may_hold(text: AnyStr, tokens: Collection[AnyStr]) -> bool:
    """Whether one of `tokens` may stand in a text: quick to say no, which is the rule.

    Looking for one string is many times faster than looking for any of several, and many begin alike.
    """
    starts = {token[:2] for token in tokens}
    found = {start for start in starts if start in text}
    left = [token for token in tokens if token[:2] in found]
    return len(left) > FEW or any(token in text for token in left)


def refuse_specials(text: str, pattern: re.Pattern[str] | None, start: int = 0) -> None:
    """Raise SpecialTokenError, with the place, if a special token stands in the text.

    `start` is where the text begins in the one that the caller means.
    """
    match = pattern.search(text) if pattern is not None else None
    if match is not None:
        raise SpecialTokenError(
            f"the special token {match.group()!r} stands in the text at character {start + match.start():,}; encode it "
            "as text or as special if that is meant"
        )
