"""Tokenizers side by side as rows and lines: the table, what two have in common, and a line as each cuts it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bpe_tui.analysis.comparison import cost
from bpe_tui.analysis.encoded import shown_kind, token_count
from bpe_tui.terminal import UNKNOWN, cell_width, count, fit, pad, shown_bytes
from bpe_tui.tui.lab.sides import AT_HAND
from bpe_tui.tui.missing import name_missing
from bpe_tui.tui.widgets.columns import Cell, Column
from bpe_tui.tui.widgets.styled_lines import Line, Span
from bpe_tui.tui.wording import broken, in_lines, readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bpe_tui.tui.lab.sides import Found, Pair, Side

COST: Final = Column("cost", "cost", 11, "right")
COLUMNS: Final = (
    Column("vocab", "vocab", 8, "right"),
    Column("tokens", "tokens", 11, "right"),
    Column("bytes", "bytes/tok", 9, "right"),
    Column("fertility", "tok/word", 8, "right"),
    COST,
    Column("against", "relative", 8, "right", "muted", priority=2),
    Column("characters", "chars/tok", 9, "right", priority=3),
    Column("whole", "one-token", 9, "right", priority=4),
    Column("renyi", "Rényi", 6, "right", priority=5),
    Column("merges", "merges", 8, "right", priority=6),
    Column("kind", "kind", 13, "left", "muted", priority=1),
    Column("name", "tokenizer"),
)
"""Columns of the table; free text comes last."""

NAME: Final = 16
"""Cells of a name beside the line that it cuts."""


@dataclass
class SideRows:
    """The rows of the table."""

    sides: Sequence[Side] = ()
    found: Mapping[str, Found] = field(default_factory=dict)
    price: float | None = None
    said: Mapping[str, str] = field(default_factory=dict)
    """By name of the side: what goes on with it."""
    ascii_only: bool = False

    def count(self) -> int:
        """Give how many rows there are."""
        return len(self.sides)

    def row(self, index: int) -> tuple[Cell, ...]:
        """Give the cells of one row."""
        side = self.sides[index]
        found = self.found.get(side.name)
        tokenizer = side.tokenizer or (found.tokenizer if found is not None else None)
        column = found.column if found is not None else None
        figures = column.statistics if column is not None else None
        said = self.said.get(side.name) or (reason(found) if found is not None else "")
        name: tuple[Span, ...] = ((readable(side.name), "strong"),)
        if said:
            name += ((f"  {said}", "muted"),)
        cells: dict[str, Cell] = {"name": name}
        if tokenizer is not None:
            cells["vocab"] = count(token_count(tokenizer))
            cells["merges"] = count(len(tokenizer.merges))
            cells["kind"] = readable(shown_kind(tokenizer))
        if figures is not None:
            cells["tokens"] = count(figures.tokens)
            cells["bytes"] = _ratio(figures.bytes_per_token)
            cells["fertility"] = _ratio(figures.tokens_per_word)
            cells["cost"] = money(cost(figures.tokens, self.price or 0.0))
            cells["against"] = self._against(figures.tokens)
            cells["characters"] = _ratio(figures.characters_per_token)
            cells["whole"] = UNKNOWN if figures.one_token_share is None else f"{figures.one_token_share:.1%}"
            cells["renyi"] = _ratio(figures.renyi_efficiency)
        return tuple(cells.get(column.key, UNKNOWN) for column in columns(self.price))

    def _against(self, tokens: int) -> str:
        ours = self.found.get(AT_HAND)
        figures = ours.column.statistics if ours is not None and ours.column is not None else None
        return f"{100 * tokens / figures.tokens:.1f}%" if figures is not None and figures.tokens else UNKNOWN


def columns(price: float | None) -> tuple[Column, ...]:
    """Give the columns of the table: that of costs only if a price is known."""
    return COLUMNS if price is not None else tuple(column for column in COLUMNS if column is not COST)


def reason(found: Found) -> str:
    """Give why there are no figures, safe to show; empty if there are some."""
    if found.column is not None and found.column.missing is not None:
        return name_missing(found.column.missing)
    return readable(found.error)


def money(amount: float) -> str:
    """Give an amount with enough places to tell small ones apart."""
    return f"{amount:,.2f}" if amount >= 100 else f"{amount:.4f}" if amount >= 0.01 else f"{amount:.6f}"


def pair_lines(pair: Pair, width: int, *, ascii_only: bool = False) -> list[Line]:
    """Give what two vocabularies have in common, in four lines."""
    shared, part = pair.shared, pair.parting
    name = readable(pair.second.side.name)
    total = f"{count(shared.both)} tokens in both, {shared.jaccard:.1%} of all that either has"
    lines: list[Line] = [((f"at hand and {fit(name, NAME)}: ", "strong"), (total, "figure"))]
    label = max(cell_width(f"only in {fit(name, NAME)} "), len("only at hand "))
    for title, number, examples in (
        ("only at hand", shared.first_only, shared.first_examples),
        (f"only in {fit(name, NAME)}", shared.second_only, shared.second_examples),
    ):
        spans: list[Span] = [(pad(title, label), "label"), (f"{count(number):>8}  ", "figure")]
        lines.append((*spans, *_pieces(examples, width - label - 10, ascii_only=ascii_only)))
    if part is None:
        said: list[Span] = [("one of them has no merges to compare", "dim")]
    elif part.equal:
        said = [(f"the same {count(part.rank)} in both", "figure")]
    else:
        one, other = (_merge(merge, ascii_only=ascii_only) for merge in (part.first, part.second))
        same = f"part at merge {count(part.rank + 1)}: at hand "
        said = [(same, "figure"), (one, "token-1"), (", there ", "figure"), (other, "token-2")]
    lines.append(((pad("merges", label), "label"), *said))
    return [cut_line(line, width, ascii_only=ascii_only) for line in lines]


def overview(pairs: Sequence[Pair], width: int, *, ascii_only: bool = False) -> list[Line]:
    """Give a line for each pair: tokens shared, and where the merges part."""
    lines: list[Line] = []
    for pair in pairs:
        part = pair.parting
        merges = "no merges to compare" if part is None else f"merges part at {count(part.rank + 1)}"
        if part is not None and part.equal:
            merges = f"the same {count(part.rank)} merges"
        name = pad(readable(pair.second.side.name), NAME, ascii_only=ascii_only)
        figures = f" {count(pair.shared.both):>8} shared ({pair.shared.jaccard:.1%}); {merges}"
        lines.append(cut_line(((name, "strong"), (figures, "figure")), width, ascii_only=ascii_only))
    return lines


def flow(pieces: Sequence[bytes], width: int, height: int, *, ascii_only: bool = False) -> list[Line]:
    """Give pieces one after another, a bar between them, in at most `height` lines."""
    bar = "|" if ascii_only else "│"
    lines: list[Line] = []
    spans: list[Span] = []
    used = 0
    for number, piece in enumerate(pieces):
        shown = fit(shown_bytes(piece, ascii_only=ascii_only), max(1, width - 2), ascii_only=ascii_only)
        if spans and used + cell_width(shown) + 1 > width:
            if len(lines) + 1 >= height:
                return [*lines, (*spans, (" …" if not ascii_only else " ~", "dim"))]
            lines.append(tuple(spans))
            spans, used = [], 0
        spans += [(shown, look(number)), (bar, "dim")]
        used += cell_width(shown) + 1
    return [*lines, tuple(spans[:-1])] if spans else lines


def wrapped(text: str, width: int, style: str = "warning") -> list[Line]:
    """Give words from anywhere in lines."""
    return [((line, style),) for line in in_lines(text, width)]


def safe_lines(text: str, width: int, style: str = "warning") -> list[Line]:
    """Give words that are safe to show already in lines."""
    return [((line, style),) for line in broken(text, width)]


def look(number: int) -> str:
    """Give the style of the token of that number: neighbours differ."""
    return ("token-1", "token-2")[number % 2]


def _pieces(pieces: Sequence[bytes], width: int, *, ascii_only: bool) -> list[Span]:
    spans: list[Span] = []
    used = 0
    for number, piece in enumerate(pieces):
        shown = fit(shown_bytes(piece, ascii_only=ascii_only), 24, ascii_only=ascii_only)
        if used + cell_width(shown) + 1 > width:
            break
        spans += [(shown, look(number)), (" ", "")]
        used += cell_width(shown) + 1
    return spans


def _merge(merge: tuple[bytes, bytes] | None, *, ascii_only: bool) -> str:
    if merge is None:
        return "none left"
    return " + ".join(fit(shown_bytes(part, ascii_only=ascii_only), 20, ascii_only=ascii_only) for part in merge)


def cut_line(line: Line, width: int, *, ascii_only: bool = False) -> Line:
    """Give as much of a line as fits."""
    spans: list[Span] = []
    for text, style in line:
        shown = fit(text, width, ascii_only=ascii_only)
        spans.append((shown, style))
        width -= cell_width(shown)
        if width <= 0:
            break
    return tuple(spans)


def _ratio(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.3f}"
