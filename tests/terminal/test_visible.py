"""The gate for text from outside: safe on any terminal, and no two texts look the same."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.terminal import cell_width, raw_query, visible
from bpe_tui.terminal.text import MARKS_IN_A_ROW, SYMBOLS

ANY_TEXT = st.text(st.characters(), max_size=40)
HARD_TEXT = st.text(
    st.sampled_from("a \\\n\t\r_·⏎⇥␍◌x1bu20e\x1b\x9b\u202e\u0301\u0302\u200d\ufe0f日👩\U0001f1e9\U0001f3fd\u093f"),
    max_size=20,
)


@pytest.mark.parametrize(
    ("text", "shown", "ascii_shown"),
    [
        ("the", "the", "the"),
        (" the", "·the", "_the"),
        ("a\nb\tc\rd", "a⏎b⇥c␍d", r"a\nb\tc\rd"),
        ("\x1b[31m", r"\x1b[31m", r"\x1b[31m"),
        ("\x9b31m", r"\u009b31m", r"\u009b31m"),
        ("\x7f\x00", r"\x7f\x00", r"\x7f\x00"),
        ("\u202eabc\u2066", r"\u202eabc\u2066", r"\u202eabc\u2066"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("a\u00a0b\u3000c", r"a\u00a0b\u3000c", r"a\u00a0b\u3000c"),
        ("\u2028\u2029", r"\u2028\u2029", r"\u2028\u2029"),
        ("\ud800", r"\ud800", r"\ud800"),
        ("\ue000", r"\ue000", r"\ue000"),
        ("\U000e0041", r"\U000e0041", r"\U000e0041"),
        ("[/x] [b]", "[/x]·[b]", "[/x]_[b]"),
        ("\\x1b", r"\\x1b", r"\\x1b"),
        ("col·lecció", r"col\u00b7lecció", r"col\u00b7lecci\u00f3"),
        ("snake_case", "snake_case", r"snake\_case"),
        ("e\u0301", "e\u0301", r"e\u0301"),
        ("\u0301e", "◌\u0301e", r"\u0301e"),
        (" \u0301", "·◌\u0301", r"_\u0301"),
        ("日本", "日本", r"\u65e5\u672c"),
        ("👩\u200d🔬", r"👩\u200d🔬", r"\U0001f469\u200d\U0001f52c"),
        ("👍🏽", r"👍\U0001f3fd", r"\U0001f44d\U0001f3fd"),
        ("🇩🇪", r"\U0001f1e9\U0001f1ea", r"\U0001f1e9\U0001f1ea"),
        ("हि", r"ह\u093f", r"\u0939\u093f"),
        ("❤\ufe0f", r"❤\ufe0f", r"\u2764\ufe0f"),
    ],
)
def test_each_kind_of_character_is_shown_as_the_table_says(text: str, shown: str, ascii_shown: str) -> None:
    assert visible(text) == shown
    assert visible(text, ascii_only=True) == ascii_shown


def test_every_code_point_is_safe_alone() -> None:
    unsafe = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mc"}
    for value in range(0x110000):
        shown = visible(chr(value))
        assert not any(unicodedata.category(character) in unsafe for character in shown), hex(value)
        assert cell_width(shown) > 0, hex(value)


@given(ANY_TEXT | HARD_TEXT)
def test_ascii_only_gives_printable_ascii(text: str) -> None:
    assert re.fullmatch(r"[\x21-\x7e]*", visible(text, ascii_only=True))


@given(ANY_TEXT | HARD_TEXT, st.booleans())
def test_the_reading_can_be_undone(text: str, ascii_only: bool) -> None:
    assert undo(visible(text, ascii_only=ascii_only), ascii_only=ascii_only) == text


@given(HARD_TEXT)
def test_marks_never_pile_up(text: str) -> None:
    run = 0
    for character in visible("a" + text + "\u0301" * 9):
        run = run + 1 if unicodedata.combining(character) else 0
        assert run <= MARKS_IN_A_ROW


def test_a_query_of_signs_means_what_they_stand_for() -> None:
    assert raw_query("·the⏎") == " the\n"
    assert raw_query("plain [/x]") == "plain [/x]"


def undo(shown: str, *, ascii_only: bool) -> str:
    """Read `shown` back, by the rules of the table alone."""
    signs = {"_": " ", r"\n": "\n", r"\t": "\t", r"\r": "\r", r"\_": "_"} if ascii_only else {}
    signs |= {r"\\": "\\"} | ({} if ascii_only else {sign: character for character, sign in SYMBOLS.items()})
    pattern = r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\[\\ntr_]|◌.|."

    def read(match: re.Match[str]) -> str:
        piece = match.group()
        if piece in signs:
            return signs[piece]
        if piece[0] == "\\":
            return chr(int(piece[2:], 16))
        return piece[1] if piece[0] == "◌" else piece

    return re.sub(pattern, read, shown)
