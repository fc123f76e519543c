"""The chart is a document that any viewer reads, with axes that people can read and labels that do not collide."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bpe_tui.lm.chart import Line, line_chart, ticks

SVG = "{http://www.w3.org/2000/svg}"
figures = st.floats(-1e15, 1e15, allow_nan=False)


@hypothesis_settings(max_examples=300)
@given(st.tuples(figures, figures).map(sorted))
def test_ticks_enclose_the_figures_and_are_few(span: list[float]) -> None:
    low, high = span
    marks = ticks(low, high)
    assert 2 <= len(marks) <= 12
    slack = (marks[1] - marks[0]) * 1e-6
    assert marks[0] <= low + slack
    assert marks[-1] >= high - slack
    assert marks == sorted(marks)


def test_ticks_are_round() -> None:
    assert ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert ticks(1.93, 4.1) == pytest.approx([1.5, 2, 2.5, 3, 3.5, 4, 4.5])


@hypothesis_settings(max_examples=60)
@given(
    st.lists(
        st.builds(Line, st.text(max_size=12), st.lists(st.tuples(st.floats(0, 1e16), st.floats(0, 20)), max_size=5)),
        max_size=7,
    )
)
def test_any_figures_and_labels_make_a_valid_document(lines: list[Line]) -> None:
    root = ElementTree.fromstring(line_chart("a <b> & \x00\x1b", "x", 'y "', lines))
    assert root.tag == f"{SVG}svg"
    drawn = [line for line in lines if line.points]
    assert len(root.findall(f"{SVG}polyline")) == len(drawn)
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    for polyline in root.findall(f"{SVG}polyline"):
        for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", polyline.attrib["points"]):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height


def test_lines_differ_not_by_colour_alone_and_labels_stand_apart() -> None:
    lines = [Line(f"line {number}", [(0.0, 3.0), (1.0, 2.0)]) for number in range(5)]
    root = ElementTree.fromstring(line_chart("t", "x", "y", lines))
    dashes = {polyline.attrib.get("stroke-dasharray") for polyline in root.findall(f"{SVG}polyline")}
    assert len(dashes) == 5
    heights = sorted(
        float(text.attrib["y"]) for text in root.findall(f"{SVG}text") if text.text in {line.label for line in lines}
    )
    assert len(heights) == 5
    assert all(after - before >= 17 for before, after in itertools.pairwise(heights))


def test_a_band_and_a_single_point() -> None:
    band = Line("seeds", [(1, 2), (2, 1.5)], low=[1.9, 1.4], high=[2.2, 1.6])
    root = ElementTree.fromstring(line_chart("t", "x", "y", [band, Line("one", [(1, 2)])]))
    assert len(root.findall(f"{SVG}polygon")) == 1
    assert len(root.findall(f"{SVG}circle")) == 1


def test_nothing_to_draw_says_so() -> None:
    assert "nothing was measured yet" in line_chart("t", "x", "y", [])
