"""Splits of which only the files are known: they are read block by block, as often as that is asked for, never held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bpe_tui.corpus.model import Invalid, SplitFacts, SplitName, Utf8
from bpe_tui.corpus.reading import Reading
from bpe_tui.progress import Report, silent


def read_blocks(path: Path | str, *, invalid: Invalid = "error", report: Report = silent) -> Iterator[bytes]:
    """Give the text of a file as UTF-8, about a million bytes at a time, cut between characters.

    Raises CorpusError as `read_text` does, where the reading meets the reason. `report` hears of bytes.
    """
    return Reading(Path(path), invalid).utf8(report)


@dataclass(frozen=True, slots=True)
class SplitFile:
    """One split of a corpus as a file that is read anew whenever its text is asked for, and never held."""

    name: SplitName
    source: Path
    bytes: int
    """Size of the file when it was found."""
    invalid: Invalid = "error"
    """What to do with bytes that are no text."""
    _facts: list[SplitFacts] = field(default_factory=list, init=False, repr=False, compare=False)
    """What the last reading that came to the end has told."""

    def blocks(self, report: Report = silent) -> Iterator[str]:
        """Give the text, some hundred thousand bytes of the file at a time. `report` hears of bytes.

        Raises CorpusError where the file cannot be read any further or is no text.
        """
        reading = Reading(self.source, self.invalid)
        yield from reading.texts(report)
        self._facts[:] = [SplitFacts(reading.characters, reading.bytes, reading.notes)]

    def utf8_blocks(self, report: Report = silent) -> Iterator[Utf8]:
        """Give the same text as UTF-8, cut between characters."""
        reading = Reading(self.source, self.invalid)
        yield from reading.utf8(report)
        self._facts[:] = [SplitFacts(reading.characters, reading.bytes, reading.notes)]

    def facts(self) -> SplitFacts:
        """Give what is known once the file has been read; it is read for that, if it was not yet."""
        if not self._facts:
            for _ in self.blocks():
                pass
        return self._facts[0]


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """A whole corpus of which only the files are known: to encode it without holding its text."""

    train: SplitFile
    val: SplitFile
    test: SplitFile
    notes: tuple[str, ...] = ()
    """What concerns all three: how a choice between files was made."""
    name: str = ""
    """A short name for people."""

    def __iter__(self) -> Iterator[SplitFile]:
        return iter((self.train, self.val, self.test))
