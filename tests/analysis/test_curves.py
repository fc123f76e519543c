"""Curves: thinned out without losing an extreme, marked where they bend, exported as they are."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui.analysis.curves import (
    Curve,
    compression_curve,
    decimate,
    frequency_curve,
    gain,
    knee,
    saved_by_merge,
    speed_curve,
    to_csv,
)
from bpe_tui.analysis.svg import to_png, to_svg


def test_curves_of_a_run_by_hand() -> None:
    lengths = np.array([12, 9, 9, 8])
    assert compression_curve(lengths, 12).y.tolist() == [1.0, 12 / 9, 12 / 9, 1.5]
    frequency = frequency_curve(saved_by_merge(lengths))
    assert (frequency.x.tolist(), frequency.y.tolist()) == ([0.0, 2.0], [3.0, 1.0])
    speed = speed_curve([(0.0, 0), (0.5, 10), (0.5, 10), (1.5, 15)])
    assert (speed.x.tolist(), speed.y.tolist()) == ([10.0, 15.0], [20.0, 5.0])
    assert len(speed_curve([])) == 0


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=500), st.integers(1, 40))
def test_thinning_keeps_ends_and_extremes(values: list[float], width: int) -> None:
    x, y = np.arange(len(values), dtype=np.float64), np.array(values)
    thin = decimate(Curve("", "", x, y), width)
    assert len(thin) <= max(4 * width, 1)
    kept = dict(zip(thin.x.tolist(), thin.y.tolist(), strict=True))
    assert all(values[int(place)] == value for place, value in kept.items())
    assert thin.x.tolist() == sorted(kept)
    assert {0.0, float(len(values) - 1)} <= kept.keys()
    column = np.minimum((x / max(len(values) - 1, 1) * width).astype(int), width - 1)
    for number in np.unique(column):
        inside = y[column == number]
        of_thin = thin.y[np.isin(thin.x, x[column == number])]
        assert of_thin.max() == inside.max()
        assert of_thin.min() == inside.min()


def test_the_knee_is_where_the_curve_bends() -> None:
    """Characters per token that rise steeply for ten merges and slowly for ninety."""
    compression = np.concatenate([np.linspace(1, 3, 11), np.linspace(3, 4, 91)[1:]])
    assert knee((1_000_000 / compression).astype(np.int64)) == 10
    assert knee(np.array([10, 10, 10])) is None
    assert knee(np.array([10, 9])) is None
    assert knee((1_000_000 / np.linspace(1, 2, 50)).astype(np.int64)) in (None, *range(50))


def test_what_the_next_merges_bring() -> None:
    lengths = np.array([100, 80, 70, 65, 63])
    known = gain(lengths, 1, window=2)
    assert (known.saved, known.share, known.estimated) == (15, 15 / 80, False)
    assert known.explain() == "after 1 merge, the next 2 merges shorten the text by 18.75% (15 tokens)"
    rest = gain(lengths, 2, window=10)
    assert (rest.next_merges, rest.saved) == (2, 7)
    ahead = gain(lengths, 4, window=2)
    assert ahead.estimated
    assert ahead.saved == round(2 * 37 / 4)
    assert ahead.bound
    assert "would shorten the text by at most" in ahead.explain()
    assert "too few merges to say more" in ahead.explain()
    assert gain(np.array([1]), 0).saved == 0
    assert gain(np.array([0]), 0).share == 0


def test_what_falls_off_by_a_power_is_told_ahead_exactly() -> None:
    """Savings C·rank^-a: their sum over any stretch is known, and so is what the next ones save."""
    for power in (-0.5, 0.0, 0.3):
        ranks = np.arange(0, 4001) + 1e-9
        total = np.log(ranks + 50) if power == 0 else (ranks + 50) ** power / power
        lengths = (1e9 - 1e7 * (total - total[0])).astype(np.int64)
        ahead = gain(lengths[:2001], 2000, 1000)
        assert not ahead.bound
        assert ahead.saved == pytest.approx(gain(lengths, 2000, 1000).saved, rel=0.05)
        assert "an estimated" in ahead.explain()


def test_the_same_saving_for_ever_is_told_ahead_as_such() -> None:
    steady = 100_000 - 7 * np.arange(1001)
    assert gain(steady, 1000, 500).saved == 3_500
    assert gain(np.append(steady, [steady[-1]] * 1000), 2000, 500).saved == 0
    never_below_one = gain(1_001 - np.arange(1001), 1000, 1000)
    assert never_below_one.saved == 0


def test_an_estimate_is_near_on_the_training_text(bible: str) -> None:
    """On natural text what 1,000 more merges bring is told to a fifth, and far better than by the last ones alone."""
    from bpe_tui.analysis.recording import record

    lengths = record(bible[:200_000], 3_500).lengths
    for merges in (100, 200, 427, 1000, 2000):
        assert gain(lengths[: merges + 1], merges).saved == pytest.approx(gain(lengths, merges).saved, rel=0.2)


def test_csv_holds_every_point() -> None:
    curves = [
        Curve("a, b", "", np.array([0.0, 1.0]), np.array([1.5, 2.0])),
        Curve("c", "", np.array([1.0]), np.array([7.0])),
    ]
    assert list(csv.reader(io.StringIO(to_csv(curves)))) == [["merges", "a, b", "c"], ["0", "1.5", ""], ["1", "2", "7"]]
    assert to_csv([]) == "merges\n"


def test_svg_is_xml_whatever_the_title_holds() -> None:
    curve = Curve("pair frequency <&>", "", np.arange(1.0, 5001.0), 1e6 / np.arange(1.0, 5001.0), True)
    empty = Curve("nothing", "", np.zeros(0), np.zeros(0))
    svg = to_svg([curve, empty], 'a <b> "c" \x1b[31m', mark=100.0, mark_label="100 merges")
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert 'a <b> "c" �[31m' in texts
    assert {"pair frequency <&>", "nothing", "no data", "100 merges", "1,000,000"} <= set(texts)
    line = root.find(".//{http://www.w3.org/2000/svg}polyline")
    assert line is not None
    points = [tuple(map(float, point.split(","))) for point in (line.get("points") or "").split()]
    assert points[0] == (0.0, 0.0)
    assert points[-1] == (640.0, 240.0)


def test_png_of_an_svg() -> None:
    pytest.importorskip("cairosvg")
    assert to_png(to_svg([], "nothing")).startswith(b"\x89PNG")
