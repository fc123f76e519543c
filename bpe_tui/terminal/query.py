"""The language in which lists of tokens and merges are filtered.

    the              tokens that hold `the`; spaces count, and the signs of `visible` mean what they stand for
    /ing$/           tokens in which the regular expression is found; /ing$/i for either case. The second slash may be
                     missing, as it is while one types; a slash alone asks for nothing yet, and // finds a slash
    raw:Ġthe         tokens whose raw form, as their file writes it, holds `Ġthe`
    len:8            a number: exactly this one
    len:>8  len:<=3  at least or at most so many
    len:3..5         from 3 to 5, both included; either end may be left out

Numbers may come together and before or after a text, parted by a space: `len:>3 id:300.. ing`. Which numbers there are
is up to the list: `id`, `len`, `count` and `born` for tokens, `merge`, `freq`, `len` and `seq` for merges.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bpe_tui.terminal.text import raw_query

if TYPE_CHECKING:
    from collections.abc import Iterable

UNBOUNDED: Final = 2**63 - 1
"""The end of a range that has none."""

_RAW: Final = "raw:"
_NUMBER: Final = r"\d[\d,_]*"
_COMPARED: Final = re.compile(rf"(?P<sign>>=|<=|>|<|=)?(?P<number>{_NUMBER})")
_RANGE: Final = re.compile(rf"(?P<low>{_NUMBER})?\.\.(?P<high>{_NUMBER})?")
_PATTERN: Final = re.compile(r"/(?P<pattern>.+?)(?:/(?P<flags>i?))?", re.DOTALL)


class QueryError(ValueError):
    """A filter that cannot be read; the message says why, in few words."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A number that must lie between two others, both included."""

    field: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for: all of it must hold."""

    text: str = ""
    """What a token must hold; empty if it may hold anything."""
    pattern: re.Pattern[str] | None = None
    """What must be found in a token; None if anything will do."""
    bounds: tuple[Bound, ...] = ()
    raw: bool = False
    """Whether text and pattern are meant for the raw form of a token."""

    @property
    def is_empty(self) -> bool:
        """Whether everything matches."""
        return not (self.text or self.pattern or self.bounds)

    @property
    def asks_text(self) -> bool:
        """Whether a token's text matters."""
        return bool(self.text or self.pattern)

    def matches_text(self, token: str) -> bool:
        """Tell whether the text of a token is what is looked for."""
        if self.pattern is not None:
            return self.pattern.search(token) is not None
        return self.text in token

    def matches_numbers(self, **numbers: int) -> bool:
        """Tell whether each number lies within its bounds."""
        return all(bound.low <= numbers[bound.field] <= bound.high for bound in self.bounds)


def parse(text: str, fields: Iterable[str]) -> Query:
    """Read a filter in which the numbers named in `fields` may be asked for. Raises QueryError."""
    names = "|".join(re.escape(field) for field in fields)
    term = rf"(?P<field>{names}):(?P<value>\S*)" if names else r"(?!)(?P<field>)(?P<value>)"
    first = re.compile(rf"{term}(?: |\Z)")
    last = re.compile(rf"(?:\A| ){term}\Z")
    bounds: list[Bound] = []
    while match := first.match(text) or last.search(text):
        bounds.append(_bound(match["field"], match["value"]))
        text = text[: match.start()] + text[match.end() :]
    raw = text.startswith(_RAW)
    text = text.removeprefix(_RAW)
    if text == "/":
        text = ""
    if match := _PATTERN.fullmatch(text):
        try:
            with warnings.catch_warnings():
                # Python warns of what it may read otherwise one day; to whom would it say so here?
                warnings.simplefilter("ignore")
                pattern = re.compile(raw_query(match["pattern"]), re.IGNORECASE if match["flags"] else 0)
        except (re.error, OverflowError, RecursionError) as error:
            raise QueryError(f"no regular expression: {error}") from None
        return Query(pattern=pattern, bounds=tuple(bounds), raw=raw)
    return Query(text=raw_query(text), bounds=tuple(bounds), raw=raw)


def _bound(field: str, value: str) -> Bound:
    if match := _COMPARED.fullmatch(value):
        number = _number(match["number"])
        match match["sign"]:
            case ">":
                return Bound(field, number + 1, UNBOUNDED)
            case ">=":
                return Bound(field, number, UNBOUNDED)
            case "<":
                return Bound(field, -UNBOUNDED, number - 1)
            case "<=":
                return Bound(field, -UNBOUNDED, number)
            case _:
                return Bound(field, number, number)
    if (match := _RANGE.fullmatch(value)) and (match["low"] or match["high"]):
        low = _number(match["low"]) if match["low"] else -UNBOUNDED
        return Bound(field, low, _number(match["high"]) if match["high"] else UNBOUNDED)
    raise QueryError(f"{field}: takes a number, >8, <=8 or 3..5")


def _number(digits: str) -> int:
    # Beyond what any column holds: nothing is that large, and numpy could not compare it.
    return min(int(re.sub(r"\D", "", digits).lstrip("0")[:20] or "0"), UNBOUNDED - 1)
