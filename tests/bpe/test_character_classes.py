"""The classes of characters are those of Unicode 16.0, and exactly those that tiktoken and tokenizers have."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from bpe_tui.bpe import character_classes
from bpe_tui.bpe.character_classes import CASELESS, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER

PROPERTIES = {
    r"\p{L}": {"Lu", "Lt", "Ll", "Lm", "Lo"},
    r"\p{Lu}": {"Lu"},
    r"\p{Lt}": {"Lt"},
    r"\p{Ll}": {"Ll"},
    r"\p{Lm}": {"Lm"},
    r"\p{Lo}": {"Lo"},
    r"\p{M}": {"M"},
    r"\p{N}": {"N"},
    r"\s": {"s", "n"},
    r"[\r\n]": {"n"},
    r"[^\s\p{L}\p{N}]": {"M", "-"},
}


@cache
def every_character() -> str:
    """Every code point but the surrogates, which no str of a peer can hold."""
    return "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


def ours(names: set[str]) -> str:
    firsts = [*character_classes.names(), (character_classes.CODE_POINTS, "")]
    runs = [(first, end, name) for (first, name), (end, _) in pairwise(firsts)]
    found = "".join("".join(map(chr, range(first, end))) for first, end, name in runs if name in names)
    return found.encode("utf-8", "ignore").decode("utf-8")


def tiktokens(pattern: str) -> str:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return bytes(encoding.encode_ordinary(every_character())).decode("utf-8")


def hugging_faces(pattern: str) -> str:
    tokenizers = pytest.importorskip("tokenizers")
    splitter = tokenizers.pre_tokenizers.Split(tokenizers.Regex(f"(?:{pattern})+"), "removed", invert=True)
    return "".join(piece for piece, _ in splitter.pre_tokenize_str(every_character()))


@pytest.mark.parametrize("peer", [tiktokens, hugging_faces])
@pytest.mark.parametrize("pattern", PROPERTIES)
def test_every_code_point_has_the_class_that_the_peers_give_it(pattern, peer):
    assert peer(pattern) == ours(PROPERTIES[pattern])


@pytest.mark.parametrize("peer", [tiktokens, hugging_faces])
@pytest.mark.parametrize("letter", "stmdlrve")
def test_only_the_long_s_is_a_letter_of_contractions_beside_ascii(letter, peer):
    long_s = "ſ" if letter == "s" else ""
    assert peer(f"(?i:{letter})") == letter.upper() + letter + long_s


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        ("AZÄЖǅ", UPPER),
        ("azäжß\U0001d41a", LOWER),
        ("中あªʰא\U00020000", CASELESS),
        ("\u0301\u20dd\u0903", MARK),
        ("09²Ⅷ½٣〇", NUMBER),
        (" \t\v\f\x85\xa0\u1680\u2000\u2028\u2029\u202f\u205f\u3000", SPACE),
        ("\r\n", NEWLINE),
        ("\0\x1c\x1d\x1e\x1f'!€\u180e\u200b\u200d\ufeff\U0001f600\u0378\U0010ffff", OTHER),
    ],
)
def test_well_known_characters(characters, expected):
    assert {character: int(character_classes.classes()[ord(character)]) for character in characters} == dict.fromkeys(
        characters, expected
    )


def test_the_table_of_two_levels_says_the_same():
    table = character_classes.table()
    points = np.arange(character_classes.CODE_POINTS)
    blocks = table[character_classes.BYTES + points // character_classes.PAGE].astype(np.int64)
    first = character_classes.BYTES + character_classes.PAGES
    looked_up = table[first + blocks * character_classes.PAGE + points % character_classes.PAGE]
    assert np.array_equal(looked_up, character_classes.classes())
    assert np.array_equal(table[:128], character_classes.classes()[:128])
    assert set(table[128:256].tolist()) == {character_classes.NON_ASCII}


def test_surrogates_and_what_is_not_assigned_are_of_no_class():
    assert {int(character_classes.classes()[point]) for point in (0xD800, 0xDFFF, 0xE000, 0x0378)} == {OTHER}
