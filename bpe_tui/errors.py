"""Every error that bpe-tui raises on purpose, each written for the person who reads it.

All derive from `BPEError`; those that stand for a bad value are ValueErrors too. The message alone is enough to act
on: it says what is wrong, where, and what to do. The attributes serve programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class BPEError(Exception):
    """The root of all errors that bpe-tui raises on purpose."""


@dataclass(frozen=True, slots=True)
class MissingCharacter:
    """One character of a text that a tokenizer has no base token for."""

    character: str
    count: int
    first_position: int
    """Index of its first occurrence, in characters."""

    def __str__(self) -> str:
        shown = self.character if self.character.isprintable() else ascii(self.character)[1:-1]
        times = "once" if self.count == 1 else f"{self.count:,} times"
        return f"'{shown}' (U+{ord(self.character):04X}, {times}, first at character {self.first_position:,})"


class MissingCharactersError(BPEError, ValueError):
    """A text holds characters that are not among the base tokens."""

    named = 10
    """How many characters the message names before it only counts the rest."""

    def __init__(self, missing: tuple[MissingCharacter, ...], *, purpose: str = "encoded") -> None:
        self.missing = missing
        names = ", ".join(str(entry) for entry in missing[: self.named])
        rest = len(missing) - self.named
        more = f" and {rest:,} more" if rest > 0 else ""
        characters = "1 character" if len(missing) == 1 else f"{len(missing):,} characters"
        super().__init__(
            f"the text cannot be {purpose}: {characters} not among the base tokens: {names}{more}; "
            "remove them from the text, or train a tokenizer whose base tokens hold them"
        )


class TextError(BPEError, ValueError):
    """A text that no tokenizer can be trained on or hold: empty, or with a lone surrogate."""


class VocabularySizeError(BPEError, ValueError):
    """A target vocabulary smaller than the base vocabulary."""


class SplittingError(BPEError, ValueError):
    """A splitting rule that there is not, or a pattern that is no regular expression or never ends."""


class TokenIdError(BPEError, ValueError):
    """An id that the vocabulary does not hold."""


class CorpusError(BPEError, ValueError):
    """A corpus file that is missing, unreadable or not text.

    `file` is the file or folder meant; `byte_offset` and `line` (from 1) say where in it, if a place is known.
    """

    def __init__(
        self, message: str, *, file: Path | None = None, byte_offset: int | None = None, line: int | None = None
    ) -> None:
        self.file = file
        self.byte_offset = byte_offset
        self.line = line
        super().__init__(message)


class TokenizerFileError(BPEError, ValueError):
    """A tokenizer file that is missing, damaged or not one. `field` names the place in it, if a place is known."""

    def __init__(self, message: str, *, file: Path | None = None, field: str | None = None) -> None:
        self.file = file
        self.field = field
        super().__init__(message)


class FingerprintMismatchError(TokenizerFileError):
    """A tokenizer whose computed fingerprint differs from the one that was promised."""


class DatasetError(BPEError):
    """Encoded data that cannot be written or does not fit the tokenizer."""


class AnalysisError(BPEError, ValueError):
    """A question that cannot be asked of this tokenizer or text."""


class RunError(BPEError):
    """Something that a training run cannot do in its present state."""


class Cancelled(BPEError):  # noqa: N818 - it is no error, it only travels like one
    """A job ended because the user asked it to."""
