"""What a corpus is: three splits of text, each with where it came from and what was noticed when it was read.

`SplitText` holds the text of a split. `split_files.SplitFile` only knows the file, for texts that are larger than the
memory. Both are a `Split`, which is all that some jobs need.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Utf8 = bytes
"""A text as UTF-8."""

BLOCK = 1 << 20
"""Characters of a text given at a time."""

SplitName = Literal["train", "val", "test"]

SPLIT_NAMES: tuple[SplitName, ...] = ("train", "val", "test")
"""The three splits, in the order in which everything names them."""

Invalid = Literal["error", "replace"]
"""What to do with a byte that is no text: stop and name it, or put U+FFFD in its place and count it."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of one file, with nothing changed but its encoding."""

    text: str = field(repr=False)
    source: Path
    bytes: int
    """Size of the file."""
    notes: tuple[str, ...] = ()
    """What a reader should know of it, in words: "byte order mark dropped", "decoded as UTF-16 little-endian"."""


@dataclass(frozen=True, slots=True)
class SplitFacts:
    """What reading a split to its end has told of it."""

    characters: int
    bytes: int
    """Size of its file; of a split that was cut from a file with others, its size in UTF-8."""
    notes: tuple[str, ...] = ()
    """What a reader should know of it, in words: "byte order mark dropped", "decoded as UTF-16 little-endian"."""


class Split(Protocol):
    """One split of a corpus, as a job sees it that takes the text block by block."""

    @property
    def name(self) -> SplitName:
        """Which one it is."""

    @property
    def source(self) -> Path:
        """The file it comes from."""

    def blocks(self, report: Report = silent) -> Iterator[str]:
        """Give the text, some hundred thousand characters at a time, or a million.

        `report` hears how much was given before. Raises CorpusError where the file cannot be read any further or is no
        text.
        """

    def utf8_blocks(self, report: Report = silent) -> Iterator[Utf8]:
        """Give the same text as UTF-8, cut between characters."""

    def facts(self) -> SplitFacts:
        """Give what is known once the text has been read; it is read for that, if it was not yet."""


@dataclass(frozen=True, slots=True)
class SplitText:
    """One split of a corpus."""

    name: SplitName
    text: str = field(repr=False)
    source: Path
    bytes: int
    """Size of its file; of a split that was cut from a file with others, its size in UTF-8."""
    notes: tuple[str, ...] = ()
    _characters: list[list[str]] = field(default_factory=list, init=False, repr=False, compare=False)
    """What `characters` found, once it has looked."""

    def blocks(self, report: Report = silent) -> Iterator[str]:
        """Give the text, BLOCK characters at a time. `report` hears of characters given before."""
        for start in range(0, len(self.text), BLOCK):
            report(f"reading {self.name}", start, len(self.text))
            yield self.text[start : start + BLOCK]
        report(f"reading {self.name}", len(self.text), len(self.text))

    def utf8_blocks(self, report: Report = silent) -> Iterator[Utf8]:
        """Give the same as UTF-8."""
        for block in self.blocks(report):
            yield block.encode()

    def facts(self) -> SplitFacts:
        """Give what is known of the text."""
        return SplitFacts(len(self.text), self.bytes, self.notes)

    def characters(self) -> list[str]:
        """Give the distinct characters of the text, sorted. They are looked for once."""
        if not self._characters:
            from bpe_tui.bpe.alphabet import distinct_characters

            self._characters.append(distinct_characters(self.text))
        return self._characters[0]


@dataclass(frozen=True, slots=True)
class Splits:
    """A whole corpus: the text that merges are learned from, and the two that only get encoded."""

    train: SplitText
    val: SplitText
    test: SplitText
    notes: tuple[str, ...] = ()
    """What concerns all three: how a choice between files was made; of a single file, how it was cut and
    what was noticed in it."""
    name: str = ""
    """A short name for people."""

    def __iter__(self) -> Iterator[SplitText]:
        return iter((self.train, self.val, self.test))

    def base_characters(self) -> list[str]:
        """Give the distinct characters of all three splits, sorted: the base tokens that can encode each of them."""
        return sorted(set().union(*(split.characters() for split in self)))
