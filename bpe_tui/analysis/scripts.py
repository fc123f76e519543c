"""Which scripts a text is written in: Unicode's property Script (UAX #24), by share of characters."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bpe_tui.bpe.alphabet import code_points

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer

UNKNOWN = "Unknown"
"""What Unicode calls the script of code points that are not assigned, private or no characters."""

# Those that most texts are made of first: each is looked for in what the ones before it left over.
_NAMES = """
    Latin Common Cyrillic Han Arabic Hiragana Katakana Hangul Devanagari Greek Hebrew Thai Inherited Adlam Ahom
    Anatolianhieroglyphs Armenian Avestan Balinese Bamum Bassavah Batak Bengali Beriaerfe Bhaiksuki Bopomofo
    Brahmi Braille Buginese Buhid Canadianaboriginal Carian Caucasianalbanian Chakma Cham Cherokee Chorasmian
    Coptic Cuneiform Cypriot Cyprominoan Deseret Divesakuru Dogra Duployan Egyptianhieroglyphs Elbasan Elymaic
    Ethiopic Garay Georgian Glagolitic Gothic Grantha Gujarati Gunjalagondi Gurmukhi Gurungkhema Hanifirohingya
    Hanunoo Hatran Imperialaramaic Inscriptionalpahlavi Inscriptionalparthian Javanese Jurchen Kaithi Kannada
    Katakanaorhiragana Kawi Kayahli Kharoshthi Khitansmallscript Khmer Khojki Khudawadi Kiratrai Lao Lepcha
    Limbu Lineara Linearb Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaramgondi
    Medefaidrin Meeteimayek Mendekikakui Meroiticcursive Meroitichieroglyphs Miao Modi Mongolian Mro Multani
    Myanmar Nabataean Nagmundari Nandinagari Newa Newtailue Nko Nushu Nyiakengpuachuehmong Ogham Olchiki
    Oldhungarian Olditalic Oldnortharabian Oldpermic Oldpersian Oldsogdian Oldsoutharabian Oldturkic Olduyghur
    Olonal Oriya Osage Osmanya Pahawhhmong Palmyrene Paucinhau Phagspa Phoenician Protocuneiform Psalterpahlavi
    Rejang Runic Samaritan Saurashtra Seal Sharada Shavian Siddham Sidetic Signwriting Sinhala Sogdian
    Sorasompeng Soyombo Sundanese Sunuwar Sylotinagri Syriac Tagalog Tagbanwa Taile Taitham Taiviet Taiyo Takri
    Tamil Tangsa Tangut Telugu Thaana Tibetan Tifinagh Tirhuta Todhri Tolongsiki Toto Tulutigalari Ugaritic Vai
    Vithkuqi Wancho Warangciti Yezidi Yi Zanabazarsquare
"""
SCRIPTS = tuple(_NAMES.split())
"""The scripts that the installed `regex` may know, by its names."""


@functools.cache
def _pattern(script: str) -> Any:
    import regex

    try:
        return regex.compile(rf"\p{{Script={script}}}+")
    except regex.error:
        # An older Unicode than the list: no character has this script.
        return regex.compile(r"(?!)")


def script_counts(text: str) -> dict[str, int]:
    """Give how many characters of each script `text` holds, the most frequent first.

    "Common" are characters of many scripts: digits, punctuation, spaces, emoji. "Inherited" are marks that take the
    script of what they stand on. Source: UAX #24, `Scripts.txt` as built into the `regex` package.
    """
    points, counts = np.unique(code_points(text), return_counts=True)
    return script_counts_of({chr(point): count for point, count in zip(points.tolist(), counts.tolist(), strict=True)})


def script_counts_of(characters: Mapping[str, int]) -> dict[str, int]:
    """Give how many characters of each script there are, from how often each character occurs."""
    left = "".join(characters)
    found: dict[str, int] = {}
    for script in SCRIPTS:
        if not left:
            break
        pattern = _pattern(script)
        of_script = "".join(pattern.findall(left))
        if of_script:
            found[script] = sum(characters[character] for character in of_script)
            left = pattern.sub("", left)
    if left:
        found[UNKNOWN] = sum(characters[character] for character in left)
    return dict(sorted(found.items(), key=lambda entry: (-entry[1], entry[0])))


def token_scripts(tokenizer: BPETokenizer) -> dict[str, int]:
    """Give how many tokens of the vocabulary are written in each script, the most frequent first.

    A token counts once, for the script of its letters (of most of them, if it mixes scripts); a token of "Common"
    characters alone counts there. Tokens that are no text by themselves (parts of a character) count as "Bytes".
    """
    from bpe_tui.analysis.encoded import token_text

    texts = [token_text(tokenizer, number) for number in range(tokenizer.vocab_size)]
    distinct = sorted(set().union(*(text for text in texts if text is not None)))
    script_of: dict[str, str] = {}
    left = "".join(distinct)
    for script in SCRIPTS:
        if not left:
            break
        for character in "".join(_pattern(script).findall(left)):
            script_of[character] = script
        left = _pattern(script).sub("", left)
    found: dict[str, int] = {}
    for text in texts:
        if text == "":
            continue
        found_script = "Bytes" if text is None else _script_of(text, script_of)
        found[found_script] = found.get(found_script, 0) + 1
    return dict(sorted(found.items(), key=lambda entry: (-entry[1], entry[0])))


def _script_of(text: str, script_of: Mapping[str, str]) -> str:
    counts: dict[str, int] = {}
    for character in text:
        script = script_of.get(character, UNKNOWN)
        counts[script] = counts.get(script, 0) + 1
    own = {script: count for script, count in counts.items() if script not in ("Common", "Inherited")}
    best = own or counts
    return max(best, key=best.__getitem__)
