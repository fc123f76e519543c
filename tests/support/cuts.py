"""Texts that are hard on splitting rules, and where `regex` cuts them."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import regex
from hypothesis import strategies as st

from bpe_tui.bpe import character_classes
from bpe_tui.bpe.character_classes import BITS


def each(line: str) -> list[str]:
    """The parts of a line that stand between blanks."""
    return line.split(" ")


SPACES = [" ", " ", "\n", "\r", "\r\n", "\t", "\v", "\f"]
ASCII = each("the of iPhone HTML HTTPError x A 0 7 42 1234 1234567 / // ! - _ ... ( ', '' \x00 \x1c \x1f \x7f")
CONTRACTIONS = each("' 's 'S 't 'T 're 'rE 've 'm 'll 'LL 'lL 'd 'x s S l L")
OTHER_SPACES = each("\x85 \xa0 \u1680 \u2003 \u2028 \u202f \u3000")
NO_SPACES = each("\u180e \u200b \u200d \ufeff \ufffd")
LETTERS = each("ſ 'ſ 'lſ ’s é É ß ж Ж ǅ ʰ ª 中 文字 あ 한 א ﬆ")
MARKS_AND_NUMBERS = each("e\u0301 \u0301 \u0903 \u20dd ٣ ² ½ Ⅷ 〇 \U0001d7ce")
OTHERS = each("… € 。 😀 👩\u200d👩\u200d👧 🇩🇪 \u0378 \U0010ffff")
ASCII_ONLY = [*SPACES, *SPACES, *ASCII, *CONTRACTIONS]
NASTY = [*ASCII_ONLY, *OTHER_SPACES, *NO_SPACES, *LETTERS, *MARKS_AND_NUMBERS, *OTHERS]

nasty_texts = st.lists(st.sampled_from(NASTY), max_size=40).map("".join)
ascii_texts = st.lists(st.sampled_from(ASCII_ONLY), min_size=20, max_size=120).map("".join)
"""Long enough for what the kernels do with 64 bytes of ASCII at a time."""
texts = st.one_of(nasty_texts, ascii_texts, st.text(st.characters(codec="utf-8"), max_size=30))

STRAY = [b"\x80", b"\xbf", b"\xc0\xaf", b"\xc2", b"\xe4\xb8", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x9f\x98"]
STRAY += [b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe", b"\xff"]
"""Bytes that are no UTF-8: continuations, overlong, cut off, a surrogate, too high, never used."""
damaged_texts = st.one_of(
    texts.map(str.encode),
    st.lists(st.one_of(nasty_texts.map(str.encode), st.sampled_from(STRAY)), max_size=12).map(b"".join),
)


def soup(ingredients: list[str], count: int, seed: int) -> str:
    """A long text of `count` ingredients, some of them often and some rarely, changing on the way."""
    draw = random.Random(seed)
    parts: list[str] = []
    while len(parts) < count:
        few = draw.sample(ingredients, draw.randint(2, 9))
        parts += draw.choices(few, k=draw.randint(5, 200))
    return "".join(parts)


STAND_INS = {"Lu": "Ж", "Lt": "ǅ", "Ll": "ж", "Lm": "ʰ", "Lo": "中", "M": "\u0301", "N": "²", "s": "\u3000", "-": "€"}


@cache
def newer_classes() -> dict[int, str]:
    """Characters that `regex` holds for another class than Unicode 16.0 does, each with one that all agree on."""
    mine = character_classes.classes()
    everything = "".join(map(chr, range(character_classes.CODE_POINTS)))
    theirs = np.full(len(mine), BITS["-"], np.uint8)
    theirs[[13, 10]] = BITS["n"]
    for name in STAND_INS:
        pattern = {"s": r"[^\S\r\n]", "-": r"(?!)"}.get(name, rf"\p{{{name}}}")
        theirs[[ord(character) for character in regex.findall(pattern, everything)]] = BITS[name]
    different = np.flatnonzero(theirs != mine)
    by_bits = {BITS[name]: character for name, character in STAND_INS.items()}
    return {int(point): by_bits[int(mine[point])] for point in different}


def byte_offsets(text: str) -> np.ndarray:
    """Where each character starts in UTF-8, and where the last ends; a surrogate stands for one stray byte."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    widths = np.searchsorted([0x80, 0x800, 0xD800, 0xE000, 0x10000], points, "right")
    return np.cumsum(np.concatenate([[0], np.array([1, 2, 3, 1, 3, 4])[widths]]))


def oracle(data: str | bytes, pattern: str) -> list[int]:
    """Where `regex` cuts, in bytes. Every byte that is no UTF-8 is a character of its own."""
    text = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
    pieces = regex.findall(pattern, text.translate(newer_classes()))
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    assert sum(map(len, pieces)) == len(text), "the pattern leaves gaps"
    return byte_offsets(text)[ends].tolist()
