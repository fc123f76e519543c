"""Lines over two logarithmic axes as SVG: what grows as a power is straight. The package's charts have no such x."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bpe_tui.analysis.svg import FAINT, INK, LINE, xml_text

SIZE = (360, 240)
"""Width and height of a drawing area."""
MARGIN = (64, 76, 20, 48)
"""Left, top, right and bottom of it."""
COLUMNS = 2
STYLES = (("#d55e00", "8 4", "square"), (LINE, "", "circle"))
"""Colour, dashes and marks: a line is told by any of them."""


@dataclass(frozen=True, slots=True)
class Line:
    """A named line; all numbers are above 0."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines over the same axes."""

    title: str
    across: str
    down: str
    lines: Sequence[Line]


def draw(panels: Sequence[Panel], title: str) -> str:
    """Draw panels in two columns."""
    left, top, right, bottom = MARGIN
    wide, high = left + SIZE[0] + right, top + SIZE[1] + bottom
    width, height = COLUMNS * wide, 40 + math.ceil(len(panels) / COLUMNS) * high
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="26" font-size="16" fill="{INK}">{xml_text(title)}</text>',
    ]
    for number, panel in enumerate(panels):
        row, column = divmod(number, COLUMNS)
        parts.append(f'<g transform="translate({column * wide + left} {40 + row * high + top})">')
        parts += _panel(panel)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>\n"])


def ticks(low: float, high: float) -> list[float]:
    """Give 1, 2 and 5 times powers of ten within a range, or only those powers where they would be too many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    inside = [value for value in found if low * 0.999 <= value <= high * 1.001]
    if len(inside) <= 7:
        return inside
    return [value for value in inside if math.isclose(math.log10(value), round(math.log10(value)))]


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Give where an axis begins and ends: a little wider than the values, and never less than a factor of 4."""
    low, high = min(values) / 1.15, max(values) * 1.15
    wider = max(1.0, math.sqrt(4 * low / high))
    return low / wider, high * wider


def _panel(panel: Panel) -> list[str]:
    width, height = SIZE
    x_low, x_high = _range([x for line in panel.lines for x in line.x])
    y_low, y_high = _range([y for line in panel.lines for y in line.y])

    def across(x: float) -> float:
        return math.log(x / x_low) / math.log(x_high / x_low) * width

    def down(y: float) -> float:
        return height - math.log(y / y_low) / math.log(y_high / y_low) * height

    parts = [f'<text x="0" y="-50" font-weight="bold" fill="{INK}">{xml_text(panel.title)}</text>']
    for y in ticks(y_low, y_high):
        parts.append(f'<path d="M0 {down(y):.1f}H{width}" stroke="{FAINT}" stroke-dasharray="2 4"/>')
        parts.append(f'<text x="-8" y="{down(y) + 4:.1f}" text-anchor="end" fill="{INK}">{y:,g}</text>')
    for x in ticks(x_low, x_high):
        parts.append(f'<path d="M{across(x):.1f} 0V{height}" stroke="{FAINT}" stroke-dasharray="2 4"/>')
        parts.append(f'<text x="{across(x):.1f}" y="{height + 18}" text-anchor="middle" fill="{INK}">{x:,g}</text>')
    parts.append(f'<path d="M0 0V{height}H{width}" fill="none" stroke="{INK}"/>')
    parts.append(f'<text x="{width}" y="{height + 36}" text-anchor="end" fill="{INK}">{xml_text(panel.across)}</text>')
    parts.append(f'<text x="-8" y="-8" text-anchor="end" fill="{INK}">{xml_text(panel.down)}</text>')
    for number, line in enumerate(panel.lines):
        colour, dashes, mark = STYLES[number % len(STYLES)]
        places = [(across(x), down(y)) for x, y in zip(line.x, line.y, strict=True)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        stroke = f'stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dashes}"'
        parts.append(f'<polyline points="{points}" fill="none" {stroke}/>')
        parts += [_mark(mark, x, y, colour) for x, y in places]
        legend = -32 + 15 * number
        parts.append(f'<path d="M0 {legend}h28" {stroke}/>')
        parts.append(_mark(mark, 14, legend, colour))
        parts.append(f'<text x="36" y="{legend + 4}" fill="{INK}">{xml_text(line.name)}</text>')
    return parts


def _mark(mark: str, x: float, y: float, colour: str) -> str:
    if mark == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
    return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" fill="{colour}"/>'
