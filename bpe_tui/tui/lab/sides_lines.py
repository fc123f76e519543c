"""Lines of a text as each tokenizer cuts them, above one another. Pure, and slow enough to be done in a thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bpe_tui.analysis.comparison import AlignedLine, align
from bpe_tui.analysis.encoded import utf8_size
from bpe_tui.errors import BPEError
from bpe_tui.terminal import UNKNOWN, cell_width, count, fit, pad, runs_that_fit, shown_bytes
from bpe_tui.tui.lab.sides_rows import NAME, cut_line, look, wrapped
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bpe_tui.tui.lab.sides import Found, Passage
    from bpe_tui.tui.widgets.styled_lines import Line, Span

MOST_CHARACTERS: Final = 1_000
"""Of a line, so many are cut: more fit on no screen."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be shown."""

    passage: Passage
    place: int
    """Of the first line, among those of the passage."""
    able: tuple[Found, ...]
    """What is known of each side."""
    width: int
    height: int
    tight: bool
    """Whether no line is to be blank."""


def cut_lines(wanted: Wanted, *, ascii_only: bool = False) -> list[Line]:
    """Give the line, and as many behind it as there is room for, as each side cuts them."""
    lines: list[Line] = []
    for place in range(wanted.place, len(wanted.passage.lines)):
        more = _line(wanted, place, ascii_only=ascii_only)
        if lines and len(lines) + len(more) > wanted.height:
            break
        lines += more if lines or not wanted.tight else more[1:]
    return lines


def _line(wanted: Wanted, place: int, *, ascii_only: bool) -> list[Line]:
    lines = wanted.passage.lines
    number, line = lines[place]
    cut = line[:MOST_CHARACTERS]
    title = f"line {count(number)}"
    if place == wanted.place and len(lines) > 1:
        title += f" of {count(lines[-1][0])} ({'< >' if ascii_only else '← →'} steps)"
    if len(cut) < len(line):
        title += f", its first {count(MOST_CHARACTERS)} of {count(len(line))} characters"
    able, width = wanted.able, wanted.width
    learned = [
        (found.side.name, found.tokenizer) for found in able if not found.side.baseline and found.tokenizer is not None
    ]
    head: list[Line] = [(), ((fit(title, width, ascii_only=ascii_only), "strong"),)]
    try:
        aligned = align(learned, cut) if learned else AlignedLine((), ())
    except BPEError as error:
        return [*head, *wrapped(str(error), width)]
    # What learned nothing cuts everywhere: with it, nobody could read where the others cut.
    counted = [(found.side.name, baseline_count(found.side.baseline, cut)) for found in able if found.side.baseline]
    return [*head, *aligned_lines(aligned, counted, width, ascii_only=ascii_only)]


def aligned_lines(
    aligned: AlignedLine, counted: Sequence[tuple[str, str]], width: int, *, ascii_only: bool = False
) -> list[Line]:
    """Give a line as several tokenizers cut it, above one another; `counted` are names and what is said of others.

    A line that is too long for the screen is cut at the same places in all of them, so that what stands above one
    another is the same text.
    """
    names = [readable(row.name) for row in aligned.rows] + [readable(name) for name, _ in counted]
    label = min(NAME, max(map(cell_width, names), default=0)) + 1
    number = max((len(count(row.tokens or 0)) for row in aligned.rows), default=1)
    room = max(10, width - label - number - 2)
    shown = [fit(shown_bytes(piece, ascii_only=ascii_only), room - 1) for piece in aligned.segments]
    lines: list[Line] = []
    blocks = list(runs_that_fit(shown, room)) if shown else []
    placed = [row for row in aligned.rows if row.cut_after is not None]
    for block, (first, last) in enumerate(blocks if placed else []):
        if block and len(placed) > 1:
            lines.append(())
        for row in placed:
            assert row.cut_after is not None
            tokens = count(row.tokens or 0) if not block else ""
            head = ((pad(readable(row.name), label - 1) + " ", "label"), (f"{tokens:>{number}}  ", "figure"))
            before = sum(row.cut_after[:first])
            lines.append((*head, *_cuts(shown[first:last], row.cut_after[first:last], before, ascii_only=ascii_only)))
    for row in aligned.rows:
        if row.cut_after is None:
            said = "cannot encode this line" if row.tokens is None else "where its tokens lie is not known"
            tokens = UNKNOWN if row.tokens is None else count(row.tokens)
            lines.append(_counted(readable(row.name), label, f"{tokens:>{number}}  {said}", width))
    lines += [_counted(readable(name), label, said, width) for name, said in counted]
    return lines


def baseline_count(kind: str, line: str) -> str:
    """Say how many tokens a line is for a tokenizer that learned nothing."""
    number = len(line) if kind == "characters" else utf8_size(line)
    return f"{count(number)}  each {kind.removesuffix('s')} is a token"


def _cuts(segments: Sequence[str], cut_after: Sequence[bool], before: int, *, ascii_only: bool) -> Iterator[Span]:
    bar = "|" if ascii_only else "│"
    number, token = before, ""
    for segment, cut in zip(segments, cut_after, strict=True):
        token += segment
        if cut:
            yield token, look(number)
            yield bar, "dim"
            number, token = number + 1, ""
        else:
            # Where only others cut, this one leaves a gap, so that the same text stays in the same column.
            token += " "
    if token:
        yield token.rstrip(), look(number)


def _counted(name: str, label: int, said: str, width: int) -> Line:
    return cut_line(((pad(name, label - 1) + " ", "label"), (said, "dim")), width)
