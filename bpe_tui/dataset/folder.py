"""Filling a folder with encoded splits, all of it or nothing, and never over another tokenizer's work unasked."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bpe_tui.atomic import atomic_writer
from bpe_tui.dataset.id_files import FORMATS
from bpe_tui.dataset.manifest import MANIFEST_NAME, SPLIT_NAMES, ids_name, read_manifest
from bpe_tui.errors import DatasetError
from bpe_tui.system_errors import explain


def check_folder(folder: Path, fingerprint: str | None, *, overwrite: bool) -> None:
    """Make sure that the outputs of the tokenizer with this fingerprint may be written into `folder`.

    A fingerprint of None means one that is not known yet: only what no tokenizer could write over is refused.

    Raises DatasetError when `folder` or a part of its path is a file, when folders stand where files should go, and,
    unless `overwrite`, when it holds tensors of another tokenizer or of one that nobody can name.
    """
    if folder.exists() and not folder.is_dir():
        raise DatasetError(f"{folder} is a file, not a folder; move it away or name another folder")
    names = [ids_name(split, file_format) for split in SPLIT_NAMES for file_format in FORMATS]
    for name in [*names, MANIFEST_NAME]:
        if (folder / name).is_dir():
            raise DatasetError(f"{folder / name} is a folder where a file should go; move it away")
    if overwrite or not folder.exists():
        return
    cure = "give --overwrite to replace it, or name another folder"
    if (folder / MANIFEST_NAME).exists():
        try:
            present = read_manifest(folder).fingerprint
        except DatasetError as error:
            raise DatasetError(f"{error}, but {cure}") from error
        if fingerprint not in (None, present):
            raise DatasetError(
                f"{folder} holds the output of another tokenizer (fingerprint {present[:16]}…, "
                f"not {(fingerprint or '')[:16]}…); {cure}"
            )
        return
    strays = [name for name in names if (folder / name).exists()]
    if strays:
        raise DatasetError(
            f"{folder} holds {', '.join(strays)} but no {MANIFEST_NAME} that says which tokenizer made them; {cure}"
        )


@contextlib.contextmanager
def new_files(folder: Path, names: tuple[str, ...], replaced: tuple[str, ...] = ()) -> Iterator[dict[str, IO[bytes]]]:
    """Give a writable file for each of `names`; they appear in `folder` together when the block ends without an error.

    They are renamed into place in the order of `names`, the last one last. The file of that last name says what the
    others are, so an old one goes before the first of the others changes: whoever looks in between, or after a crash,
    finds no manifest rather than a wrong one. On an error nothing is left, not even folders that were made for it.
    Files in `folder` of the names `replaced` go when all is in place.

    Raises DatasetError when the system refuses.
    """
    made = _missing_folders(folder)
    try:
        with contextlib.ExitStack() as stack:
            # The stack unwinds backwards, hence the reversed order.
            files = {name: stack.enter_context(atomic_writer(folder / name)) for name in reversed(names)}
            yield files
            for file in files.values():
                file.flush()
                os.fsync(file.fileno())
            # From here on only renames are left, which need no space.
            (folder / names[-1]).unlink(missing_ok=True)
        for name in replaced:
            (folder / name).unlink(missing_ok=True)
    except BaseException as error:
        for path in made:
            with contextlib.suppress(OSError):
                path.rmdir()
        if isinstance(error, OSError):
            raise DatasetError(explain(error, "write", folder)) from error
        raise


def _missing_folders(folder: Path) -> list[Path]:
    """Give the folders of the path that do not exist yet, innermost first."""
    return [path for path in (folder, *folder.parents) if not path.exists()]
