"""What the user asks of the Sizes tab: sizes, the model's dimension and context, read from what was typed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bpe_tui.session.settings import SettingsError, parse_number

MOST_SIZES: Final = 40
"""Sizes that are compared at most: more than fit on any screen."""
_MOST: Final = 10**9
"""The largest number that makes sense for any of the fields."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is compared, and for which model."""

    sizes: tuple[int, ...] = ()
    """Ascending; none for those that suggest themselves."""
    dimension: int = 128
    """Width of the embedding."""
    context: int = 128
    """Tokens that the model sees at once."""
    tied: bool = True
    """Whether input and output embeddings are one matrix."""


def parse_sizes(text: str) -> tuple[int, ...]:
    """Give the sizes that a person typed, ascending, each once; none for an empty text. Raises SettingsError."""
    parts = [part for part in re.split(r"[,;\s]+", text) if part]
    sizes = sorted({parse_positive(part, "a vocabulary size") for part in parts})
    if len(sizes) > MOST_SIZES:
        raise SettingsError(
            f"{len(sizes)} sizes are more than the {MOST_SIZES} that are compared at once", field="sizes"
        )
    return tuple(sizes)


def parse_positive(text: str, name: str) -> int:
    """Give a whole number from 1 on that a person typed. Raises SettingsError."""
    number = parse_number(text, name)
    if number < 1:
        hint = ": the thousands of a size have no comma of their own" if "size" in name else ""
        raise SettingsError(f"{name} must be at least 1{hint}", field=name)
    if number > _MOST:
        raise SettingsError(f"{name} must be at most {_MOST:,}", field=name)
    return number
