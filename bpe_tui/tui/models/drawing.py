"""What the screen of language models shows, as lines: curves, the list of runs, samples, the first and last line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bpe_tui.terminal import count, duration, fit, pad, percent, rate
from bpe_tui.terminal.overlay import NOBODY, Series, overlay_chart
from bpe_tui.tui.dialogs.question import shown_path
from bpe_tui.tui.widgets.token_lines import tokens_over, wrap
from bpe_tui.tui.wording import in_lines, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_tui.tui.models.run import ModelRun, Point, Sample
    from bpe_tui.tui.widgets.styled_lines import Line, Span

STYLES: Final = 6
MEASURES: Final = ("loss", "bits")
TITLES: Final = {"loss": "loss, nats per token", "bits": "bits per character"}
AXES: Final = {"step": "steps", "characters": "characters seen", "seconds": "seconds of training"}
_LETTERS: Final = "abcdefgh"
_ROOM_FOR_FIGURES: Final = 70
"""Cells from which on a run's name and all its figures fit into one line."""
EMPTY: Final = "No model here yet. n starts one on encoded splits; a adds the folder of a finished training to compare."
_KEYS: Final = (
    ("esc", "back"),
    ("n", "new"),
    ("space", "pause"),
    ("x", "stop"),
    ("a", "add"),
    ("d", "drop"),
    ("b", "curve"),
    ("h", "axis"),
    ("[ ]", "text"),
    ("↑↓", "run"),
)


def chart_lines(
    runs: Sequence[ModelRun], selected: int, measure: str, axis: str, size: tuple[int, int], ascii_only: bool
) -> list[Line]:
    """Give a chart of all runs, the selected one on top; small letters are training, capitals validation."""
    width, height = size
    series: list[Series] = []
    styles: list[str] = []

    def points(measured: Sequence[Point]) -> list[tuple[float, float]]:
        return [(getattr(point, axis), getattr(point, measure)) for point in measured]

    for number in sorted(range(len(runs)), key=lambda index: index != selected):
        letter = _LETTERS[number % len(_LETTERS)]
        for measured, marker in ((runs[number].validation, letter.upper()), (runs[number].train, letter)):
            series.append(Series(points(measured), marker))
            styles.append(style(number))
    drawn = overlay_chart(series, width, height - 1, ascii_only=ascii_only)
    if not drawn:
        waiting = any(run.running for run in runs)
        words = EMPTY if not runs else "the first figures are on their way" if waiting else "there are no figures"
        return [((line, "dim"),) for line in in_lines(words, width)[:height]]
    title = f"{TITLES[measure]} over {AXES[axis]}"
    lines: list[Line] = [((fit(title, width, ascii_only=ascii_only), "label"),)]
    for row in drawn:
        lines.append(tuple((text, "dim" if owner == NOBODY else styles[owner]) for text, owner in row))
    return lines


def style(number: int) -> str:
    """Give the style of the curves of a run."""
    return f"series-{number % STYLES}"


