"""The tokenizer: what it is and how the run goes, in figures, and a line to try it on a text of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from bpe_tui.errors import BPEError, MissingCharactersError
from bpe_tui.session.state import RunState
from bpe_tui.terminal import cell_width, count, duration, fit, percent, rate
from bpe_tui.tui.describing import Facts
from bpe_tui.tui.missing import name_missing
from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns
from bpe_tui.tui.widgets.field import Field
from bpe_tui.tui.widgets.headline import SIGNS, state_style
from bpe_tui.tui.widgets.styled_lines import Line, Span, StyledLines
from bpe_tui.tui.widgets.token_lines import looks
from bpe_tui.tui.wording import broken, in_lines, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from bpe_tui.bpe.encoder import TextEncoder
    from bpe_tui.session.snapshot import Snapshot

UNKNOWN = "–"
_LABEL, _GAP = 12, 2
"""Cells of a label, and least cells between two columns of figures."""
_LONGEST_TRY = 2_000
"""Characters of the tried text that are encoded; more would not fit on any screen."""


class Figures(StyledLines, can_focus=True):
    """The figures; they take the focus so that the pane can have it without the text field."""


class TokenizerPane(Vertical):
    """Figures, progress and the line to type in."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="tokenizer-pane", classes="pane")
        self._ascii_only = ascii_only
        self._encoder: TextEncoder | None = None
        self._columns = VocabularyColumns()
        self._raw = False
        self._tried: tuple[object, ...] = ()
        self._key: object = None
        self._figures: tuple[Snapshot, str, str, Facts] | None = None
        self.border_title = Content.assemble(("2", "$accent"), " Tokenizer")
        self.border_subtitle = Content.assemble(("i", "$accent"), " try a text")

    def compose(self) -> ComposeResult:
        """Figures above, the line to type in and its tokens below."""
        yield Figures(id="figures")
        yield Field(placeholder="press i and type: tokens and ids appear here", id="try")
        yield StyledLines(id="tried")

    def show(self, snapshot: Snapshot, fingerprint: str, loaded: str, facts: Facts = ()) -> None:
        """Show the figures of `snapshot`; `fingerprint` is empty while it would change.

        `loaded` names the file of a loaded tokenizer, `facts` say what kind of tokenizer it is; both safe to show.
        """
        self._figures = (snapshot, fingerprint, loaded, facts)
        figures = self.query_one(Figures)
        width = figures.size.width or 60
        lines: list[Line] = [self._state_line(snapshot, loaded, width)]
        if snapshot.error:
            # Why it failed matters more than how far it came: it stands first, and whole.
            lines += [((line, "warning"),) for line in in_lines(snapshot.error, width)]
        elif not loaded:
            lines.append(self._bar(snapshot, width))
        spare = self.size.height - len(lines) - (13 if snapshot.error else 11)
        lines += [(), *_fact_lines(facts, width, 3 if spare > 3 else 1)]
        lines += [*_figure_lines(snapshot, fingerprint, bool(loaded), width), ()]
        if self.size.height < 16:
            lines = [line for line in lines if line]
        figures.show_lines(lines)

    def on_resize(self) -> None:
        """Lay the figures out anew."""
        if self._figures is not None:
            self.show(*self._figures)
        self._tried = ()
        self._show_tried()

    def show_encoder(
        self, key: object, encoder: TextEncoder | None, columns: VocabularyColumns, *, raw: bool = False
    ) -> None:
        """Try the text with another state of the tokenizer; `key` tells the states apart."""
        self._key, self._encoder, self._columns, self._raw = key, encoder, columns, raw
        self._show_tried()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tokenize what was typed."""
        event.stop()
        self._show_tried()

    def _show_tried(self) -> None:
        text = self.query_one("#try", Input).value
        wanted = (text, self._key, self._raw)
        if wanted == self._tried:
            return
        self._tried = wanted
        tried = self.query_one("#tried", StyledLines)
        tried.show_lines(self._tried_lines(text, tried.size.width or 40, max(tried.size.height, 3)))

    def _tried_lines(self, text: str, width: int, height: int) -> list[Line]:
        if not text:
            return []
        text = text[:_LONGEST_TRY]
        try:
            if self._encoder is None:
                return [(("no tokenizer yet: t trains one, l loads one", "dim"),)]
            ids = self._encoder.encode(text).tolist()
        except MissingCharactersError as error:
            return [((line, "warning"),) for line in in_lines(name_missing(error), width)]
        except BPEError as error:
            return [((line, "warning"),) for line in in_lines(str(error), width)]
        lengths = self._columns.lengths[ids].tolist() if ids else []
        shown = [self._columns.shown(token, raw=self._raw, ascii_only=self._ascii_only) for token in ids]
        each = f", {len(text) / len(ids):.2f} characters each" if ids else ""
        size = len(text.encode("utf-8", "surrogatepass"))
        in_bytes = f" ({count(size)} bytes)" if self._encoder.in_bytes and size != len(text) else ""
        total = f"{count(len(text))} characters{in_bytes}, {count(len(ids))} tokens{each}"
        lines = chips(shown, ids, looks(lengths), width)
        if len(lines) + 1 > height:
            lines = lines[: max(2, (height - 1) // 2 * 2)]
        return [*lines, ((fit(total, width), "dim"),)]

    def _state_line(self, snapshot: Snapshot, loaded: str, width: int) -> Line:
        state = snapshot.state
        if loaded:
            words = fit(f"loaded from {loaded}", max(width - 2, 1))
            return (("● " if not self._ascii_only else "* ", "good"), (words, "strong"))
        sign = SIGNS[state][1 if self._ascii_only else 0]
        words = state.value
        if snapshot.ending:
            words += " (finishing the step at work)"
        detail = "" if snapshot.error else snapshot.detail
        if state is RunState.DONE and snapshot.stop_reason is not None:
            detail = snapshot.stop_reason.explain()
        right = f"{duration(snapshot.eta_seconds)} left" if snapshot.eta_seconds is not None and state.busy else ""
        if not right and snapshot.seconds:
            right = f"{1000 * snapshot.seconds:.0f} ms" if snapshot.seconds < 1 else duration(snapshot.seconds)
        room = width - cell_width(words) - cell_width(right) - 6
        middle = "" if detail == state.value else fit(readable(detail), max(room, 0))
        spans: list[Span] = [(f"{sign} ", state_style(state)), (words, "strong"), ("  ", "")]
        spans.append((middle, "dim"))
        used = sum(cell_width(text) for text, _ in spans)
        spans += [(" " * max(1, width - used - cell_width(right)), ""), (right, "label")]
        return tuple(spans)

    def _bar(self, snapshot: Snapshot, width: int) -> Line:
        share = min(max(snapshot.progress, 0.0), 1.0)
        figure = f"{100 * share:3.0f}%"
        cells = max(4, width - len(figure) - 1)
        done = round(share * cells)
        full, rest = ("#", "-") if self._ascii_only else ("━", "─")
        return ((full * done, "good"), (rest * (cells - done), "bar-rest"), (f" {figure}", "label"))


def chips(shown: Sequence[str], ids: Sequence[int], styles: Sequence[str], width: int) -> list[Line]:
    """Give rows of tokens, each with a row of ids below, one under the other."""
    lines: list[Line] = []
    upper: list[Span] = []
    lower: list[Span] = []
    used = 0
    for token, number, style in zip(shown, ids, styles, strict=True):
        token = fit(token, max(width - 1, 1))
        cells = max(cell_width(token), len(str(number)))
        if used and used + cells > width:
            lines += [tuple(upper), tuple(lower)]
            upper, lower, used = [], [], 0
        upper += [(token, style), (" " * (cells - cell_width(token) + 1), "")]
        lower.append((f"{number:<{cells}} ", "dim"))
        used += cells + 1
    if upper:
        lines += [tuple(upper), tuple(lower)]
    return lines


def _figure_lines(snapshot: Snapshot, fingerprint: str, loaded: bool, width: int) -> list[Line]:
    known = snapshot.sequence_length > 0 and not loaded
    unit = "bytes/token" if snapshot.kind == "byte_bpe" else "ch/token"
    target = f" of {count(snapshot.settings.target_vocab_size)}" if not loaded else ""
    left = [
        ("vocabulary", f"{count(_size(snapshot, loaded) or None)}{target}"),
        ("base tokens", count(snapshot.base_size or None)),
        ("merges", count(snapshot.merges)),
        ("pairs alive", count(snapshot.pairs_alive) if known else UNKNOWN),
    ]
    right = [
        ("compression", f"{snapshot.compression_factor:.3f} {unit}" if known else UNKNOWN),
        ("reduction", percent(snapshot.token_reduction) if known else UNKNOWN),
        ("sequence", f"{count(snapshot.sequence_length)} tokens" if known else UNKNOWN),
        ("speed", rate(snapshot.merges_per_second, "merges") if snapshot.merges_per_second else UNKNOWN),
    ]
    room = width - _LABEL * 2 - _GAP
    left_cells = max(13, *(len(figure) for _, figure in left))
    right_cells = max(14, *(len(figure) for _, figure in right))
    lines: list[Line] = []
    if left_cells + right_cells <= room:
        # What is left of the room goes between the columns, up to a width at which they still read as one table.
        gap = " " * (_GAP + min(6, room - left_cells - right_cells))
        for left_pair, right_pair in zip(left, right, strict=True):
            lines.append((*_pair(*left_pair, left_cells), (gap, ""), *_pair(*right_pair, right_cells)))
    else:
        cells = max(1, min(max(left_cells, right_cells), width - _LABEL))
        lines = [_pair(label, figure, cells) for pairs in zip(left, right, strict=True) for label, figure in pairs]
    if fingerprint:
        room = width - _LABEL
        shown = fingerprint if room >= len(fingerprint) else fingerprint[: max(8, min(room - 1, 24))] + "…"
        lines.append(((f"{'fingerprint':<{_LABEL}}", "label"), (shown, "figure")))
    return lines


def _size(snapshot: Snapshot, loaded: bool) -> int:
    # A loaded tokenizer lists its special tokens among the others; to those of a run they come on top.
    return snapshot.vocab_size if loaded or not snapshot.vocab_size else snapshot.total_vocab_size


def _fact_lines(facts: Facts, width: int, most: int) -> list[Line]:
    lines: list[Line] = []
    for label, text in facts:
        parts = broken(text, max(width - _LABEL, 10))
        if len(parts) > most:
            parts = [*parts[: most - 1], fit(" ".join(parts[most - 1 :]), max(width - _LABEL, 10))]
        for number, part in enumerate(parts):
            lines.append(((f"{'' if number else label:<{_LABEL}}", "label"), (part, "figure")))
    return lines


def _pair(label: str, figure: str, figure_cells: int) -> tuple[Span, ...]:
    return ((f"{label:<{_LABEL}}", "label"), (f"{figure:>{figure_cells}}", "figure"))
