"""Vocabulary sizes side by side, in lines: the figures of `bpe-tui compare-sizes`, as wide as there is room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bpe_tui.analysis.sizes import Measure, SizeRow, size_rows, suggested_sizes
from bpe_tui.session.pace import seconds_at
from bpe_tui.terminal import UNKNOWN, cell_width, count, fit, shown_token
from bpe_tui.tui.wording import broken, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.tui.lab.size_wishes import Wishes
    from bpe_tui.tui.lab.view import LabView
    from bpe_tui.tui.widgets.styled_lines import Line, Span

_LONGEST: Final = 8
"""Tokens that are named at most for each size."""
_ROOM_FOR_TOKENS: Final = 32
"""Cells beside the figures from which the longest tokens stand there, and not below."""
_HEADS: Final = (
    "vocabulary", "merges", "seconds", "sequence", "chars/token", "validation", "embedding", "context",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sizes:
    """The rows, and those sizes that have none yet."""

    rows: tuple[SizeRow, ...]
    pending: tuple[int, ...]
    """Sizes that a run has still to come to."""
    notes: tuple[str, ...]
    """What is to be said of sizes that are not what was asked for."""


def look(view: LabView, wishes: Wishes, held_out: Measure | None) -> Sizes:
    """Give the rows of a view, whose ground has a dial. Nothing is trained or encoded."""
    ground, snapshot, measured = view.ground, view.snapshot, view.measured
    assert ground is not None
    assert ground.dial is not None
    dial = ground.dial
    under_way = snapshot.state.busy or snapshot.state.value == "paused"
    base, reached = dial.vocab_size(0), dial.vocab_size(dial.merges)
    wanted = wishes.sizes or default_sizes(view)
    pending = tuple(size for size in wanted if size > reached) if under_way else ()
    rows = size_rows(
        dial,
        [size for size in wanted if size not in pending],
        training=Measure(measured.lengths, measured.characters) if measured is not None else None,
        held_out=held_out,
        seconds_at=lambda merges: seconds_at(snapshot.trace, merges),
        longest=_LONGEST,
    )
    notes = []
    below = [size for size in wanted if size < base]
    beyond = [size for size in wanted if size > reached and not under_way]
    if below:
        notes.append(f"below the base vocabulary of {count(base)}, which has no merges: {_listed(below)}")
    if beyond:
        why = f": {snapshot.stop_reason.explain()}" if snapshot.stop_reason is not None else ""
        notes.append(f"not reached, the largest is {count(reached)}{why}: {_listed(beyond)}")
    return Sizes(_once(rows), pending, tuple(notes))


def default_sizes(view: LabView) -> tuple[int, ...]:
    """Give the sizes that suggest themselves: round ones from the base vocabulary to the end, or to the target."""
    ground, snapshot = view.ground, view.snapshot
    if ground is None or ground.dial is None:
        return ()
    reached = ground.dial.vocab_size(ground.dial.merges)
    if snapshot.state.busy or snapshot.state.value == "paused":
        reached = max(reached, snapshot.settings.target_vocab_size)
    return tuple(suggested_sizes(ground.dial.vocab_size(0), reached))


def table_lines(
    sizes: Sizes, wishes: Wishes, tokenizer: BPETokenizer, width: int, *, ascii_only: bool = False
) -> list[Line]:
    """Give the table: figures right under their names, the longest tokens beside or below them."""
    cells = [_cells(row, wishes) for row in sizes.rows]
    cells += [[count(size), "", "", "not yet", *[""] * 4] for size in sizes.pending]
    widths = [max(cell_width(row[place]) for row in [_HEADS, *cells]) for place in range(len(_HEADS))]
    shown = list(range(len(_HEADS)))
    if sum(widths) + len(widths) - 1 > width:
        shown.remove(1)
    gap = 2 if sum(widths[place] for place in shown) + 2 * (len(shown) - 1) <= width else 1
    used = sum(widths[place] for place in shown) + gap * (len(shown) - 1)
    beside = width - used >= _ROOM_FOR_TOKENS + 3

    def line(row: Sequence[str], style: str, tokens: Sequence[Span] = ()) -> Line:
        spans: list[Span] = []
        for number, place in enumerate(shown):
            text = (" " * gap if number else "") + row[place].rjust(widths[place])
            spans.append((text, "strong" if style == "figure" and not place else style))
        return (*spans, ("   ", ""), *tokens) if tokens else tuple(spans)

    def tokens_of(row: SizeRow, room: int) -> list[Span]:
        return _tokens(row, tokenizer, room, ascii_only=ascii_only)

    room = width - used - 3
    lines = [line(_HEADS, "label", [("longest tokens", "label")] if beside else ())]
    for place, figures in enumerate(cells):
        reached = place < len(sizes.rows)
        tokens = tokens_of(sizes.rows[place], room) if beside and reached else ()
        lines.append(line(figures, "figure" if reached else "dim", tokens))
    if not beside:
        lines += [(), (("longest tokens", "label"),)]
        for learned in sizes.rows:
            lead = count(learned.vocab_size).rjust(widths[0])
            lines.append(((lead, "strong"), (" " * gap, ""), *tokens_of(learned, width - len(lead) - gap)))
    return lines


def note_lines(sizes: Sizes, wishes: Wishes, held_out: str, width: int) -> list[Line]:
    """Give what is to be said below the table. `held_out` says why there are no figures of it, if there are none."""
    matrices = "tied: one matrix" if wishes.tied else "untied: two matrices"
    of = "training" if held_out else "validation"
    words = [
        f"embedding: parameters, vocabulary × {count(wishes.dimension)}, {matrices}; context: characters that "
        f"{count(wishes.context)} tokens of {of} text cover",
    ]
    if held_out:
        words.append(f"validation: {held_out}")
    lines: list[Line] = [((line, "warning"),) for note in sizes.notes for line in broken(note, width)]
    return [*lines, *[((line, "dim"),) for text in words for line in broken(readable(text), width)]]


def _cells(row: SizeRow, wishes: Wishes) -> list[str]:
    context = row.context_characters(wishes.context)
    return [
        count(row.vocab_size),
        count(row.merges),
        UNKNOWN if row.seconds is None else f"{row.seconds:.{3 if row.seconds < 10 else 1}f}",
        count(row.sequence_length) if row.characters else UNKNOWN,
        f"{row.compression:.3f}" if row.characters else UNKNOWN,
        UNKNOWN if row.held_out_compression is None else f"{row.held_out_compression:.3f}",
        count(row.embedding_parameters(wishes.dimension, tied=wishes.tied)),
        f"{context:,.0f}" if context else UNKNOWN,
    ]


def _tokens(row: SizeRow, tokenizer: BPETokenizer, room: int, *, ascii_only: bool) -> list[Span]:
    spans: list[Span] = []
    used = 0
    for number, (token_id, _) in enumerate(row.longest):
        shown = fit(shown_token(tokenizer, token_id, ascii_only=ascii_only), max(12, room // 3), ascii_only=ascii_only)
        if used + cell_width(shown) > room:
            break
        spans += [(shown, ("token-1", "token-2")[number % 2]), (" ", "")]
        used += cell_width(shown) + 1
    return spans or [("base tokens only", "dim")]


def _once(rows: Sequence[SizeRow]) -> tuple[SizeRow, ...]:
    """Leave out rows of a vocabulary that stands there already."""
    return tuple({row.vocab_size: row for row in rows}.values())


def _listed(sizes: Sequence[int]) -> str:
    return " ".join(map(count, sizes))
