"""What the tests of a session share: a corpus made of strings, folders of their own, and no thread left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class TextSplit:
    name: str
    text: str
    source: Path


@dataclass(frozen=True)
class TextSplits:
    """As much of `corpus.Splits` as a run looks at."""

    train: TextSplit
    val: TextSplit
    test: TextSplit
    name: str = "a corpus of strings"

    def __iter__(self) -> Iterator[TextSplit]:
        return iter((self.train, self.val, self.test))

    def base_characters(self) -> list[str]:
        return sorted({character for split in self for character in split.text})


MakeSplits = Callable[..., TextSplits]


@pytest.fixture(scope="session")
def make_splits() -> MakeSplits:
    def make(train: str, val: str = "", test: str = "") -> TextSplits:
        texts = {"train": train, "val": val, "test": test}
        return TextSplits(*(TextSplit(name, text, Path(f"{name}.txt")) for name, text in texts.items()))

    return make


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep checkpoints, journals and logs of the tests out of the user's folders."""
    folder = tmp_path / "state"
    monkeypatch.setattr("platformdirs.user_state_path", lambda *_args, **_kwargs: folder)
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_args, **_kwargs: folder / "log")
    return folder


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("bpe-tui")]
    assert not left
