"""The Curves tab: what each further merge brings, drawn from thinned out data, also while the run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical

from bpe_tui.analysis.curves import (
    Curve,
    compression_curve,
    decimate,
    frequency_curve,
    gain,
    knee,
    speed_curve,
    to_csv,
)
from bpe_tui.analysis.svg import to_svg
from bpe_tui.bpe.trainer import StopReason
from bpe_tui.terminal import count, fit, pad
from bpe_tui.terminal.braille import Mark, line_chart
from bpe_tui.tui.widgets.styled_lines import Line, StyledLines
from bpe_tui.tui.wording import broken, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from bpe_tui.tui.lab.view import LabView

_SIDE_BY_SIDE = 60
"""Cells that the two smaller charts need to stand side by side."""


class CurvesTab(Vertical):
    """Characters per token large, pair frequency and speed below."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab-curves-tab", classes="lab-tab")
        self._ascii_only = ascii_only
        self._view: LabView | None = None
        self._shown: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """One picture of lines."""
        yield StyledLines(id="lab-curves")

    def show(self, view: LabView) -> None:
        """Draw a view."""
        self._view = view
        size, trace = self.size, view.snapshot.trace
        measured = view.measured
        state = (
            size,
            view.snapshot.log,
            view.snapshot.merges,
            trace[-1:],
            view.waiting,
            view.unmeasured,
            view.ground is None,
            None if measured is None else (measured.characters, len(measured.lengths)),
        )
        if state != self._shown and size.width:
            self._shown = state
            self.query_one(StyledLines).show_lines(self._lines(view, size.width - 2, size.height))

    def on_resize(self) -> None:
        """Draw as large as there is room."""
        if self._view is not None:
            self.show(self._view)

    def csv(self) -> str:
        """Give the curves as CSV, every point of them."""
        return to_csv(curves_of(self._view)) if self._view is not None else ""

    def svg(self) -> str:
        """Give the curves as SVG, with the point of diminishing return marked."""
        if self._view is None:
            return ""
        best = _knee(self._view)
        return to_svg(
            curves_of(self._view),
            "What each further merge brings",
            mark=None if best is None else float(best),
            mark_label="" if best is None else f"diminishing return from {best:,}",
        )

    @property
    def has_curves(self) -> bool:
        """Whether there is anything to draw or export."""
        return self._view is not None and any(map(len, curves_of(self._view)))

    def _lines(self, view: LabView, width: int, height: int) -> list[Line]:
        curves = curves_of(view)
        if not any(map(len, curves)):
            words = view.waiting if view.ground is None else self._nothing(view)
            return [((line, "warning"),) for line in broken(words, width)]
        best = _knee(view)
        lines: list[Line] = []
        lines += [((line, "figure"),) for line in in_words(view, width)][: max(2, height - 10)]
        room = height - len(lines)
        large = max(5, (room - 2) * 55 // 100)
        mark = Mark(float(best), f"{best:,}") if best is not None else None
        if not any(map(len, curves[1:])):
            # A tokenizer from a file tells neither: the one curve there is takes all the room.
            return [*lines, *self._chart(curves[0], width, max(5, room - 1), mark)][:height]
        lines += self._chart(curves[0], width, large, mark)
        small = max(4, room - large - 2)
        if width >= _SIDE_BY_SIDE:
            half = (width - 2) // 2
            lines += beside(self._chart(curves[1], half, small, mark), self._chart(curves[2], half, small, None))
        else:
            lines += self._chart(curves[1], width, small, mark)
        return lines[:height]

    def _chart(self, curve: Curve, width: int, height: int, mark: Mark | None) -> list[Line]:
        thin = decimate(curve, 2 * width)
        named = f"{curve.name} by merges"
        scale = ", log scale" if len(named) + 11 <= width else ", log"
        title = ((pad(fit(named + (scale if curve.logarithmic else ""), width), width), "label"),)
        if len(curve) == 1 or not len(curve):
            nothing = [((pad("not known here" if not len(curve) else "one point only", width), "dim"),)]
            return [title, *nothing, *[((" " * width, ""),)] * (height - 1)]
        drawn = line_chart(
            thin.x.tolist(), thin.y.tolist(), width, height,
            logarithmic=curve.logarithmic, mark=mark, ascii_only=self._ascii_only,
        )  # fmt: skip
        return [title, *[((line, "good"),) for line in drawn]]

    @staticmethod
    def _nothing(view: LabView) -> str:
        if view.ground is not None and view.ground.dial is None:
            return view.ground.why_no_dial
        if not view.snapshot.merges:
            return "no merges yet"
        if view.unmeasured:
            return readable(view.unmeasured)
        return "measuring the training text …" if view.measured is None else "no curves"


def curves_of(view: LabView) -> list[Curve]:
    """Give characters per token, pair frequency and speed; those that are not known are empty."""
    measured, snapshot = view.measured, view.snapshot
    nothing = speed_curve([])
    first = (
        Curve("characters per token", "characters", nothing.x, nothing.y)
        if measured is None
        else compression_curve(measured.lengths, measured.characters)
    )
    return [
        first,
        frequency_curve(snapshot.log.frequency[: snapshot.merges]),
        speed_curve(view.snapshot.trace),
    ]


def in_words(view: LabView, width: int) -> list[str]:
    """Say where merges bring less than on average, and what the next ones bring."""
    measured = view.measured
    if measured is None or len(measured.lengths) < 2:
        return ["no figures: the tokens of the training text are not known here"]
    best = _knee(view)
    sentences = []
    if best is not None:
        sentences.append(
            f"diminishing return from {count(best)} merges on (marked): behind it they bring less than average"
        )
        sentences.append(gain(measured.lengths, best).explain())
    reason = view.snapshot.stop_reason
    if reason is None or reason is StopReason.TARGET:
        sentences.append(gain(measured.lengths, len(measured.lengths) - 1).explain())
    else:
        sentences.append(f"no further merges: {reason.explain()}")
    return [line for sentence in sentences for line in broken(sentence, width)]


def beside(left: Sequence[Line], right: Sequence[Line]) -> list[Line]:
    """Give two pictures side by side."""
    return [(*first, ("  ", ""), *second) for first, second in zip(left, right, strict=False)]


def _knee(view: LabView) -> int | None:
    return knee(view.measured.lengths) if view.measured is not None else None
