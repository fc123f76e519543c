"""What a training run is told to do, checked before anything starts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bpe_tui.errors import BPEError, SplittingError

if TYPE_CHECKING:
    from bpe_tui.bpe.pretokenize import SplittingRule

_LABELS = {
    "training_characters": "training characters",
    "target_vocab_size": "target vocabulary",
    "minimum_pair_frequency": "minimum pair frequency",
    "alphabet": "alphabet",
    "split": "splitting rule",
    "pattern": "pattern",
    "ties": "tie rule",
    "punctuation": "punctuation",
    "marker": "marker",
    "special_tokens": "special tokens",
}
_NUMBERS = ("training_characters", "target_vocab_size", "minimum_pair_frequency")
_OPTIONAL = ("split", "pattern", "ties", "marker")
_STRINGS = ("alphabet", "punctuation", *_OPTIONAL)
_SUFFIXES = {"k": 1_000, "m": 1_000_000}
_LARGEST = 2**31 - 1
"""Token ids and positions are 32-bit numbers."""


class SettingsError(BPEError, ValueError):
    """A setting that no run can have. `field` is the attribute of `RunSettings` that is meant."""

    def __init__(self, message: str, *, field: str) -> None:
        self.field = field
        super().__init__(message)


class Alphabet(StrEnum):
    """What base tokens are, and with that the kind of BPE."""

    CHARACTERS = "characters"
    """Characters of the text, spaces and newlines among them; merges may cross words."""
    WORDS = "words"
    """Characters of words, each word with a marker at its end; merges stay inside of words."""
    BYTES = "bytes"
    """The 256 bytes; merges stay inside of the pieces that a splitting rule cuts."""

    @property
    def kind(self) -> str:
        """The kind of tokenizer, as files name it."""
        return {"characters": "character_bpe", "words": "word_bpe", "bytes": "byte_bpe"}[self.value]


TIES = {
    Alphabet.CHARACTERS: ("first", "lowest-id", "lexicographic"),
    Alphabet.WORDS: ("first", "lowest-id", "lexicographic"),
    Alphabet.BYTES: ("lowest-id", "bytes", "first"),
}
"""The tie rules that each kind can be trained with, its own first; what they mean is told in `bpe.trainer.Ties`."""
PUNCTUATION = ("keep", "separate")
MARKERS = ("own", "glued")
DEFAULT_SPLIT = "gpt2"
"""The splitting rule for bytes."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of one run. Raises SettingsError for a value that is none, or that does not go with the others."""

    training_characters: int | None = 500_000
    """How many characters from the start of the training split are trained on; None for all of them."""
    target_vocab_size: int = 500
    """Tokens in the vocabulary, base tokens included, at which training ends."""
    minimum_pair_frequency: int = 2
    """A pair that occurs fewer times than this is not merged."""
    alphabet: Alphabet = Alphabet.CHARACTERS
    split: str | None = None
    """Bytes: the splitting rule by name, "pattern" for `pattern`; None for gpt2."""
    pattern: str | None = None
    """Bytes: a regular expression whose matches are the pieces."""
    ties: str | None = None
    """Which of several equally frequent pairs is merged; None for the first in `TIES` of the alphabet."""
    punctuation: str = "keep"
    """Words: whether punctuation stays part of them ("keep") or is cut off ("separate")."""
    marker: str | None = None
    """Words: whether the end of a word is a symbol of its "own" or "glued" to the last character. None for own, but
    with lexicographic ties for glued: together they are what subword-nmt does."""
    special_tokens: tuple[str, ...] = ()
    """Words and bytes: tokens that text is cut at; they count towards the target."""

    def __post_init__(self) -> None:
        # A plain string becomes the member that it names; there is no other way to do that in a frozen class.
        object.__setattr__(self, "alphabet", _choice("alphabet", self.alphabet, Alphabet))
        if self.split is None and self.pattern is not None:
            object.__setattr__(self, "split", "pattern")
        self._check_kind()
        if self.training_characters is not None:
            _check("training_characters", self.training_characters)
        _check("target_vocab_size", self.target_vocab_size)
        _check("minimum_pair_frequency", self.minimum_pair_frequency)

    @classmethod
    def from_text(
        cls, training_characters: str, target_vocab_size: str, minimum_pair_frequency: str, **others: Any
    ) -> RunSettings:
        """Give the settings that a person typed: "500,000", "500_000", "500k", "2M"; "all" for all characters.

        `others` are further settings, taken as they are. Raises SettingsError, whose `field` says which is wrong.
        """
        everything = training_characters.strip().casefold() in {"all", ""}
        return cls(
            training_characters=None if everything else parse_number(training_characters, "training_characters"),
            target_vocab_size=parse_number(target_vocab_size, "target_vocab_size"),
            minimum_pair_frequency=parse_number(minimum_pair_frequency, "minimum_pair_frequency"),
            **others,
        )

    def _check_kind(self) -> None:
        alphabet = self.alphabet
        if self.ties is not None and self.ties not in TIES[alphabet]:
            raise SettingsError(
                f"{_LABELS['ties']} with {alphabet} must be one of {', '.join(TIES[alphabet])}, not {self.ties!r}",
                field="ties",
            )
        for field, only in (
            ("split", Alphabet.BYTES),
            ("pattern", Alphabet.BYTES),
            ("marker", Alphabet.WORDS),
        ):
            if getattr(self, field) is not None and alphabet is not only:
                raise SettingsError(f"{_LABELS[field]} goes with {only} only, not with {alphabet}", field=field)
        if self.punctuation not in PUNCTUATION:
            raise SettingsError(f"punctuation must be keep or separate, not {self.punctuation!r}", field="punctuation")
        if self.punctuation != "keep" and alphabet is not Alphabet.WORDS:
            raise SettingsError(f"separate punctuation goes with words only, not with {alphabet}", field="punctuation")
        if self.marker is not None and self.marker not in MARKERS:
            raise SettingsError(f"the marker must be own or glued, not {self.marker!r}", field="marker")
        if alphabet is Alphabet.BYTES:
            try:
                self.splitting_rule()
            except SplittingError as error:
                raise SettingsError(str(error), field="pattern" if self.split == "pattern" else "split") from None
        self._check_special_tokens()

    def _check_special_tokens(self) -> None:
        tokens = self.special_tokens
        if not isinstance(tokens, tuple) or not all(isinstance(token, str) for token in tokens):
            raise SettingsError(f"special tokens must be strings, not {tokens!r}", field="special_tokens")
        if tokens and self.alphabet is Alphabet.CHARACTERS:
            raise SettingsError(
                "special tokens go with words or bytes: a character tokenizer's file has no place for them",
                field="special_tokens",
            )
        for number, token in enumerate(tokens):
            if not token:
                raise SettingsError("a special token must have at least one character", field="special_tokens")
            if token in tokens[:number]:
                raise SettingsError(f"the special token {token!r} is given twice", field="special_tokens")
            if any("\ud800" <= character <= "\udfff" for character in token):
                raise SettingsError(f"the special token {token!r} is not valid text", field="special_tokens")

    @property
    def kind(self) -> str:
        """The kind of tokenizer that the run makes: character_bpe, word_bpe or byte_bpe."""
        return self.alphabet.kind

    @property
    def tie_rule(self) -> str:
        """The rule by which ties are broken, by name."""
        return self.ties or TIES[self.alphabet][0]

    @property
    def word_marker(self) -> str:
        """How the end of a word enters training: own or glued."""
        return self.marker or ("glued" if self.tie_rule == "lexicographic" else "own")

    def splitting_rule(self) -> SplittingRule:
        """Give the rule that cuts bytes into pieces. Raises SplittingError."""
        from bpe_tui.bpe.pretokenize import rule

        return rule(self.split or DEFAULT_SPLIT, self.pattern)

    def as_dict(self) -> dict[str, Any]:
        """Give the settings as plain data, as a checkpoint stores them."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**data, "alphabet": str(self.alphabet), "special_tokens": list(self.special_tokens)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RunSettings:
        """Give the settings that `as_dict` stored. Raises SettingsError for a missing or wrong value."""
        known = {field.name: data[field.name] for field in fields(cls) if field.name in data}
        for field in _NUMBERS:
            if field not in data:
                raise SettingsError(f"{_LABELS[field]} is missing (field {field})", field=field)
        for field, value in known.items():
            if field in _STRINGS and not isinstance(value, str) and not (value is None and field in _OPTIONAL):
                raise SettingsError(f"{_LABELS[field]} must be text, not {value!r}", field=field)
        if isinstance(known.get("special_tokens"), list):
            known["special_tokens"] = tuple(known["special_tokens"])
        return cls(**known)


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


def _choice(field: str, value: Any, choices: type[Alphabet]) -> Alphabet:
    try:
        return choices(value)
    except ValueError:
        names = ", ".join(choices)
        raise SettingsError(f"{_LABELS[field]} must be one of {names}, not {value!r}", field=field) from None


def _check(field: str, value: object) -> None:
    # A bool is an int to Python, but nobody means "1 token" by true.
    if not isinstance(value, int) or isinstance(value, bool):
        raise SettingsError(f"{_LABELS[field]} must be a whole number, not {value!r}", field=field)
    if value < 1:
        raise SettingsError(f"{_LABELS[field]} must be at least 1, not {value:,}", field=field)
    if value > _LARGEST:
        raise SettingsError(f"{_LABELS[field]} must be at most {_LARGEST:,}, not {value:,}", field=field)
