"""Text drawn token by token.

A token of one character stands plain. Longer ones alternate between two looks, a tint and another tint with an
underline, so that neighbours differ with and without colour. The alternation begins anew in every line and after every
plain character: a merge changes the looks around it and no more.
"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.terminal import cell_width, visible
from bpe_tui.tui.widgets.styled_lines import Line, Span

LOOKS = ("token-1", "token-2")

Piece = tuple[str, int]
"""What is shown for one or more characters, and the place of the first of them in the text."""


def pieces(text: str, *, ascii_only: bool = False) -> list[Piece]:
    """Give `text` in pieces that are never drawn apart: a character with the marks that sit on it."""
    shown: list[Piece] = []
    start = 0
    for index in range(1, len(text) + 1):
        if index < len(text) and visible(text[index]).startswith("◌"):
            continue
        shown.append((visible(text[start:index], ascii_only=ascii_only), start))
        start = index
    return shown


def byte_pieces(text: str, starts: frozenset[int], *, ascii_only: bool = False) -> list[Piece]:
    r"""Give `text` in pieces whose places count bytes; `starts` are the bytes at which tokens begin.

    A character inside of which a token begins is shown as its bytes, `\xNN` each.
    """
    if text.isascii():
        return pieces(text, ascii_only=ascii_only)
    shown: list[Piece] = []
    place = 0
    found = pieces(text, ascii_only=ascii_only)
    for (piece, index), following in zip(found, [*(index for _, index in found[1:]), len(text)], strict=True):
        content = text[index:following].encode("utf-8", "surrogatepass")
        if any(start in starts for start in range(place + 1, place + len(content))):
            shown += _apart(text[index:following], place, starts, ascii_only=ascii_only)
        else:
            shown.append((piece, place))
        place += len(content)
    return shown


def _apart(characters: str, place: int, starts: frozenset[int], *, ascii_only: bool) -> list[Piece]:
    """Give characters that are drawn as one but belong to several tokens, each by itself or as its bytes."""
    shown: list[Piece] = []
    for character in characters:
        content = character.encode("utf-8", "surrogatepass")
        if any(start in starts for start in range(place + 1, place + len(content))):
            shown += [(f"\\x{byte:02x}", place + offset) for offset, byte in enumerate(content)]
        else:
            shown.append((visible(character, ascii_only=ascii_only), place))
        place += len(content)
    return shown


def wrap(text: str, width: int, height: int, *, ascii_only: bool = False) -> list[list[Piece]]:
    """Give the lines of `wrap_pieces` for a text, whose places are characters.

    The break does not depend on the tokens, so the text stands still while they grow.
    """
    return wrap_pieces(pieces(text, ascii_only=ascii_only), width, height, ascii_only=ascii_only)


def wrap_pieces(found: Sequence[Piece], width: int, height: int, *, ascii_only: bool = False) -> list[list[Piece]]:
    """Give at most `height` lines of at most `width` cells, broken after newlines and, where possible, after spaces."""
    # No other character is shown like these.
    space, newline = visible(" ", ascii_only=ascii_only), visible("\n", ascii_only=ascii_only)
    lines: list[list[Piece]] = []
    line: list[Piece] = []
    used = 0
    width = max(width, 1)
    for shown, index in found:
        cells = cell_width(shown)
        while used + cells > width and line:
            blank = max((place for place, piece in enumerate(line) if piece[0] == space), default=-1)
            cut = blank + 1 if blank >= len(line) // 2 else len(line)
            lines.append(line[:cut])
            line = line[cut:]
            used = sum(cell_width(piece[0]) for piece in line)
            if len(lines) == height:
                return lines
        line.append((shown, index))
        used += cells
        if shown == newline:
            lines.append(line)
            line, used = [], 0
            if len(lines) == height:
                return lines
    if line:
        lines.append(line)
    return lines


def looks(lengths: Sequence[int]) -> list[str]:
    """Give the style of each token of a row: "" for one of a single character, else one of `LOOKS`."""
    styles: list[str] = []
    turn = 0
    for length in lengths:
        styles.append(LOOKS[turn] if length > 1 else "")
        turn = 1 - turn if length > 1 else 0
    return styles


def tokens_over(wrapped: list[list[Piece]], lengths: Sequence[int]) -> list[Line]:
    """Give the lines of `wrapped` with each piece in the look of the token that holds it.

    `lengths` are the characters of the tokens in order; none at all stand for a text that is not cut into tokens.
    """
    lines: list[Line] = []
    token, end = -1, 0
    style = ""
    for line in wrapped:
        spans: list[Span] = []
        text = ""
        # A token that began in the line before keeps its look; the next one takes the other.
        turn = 1 if style == LOOKS[0] else 0
        begun = token
        for shown, index in line:
            while lengths and index >= end and token + 1 < len(lengths):
                token += 1
                end += lengths[token]
            if token != begun:
                if text:
                    spans.append((text, style))
                    text = ""
                begun = token
                style = LOOKS[turn] if lengths[token] > 1 else ""
                turn = 1 - turn if style else 0
            text += shown
        if text:
            spans.append((text, style))
        lines.append(tuple(spans))
    return lines
