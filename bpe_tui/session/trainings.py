"""Which language models are in training, noted so that an app that is opened later finds those of an earlier one.

One small file for each, named after its folder, so that two apps never write the same file. What cannot be noted is no
trouble worth a word: the training goes on all the same, and its folder can be added by hand.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from bpe_tui.atomic import write_text
from bpe_tui.session import places


def note(folder: Path) -> None:
    """Note that a training is at work in `folder`."""
    with contextlib.suppress(OSError, UnicodeError):
        write_text(_file(folder), f"{folder.resolve()}\n")


def forget(folder: Path) -> None:
    """Forget about it: people know how it ended."""
    with contextlib.suppress(OSError, UnicodeError):
        _file(folder).unlink(missing_ok=True)


def noted() -> list[Path]:
    """Give the folders that are noted, the earliest first; relative to the current one where they are below it."""
    found: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError):
        for file in places.trainings_folder().glob("*.txt"):
            with contextlib.suppress(OSError, ValueError):
                text = file.read_text(encoding="utf-8").rstrip("\n")
                if text and "\0" not in text:
                    found.append((file.stat().st_mtime, _near(Path(text))))
    return [folder for _, folder in sorted(found)]


def _near(folder: Path) -> Path:
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _file(folder: Path) -> Path:
    name = hashlib.sha256(str(folder.resolve()).encode("utf-8")).hexdigest()[:16]
    return places.trainings_folder() / f"{name}.txt"
