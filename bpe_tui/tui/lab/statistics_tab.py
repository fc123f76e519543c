"""The Statistics tab: figures of the vocabulary beside those of a text, worked out in a thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from bpe_tui.analysis import TextStatistics, VocabularyStatistics, prefix, text_statistics, vocabulary_statistics
from bpe_tui.terminal import UNKNOWN, cell_width, count, fit, pad, shown_token
from bpe_tui.tui.lab.figures import figure_lines
from bpe_tui.tui.widgets.styled_lines import Line, StyledLines
from bpe_tui.tui.wording import broken, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from textual.app import ComposeResult

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.progress import Report
    from bpe_tui.tui.lab.ground import Ground
    from bpe_tui.tui.lab.view import LabView

SOURCES: Final = ("the line", "the first 100,000 characters of the training text", "the training text")
"""Texts to take figures of, in the order that a key goes through."""
WORKING: Final = "working out the figures …"
PASSAGE: Final = 100_000
"""Characters of the passage."""

_NAME, _FIGURE = 26, 12
"""Cells of the name of a figure and of the figure."""
_BAR = 24
"""Cells of the longest bar."""
_TWO_COLUMNS = 100


@dataclass(frozen=True, slots=True)
class Figures:
    """What was worked out."""

    source: int
    """Of which text: a place in `SOURCES`."""
    key: object
    """What tells their tokenizer from others."""
    merges: int
    """As of which merge."""
    left_out: int
    """Special tokens that it lacks, since their ids lie behind those of later merges."""
    vocabulary: VocabularyStatistics
    text: TextStatistics
    tokenizer: BPETokenizer


def work_out(
    ground: Ground,
    merges: int,
    source: int,
    text: str,
    known: Figures | None,
    report: Report,
) -> Figures:
    """Work out the figures of a text as of a merge; the vocabulary of `known` is taken where it is the same.

    Raises BPEError; `report` may raise Cancelled.
    """
    report("working out the figures", 0, 0)
    key = (ground.key, merges)
    if known is not None and known.key == key:
        tokenizer, vocabulary = known.tokenizer, known.vocabulary
    else:
        tokenizer = prefix(ground.tokenizer, merges) if ground.dial is not None else ground.tokenizer
        vocabulary = vocabulary_statistics(tokenizer, report)
    left_out = len(_special(ground.tokenizer)) - len(_special(tokenizer))
    of_text = text_statistics(tokenizer, text, report)
    return Figures(source, key, merges, left_out, vocabulary, of_text, tokenizer)


class StatisticsTab(VerticalScroll, inherit_bindings=False):
    """Figures in one column, or two where there is room. The keys that scroll leave the dial its own."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", show=False),
        Binding("down", "scroll_down", show=False),
        Binding("pageup", "page_up", show=False),
        Binding("pagedown", "page_down", show=False),
    ]

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab-statistics-tab", classes="lab-tab")
        self._ascii_only = ascii_only
        self.source = 0
        self.said = ""
        """What to say in place of figures: what goes on, or what went wrong."""
        self._figures: Figures | None = None
        self._view: LabView | None = None

    def compose(self) -> ComposeResult:
        """One page of lines."""
        yield StyledLines(id="lab-statistics")

    def show(self, view: LabView) -> None:
        """Draw a view."""
        self._view = view
        self._draw()

    def show_figures(self, figures: Figures | None, said: str = "") -> None:
        """Show what was worked out, or say why there is nothing to show."""
        self._figures, self.said = figures, said
        self._draw()

    def say(self, said: str) -> None:
        """Say what goes on."""
        self.said = said
        self._draw()

    @property
    def known(self) -> Figures | None:
        """What is shown: its vocabulary is kept when only the text changes."""
        return self._figures

    def on_resize(self) -> None:
        """Lay the figures out anew."""
        self._draw()

    def _draw(self) -> None:
        view, width = self._view, self.size.width - 2
        if view is None or width < 10:
            return
        if view.ground is None:
            said = [((line, "warning"),) for line in broken(readable(view.waiting), width)]
            self.query_one(StyledLines).show_lines(said)
            return
        lines: list[Line] = []
        if view.ground.dial is not None:
            # These follow the dial at once, the others as fast as they are worked out.
            lines = figure_lines(view.ground, view.measured, None, view.merges, width, ascii_only=self._ascii_only)
        lines += [(), *self._title_lines(view, width), ()]
        if self._figures is not None:
            text = text_lines(self._figures, ascii_only=self._ascii_only)
            vocabulary = vocabulary_lines(self._figures, ascii_only=self._ascii_only)
            if width >= _TWO_COLUMNS:
                lines += _beside(text, vocabulary, width // 2)
            else:
                lines += [*text, (), *vocabulary]
        self.query_one(StyledLines).show_lines(lines)

    def _title_lines(self, view: LabView, width: int) -> list[Line]:
        figures = self._figures
        if figures is None:
            said = f"{SOURCES[self.source]}: {self.said or WORKING}"
            return [((line, "warning"),) for line in broken(readable(said), width)]
        # What is shown is named, even while others are worked out; in the same line, so that nothing moves.
        title = f"figures of {SOURCES[figures.source]}"
        if view.total:
            title += f" as of merge {count(figures.merges)}"
        if self.said:
            return [((fit(f"{title}: {self.said}", width), "warning"),)]
        return [((fit(f"{title} (p: another text)", width), "dim"),)]


def text_lines(figures: Figures, *, ascii_only: bool = False) -> list[Line]:
    """Give the figures of the text."""
    text = figures.text
    rows: list[tuple[str, str]] = [
        ("characters", count(text.characters)),
        ("bytes", count(text.bytes)),
        ("words", count(text.words)),
        ("tokens", count(text.tokens)),
        ("characters/token", _ratio(text.characters_per_token)),
        ("bytes/token", _ratio(text.bytes_per_token)),
        ("tokens/word", _ratio(text.tokens_per_word)),
        ("pieces/word", _ratio(text.pieces_per_word)),
        ("words cut in two or more", _share(text.continued_words)),
        ("text in one-token words", _share(text.one_token_share)),
        ("different tokens used", count(text.used_tokens)),
        ("tokens not used", count(len(text.unused))),
        ("of these, only steps", count(len(text.steps))),
        ("entropy, bits/token", f"{text.entropy:.3f}"),
        (f"Rényi efficiency, α={text.alpha:g}", _ratio(text.renyi_efficiency)),
    ]
    lines = [_title("The text"), *map(_row, rows), (), _title(f"Tokens of the text by {text.unit}")]
    lines += bars(text.lengths, ascii_only=ascii_only)
    return [*lines, (), _title("Characters by script"), *_scripts(text.scripts)]


def vocabulary_lines(figures: Figures, *, ascii_only: bool = False) -> list[Line]:
    """Give the figures of the vocabulary."""
    found = figures.vocabulary
    rows: list[tuple[str, str]] = [
        ("vocabulary" + (", no special ones" if figures.left_out else ""), count(found.vocab_size)),
        ("base tokens", count(found.base_tokens)),
        ("merges", count(found.merges)),
        ("learned tokens", count(found.learned_tokens)),
        (f"mean length in {found.unit}", f"{found.mean_length:.2f}"),
        ("groups of near duplicates", count(len(found.near_duplicates))),
    ]
    lines = [_title("The vocabulary"), *map(_row, rows)]
    for group in found.near_duplicates[:3]:
        shown = "  ".join(shown_token(figures.tokenizer, number, ascii_only=ascii_only) for number in group[:8])
        lines.append((("  " + fit(shown, _NAME + _FIGURE - 2), "dim"),))
    lines += [(), _title(f"Tokens of the vocabulary by {found.unit}"), *bars(found.lengths, ascii_only=ascii_only)]
    return [*lines, (), _title("Tokens by script"), *_scripts(found.scripts)]


def bars(lengths: Sequence[tuple[int, int]], *, most: int = 16, ascii_only: bool = False) -> list[Line]:
    """Give a histogram, the rare long ones taken together."""
    shown = [(f"{length}", number) for length, number in lengths[:most]]
    if len(lengths) > most:
        shown.append((f"{lengths[most][0]}+", sum(number for _, number in lengths[most:])))
    highest = max((number for _, number in shown), default=0)
    bar = "#" if ascii_only else "█"
    return [
        (
            (f"{name:>4} ", "label"),
            (pad(bar * max(1 if number else 0, round(number / highest * _BAR)), _BAR), "good"),
            (f" {count(number):>9}", "figure"),
        )
        for name, number in shown
    ]


def _scripts(scripts: dict[str, int]) -> list[Line]:
    ordered: Callable[[tuple[str, int]], int] = lambda entry: -entry[1]  # noqa: E731
    return [_row((name, count(number))) for name, number in sorted(scripts.items(), key=ordered)[:8]]


def _special(tokenizer: BPETokenizer) -> Collection[str]:
    special: Collection[str] = getattr(tokenizer, "special_tokens", ())
    return special


def _title(text: str) -> Line:
    return ((text, "strong"),)


def _row(row: tuple[str, str]) -> Line:
    return ((f"{row[0]:<{_NAME}}", "label"), (f"{row[1]:>{_FIGURE}}", "figure"))


def _ratio(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100 * value:.1f}%"


def _beside(left: Sequence[Line], right: Sequence[Line], width: int) -> list[Line]:
    lines: list[Line] = []
    for place in range(max(len(left), len(right))):
        first = left[place] if place < len(left) else ()
        used = sum(cell_width(text) for text, _ in first)
        lines.append((*first, (" " * max(1, width - used), ""), *(right[place] if place < len(right) else ())))
    return lines
