"""Line charts as SVG: a file that any browser shows, from the same curves as on the screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from bpe_tui.analysis.curves import Curve, decimate

PANEL = (640, 240)
"""Width and height of the drawing area of one curve."""
MARGIN = (80, 46, 24, 40)
"""Left, top, right and bottom of it."""
INK, LINE, FAINT = "#222", "#1f77b4", "#bbb"


def to_svg(curves: Sequence[Curve], title: str, *, mark: float | None = None, mark_label: str = "") -> str:
    """Draw curves below one another, thinned out to their width; `mark` is a merge rank to point at in each."""
    left, top, right, bottom = MARGIN
    panel = top + PANEL[1] + bottom
    width, height = left + PANEL[0] + right, 40 + panel * len(curves)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="26" font-size="16" fill="{INK}">{xml_text(title)}</text>',
    ]
    for number, curve in enumerate(curves):
        parts.append(f'<g transform="translate({left} {40 + number * panel + top})">')
        parts += _panel(curve, mark, mark_label)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>\n"])


def to_png(svg: str) -> bytes:
    """Give an SVG as PNG. Raises ImportError without the package cairosvg."""
    import cairosvg

    content: bytes = cairosvg.svg2png(bytestring=svg.encode("utf-8"))
    return content


def _panel(curve: Curve, mark: float | None, mark_label: str) -> list[str]:
    width, height = PANEL
    parts = [f'<text x="0" y="-12" fill="{INK}">{xml_text(curve.name)}</text>']
    parts.append(f'<path d="M0 0V{height}H{width}" fill="none" stroke="{INK}"/>')
    if not len(curve):
        return [*parts, f'<text x="8" y="20" fill="{INK}">no data</text>']
    thin = decimate(curve, width)
    values = [math.log10(value) if curve.logarithmic else value for value in thin.y.tolist()]
    low, high = min(values), max(values)
    first, last = float(thin.x[0]), float(thin.x[-1])

    def across(x: float) -> float:
        return (x - first) / (last - first) * width if last > first else 0.0

    def down(y: float) -> float:
        return height - (y - low) / (high - low) * height if high > low else height / 2

    for value in (low, (low + high) / 2, high):
        figure = 10**value if curve.logarithmic else value
        parts.append(f'<path d="M0 {down(value):.1f}H{width}" stroke="{FAINT}" stroke-dasharray="2 4"/>')
        parts.append(f'<text x="-8" y="{down(value) + 4:.1f}" text-anchor="end" fill="{INK}">{_figure(figure)}</text>')
    for x in (first, (first + last) / 2, last):
        parts.append(f'<text x="{across(x):.1f}" y="{height + 18}" text-anchor="middle" fill="{INK}">{x:,.0f}</text>')
    if mark is not None and first <= mark <= last:
        parts.append(f'<path d="M{across(mark):.1f} 0V{height}" stroke="{INK}" stroke-dasharray="4 3"/>')
        parts.append(f'<text x="{across(mark) + 4:.1f}" y="12" fill="{INK}">{xml_text(mark_label)}</text>')
    points = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in zip(thin.x.tolist(), values, strict=True))
    parts.append(f'<polyline points="{points}" fill="none" stroke="{LINE}" stroke-width="1.5"/>')
    return parts


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2f}"


def xml_text(text: str) -> str:
    """Give text that an XML file may hold, whatever a folder or a corpus is called: control characters it never may."""
    return escape("".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text))
