"""The figures of the dial in lines: as of a merge, or then and now side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.terminal import UNKNOWN, cell_width, count, fit, shown_token
from bpe_tui.tui.widgets.styled_lines import Line, Span

if TYPE_CHECKING:
    from bpe_tui.tui.lab.ground import Ground, Measured
    from bpe_tui.tui.lab.story import Story

_LONGEST = 12
"""Tokens that are named at most."""


def figure_lines(
    ground: Ground, measured: Measured | None, story: Story | None, merges: int, width: int, *, ascii_only: bool = False
) -> list[Line]:
    """Give vocabulary, compression and longest tokens as of a merge."""
    dial = ground.dial
    assert dial is not None
    corpus = measured.per_token(merges) if measured is not None else None
    lines = [
        _facts(
            [
                ("vocabulary", count(dial.vocab_size(merges))),
                ("training text", f"{corpus:.3f} characters/token" if corpus is not None else UNKNOWN),
            ],
            width,
        )
    ]
    if story is not None and story.text:
        tokens = story.dial.count(merges)
        size = len(story.text.encode("utf-8", "surrogatepass"))
        facts = [
            ("this text" if not story.cut else "its beginning", f"{count(tokens)} tokens"),
            ("of", f"{count(len(story.text))} characters" + (f", {count(size)} bytes" if width >= 100 else "")),
            ("each", f"{story.dial.compression(merges):.2f}"),
        ]
        if story.words:
            facts.append(("tokens/word", f"{tokens / story.words:.2f}"))
        lines.append(_facts(facts, width))
    lines.append(_longest(ground, merges, width, ascii_only=ascii_only))
    return lines


def comparison_lines(
    ground: Ground, measured: Measured | None, story: Story | None, merges: int, width: int
) -> list[Line]:
    """Give the same figures as of a merge and as of now, one above the other, with what changed."""
    dial = ground.dial
    assert dial is not None
    rows = [("", "vocabulary", "chars/token", "tokens here", "longest")]
    figures: list[tuple[int, float, int]] = []
    for at in (merges, dial.merges):
        corpus = measured.per_token(at) if measured is not None else None
        here = story.dial.count(at) if story is not None else 0
        longest = dial.longest(at, 1)
        length = int(ground.tokenizer.token_lengths()[longest[0][0]]) if longest else 1
        figures.append((dial.vocab_size(at), corpus or 0.0, here))
        rows.append(
            (
                "now" if at == dial.merges else f"after {count(at)}",
                count(dial.vocab_size(at)),
                f"{corpus:.3f}" if corpus else UNKNOWN,
                count(here) if story is not None else UNKNOWN,
                count(length),
            )
        )
    (old_size, old_rate, old_here), (size, new_rate, here) = figures
    rate = f"{100 * (new_rate / old_rate - 1):+.1f}%" if old_rate and new_rate else ""
    rows.append(("change", f"{size - old_size:+,}", rate, f"{here - old_here:+,}", ""))
    lines: list[Line] = []
    for number, row in enumerate(rows):
        text = f"{row[0]:<14}" + "".join(f"{cell:>14}" for cell in row[1:])
        lines.append(((fit(text, width), "label" if not number else "figure"),))
    return lines


def _longest(ground: Ground, merges: int, width: int, *, ascii_only: bool) -> Line:
    dial = ground.dial
    assert dial is not None
    spans: list[Span] = [("longest ", "label")]
    used = 8
    for number, (token_id, _) in enumerate(dial.longest(merges, _LONGEST)):
        shown = shown_token(ground.tokenizer, token_id, ascii_only=ascii_only)
        shown = fit(shown, max(12, width // 3), ascii_only=ascii_only)
        if used + cell_width(shown) + 1 > width:
            break
        spans += [(shown, ("token-1", "token-2")[number % 2]), (" ", "")]
        used += cell_width(shown) + 1
    if len(spans) == 1:
        spans.append(("base tokens only", "dim"))
    return tuple(spans)


def _facts(facts: list[tuple[str, str]], width: int) -> Line:
    spans: list[Span] = []
    used = 0
    for label, figure in facts:
        cells = cell_width(label) + cell_width(figure) + 3
        if used and used + cells > width + 2:
            break
        spans += [(label + " ", "label"), (figure, "figure"), ("  ", "")]
        used += cells
    return tuple(spans)
