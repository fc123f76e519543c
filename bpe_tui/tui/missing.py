"""Missing characters in one line: named with their code points, safe to write to a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.terminal import visible

if TYPE_CHECKING:
    from bpe_tui.errors import MissingCharactersError

_NAMED = 4


def name_missing(error: MissingCharactersError) -> str:
    """Give `no base token for é (U+00E9), ß (U+00DF) and 3 more`."""
    names = ", ".join(f"{visible(entry.character)} (U+{ord(entry.character):04X})" for entry in error.missing[:_NAMED])
    rest = len(error.missing) - _NAMED
    return f"no base token for {names}" + (f" and {rest:,} more" if rest > 0 else "")
