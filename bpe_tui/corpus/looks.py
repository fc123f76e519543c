"""Guessing what bytes are that are not UTF-8 text, so that the error can name the likely cause and its cure.

Nothing here decides whether a file is read as text; only `wide_encoding` stops one, because UTF-16 read as UTF-8
would be "valid" and quietly train a tokenizer on NUL characters.
"""

from __future__ import annotations

SAMPLE_BYTES = 1 << 16
"""How much of the beginning of a file the guesses look at."""

_MAGIC = (
    (b"\x1f\x8b", "gzip data"),
    (b"PK\x03\x04", "a zip archive"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x93NUMPY", "a NumPy array"),
)

_PACKED = ("gzip data", "a zip archive", "bzip2 data", "xz data", "zstd data", "a 7z archive")


def wide_encoding(sample: bytes) -> tuple[str, str] | None:
    """Tell UTF-16 or UTF-32 without a byte order mark by where its NUL bytes stand.

    Gives the name for people and the one that iconv and Python know, or None. Text in UTF-16 has its NULs in every
    second place: nearly all of them in Latin script, those of spaces, digits and line ends in others.
    """
    columns = [sample[start::4].count(0) for start in range(4)]
    places = len(sample) // 4
    if not places or not any(columns):
        return None
    if columns[3] >= places and columns[2] >= 0.9 * places and columns[0] < 0.5 * places:
        return "UTF-32 little-endian", "UTF-32LE"
    if columns[0] >= places and columns[1] >= 0.9 * places and columns[3] < 0.5 * places:
        return "UTF-32 big-endian", "UTF-32BE"
    even, odd = columns[0] + columns[2], columns[1] + columns[3]
    enough = 0.15 * 2 * places
    if odd >= enough and even * 20 <= odd:
        return "UTF-16 little-endian", "UTF-16LE"
    if even >= enough and odd * 20 <= even:
        return "UTF-16 big-endian", "UTF-16BE"
    return None


def known_format(sample: bytes) -> str | None:
    """Name the format that a file seems to have by its first bytes, with what to do about it, or None."""
    for magic, name in _MAGIC:
        if sample.startswith(magic):
            return f"it looks like {name}, " + ("unpack it first" if name in _PACKED else "not like text")
    return None
