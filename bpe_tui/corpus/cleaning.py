r"""WikiText as published is half tokenised; cleaning makes it read like text again.

What `clean` does, in this order, line by line:

1. The marks that WikiText puts around the hyphen, comma and full stop inside words and numbers are undone:
   " @-@ " becomes "-", " @,@ " becomes ",", " @.@ " becomes "." ("1 @,@ 000 @.@ 5" reads "1,000.5").
2. Spaces, tabs and carriage returns at both ends of a line go (each line of WikiText begins and ends with a space).
3. Headings ("= Title =", "= = Section = =") stay as they are; with `headings=False` they go.
4. Runs of blank lines become one blank line; blank lines at the beginning and the end of the text go. A text that is
   not empty ends with one newline.

Nothing else changes: "<unk>" and the spaces before other punctuation stay. Cleaning a clean text changes nothing
(except in made-up text where undoing one mark forms another, such as " @ @-@ @ ").
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.atomic import atomic_writer
from bpe_tui.corpus.finding import CLEANED, SCHEMES_TO_CLEAN
from bpe_tui.corpus.model import SPLIT_NAMES, Invalid, SplitName
from bpe_tui.corpus.splits import read_splits
from bpe_tui.errors import CorpusError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BLOCK_CHARACTERS = 1 << 20
"""About how many characters are cleaned between two reports."""


@dataclass(frozen=True, slots=True)
class CleanedSplit:
    """One file that cleaning wrote."""

    name: SplitName
    source: Path
    path: Path
    characters_before: int
    characters: int


@dataclass(frozen=True, slots=True)
class CleanedSplits:
    """The three files that cleaning wrote, with what reading noticed."""

    folder: Path
    splits: tuple[CleanedSplit, ...]
    notes: tuple[str, ...]


def clean(text: str, *, headings: bool = True) -> str:
    """Give the text cleaned by the rules above; without its headings if not `headings`."""
    return "".join(clean_blocks(text, headings=headings))


def clean_blocks(text: str, *, headings: bool = True, block_characters: int = BLOCK_CHARACTERS) -> Iterator[str]:
    """Give the cleaned text in pieces, one for each block of whole lines; joined they do not depend on the blocks."""
    begun = blank = False
    for block in _blocks(text, block_characters):
        for mark, meant in ((" @-@ ", "-"), (" @,@ ", ","), (" @.@ ", ".")):
            block = block.replace(mark, meant)
        kept: list[str] = []
        for line in block.removesuffix("\n").split("\n"):
            line = line.strip(" \t\r")
            if not line:
                blank = begun
            elif headings or not is_heading(line):
                if blank:
                    kept.append("")
                kept.append(line)
                begun, blank = True, False
        yield "\n".join([*kept, ""]) if kept else ""


def is_heading(line: str) -> bool:
    """Whether a line, trimmed, is a heading: as many "=" before its title as behind, set apart by spaces."""
    words = line.split(" ")
    before = next((index for index, word in enumerate(words) if word != "="), len(words))
    behind = next((index for index, word in enumerate(reversed(words)) if word != "="), len(words))
    return before == behind > 0 and before + behind < len(words)


def clean_splits(
    source: Path | str,
    destination: Path | str,
    *,
    headings: bool = True,
    overwrite: bool = False,
    invalid: Invalid = "error",
    report: Report = silent,
) -> CleanedSplits:
    """Clean the three splits of `source` into `wikitext2_{train,val,test}_clean.txt` in the folder `destination`.

    `source` is what `read_splits` takes; in a folder, text that is not clean yet goes before text that is. All three
    files are written out before the first takes its name. `report` hears of bytes read and of characters cleaned.

    Raises CorpusError when the source cannot be read, when a file to be written exists and not `overwrite`, or when
    it cannot be written; Cancelled when `report` does. In each case no file has changed.
    """
    destination = Path(destination)
    targets = {split: destination / CLEANED.names(split)[0] for split in SPLIT_NAMES}
    refuse_existing(targets.values(), overwrite)
    splits = read_splits(source, invalid=invalid, report=report, schemes=SCHEMES_TO_CLEAN)
    cleaned = []
    with writing(destination), contextlib.ExitStack() as stack:
        for split in splits:
            file = stack.enter_context(atomic_writer(targets[split.name]))
            step, total, done, characters = f"cleaning {split.name}", len(split.text), 0, 0
            report(step, 0, total)
            for block in clean_blocks(split.text, headings=headings):
                file.write(block.encode())
                characters += len(block)
                done = min(done + BLOCK_CHARACTERS, total)
                report(step, done, total)
            report(step, total, total)
            # A full disk shows now, while none of the three has its name yet.
            file.flush()
            os.fsync(file.fileno())
            cleaned.append(CleanedSplit(split.name, split.source, targets[split.name], total, characters))
    notes = splits.notes + tuple(f"{split.name}: {note}" for split in splits for note in split.notes)
    return CleanedSplits(destination, tuple(cleaned), notes)


def refuse_existing(paths: Iterable[Path], overwrite: bool) -> None:
    """Raise CorpusError when one of the files exists and may not be replaced."""
    existing = [path for path in paths if os.path.lexists(path)]
    if existing and not overwrite:
        names = ", ".join(path.name for path in existing)
        folder = existing[0].parent
        raise CorpusError(
            f"{folder} already holds {names}; replace with --overwrite, or name another folder", file=folder
        )


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn the OSError of a folder that cannot be written, or of a full disk, into a CorpusError that names it."""
    try:
        yield
    except OSError as error:
        raise CorpusError(
            f"{folder} cannot be written: {error.strerror or error}; nothing was changed", file=folder
        ) from error


def _blocks(text: str, characters: int) -> Iterator[str]:
    """Cut a text behind newlines into blocks of at least `characters`, but for the last."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + characters - 1) + 1 or len(text)
        yield text[start:end]
        start = end
