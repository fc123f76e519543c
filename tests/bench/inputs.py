"""Inputs that the benchmarks make themselves: the same on every machine."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Sequence
from pathlib import Path

SEED = 20_000
LINE = 10_000
"""Characters of base64 in a line."""
_LETTERS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2,}")
"""Kana and ideographs with nothing between them."""


def prose_without_spaces(sources: Sequence[Path], megabytes: float, folder: Path) -> Path:
    """Give a file of long stretches without spaces and punctuation.

    The texts are too small for the size asked for, and a trainer counts equal pieces once: so the stretches of letters
    between punctuation are shuffled again and again and joined, 5 to 60 of them, to a piece that comes once.
    """
    runs = [run for source in sources for run in _LETTERS.findall(source.read_text(encoding="utf-8"))]
    if not runs:
        raise SystemExit(f"{sources[0]} holds no Chinese or Japanese: name another text with --file")
    dice = random.Random(SEED)
    parts: list[str] = []
    size, wanted = 0, int(megabytes * 1e6)
    while size < wanted:
        dice.shuffle(runs)
        place = 0
        while place < len(runs) and size < wanted:
            step = dice.randint(5, 60)
            piece = "".join(runs[place : place + step]) + "。"
            place += step
            size += len(piece.encode())
            parts.append(piece)
    file = folder / f"long-{megabytes:g}.txt"
    file.write_text("".join(parts), encoding="utf-8")
    return file


def base64_lines(megabytes: float, folder: Path) -> Path:
    """Give a file of random bytes in base64, in lines of 10,000."""
    letters = base64.b64encode(random.Random(SEED).randbytes(int(megabytes * 750_000))).decode()
    lines = [letters[start : start + LINE] for start in range(0, len(letters), LINE)]
    file = folder / f"base64-{megabytes:g}.txt"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file
