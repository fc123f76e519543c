"""Making three splits of one text: 90 % to train, 5 % to val, 5 % to test, cut where it hurts least."""

from __future__ import annotations

from dataclasses import dataclass, field

FIRST_CUT, SECOND_CUT = 0.90, 0.95
"""Where the two cuts go, as parts of the whole."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The three parts of a text, which joined give it back, and where the cuts were made."""

    train: str = field(repr=False)
    val: str = field(repr=False)
    test: str = field(repr=False)
    note: str


def cut_text(text: str) -> Cut:
    """Cut a text 90/5/5 at the line ends nearest to these places.

    A line ends with its newline, or with its carriage return in a text without newlines. A text of fewer than three
    lines is cut behind spaces, and one without them between characters; the note says so. Parts are empty only when
    the text has fewer than three characters.
    """
    ways = (
        ("\n" if "\n" in text else "\r", "at line ends"),
        (" ", "at spaces, as it has fewer than three lines"),
        ("", "between characters, as it has neither lines nor spaces enough"),
    )
    first = second = len(text)
    where = "nowhere, as it is too short"
    for separator, name in ways:
        cuts = _two_cuts(text, separator)
        if cuts:
            (first, second), where = cuts, name
            break
    parts = text[:first], text[first:second], text[second:]
    whole = max(1, len(text))
    shares = ", ".join(
        f"{name} {len(part) / whole:.1%}" for name, part in zip(("train", "val", "test"), parts, strict=True)
    )
    return Cut(*parts, note=f"one file, cut into three {where}: {shares}")


def _two_cuts(text: str, separator: str) -> tuple[int, int] | None:
    """Find the two places behind a separator that are nearest to the wanted ones and leave no part empty, or None."""
    first = _nearest(text, round(len(text) * FIRST_CUT), separator)
    if first is None:
        return None
    target = max(round(len(text) * SECOND_CUT), first + 1)
    behind = _behind(text, target, separator)
    before = _before(text, target, separator)
    if before is not None and before > first and (behind is None or target - before <= behind - target):
        return first, before
    if behind is not None:
        return first, behind
    # The first cut took the last place there is: it becomes the second cut, and the first moves forward.
    earlier = _before(text, first - 1, separator)
    return (earlier, first) if earlier is not None else None


def _nearest(text: str, target: int, separator: str) -> int | None:
    before, behind = _before(text, target, separator), _behind(text, target, separator)
    if before is None or behind is None:
        return behind if before is None else before
    return before if target - before <= behind - target else behind


def _before(text: str, target: int, separator: str) -> int | None:
    """Give the last place at or before `target` that stands behind a separator and is not an end of the text."""
    target = min(target, len(text) - 1)
    place = text.rfind(separator, 0, max(target, 0)) + 1 if separator else target
    return place if 0 < place < len(text) else None


def _behind(text: str, target: int, separator: str) -> int | None:
    """Give the first place at or behind `target` that stands behind a separator and is not an end of the text."""
    target = max(target, 1)
    place = text.find(separator, target - 1) + 1 if separator else target
    return place if 0 < place < len(text) else None
