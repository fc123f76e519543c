"""What a training run is told to do, checked before anything starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bpe_tui.errors import BPEError

_LABELS = {
    "training_characters": "training characters",
    "target_vocab_size": "target vocabulary",
    "minimum_pair_frequency": "minimum pair frequency",
}
_SUFFIXES = {"k": 1_000, "m": 1_000_000}
_LARGEST = 2**31 - 1
"""Token ids and positions are 32-bit numbers."""


class SettingsError(BPEError, ValueError):
    """A setting that no run can have. `field` is the attribute of `RunSettings` that is meant."""

    def __init__(self, message: str, *, field: str) -> None:
        self.field = field
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of one run. Raises SettingsError for a value that is no whole number or out of range."""

    training_characters: int | None = 500_000
    """How many characters from the start of the training split are trained on; None for all of them."""
    target_vocab_size: int = 500
    """Tokens in the vocabulary, base tokens included, at which training ends."""
    minimum_pair_frequency: int = 2
    """A pair that occurs fewer times than this is not merged."""

    def __post_init__(self) -> None:
        if self.training_characters is not None:
            _check("training_characters", self.training_characters)
        _check("target_vocab_size", self.target_vocab_size)
        _check("minimum_pair_frequency", self.minimum_pair_frequency)

    @classmethod
    def from_text(cls, training_characters: str, target_vocab_size: str, minimum_pair_frequency: str) -> RunSettings:
        """Give the settings that a person typed: "500,000", "500_000", "500k", "2M"; "all" for all characters.

        Raises SettingsError, whose `field` says which of the three is wrong.
        """
        everything = training_characters.strip().casefold() in {"all", ""}
        return cls(
            training_characters=None if everything else parse_number(training_characters, "training_characters"),
            target_vocab_size=parse_number(target_vocab_size, "target_vocab_size"),
            minimum_pair_frequency=parse_number(minimum_pair_frequency, "minimum_pair_frequency"),
        )

    def as_dict(self) -> dict[str, int | None]:
        """Give the settings as plain data, as a checkpoint stores them."""
        return {
            "training_characters": self.training_characters,
            "target_vocab_size": self.target_vocab_size,
            "minimum_pair_frequency": self.minimum_pair_frequency,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RunSettings:
        """Give the settings that `as_dict` stored. Raises SettingsError for a missing or wrong value."""
        for field in _LABELS:
            if field not in data:
                raise SettingsError(f"{_LABELS[field]} is missing (field {field})", field=field)
        return cls(**{field: data[field] for field in _LABELS})


def parse_number(text: str, field: str) -> int:
    """Give the whole number that a person typed for `field`. Raises SettingsError."""
    digits = text.strip().replace(",", "").replace("_", "").replace(" ", "").casefold()
    factor = _SUFFIXES.get(digits[-1:], 1)
    if factor != 1:
        digits = digits[:-1]
    # A longer number than this is out of range whatever its digits are, and slow to read.
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20):
        hint = "; write all for the whole text" if field == "training_characters" else ""
        raise SettingsError(
            f"{_LABELS.get(field, field)} must be a whole number, not {text.strip()!r}{hint}", field=field
        )
    return int(digits) * factor


def _check(field: str, value: object) -> None:
    # A bool is an int to Python, but nobody means "1 token" by true.
    if not isinstance(value, int) or isinstance(value, bool):
        raise SettingsError(f"{_LABELS[field]} must be a whole number, not {value!r}", field=field)
    if value < 1:
        raise SettingsError(f"{_LABELS[field]} must be at least 1, not {value:,}", field=field)
    if value > _LARGEST:
        raise SettingsError(f"{_LABELS[field]} must be at most {_LARGEST:,}, not {value:,}", field=field)
