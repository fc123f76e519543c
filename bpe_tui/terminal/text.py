r"""The gate for text from outside: safe to write to any terminal, and no two texts look the same.

A corpus may hold escape sequences, bidirectional controls or characters that nobody can see. Written as they are, they
would move the cursor, reorder the line or hide in it. `visible` shows each of them as something that can be read.

How a character is shown:

| character                                      | shown             | with `ascii_only`     |
| ---------------------------------------------- | ----------------- | --------------------- |
| space, newline, tab, carriage return           | `·` `⏎` `⇥` `␍`   | `_` `\n` `\t` `\r`    |
| backslash                                      | `\\`              | `\\`                  |
| a character that means one of these signs      | `\u00b7` and such | `\_`                  |
| other controls of ASCII                        | `\x1b`            | `\x1b`                |
| C1 controls, format and bidirectional          | `\u009b` `\u202e` | `\u009b` `\u202e`     |
| controls, spaces other than the common one,    |                   |                       |
| separators, surrogates, private or unassigned, |                   |                       |
| and any whose width terminals do not agree on  |                   |                       |
| the same beyond U+FFFF                         | `\U000e0041`      | `\U000e0041`          |
| a mark that combines, with nothing before it   | `◌` and the mark  | `\u0301`              |
| everything else                                | itself            | `\u00e9` if not ASCII |

`\xNN` is kept for values below 0x80, so that a byte that is no character can be shown as `\x80` to `\xff` and never be
taken for a character. Whatever is shown can be read back to the text that it came from.
"""

from __future__ import annotations

import functools
import unicodedata
from typing import Final

from rich.cells import cell_len

SYMBOLS: Final = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"}
"""How the four common blank characters are shown."""

CARRIER: Final = "◌"
"""What a combining mark sits on when the text gives it nothing to sit on."""

MARKS_IN_A_ROW: Final = 4
"""As many combining marks are shown on one character; the rest are escaped, or they would cover the lines around."""

_ASCII_SYMBOLS: Final = {" ": "_", "\n": "\\n", "\t": "\\t", "\r": "\\r", "_": "\\_"}

# Cc control, Cf format (bidirectional controls, joiners, soft hyphen, tags), Cs surrogate, Co private use, Cn
# unassigned, Zl and Zp separators, Zs spaces (the common one has its own sign). Mc, the spacing vowel signs of Indic
# scripts: tmux and xterm give them one cell, kitty and Textual none, and a table cannot be right on both.
_ESCAPED_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mc"})

# Assigned characters that show nothing, or whose width depends on the terminal and its neighbours: combining grapheme
# joiner, Hangul and Khmer fillers, Mongolian and other variation selectors, the empty Braille pattern, emoji skin
# tones, regional indicators (two of them make one flag on some terminals and two letters on others), and symbols that
# Unicode made wide lately (trigrams, hexagrams, counting signs, numbers on black squares).
_ESCAPED_RANGES: Final = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2630, 0x2637),
    (0x268A, 0x268F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0x3248, 0x324F),
    (0x4DC0, 0x4DFF),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0x1D300, 0x1D376),
    (0x1F1E6, 0x1F1FF),
    (0x1F3FB, 0x1F3FF),
    (0xE0100, 0xE01EF),
)


def visible(text: str, *, ascii_only: bool = False) -> str:
    r"""Give `text` as it may be written to a terminal; the table above says how each character is shown.

    With `ascii_only`, the result holds printable ASCII alone. Never raises, whatever the text holds.
    """
    if text.isascii() and text.isalnum():
        return text
    if ascii_only:
        return text.translate(_ASCII)
    shown = text.translate(_UNICODE)
    # Most text holds no mark at all; one that does is looked at once more, since a mark needs something to sit on.
    return shown if shown.isascii() else _carry_marks(text, shown)


def escape(character: str) -> str:
    r"""Give the escape of one character: `\x1b`, `\u202e` or `\U000e0041`."""
    value = ord(character)
    if value < 0x80:
        return f"\\x{value:02x}"
    return f"\\u{value:04x}" if value <= 0xFFFF else f"\\U{value:08x}"


def raw_query(query: str) -> str:
    """Give what a person means who types the signs that they see: `·the` is ` the`, `⏎` is a newline."""
    return query.translate(_RAW)


class _Table(dict[int, str]):
    """A table for `str.translate` that works out each character when it first comes by and remembers it."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__()
        self._ascii_only = ascii_only

    def __missing__(self, value: int) -> str:
        character = chr(value)
        shown = _show_ascii(character) if self._ascii_only else _show(character)
        self[value] = shown
        return shown


def _show_ascii(character: str) -> str:
    if character in _ASCII_SYMBOLS:
        return _ASCII_SYMBOLS[character]
    if character == "\\":
        return "\\\\"
    return character if " " < character < "\x7f" else escape(character)


def _show(character: str) -> str:
    if character in SYMBOLS:
        return SYMBOLS[character]
    if character == "\\":
        return "\\\\"
    if character == CARRIER or character in SYMBOLS.values():
        return escape(character)
    value = ord(character)
    if unicodedata.category(character) in _ESCAPED_CATEGORIES:
        return escape(character)
    if any(first <= value <= last for first, last in _ESCAPED_RANGES):
        return escape(character)
    return character


_ASCII: Final = _Table(ascii_only=True)
_UNICODE: Final = _Table(ascii_only=False)
_RAW: Final = {ord(sign): character for character, sign in SYMBOLS.items()}


def _carry_marks(text: str, shown: str) -> str:
    """Give each mark of `shown` something to sit on, and escape those that pile up."""
    if not any(_is_mark(character) for character in set(shown)):
        return shown
    pieces: list[str] = []
    marks = MARKS_IN_A_ROW
    bare = True
    for character in text:
        if not _is_mark(character):
            piece = _UNICODE[ord(character)]
            # A sign or an escape is no character that a mark of the text belongs to.
            bare = piece != character
            marks = 0
        elif bare:
            piece = CARRIER + character if _UNICODE[ord(character)] == character else _UNICODE[ord(character)]
            bare = piece[0] != CARRIER
            marks = 1
        else:
            marks += 1
            piece = _UNICODE[ord(character)] if marks <= MARKS_IN_A_ROW else escape(character)
            bare = piece != character
        pieces.append(piece)
    return "".join(pieces)


@functools.lru_cache(maxsize=4096)
def _is_mark(character: str) -> bool:
    # Hangul vowels and finals combine too; what they and the marks have in common is that they take no cell.
    return not character.isascii() and (unicodedata.category(character)[0] == "M" or cell_len(character) == 0)
