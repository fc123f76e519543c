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


def run_lines(runs: Sequence[ModelRun], selected: int, width: int, ascii_only: bool) -> list[Line]:
    """Give the legend: two lines a run, and what went wrong with the selected one."""
    lines: list[Line] = []
    for number, run in enumerate(runs):
        letter = _LETTERS[number % len(_LETTERS)]
        mark = (">" if ascii_only else "▸") if number == selected else " "
        state = run.state
        room = max(4, width - 8 - len(state))
        name = pad(fit(readable(run.folder.name) or shown_path(run.folder), room, ascii_only=ascii_only), room)
        lines.append(
            (
                (f"{mark} ", "key"),
                (f"{letter}/{letter.upper()} ", style(number)),
                (name, "strong" if number == selected else ""),
                (f" {state}", "warning" if run.trouble else "label"),
            )
        )
        lines.append(((fit(f"  {_figures(run)}", width, ascii_only=ascii_only), "dim"),))
    if runs and runs[selected].trouble:
        lines += [((line, "warning"),) for line in in_lines(runs[selected].trouble, width)[:6]]
    return lines


def _figures(run: ModelRun) -> str:
    train = f"train {run.train[-1].loss:.2f}" if run.train else "no loss yet"
    if not run.validation:
        return train
    last = run.validation[-1]
    return f"{last.bits:.3f} bits/char  val {last.loss:.2f}  {train}"


def head_line(run: ModelRun | None, width: int) -> Line:
    """Give the first line: where the selected run is."""
    spans: list[Span] = [(" Language models", "strong")]
    if run is not None:
        spans.append((f"   {run.state}", "label"))
        status = run.status
        if status is not None:
            spans.append((f"  step {count(status.step)}  {percent(100 * status.fraction, 0)}", "figure"))
            if run.running:
                speed, eta = rate(status.tokens_per_second, "tokens"), duration(status.eta_seconds)
                spans.append((f"  {speed}  ETA {eta}", "figure"))
    return _cut(spans, width)


def foot_line(run: ModelRun | None, width: int) -> Line:
    """Give the last line: the keys."""
    spans: list[Span] = [(" ", "")]
    for key, label in _KEYS:
        word = label
        if key == "space" and run is not None and not run.running:
            word = "go on"
        if sum(len(text) for text, _ in spans) + len(key) + len(word) + 1 > width:
            break
        spans += [(key, "key"), (f" {word}  ", "dim")]
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
