"""How time and memory grow with the corpus and with the vocabulary, on one file: figures, exponents and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from drawing import Line, Panel, draw
from measuring import Row, Rows, Setup, beginning, in_turn, median, peak_of

MEGABYTES = (1, 3, 10, 30, 100)
VOCABULARIES = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)
KINDS = {"characters": 2_000, "bytes": 32_000}
"""What is learned, and the vocabulary that is trained to while the corpus grows. For characters it is the number of
merges: a big corpus of theirs may have more distinct characters than a small vocabulary has tokens."""
PICTURE = Path(__file__).parent / "scaling.svg"
FULL = max(MEGABYTES)


def exponent(x: list[float], y: list[float]) -> float:
    """Give b of y = a * x**b by least squares of the logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def scaling(setup: Setup, _: Any) -> Rows:
    """Train on 1 to 100 MB, and to 1,000 to 64,000; draw `scaling.svg` where all of it was measured."""
    file = setup.text_file()
    most = file.stat().st_size / 1e6
    sizes = [size for size in MEGABYTES if size <= most]
    if len(sizes) < 2:
        raise SystemExit(f"scaling: {file} has {most:.1f} MB; name a file of {FULL} MB (or at least 3) with --file")
    fixed = {"characters": min(10, sizes[-1]), "bytes": sizes[-1]}
    lines: dict[str, list[Line]] = {
        name: [] for name in ("size-time", "size-memory", "vocabulary-time", "vocabulary-memory")
    }
    goals = {"characters": "characters, {:,} merges", "bytes": "bytes to {:,}"}
    for kind, target in KINDS.items():
        yield from _series(
            setup, kind, "size", goals[kind].format(target), {size: (file, size, target) for size in sizes}, lines
        )
    for kind, size in fixed.items():
        points: dict[float, tuple[Path, float, int]] = {goal: (file, size, goal) for goal in VOCABULARIES}
        yield from _series(setup, kind, "vocabulary", f"{kind}, {size:g} MB", points, lines)
    panels = [
        Panel("Time against the corpus", "MB of text", "seconds", lines["size-time"]),
        Panel("Memory added against the corpus", "MB of text", "MB", lines["size-memory"]),
        Panel("Time against the vocabulary", "tokens; of characters, merges", "seconds", lines["vocabulary-time"]),
        Panel("Memory added against the vocabulary", "tokens; of characters, merges", "MB", lines["vocabulary-memory"]),
    ]
    picture = PICTURE if sizes[-1] == FULL and setup.megabytes is None else setup.scratch / "scaling.svg"
    picture.write_text(draw(panels, "bpe-tui: training, file to tokenizer"), encoding="utf-8")
    print(f"drawn: {picture}" if picture == PICTURE else f"not drawn: that takes a file of {FULL} MB", flush=True)


def _series(
    setup: Setup,
    kind: str,
    axis: str,
    what: str,
    points: dict[float, tuple[Path, float, int]],
    lines: dict[str, list[Line]],
) -> Rows:
    """Measure the points of a line, in turn; give their rows and the exponents, and remember the line."""
    requests: dict[str, dict[str, Any]] = {
        str(x): {
            "job": "train", "kind": kind, "peer": "bpe-tui", "more": kind == "characters", "target": target,
            "file": str(beginning(file, size, setup.scratch)),
        }
        for x, (file, size, target) in points.items()
    }  # fmt: skip
    answers = in_turn(requests, setup.runs)
    seconds, added = [], []
    for x in points:
        peak, more = peak_of(answers[str(x)])
        seconds.append(median(answers[str(x)], "seconds"))
        added.append(max(more / 1e6, 0.1))  # what has no logarithm is not to be told from nothing
        unit = f"{x:g} MB" if axis == "size" else f"{x:,.0f} {'merges' if kind == 'characters' else 'tokens'}"
        note = f"peak {peak / 1e6:,.0f} MB, {more / 1e6:,.0f} MB added"
        yield Row(f"{what}, {unit}", seconds[-1], None, note, peak, more)
    xs = list(map(float, points))
    growth = {"time": exponent(xs, seconds), "memory": exponent(xs, added)}
    print(f"{'scaling':<18} {what}: time grows as {axis}^{growth['time']:.2f}, memory as {axis}^{growth['memory']:.2f}")
    for name, values in (("time", seconds), ("memory", added)):
        lines[f"{axis}-{name}"].append(Line(f"{what}: exponent {growth[name]:.2f}", xs, values))
