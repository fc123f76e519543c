"""A line chart as an SVG file: plain text, no library. Lines differ in dash and label too, not by colour alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from bpe_tui.analysis.svg import xml_text

_WIDTH, _HEIGHT = 860, 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 160, 50, 60
_STYLES = (
    ("#0072b2", ""),
    ("#d55e00", "8 4"),
    ("#009e73", "2 3"),
    ("#cc79a7", "10 3 2 3"),
    ("#8a6d00", "5 2"),
    ("#444444", "1 4"),
)
"""Colours that people with any colour vision can tell apart, each with its dashes."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart, and the band around it if there is one."""

    label: str
    points: Sequence[tuple[float, float]]
    low: Sequence[float] | None = None
    """For each point the lower edge of the band."""
    high: Sequence[float] | None = None


def line_chart(title: str, x_label: str, y_label: str, lines: Sequence[Line]) -> str:
    """Give the SVG document. A chart without any point says so."""
    lines = [line for line in lines if line.points]
    body = [_text(_LEFT, 28, title, size=17)]
    if lines:
        body += _drawn(lines, x_label, y_label)
    else:
        body.append(_text(_LEFT, _HEIGHT / 2, "nothing was measured yet"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'font-family="sans-serif" role="img" aria-label="{xml_text(title)}">\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _drawn(lines: Sequence[Line], x_label: str, y_label: str) -> list[str]:
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    ys += [y for line in lines for edge in (line.low, line.high) if edge is not None for y in edge]
    x_ticks, y_ticks = ticks(0.0, max(xs)), ticks(min(ys), max(ys))
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + (x - x_ticks[0]) / (x_ticks[-1] - x_ticks[0]) * (right - _LEFT),
            bottom - (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]) * (bottom - _TOP),
        )

    body = []
    for value in y_ticks:
        _, y = place(x_ticks[0], value)
        body.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#dddddd"/>')
        body.append(_text(_LEFT - 8, y + 4, _figure(value, y_ticks), anchor="end"))
    for value in x_ticks:
        x, _ = place(value, y_ticks[0])
        body.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 5}" stroke="#444444"/>')
        body.append(_text(x, bottom + 20, _figure(value, x_ticks), anchor="middle"))
    body.append(f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#444444"/>')
    body.append(_text((_LEFT + right) / 2, _HEIGHT - 15, x_label, anchor="middle"))
    middle = (_TOP + bottom) / 2
    body.append(_text(18, middle, y_label, anchor="middle", extra=f' transform="rotate(-90 18 {middle:.1f})"'))
    ends = _apart([place(*line.points[-1])[1] for line in lines])
    for number, (line, end) in enumerate(zip(lines, ends, strict=True)):
        colour, dash = _STYLES[number % len(_STYLES)]
        body += _line(line, colour, dash, place)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        body.append(
            f'<line x1="{right + 12}" y1="{end:.1f}" x2="{right + 40}" y2="{end:.1f}" '
            f'stroke="{colour}" stroke-width="2"{dashes}/>'
        )
        body.append(_text(right + 46, end + 4, line.label))
    return body


def _line(line: Line, colour: str, dash: str, place: object) -> list[str]:
    assert callable(place)
    drawn = []
    if line.low is not None and line.high is not None and len(line.points) > 1:
        there = [place(x, high) for (x, _), high in zip(line.points, line.high, strict=True)]
        back = [place(x, low) for (x, _), low in zip(line.points, line.low, strict=True)]
        drawn.append(f'<polygon points="{_points(there + back[::-1])}" fill="{colour}" fill-opacity="0.15"/>')
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    places = [place(x, y) for x, y in line.points]
    drawn.append(f'<polyline points="{_points(places)}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
    if len(places) == 1:
        drawn.append(f'<circle cx="{places[0][0]:.1f}" cy="{places[0][1]:.1f}" r="3" fill="{colour}"/>')
    return drawn


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Give round figures at even distances that enclose `low` and `high`: at least two."""
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-200):
        # As good as one figure, which gets some room around it.
        room = 0.5 * max(abs(low), abs(high)) if max(abs(low), abs(high)) > 1e-200 else 0.5
        low, high = low - room, high + room
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [number * step for number in range(first, max(last, first + 1) + 1)]


def _figure(value: float, all_ticks: Sequence[float]) -> str:
    largest = max(abs(tick) for tick in all_ticks)
    for unit, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if largest >= unit * 9.999 or (unit > 1e3 and largest >= unit):
            return f"{value / unit:.4g}{name}" if value else "0"
    return f"{value:.6g}"


def _apart(heights: Sequence[float], distance: float = 18.0) -> list[float]:
    """Give places near these for labels that must not overlap."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    placed = list(heights)
    for before, number in itertools.pairwise(order):
        placed[number] = max(placed[number], placed[before] + distance)
    excess = placed[order[-1]] - (_HEIGHT - _BOTTOM)
    return [height - max(0.0, excess) for height in placed]


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _text(x: float, y: float, text: str, *, size: int = 13, anchor: str = "start", extra: str = "") -> str:
    shown = xml_text(text)
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="#222222"{extra}>{shown}</text>'
    )
