"""One line of text under every number of merges: what the Text tab draws from, without a widget in sight."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bpe_tui.analysis import Dial, Replay, replay
from bpe_tui.analysis.encoded import token_bytes
from bpe_tui.terminal import cell_width, count, fit, shown_token
from bpe_tui.tui.widgets.styled_lines import Line, Span
from bpe_tui.tui.widgets.token_lines import looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_tui.bpe.tokenizer import BPETokenizer

MOST: Final = 20_000
"""Characters of the typed text that are looked at: with 50,000 merges, a tenth of a second of work at every key."""

_LABEL: Final = 7
"""Cells of the names of the rows in the table of tokens."""


class Story:
    """A text, its dial and its replay. Raises AnalysisError and MissingCharactersError like both."""

    def __init__(self, tokenizer: BPETokenizer, text: str) -> None:
        self.tokenizer = tokenizer
        self.text = text[:MOST]
        self.cut = len(text) > MOST
        self.dial = Dial(tokenizer, self.text)
        self.replay: Replay = replay(tokenizer, self.text)

    def step_at(self, merges: int) -> int:
        """Give the step of the replay at which the first `merges` merges have fired: every step shortens the text."""
        wanted = self.dial.count(min(merges, self.dial.merges))
        return min(
            bisect_left(range(len(self.replay) + 1), -wanted, key=lambda step: -self.replay.count(step)),
            len(self.replay),
        )

    def ids(self, merges: int, limit: int | None = None) -> list[int]:
        """Give the ids of the (first `limit`) tokens with the first `merges` merges."""
        return self.replay.ids(self.step_at(merges), limit)

    @property
    def words(self) -> int:
        """Runs of characters that are no white space."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Chip:
    """One token as the table shows it."""

    shown: str
    id: int
    bytes: int
    characters: int | None
    """None where its bytes are no text by themselves."""


def chips(tokenizer: BPETokenizer, ids: Sequence[int], *, ascii_only: bool = False) -> list[Chip]:
    """Give the tokens with these ids."""
    known: dict[int, Chip] = {}
    for number in ids:
        if number not in known:
            content = token_bytes(tokenizer, number)
            try:
                characters: int | None = len(content.decode("utf-8", "surrogatepass"))
            except UnicodeDecodeError:
                characters = None
            shown = shown_token(tokenizer, number, ascii_only=ascii_only)
            known[number] = Chip(shown, number, len(content), characters)
    return [known[number] for number in ids]


def styles(found: Sequence[Chip]) -> list[str]:
    """Give the look of each token."""
    return looks([chip.bytes if chip.characters is None else chip.characters for chip in found])


def table(found: Sequence[Chip], width: int, height: int, total: int) -> list[Line]:
    """Give tokens with ids, bytes and characters below, in groups of four lines, as many as fit into `height`.

    `found` are the first of `total` tokens, more than fit.
    """
    room = max(1, width - _LABEL)
    groups: list[list[list[Span]]] = []
    used = room
    placed = 0
    for chip, style in zip(found, styles(found), strict=True):
        shown = fit(chip.shown, room - 1)
        figures = [str(chip.id), str(chip.bytes), "–" if chip.characters is None else str(chip.characters)]
        cells = max(cell_width(shown), *map(len, figures))
        if used + cells > room:
            if 4 * (len(groups) + 1) > max(height, 4):
                break
            groups.append([[(f"{name:<{_LABEL}}", "label")] for name in ("token", "id", "bytes", "chars")])
            used = 0
        group = groups[-1]
        group[0] += [(shown, style), (" " * (cells - cell_width(shown) + 1), "")]
        for row, figure in zip(group[1:], figures, strict=True):
            row.append((f"{figure:<{cells}} ", "dim" if row is not group[1] else "figure"))
        used += cells + 1
        placed += 1
    lines: list[Line] = [tuple(row) for group in groups for row in group]
    if placed < total:
        lines.append(((f"and {count(total - placed)} more", "dim"),))
    return lines


def flow(found: Sequence[Chip], width: int, height: int) -> list[Line]:
    """Give tokens one after another, in at most `height` lines."""
    lines: list[Line] = []
    line: list[Span] = []
    used = 0
    for chip, style in zip(found, styles(found), strict=True):
        shown = fit(chip.shown, max(width - 2, 1))
        cells = cell_width(shown) + 1
        if used + cells > width and line:
            if len(lines) + 1 >= height:
                return [*lines, (*line[: max(len(line) - 1, 1)], ("…", "dim"))]
            lines.append(tuple(line))
            line, used = [], 0
        line += [(shown, style), (" ", "")]
        used += cells
    return [*lines, tuple(line)] if line else lines
