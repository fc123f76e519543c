"""What some byte-level tokenizers do to a text before it is cut into pieces, as Hugging Face's tokenizers do it.

Added tokens are found in the text and keep their ids; what stands between them is normalised, gets a space in front if
the tokenizer wants one, and only then goes to the splitting rule. Special tokens are found in the same way, but count
only when the caller says that they do (`special.SpecialPolicy`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""Unicode's property White_Space, for a class of characters; Python's own \\s has four control characters more."""

_WHITE_SPACE = re.compile(f"[{WHITE_SPACE}]*")

# Combining characters and compositions that came after Unicode 9.0, whose normalisation tokenizers has: to it, they
# are characters that neither move nor compose. Last the blocks in which all compositions since then stand.
_LATER = (
    "5C8-5C9 7FD 897-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1AF0 1DF6-1DFA A82C 10D24-10D27 10D69-10D6D 10EAB-10EAC "
    "10ECB-10ECF 10EF0-10EFB 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 1133B 1145E 11839-1183A 119E0 11A34 11A47 11A99 "
    "11D42 11D44-11D45 11D97 11F41-11F42 16FF0-16FF1 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281 1E08F "
    "1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 "
    "105C0-105F3 11380-113E2 11900-11959 16100-16139 16D40-16D79"
)


def _later() -> re.Pattern[str]:
    spans = (span.split("-") for span in _LATER.split())
    ranges = "".join(f"{chr(int(span[0], 16))}-{chr(int(span[-1], 16))}" for span in spans)
    return re.compile(f"[{ranges}]+")


_LATER_CHARACTERS = _later()


def normalise_nfc(text: str) -> str:
    """Give `text` in Unicode's normalisation form C, as of Unicode 9.0, like Hugging Face's tokenizers."""
    if text.isascii():
        return text
    parts: list[str] = []
    start = 0
    for match in _LATER_CHARACTERS.finditer(text):
        parts += unicodedata.normalize("NFC", text[start : match.start()]), match.group()
        start = match.end()
    if not start:
        return unicodedata.normalize("NFC", text)
    return "".join((*parts, unicodedata.normalize("NFC", text[start:])))


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A string that is a token of its own wherever it stands in a text."""

    content: str
    id: int
    special: bool = False
    """Found only when special tokens are wanted."""
    normalized: bool = False
    """Found in the normalised text, and not before."""
    left_strip: bool = False
    """White space before it belongs to it."""
    right_strip: bool = False
    """White space behind it belongs to it."""


@dataclass(frozen=True)
class Preparation:
    """What happens to a text before the splitting rule. `special` of added tokens says which ones are special."""

    added_tokens: tuple[AddedToken, ...] = ()
    normalization: str | None = None
    """NFC, or nothing."""
    prefix_space: bool = False
    """Each stretch of text that does not begin with a space gets one."""

    def __post_init__(self) -> None:
        if self.normalization not in (None, "NFC"):
            raise ValueError(f"the normalization {self.normalization!r} is not known: use NFC or none")

    def with_special_tokens(self, special_tokens: Mapping[str, int]) -> Preparation:
        """Give the same with every special token among the added ones. Raises ValueError where both disagree."""
        known = {token.content: token for token in self.added_tokens}
        for token in self.added_tokens:
            if token.special and special_tokens.get(token.content) != token.id:
                raise ValueError(f"{token.content!r} (id {token.id}) is said to be special but is no special token")
        missing = tuple(
            AddedToken(token, number, special=True) for token, number in special_tokens.items() if token not in known
        )
        return replace(self, added_tokens=self.added_tokens + missing)

    def without_special_tokens(self) -> Preparation:
        """Give the same without the tokens that are special."""
        return replace(self, added_tokens=tuple(token for token in self.added_tokens if not token.special))

    @property
    def lossless(self) -> bool:
        """Whether decoding gives every text back as it was."""
        stripping = any(token.left_strip or token.right_strip for token in self.added_tokens if not token.special)
        return self.normalization is None and not self.prefix_space and not stripping

    @property
    def only_finds(self) -> bool:
        """Whether all it does is to find tokens, so that what stands between them stays as it is."""
        stripping = any(token.left_strip or token.right_strip for token in self.added_tokens)
        return self.normalization is None and not self.prefix_space and not stripping

    def cut(self, text: str, *, special: bool) -> Iterator[str | int]:
        """Give stretches of text as the splitting rule gets them, and ids of added tokens between, left to right."""
        for part in _find(text, *self._raw, special):
            if isinstance(part, int):
                yield part
                continue
            if self.normalization == "NFC":
                part = normalise_nfc(part)
            for inner in _find(part, *self._normalized, special):
                if isinstance(inner, str) and self.prefix_space and not inner.startswith(" "):
                    yield " " + inner
                else:
                    yield inner

    @cached_property
    def _raw(self) -> tuple[re.Pattern[str] | None, dict[str, AddedToken]]:
        known = {token.content: token for token in self.added_tokens if not token.normalized}
        return longest_first(known), known

    @cached_property
    def _normalized(self) -> tuple[re.Pattern[str] | None, dict[str, AddedToken]]:
        normalise = normalise_nfc if self.normalization == "NFC" else str
        known = {normalise(token.content): token for token in self.added_tokens if token.normalized}
        return longest_first(known), known


def _find(
    text: str, pattern: re.Pattern[str] | None, known: Mapping[str, AddedToken], special: bool
) -> Iterator[str | int]:
    """Give the stretches between added tokens, none empty, and the ids of those."""
    start = 0
    for match in pattern.finditer(text) if pattern is not None else ():
        token = known[match.group()]
        if token.special and not special:
            continue  # its characters are ordinary text, and no other token is looked for inside it
        begin, end = match.span()
        if token.left_strip:
            begin = max(_white_space_before(text, begin), start)
        if token.right_strip:
            end = _end_of_white_space(text, end)
        if start < begin:
            yield text[start:begin]
        yield token.id
        start = end
    if start < len(text):
        yield text[start:]


def _white_space_before(text: str, end: int) -> int:
    while end > 0 and _WHITE_SPACE.fullmatch(text, end - 1, end):
        end -= 1
    return end


def _end_of_white_space(text: str, start: int) -> int:
    match = _WHITE_SPACE.match(text, start)
    return match.end() if match else start


def longest_first(strings: Sequence[str] | Mapping[str, object]) -> re.Pattern[str] | None:
    """Give an expression that finds the longest of `strings` at each place, written so that it fails early."""
    if not strings:
        return None
    tree: dict[str, dict[str, object]] = {}
    for string in strings:
        node: dict[str, object] = tree  # type: ignore[assignment]
        for character in string:
            node = node.setdefault(character, {})  # type: ignore[assignment]
        node[""] = {}
    try:
        return re.compile(_expression(tree))
    except RecursionError:  # very long strings
        return re.compile("|".join(re.escape(string) for string in sorted(strings, key=len, reverse=True)))


def _expression(node: Mapping[str, object]) -> str:
    branches = []
    for character, below in node.items():
        if not character:
            continue
        text = re.escape(character)
        assert isinstance(below, dict)
        while len(below) == 1 and "" not in below:
            ((character, below),) = below.items()
            text += re.escape(character)
        branches.append(text + _expression(below))
    if not branches:
        return ""
    joined = branches[0] if len(branches) == 1 else "|".join(branches)
    return f"(?:{joined})?" if "" in node else f"(?:{joined})"
