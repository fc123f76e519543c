"""What a run trains on, in a form that another day can be compared with: names, places and digests of the text."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bpe_tui.session.training_text import identity_of_text

if TYPE_CHECKING:
    from bpe_tui.corpus import SplitFiles, Splits
    from bpe_tui.session.settings import RunSettings


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The text and the base tokens of a run."""

    name: str
    """The corpus's short name for people."""
    sources: dict[str, str]
    """The file that each split came from, by the split's name."""
    characters: int
    """Characters of the training text."""
    text_sha256: str
    """SHA-256 of the training text in UTF-8."""
    base_tokens: tuple[str, ...]
    base_sha256: str
    """SHA-256 of the base tokens, one after the other, in UTF-8."""

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data, as a checkpoint stores it."""
        return {
            "name": self.name,
            "sources": self.sources,
            "characters": self.characters,
            "text_sha256": self.text_sha256,
            "base_tokens": list(self.base_tokens),
            "base_sha256": self.base_sha256,
        }

    @classmethod
    def from_dict(cls, data: object) -> RunIdentity:
        """Give the identity that `as_dict` stored. Raises ValueError that names a missing or wrong field."""
        if not isinstance(data, dict):
            raise ValueError("it is no object")
        for field, kind in (
            ("name", str),
            ("sources", dict),
            ("characters", int),
            ("text_sha256", str),
            ("base_tokens", list),
            ("base_sha256", str),
        ):
            if not isinstance(data.get(field), kind):
                raise ValueError(f"{field} is missing or of the wrong type")
        base_tokens = tuple(data["base_tokens"])
        # The base tokens of words may have the marker of their end behind.
        if not all(isinstance(token, str) and len(token) in (1, 2) for token in base_tokens):
            raise ValueError("base_tokens holds something other than single characters")
        if digest("".join(base_tokens)) != data["base_sha256"]:
            raise ValueError("base_sha256 does not fit base_tokens")
        return cls(
            name=data["name"],
            sources={str(name): str(source) for name, source in data["sources"].items()},
            characters=data["characters"],
            text_sha256=data["text_sha256"],
            base_tokens=base_tokens,
            base_sha256=data["base_sha256"],
        )

    def differences(self, other: RunIdentity) -> list[str]:
        """Say for people, one line each, in what `other` differs from this. Names and places do not count."""
        lines = []
        if self.characters != other.characters:
            lines.append(f"the training text had {self.characters:,} characters, it now has {other.characters:,}")
        elif self.text_sha256 != other.text_sha256:
            lines.append(
                f"the training text has the same {self.characters:,} characters in number but not in content "
                f"(SHA-256 was {self.text_sha256[:12]}…, is {other.text_sha256[:12]}…)"
            )
        before, now = ({token for token in base if len(token) == 1} for base in (self.base_tokens, other.base_tokens))
        lost, gained = sorted(before - now), sorted(now - before)
        if lost:
            lines.append(f"characters no longer in the corpus: {_characters(lost)}")
        if gained:
            lines.append(f"characters new in the corpus: {_characters(gained)}")
        return lines


def identify(splits: Splits | SplitFiles, settings: RunSettings, base_tokens: list[str]) -> RunIdentity:
    """Give the identity of a run with these splits and settings. About 50 ms for 10 M characters."""
    characters, text_sha256 = identity_of_text(splits, settings.training_characters)
    return RunIdentity(
        name=splits.name,
        sources={split.name: str(split.source) for split in splits},
        characters=characters,
        text_sha256=text_sha256,
        base_tokens=tuple(base_tokens),
        base_sha256=digest("".join(base_tokens)),
    )


def digest(text: str) -> str:
    """Give the SHA-256 of a text in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _characters(characters: list[str], named: int = 8) -> str:
    shown = " ".join(
        f"{json.dumps(character, ensure_ascii=not character.isprintable())} (U+{ord(character):04X})"
        for character in characters[:named]
    )
    return shown if len(characters) <= named else f"{shown} and {len(characters) - named:,} more"
