"""From what the user named (a folder, one file, three files, some of them) to the three splits, read or only found."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.corpus.cutting import cut_text
from bpe_tui.corpus.finding import SCHEMES, Scheme, find_missing
from bpe_tui.corpus.model import SPLIT_NAMES, Invalid, SplitName, Splits, SplitText
from bpe_tui.corpus.opening import open_regular, unreadable
from bpe_tui.corpus.reading import read_text
from bpe_tui.corpus.split_files import SplitFile, SplitFiles
from bpe_tui.errors import CorpusError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_splits(
    path: Path | str | None = None,
    *,
    train: Path | str | None = None,
    val: Path | str | None = None,
    test: Path | str | None = None,
    invalid: Invalid = "error",
    report: Report = silent,
    schemes: tuple[Scheme, ...] = SCHEMES,
) -> Splits:
    """Read the three splits of a corpus.

    `path` is a folder that holds them (see `finding`), or a single file, which is cut 90/5/5 at line ends. Splits
    named one by one go before what the folder holds. `report` hears of bytes, once for each file from 0 on.

    Raises CorpusError when a split is missing (it says which, what was looked for and where) or unreadable; Cancelled
    when `report` does.
    """
    given: dict[SplitName, Path | str | None] = {"train": train, "val": val, "test": test}
    named = {split: Path(file) for split, file in given.items() if file is not None}
    if path is not None:
        path = Path(path)
        if not _is_folder(path):
            return _read_single(path, named, invalid, report)
    files, notes = _complete(path, named, schemes)
    read = {split: _read_one(split, files[split], invalid, report) for split in SPLIT_NAMES}
    return Splits(**read, notes=notes + _same_file_notes(files), name=_name(path, files))


def find_splits(
    path: Path | str | None = None,
    *,
    train: Path | str | None = None,
    val: Path | str | None = None,
    test: Path | str | None = None,
    invalid: Invalid = "error",
    report: Report = silent,
) -> SplitFiles | Splits:
    """Give the same splits as `read_splits` without reading them: each file is opened once to see that it can be.

    A single file is read all the same, since where it is cut into three depends on all of it.

    Raises CorpusError when a split is missing or cannot be opened; Cancelled when `report` does.
    """
    given: dict[SplitName, Path | str | None] = {"train": train, "val": val, "test": test}
    named = {split: Path(file) for split, file in given.items() if file is not None}
    if path is not None:
        path = Path(path)
        if not _is_folder(path):
            return _read_single(path, named, invalid, report)
    files, notes = _complete(path, named, SCHEMES)
    found = {split: SplitFile(split, files[split], _size(files[split]), invalid) for split in SPLIT_NAMES}
    return SplitFiles(**found, notes=notes + _same_file_notes(files), name=_name(path, files))


def _size(path: Path) -> int:
    with open_regular(path) as file:
        return os.fstat(file.fileno()).st_size


def _read_one(split: SplitName, file: Path, invalid: Invalid, report: Report) -> SplitText:
    decoded = read_text(file, invalid=invalid, report=report)
    return SplitText(name=split, text=decoded.text, source=file, bytes=decoded.bytes, notes=decoded.notes)


def _read_single(path: Path, named: Mapping[SplitName, Path], invalid: Invalid, report: Report) -> Splits:
    if named:
        options = " and ".join(f"--{split}" for split in named)
        raise CorpusError(
            f"{path} is one file, which would be cut into all three splits, but {options} was given too; "
            "name it by the option of the split that it is, or leave it out",
            file=path,
        )
    decoded = read_text(path, invalid=invalid, report=report)
    cut = cut_text(decoded.text)
    parts: dict[SplitName, str] = {"train": cut.train, "val": cut.val, "test": cut.test}
    splits = {
        split: SplitText(name=split, text=text, source=path, bytes=_utf8_size(text)) for split, text in parts.items()
    }
    return Splits(**splits, notes=(cut.note, *decoded.notes), name=path.stem or path.name)


def _complete(
    folder: Path | None, named: Mapping[SplitName, Path], schemes: tuple[Scheme, ...]
) -> tuple[dict[SplitName, Path], tuple[str, ...]]:
    """Give the file of each split: as named, else as found in the folder."""
    missing = [split for split in SPLIT_NAMES if split not in named]
    if not missing:
        return dict(named), ()
    if folder is None:
        if not named:
            raise CorpusError(
                "no corpus named; name a folder with its splits, a single text file, or --train, --val and --test"
            )
        options = ", ".join(f"--{split} FILE" for split in missing)
        raise CorpusError(
            f"{' and '.join(missing)} not named, and no folder to look in; add {options}, or name a folder that holds "
            f"{'it' if len(missing) == 1 else 'them'}"
        )
    found = find_missing(folder, missing, schemes=schemes)
    return {**named, **found.files}, found.notes


def _is_folder(path: Path) -> bool:
    try:
        path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    return path.is_dir()


def _same_file_notes(files: Mapping[SplitName, Path]) -> tuple[str, ...]:
    """Say when two splits are one and the same file: almost always a slip."""
    notes = []
    for index, split in enumerate(SPLIT_NAMES):
        for other in SPLIT_NAMES[index + 1 :]:
            if files[split].samefile(files[other]):
                notes.append(f"{split} and {other} are the same file, {files[split]}")
    return tuple(notes)


def _name(folder: Path | None, files: Mapping[SplitName, Path]) -> str:
    return (folder if folder is not None else files["train"].parent).resolve().name or "corpus"


def _utf8_size(text: str) -> int:
    """Give the size of a text in UTF-8 without making all of its bytes at once."""
    if text.isascii():
        return len(text)
    step = 1 << 20
    return sum(len(text[start : start + step].encode()) for start in range(0, len(text), step))
