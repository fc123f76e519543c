"""Figures for people: the same figure reads the same on the command line and in every pane.

A figure that is not known (None, infinite, not a number) reads `–`, so that no caller has to ask first.
"""

from __future__ import annotations

import math
from typing import Final, TypeGuard

UNKNOWN: Final = "–"
"""How a figure reads that is not known."""

_COUNT_UNITS: Final = ("", "k", "M", "G", "T", "P", "E")
_BYTE_UNITS: Final = ("B", "kB", "MB", "GB", "TB", "PB", "EB")


def count(number: int | None) -> str:
    """Give a whole number with its thousands marked: `1,234,567`."""
    return UNKNOWN if number is None else f"{number:,}"


def short_count(number: float | None) -> str:
    """Give a number in at most five characters: `999`, `1.23k`, `45.6k`, `10.8M`."""
    return _scaled(number, _COUNT_UNITS, "") if _known(number) else UNKNOWN


def percent(value: float | None, digits: int = 1) -> str:
    """Give a value that is in percent already: `percent(53.21)` is `53.2%`."""
    return f"{value:.{digits}f}%" if _known(value) else UNKNOWN


def bytes_size(size: float | None) -> str:
    """Give a size in bytes, in units of a thousand as disks and networks count: `512 B`, `4.30 MB`."""
    return _scaled(size, _BYTE_UNITS, " ") if _known(size) else UNKNOWN


def duration(seconds: float | None) -> str:
    """Give a time span: `0.8 s`, `42 s`, `3 min 05 s`, `1 h 02 min`, `2 d 03 h`. A negative one counts as none."""
    if not _known(seconds):
        return UNKNOWN
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    for large, small, size, part in (("d", "h", 86_400, 3_600), ("h", "min", 3_600, 60), ("min", "s", 60, 1)):
        if whole >= size:
            return f"{whole // size} {large} {whole % size // part:02d} {small}"
    return f"{whole} s"


def rate(per_second: float | None, unit: str = "") -> str:
    """Give a speed: `1,234/s`, `0.4 merges/s`. Speeds below ten keep one digit after the point."""
    if not _known(per_second):
        return UNKNOWN
    figure = f"{per_second:.1f}" if 0 < per_second < 9.95 else f"{round(per_second):,}"
    return f"{figure} {unit}/s" if unit else f"{figure}/s"


def _known(number: float | None) -> TypeGuard[float]:
    return number is not None and math.isfinite(number)


def _scaled(number: float, units: tuple[str, ...], gap: str) -> str:
    """Give three significant digits and the unit that goes with them; below a thousand, the whole number."""
    if abs(number) < 999.5:
        return f"{round(number)}{gap}{units[0]}"
    power = 0
    # 999,950 is 1.00M, not 1000k: what counts is the number after rounding.
    while abs(number) >= 999.5 and power < len(units) - 1:
        number /= 1000
        power += 1
    digits = 2 if abs(number) < 9.995 else 1 if abs(number) < 99.95 else 0
    return f"{number:.{digits}f}{gap}{units[power]}"