def run_lines(runs: Sequence[ModelRun], selected: int, size: tuple[int, int], ascii_only: bool) -> list[Line]:
    """Give the legend in at most so many lines: one a run, or two where one is too narrow, and what went wrong.

    Where even that is too much, the runs around the selected one are shown, with arrows to those beyond.
    """
    width, height = size
    trouble = [((line, "warning"),) for line in in_lines(runs[selected].trouble, width)[:6]] if runs else []
    narrow = width < _ROOM_FOR_FIGURES
    if 2 * len(runs) + len(trouble) <= height and (narrow or len(runs) <= 1):
        lines: list[Line] = []
        for number, run in enumerate(runs):
            lines.append(_name_line(run, number, selected, "", width, ascii_only))
            lines.append(((fit(f"  {_figures(run)}", width, ascii_only=ascii_only), "dim"),))
        return lines + trouble
    trouble = trouble[: max(0, min(len(trouble), height - min(len(runs), 3)))]
    room = max(1, height - len(trouble))
    first = max(0, min(selected - room // 2, len(runs) - room))
    lines = [
        _name_line(runs[number], number, selected, _short_figures(runs[number], width), width, ascii_only)
        for number in range(first, min(first + room, len(runs)))
    ]
    up, down = ("^", "v") if ascii_only else ("↑", "↓")
    if first > 0:
        lines[0] = ((up, "dim"), (lines[0][0][0][1:], "key"), *lines[0][1:])
    if first + room < len(runs):
        lines[-1] = ((down, "dim"), (lines[-1][0][0][1:], "key"), *lines[-1][1:])
    at = min(selected - first + 1, len(lines))
    return lines[:at] + trouble + lines[at:]


def _name_line(run: ModelRun, number: int, selected: int, figures: str, width: int, ascii_only: bool) -> Line:
    letter = _LETTERS[number % len(_LETTERS)]
    mark = (">" if ascii_only else "▸") if number == selected else " "
    state = run.state
    room = max(4, width - 8 - len(state) - len(figures))
    name = pad(fit(readable(run.folder.name) or shown_path(run.folder), room, ascii_only=ascii_only), room)
    return (
        (f"{mark} ", "key"),
        (f"{letter}/{letter.upper()} ", style(number)),
        (name, "strong" if number == selected else ""),
        (figures, "dim"),
        (f" {state}", "warning" if run.trouble else "label"),
    )


def _figures(run: ModelRun) -> str:
    train = f"train {run.train[-1].loss:.2f}" if run.train else "no loss yet"
    if not run.validation:
        return train
    last = run.validation[-1]
    return f"{last.bits:.3f} bits/char  val {last.loss:.2f}  {train}"


def _short_figures(run: ModelRun, width: int) -> str:
    """Give as many of the figures as leave some room for the name."""
    if width >= _ROOM_FOR_FIGURES:
        return f" {_figures(run)} "
    return f" {run.validation[-1].bits:.3f} bits/char " if run.validation else ""


def head_line(run: ModelRun | None, width: int) -> Line:
    """Give the first line: where the selected run is."""
    spans: list[Span] = [(" Language models", "strong")]
    if run is not None:
        spans.append((f"   {run.state}", "label"))
        status = run.status
        if status is not None:
            spans.append((f"  step {count(status.step)}  {percent(100 * status.fraction, 0)}", "figure"))
            if run.running and not run.holds:
                speed, eta = rate(status.tokens_per_second, "tokens"), duration(status.eta_seconds)
                spans.append((f"  {speed}  ETA {eta}", "figure"))
    return _cut(spans, width)


def foot_line(run: ModelRun | None, width: int) -> Line:
    """Give the last line: the keys."""
    spans: list[Span] = [(" ", "")]
    full = sum(len(key) + len(label) + 3 for key, label in _KEYS)
    gap = "  " if full <= width else " "
    for key, label in _KEYS:
        word = label
        if key == "space" and run is not None and (run.holds or run.can_go_on):
            word = "go on"
        spans += [(key, "key"), (f" {word}{gap}", "dim")]
    return tuple(spans)


def _cut(spans: Sequence[Span], width: int) -> Line:
    kept: list[Span] = []
    for text, name in spans:
        shown = fit(text, width)
        kept.append((shown, name))
        width -= len(shown)
        if width <= 0:
            break
    return tuple(kept)


def sample_lines(run: ModelRun, sample: Sample, size: tuple[int, int], ascii_only: bool) -> list[Line]:
    """Give the text of a sample with the borders of its tokens."""
    width, height = size
    wrapped = wrap(sample.text, width, height, ascii_only=ascii_only)
    return tokens_over(wrapped, _lengths(run.tokenizer, sample))


def _lengths(tokenizer: object, sample: Sample) -> list[int]:
    """Give the characters of each token; none as long as the tokenizer is not read, or if they do not fit the text."""
    if tokenizer is None or tokenizer is False:
        return []
    from bpe_tui.lm.data import token_texts

    try:
        if hasattr(tokenizer, "streaming_decoder"):
            decoder = tokenizer.streaming_decoder()
            texts = [decoder.feed([number]) for number in sample.ids]
        else:
            spelled = token_texts(tokenizer)  # type: ignore[arg-type]
            texts = [spelled[number] for number in sample.ids]
    except (IndexError, ValueError):
        return []
    return [len(text) for text in texts] if sample.text.startswith("".join(texts)) else []
