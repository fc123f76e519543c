"""What happens to a text before it is cut into pieces: normalisation and added tokens."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui.bpe.preparation import AddedToken, Preparation, longest_first, normalise_nfc

COMBINING = (
    "".join(chr(point) for point in range(0x300, 0x363)) + "\u0591\u05b0\u094d\u3099\u1e08\uac00\u1100\u1161\u11a8"
)


def test_every_character_is_normalised_as_tokenizers_does() -> None:
    theirs = pytest.importorskip("tokenizers").normalizers.NFC()
    for start in range(0, 0x110000, 0x800):
        if start in (0xD800,):
            continue
        for around in ("{}", "a{}\u0301\u0327", "{}\u0307\u0323 ", "\u0301{}\u0334"):
            text = "".join(around.format(chr(point)) for point in range(start, start + 0x800))
            assert normalise_nfc(text) == theirs.normalize_str(text), hex(start)


@settings(max_examples=300, deadline=None)
@given(st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from(COMBINING)), max_size=30))
def test_it_is_unicodes_own_for_characters_that_are_old_enough(text: str) -> None:
    old = unicodedata.ucd_3_2_0
    if all(old.category(character) != "Cn" for character in text):
        assert normalise_nfc(text) == unicodedata.normalize("NFC", text)


@settings(max_examples=300, deadline=None)
@given(st.sets(st.text("ab(.", min_size=1, max_size=5), max_size=8), st.text("ab(.", max_size=30))
def test_the_longest_string_at_each_place_is_found(strings: set[str], text: str) -> None:
    pattern = longest_first(sorted(strings))
    if not strings:
        assert pattern is None
        return
    assert pattern is not None
    plain = re.compile("|".join(map(re.escape, sorted(strings, key=len, reverse=True))))
    assert pattern.findall(text) == plain.findall(text)


def test_strings_too_long_to_nest_are_found_all_the_same() -> None:
    deepest = sys.getrecursionlimit()
    strings = [" " * length for length in range(2, deepest + 100)]
    pattern = longest_first(strings)
    assert pattern is not None
    assert [len(found) for found in pattern.findall("a" + " " * deepest + "b  c d")] == [deepest, 2]


def test_special_tokens_count_only_when_asked_for() -> None:
    preparation = Preparation((AddedToken("<a>", 1, special=True), AddedToken("<b>", 2)))
    assert list(preparation.cut("x<a><b>y", special=False)) == ["x<a>", 2, "y"]
    assert list(preparation.cut("x<a><b>y", special=True)) == ["x", 1, 2, "y"]


def test_white_space_around_goes_with_a_token_that_strips() -> None:
    preparation = Preparation((AddedToken("<m>", 1, left_strip=True, right_strip=True),))
    assert list(preparation.cut("a \t<m>\n\u3000 b", special=False)) == ["a", 1, "b"]
    assert list(preparation.cut("  <m>  <m>\x1c", special=False)) == [1, 1, "\x1c"]
    assert not preparation.lossless


def test_a_space_goes_in_front_of_each_stretch() -> None:
    preparation = Preparation((AddedToken("<m>", 1),), prefix_space=True)
    assert list(preparation.cut("a<m> b<m>", special=False)) == [" a", 1, " b", 1]
    assert list(preparation.cut("", special=False)) == []


def test_tokens_are_looked_for_before_or_after_normalisation() -> None:
    preparation = Preparation((AddedToken("e\u0301", 1), AddedToken("o\u0301", 2, normalized=True)), "NFC")
    assert list(preparation.cut("e\u0301 é o\u0301 ó", special=False)) == [1, " é ", 2, " ", 2]


def test_only_known_normalisations_are_taken() -> None:
    with pytest.raises(ValueError, match="NFKD"):
        Preparation(normalization="NFKD")
