"""The corpora that come with bpe-tui, found alike in a checkout and in an installed package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bpe_tui.errors import CorpusError


@dataclass(frozen=True, slots=True)
class ShippedCorpus:
    """A corpus that is there without a download."""

    name: str
    path: Path
    """Its folder, with train.txt, val.txt and test.txt."""
    description: str
    """One line for people."""


_DESCRIPTIONS = {
    "king-james-bible": "The King James Bible: 4 MB of real English, one verse a line, whole chapters held out",
    "low-lower-lowest": "Three words that share a stem: small enough to follow every merge by hand",
    "newest-widest": "The classic counts (low 5, lower 2, newest 6, widest 3): watch est become a token",
    "code-like": "Small Python functions: indentation, keywords and names that repeat",
    "many-scripts": "The first articles of the Universal Declaration of Human Rights in many scripts",
}


def shipped_folder() -> Path:
    """Give the folder that holds the shipped corpora. Raises CorpusError when the package came without them."""
    package = Path(__file__).resolve().parent.parent
    candidates = (package / "shipped_corpora", package.parent / "corpora")
    for folder in candidates:
        if (folder / next(iter(_DESCRIPTIONS)) / "train.txt").is_file():
            return folder
    looked_in = " and ".join(str(folder) for folder in candidates)
    raise CorpusError(f"the corpora that come with bpe-tui are missing: looked in {looked_in}; install it anew")


def shipped() -> tuple[ShippedCorpus, ...]:
    """Give the shipped corpora, the default one first. Raises CorpusError when they are missing."""
    folder = shipped_folder()
    return tuple(ShippedCorpus(name, folder / name, description) for name, description in _DESCRIPTIONS.items())


def by_name(path: Path) -> Path:
    """Give the folder of the shipped corpus that `path` names; `path` itself if there is none, or if it exists."""
    if str(path) not in _DESCRIPTIONS or path.exists():
        return path
    return shipped_folder() / path
