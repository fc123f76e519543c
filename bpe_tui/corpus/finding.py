"""Which files of a folder are its three splits.

Three naming schemes are known, tried in the order of `SCHEMES`: text cleaned by `bpe-tui corpus clean` comes before
WikiText as published, and that before plain names. The first scheme whose three files are all there is taken, and a
note says which other files were passed over. Files of different schemes are never mixed unless the caller names some
of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_tui.corpus.model import SPLIT_NAMES, SplitName
from bpe_tui.corpus.opening import unreadable
from bpe_tui.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Scheme:
    """One way of naming the three files; where a split has several names, the earlier is taken."""

    pattern: str
    """The names in short, for people."""
    train: tuple[str, ...]
    val: tuple[str, ...]
    test: tuple[str, ...]

    def names(self, split: SplitName) -> tuple[str, ...]:
        """Give the file names looked for."""
        return {"train": self.train, "val": self.val, "test": self.test}[split]


CLEANED = Scheme(
    "wikitext2_{train,val,test}_clean.txt",
    ("wikitext2_train_clean.txt",),
    ("wikitext2_val_clean.txt",),
    ("wikitext2_test_clean.txt",),
)
PUBLISHED = Scheme(
    "wiki.{train,valid,test}.tokens", ("wiki.train.tokens",), ("wiki.valid.tokens",), ("wiki.test.tokens",)
)
RAW = Scheme("wiki.{train,valid,test}.raw", ("wiki.train.raw",), ("wiki.valid.raw",), ("wiki.test.raw",))
PLAIN = Scheme(
    "{train,val|valid|validation,test}.txt", ("train.txt",), ("val.txt", "valid.txt", "validation.txt"), ("test.txt",)
)

SCHEMES = (CLEANED, PUBLISHED, RAW, PLAIN)
"""In the order in which they are tried."""

SCHEMES_TO_CLEAN = (PUBLISHED, RAW, PLAIN, CLEANED)
"""For cleaning: text that is not clean yet comes first."""


@dataclass(frozen=True, slots=True)
class FoundSplits:
    """The file of each split, and what should be said about the choice."""

    files: Mapping[SplitName, Path]
    notes: tuple[str, ...] = ()


def find_splits(folder: Path, *, schemes: tuple[Scheme, ...] = SCHEMES) -> FoundSplits:
    """Find the files of the three splits in `folder` by name.

    Raises CorpusError that names the missing splits, the names looked for and the folder.
    """
    return find_missing(folder, SPLIT_NAMES, schemes=schemes)


def find_missing(folder: Path, wanted: Iterable[SplitName], *, schemes: tuple[Scheme, ...] = SCHEMES) -> FoundSplits:
    """Find the files of the `wanted` splits only, all by one scheme. Raises CorpusError like `find_splits`."""
    wanted = tuple(wanted)
    present = _names_in(folder)
    found = [
        {split: [name for name in scheme.names(split) if name in present] for split in wanted} for scheme in schemes
    ]
    for files in found:
        if all(files.values()):
            chosen: dict[SplitName, Path] = {split: folder / names[0] for split, names in files.items()}
            taken = {path.name for path in chosen.values()}
            passed_over = [name for other in found for names in other.values() for name in names if name not in taken]
            return FoundSplits(chosen, _choice_note(chosen, passed_over))
    raise _missing(folder, wanted, schemes, found)


def _names_in(folder: Path) -> frozenset[str]:
    try:
        return frozenset(entry.name for entry in folder.iterdir())
    except PermissionError as error:
        raise CorpusError(f"{folder} cannot be listed: no permission", file=folder) from error
    except (OSError, ValueError) as error:
        raise unreadable(folder, error) from error


def _choice_note(chosen: Mapping[SplitName, Path], passed_over: list[str]) -> tuple[str, ...]:
    if not passed_over:
        return ()
    taken = ", ".join(path.name for path in chosen.values())
    return (f"took {taken}; the folder also holds {', '.join(passed_over)}, not used",)


def _missing(
    folder: Path,
    wanted: tuple[SplitName, ...],
    schemes: tuple[Scheme, ...],
    found: list[dict[SplitName, list[str]]],
) -> CorpusError:
    nearest = max(range(len(schemes)), key=lambda index: sum(map(bool, found[index].values())))
    missing = [split for split in wanted if not found[nearest][split]]
    if len(missing) == len(wanted):
        which = " and ".join(wanted) if len(wanted) < len(SPLIT_NAMES) else "train, val and test"
        looked_for = ", ".join(scheme.pattern for scheme in schemes)
        message = f"{folder} holds no {which}: looked for {looked_for}"
    else:
        there = ", ".join(names[0] for names in found[nearest].values() if names)
        looked_for = "; ".join(f"{split} as {' or '.join(schemes[nearest].names(split))}" for split in missing)
        message = f"{folder} holds {there} but no {' and no '.join(missing)}: looked for {looked_for}"
    cure = ", ".join(f"--{split} FILE" for split in missing)
    return CorpusError(f"{message}; put it there, or name it with {cure}{_deeper(folder, schemes)}", file=folder)


def _deeper(folder: Path, schemes: tuple[Scheme, ...]) -> str:
    """Point to a folder just below that holds a whole set: archives tend to unpack into one more folder."""
    try:
        folders = sorted(entry for entry in folder.iterdir() if entry.is_dir())[:100]
        for below in folders:
            names = {entry.name for entry in below.iterdir()}
            if any(all(names.intersection(scheme.names(split)) for split in SPLIT_NAMES) for scheme in schemes):
                return f"; or did you mean {below}?"
    except OSError:
        pass  # only a hint: what cannot be looked into is not hinted at
    return ""
