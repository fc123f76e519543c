"""What the splitting rules need to know of every code point: is it a letter (of which case), mark, number, white space.

The classes are those of one Unicode version, written down in `unicode_classes.txt` beside this file, and not those of
whatever Python or `regex` is installed: a tokenizer must cut a text the same way on every machine. The version is the
one that tiktoken 0.12 to 0.14 and Hugging Face tokenizers 0.22 and 0.23 hold; they agree on every code point, and the
tests hold the file against both.

`python -m bpe_tui.bpe.character_classes` writes the file anew. It needs a Python whose own `unicodedata` is of that
version (3.14), or the package `unicodedata2` in that version.
"""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bpe_tui.atomic import write_text

UNICODE_VERSION = "16.0.0"
"""The Unicode version of the classes."""

CODE_POINTS = 0x110000
PAGE = 256
"""Code points that share one entry of the first level of the table."""
PAGES = CODE_POINTS // PAGE
BYTES = 256
"""Entries at the start of the table that are looked up by byte."""

# The bits of a class. A code point has one of them, but for letters without case, which go with both cases.
UPPER, LOWER, MARK, NUMBER, SPACE, NEWLINE, OTHER, NON_ASCII = (1 << bit for bit in range(8))
"""UPPER has upper and title case (Lu, Lt), LOWER lower case (Ll); SPACE is white space but CR and LF, NEWLINE those.
NON_ASCII stands for the bytes of longer characters: their class is found by the code point. The machine code of the
kernels holds these numbers: after a change here, clear its cache."""
CASELESS = UPPER | LOWER
"""Letters without case (Lm, Lo): ideographs, syllables, modifiers. `class & CASELESS` is not 0 for any letter."""

BITS = {"Lu": UPPER, "Lt": UPPER, "Ll": LOWER, "Lm": CASELESS, "Lo": CASELESS}
BITS |= {"M": MARK, "N": NUMBER, "s": SPACE, "n": NEWLINE, "-": OTHER}
r"""The names in the file: letters by category, \p{M}, \p{N}, s for \s but CR and LF, n for those, - for the rest."""

_FILE = Path(__file__).with_name("unicode_classes.txt")


@cache
def names() -> tuple[tuple[int, str], ...]:
    """Give the runs of code points of one class as (first code point, name), ascending; each lasts until the next."""
    lines = _FILE.read_text("ascii").splitlines()
    runs = (line.split() for line in lines if line and not line.startswith("#"))
    return tuple((int(first, 16), name) for first, name in runs)


@cache
def classes() -> npt.NDArray[np.uint8]:
    """Give the class of each code point, read-only."""
    firsts, kinds = zip(*names(), strict=True)
    lengths = np.diff(np.array([*firsts, CODE_POINTS]))
    found = np.repeat(np.array([BITS[kind] for kind in kinds], np.uint8), lengths)
    found.flags.writeable = False
    return found


@cache
def table() -> npt.NDArray[np.uint8]:
    """Give the classes as the kernels want them: one array of three parts, about 50 kB.

    First the class of each byte, NON_ASCII from 128 on; then for each page of 256 code points the number of its block;
    then the blocks, 256 classes each, equal ones once.
    """
    blocks: dict[bytes, int] = {}
    numbers = [blocks.setdefault(page.tobytes(), len(blocks)) for page in classes().reshape(PAGES, PAGE)]
    by_byte = np.full(BYTES, NON_ASCII, np.uint8)
    by_byte[:128] = classes()[:128]
    # NumPy refuses a number above 255, should there ever be so many blocks.
    return np.concatenate([by_byte, np.array(numbers, np.uint8), np.frombuffer(b"".join(blocks), np.uint8)])


def name_of(character: str, category: str) -> str:
    """Give the name in the file for a character of a Unicode general category."""
    if character in "\r\n":
        return "n"
    if category[0] == "Z" or character in "\t\v\f\x85":
        return "s"
    if category[0] == "L":
        return category
    return category[0] if category[0] in "MN" else "-"


def main() -> None:
    """Write the file anew from a `unicodedata` of the right version."""
    for module in ("unicodedata", "unicodedata2"):
        try:
            data = importlib.import_module(module)
        except ImportError:
            continue
        if data.unidata_version == UNICODE_VERSION:
            break
    else:
        sys.exit(
            f"error: this Python's unicodedata is not of version {UNICODE_VERSION}; "
            f"install it with: pip install unicodedata2=={UNICODE_VERSION}"
        )
    lines = [
        f"# The classes of Unicode {UNICODE_VERSION}; each lasts until the next. Written by",
        "# python -m bpe_tui.bpe.character_classes, where the names are explained.",
    ]
    last = ""
    for point in range(CODE_POINTS):
        name = name_of(chr(point), data.category(chr(point)))
        if name != last:
            lines.append(f"{point:X} {name}")
            last = name
    write_text(_FILE, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
