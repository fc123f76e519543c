"""The journal of a run: what it learns, written down while it learns it, so that a killed process loses nothing.

A journal is a file of JSON lines in the state folder: first what is trained on and with what settings, then batches of
merges as token ids. The training thread appends a line about once a second, between two batches; each line is handed to
the operating system whole, hence it survives the process. (It is not forced to the disk: a power cut may cost more.)
A run that is saved discards its journal. One that was killed leaves it, and `recover()` makes it a checkpoint.

Threads: the training thread appends, others discard or close; a lock serialises them. A journal in use is locked
against other processes, so that two programs at a time do not take each other's journals for dead ones.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from bpe_tui.session import checkpoint, places
from bpe_tui.session.failure import explain
from bpe_tui.session.identity import RunIdentity
from bpe_tui.session.settings import RunSettings

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from bpe_tui.bpe.log import MergeLog

_TYPE = "bpe_tui_journal"
_VERSION = 2
_INTERVAL = 1.0
"""Seconds between two lines."""
_YOUNG = 60.0
"""Seconds in which an empty journal may be one that another program is just beginning."""


class Journal:
    """The journal of one run. The file is made when there is something to write down.

    It never raises: a journal that cannot be written says so in `problem`, and the run goes on without one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or places.journal_folder()
        self._lock = threading.Lock()
        self._file: IO[bytes] | None = None
        self._active = True
        self._rows = 0
        self._settings: RunSettings | None = None
        self._last = float("-inf")
        self.path: Path | None = None
        """The file, once there is one."""
        self.problem: str | None = None
        """Why nothing is written down any more, for people; None while all is well."""

    def due(self, now: float) -> bool:
        """Whether it is time to append, by the clock `time.monotonic`."""
        return self._active and now - self._last >= _INTERVAL

    def holds(self, merges: int) -> bool:
        """Whether the first `merges` merges are written down, or are not to be."""
        return not self._active or self._rows >= merges

    def begin(self) -> None:
        """Take what is appended from now on; `Run` calls it whenever it sets its thread to work."""
        with self._lock:
            self._active = self.problem is None

    def append(self, identity: Callable[[], RunIdentity], settings: RunSettings, log: MergeLog) -> None:
        """Write down the merges of `log` that are not yet; at the first time also what the run is."""
        with self._lock:
            if not self._active:
                return
            try:
                self._append(identity, settings, log)
            except Exception as error:  # a run must not die of its journal
                self.problem = (
                    f"the journal cannot be written ({explain(error, 'write the journal')}): should this program be "
                    "killed, the run is lost; write a checkpoint now and then"
                )
                self._active = False
                self._close()
            self._last = time.monotonic()

    def discard(self) -> None:
        """Delete the journal: what it holds is safe elsewhere, or not wanted.

        Call it for a run that rests or is closed: one at work would go on without a journal. A resumed run begins a new
        one, which holds all of its merges again.
        """
        with self._lock:
            self._active = False
            self._close()
            if self.path is not None:
                with contextlib.suppress(OSError):
                    self.path.unlink(missing_ok=True)
            self.path = None

    def close(self) -> None:
        """Close the file and leave it where it is, for `recover()`."""
        with self._lock:
            self._close()

    def _append(self, identity: Callable[[], RunIdentity], settings: RunSettings, log: MergeLog) -> None:
        count = log.count
        if count == 0 and self._file is None:
            return
        lines = []
        if self._file is None:
            self._open()
            known = {"type": _TYPE, "version": _VERSION, "created": datetime.now(UTC).isoformat()}
            lines.append({**known, "settings": settings.as_dict(), "corpus": identity().as_dict()})
        elif settings != self._settings:
            lines.append({"settings": settings.as_dict()})
        if count > self._rows:
            new = slice(self._rows, count)
            # One flat list, three numbers a merge: nested ones take five times as long, on the time of the training.
            merges = np.stack((log.left[new], log.right[new], log.new_id[new]), axis=1).ravel().tolist()
            lines.append({"first": self._rows, "merges": merges})
        if lines and self._file is not None:
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
            self._file.write(text.encode("ascii"))
            self._file.flush()
        self._rows, self._settings = count, settings

    def _open(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
        self.path = self._folder / f"{stamp}-{os.getpid()}.jsonl"
        self._file = self.path.open("xb")
        # Another program's recover() may look at it just now; it leaves young files alone if they are empty.
        _lock_file(self._file, wait=True)
        self._rows = 0

    def _close(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
        self._file, self._rows = None, 0


@dataclass(frozen=True, slots=True)
class Recovered:
    """What `recover()` found of one killed run: its checkpoint, or why there is none."""

    journal: Path
    checkpoint: checkpoint.Checkpoint | None
    problem: str | None


def recover(folder: Path | None = None) -> list[Recovered]:
    """Make a checkpoint in the default folder of each journal that a killed process left, and delete the journal.

    Journals of running processes are left alone; so are those that cannot be read, which are reported each time until
    the user deletes them. Journals without merges are deleted without a word. Raises OSError if a checkpoint cannot be
    written.
    """
    found = []
    for path in sorted((folder or places.journal_folder()).glob("*.jsonl")):
        with _claimed(path) as file:
            if file is None:
                continue
            try:
                kept = read_journal(file)
            except ValueError as error:
                found.append(Recovered(path, None, f"{path}: the journal cannot be used: {error}"))
                continue
            if kept is None and time.time() - os.fstat(file.fileno()).st_mtime < _YOUNG:
                continue
            if kept is not None and kept.merges:
                found.append(Recovered(path, checkpoint.store(kept), None))
            path.unlink(missing_ok=True)
    return found


def read_journal(file: IO[bytes]) -> checkpoint.Checkpoint | None:
    """Give what a journal holds; None if the process was killed before it held anything.

    A line that was torn by the end of the process, and whatever may follow it, is left out. Raises ValueError for a
    file that is no journal.
    """
    lines = _whole_lines(file)
    header = next(lines, None)
    if header is None:
        return None
    if header.get("type") != _TYPE:
        raise ValueError("it is no bpe-tui journal (field type)")
    if header.get("version") != _VERSION:
        raise ValueError(f"it is of version {header.get('version')!r}, this program reads version {_VERSION}")
    identity = RunIdentity.from_dict(header.get("corpus"))
    settings = _settings(header)
    merges: list[tuple[str, str]] = []
    tokens = list(identity.base_tokens)
    for line in lines:
        if "settings" in line:
            settings = _settings(line)
        if "merges" in line and not _take(line, tokens, merges):
            break
    return checkpoint.Checkpoint(settings, identity, tuple(merges), datetime.now(UTC))


def _take(line: dict[str, Any], tokens: list[str], merges: list[tuple[str, str]]) -> bool:
    """Add the merges of one line; gives False when they do not follow on those before."""
    numbers = line["merges"]
    if line.get("first") != len(merges) or not isinstance(numbers, list) or len(numbers) % 3:
        return False
    if not all(isinstance(number, int) for number in numbers):
        return False
    for left, right, new_id in zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True):
        if not (0 <= left < len(tokens) and 0 <= right < len(tokens) and 0 <= new_id <= len(tokens)):
            return False
        merges.append((tokens[left], tokens[right]))
        if new_id == len(tokens):
            tokens.append(tokens[left] + tokens[right])
    return True


def _settings(line: dict[str, Any]) -> RunSettings:
    settings = line.get("settings")
    if not isinstance(settings, dict):
        raise ValueError("settings is missing or of the wrong type")
    return RunSettings.from_dict(settings)


def _whole_lines(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    for line in file:
        if not line.endswith(b"\n"):
            return
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(content, dict):
            return
        yield content


def _lock_file(file: IO[bytes], *, wait: bool = False) -> bool:
    """Lock a file against other processes; gives False if another one has it. Some file systems know no locks."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        except OSError:
            return True
    return True


@contextlib.contextmanager
def _claimed(path: Path) -> Iterator[IO[bytes] | None]:
    """Open a journal that nobody uses; gives None if somebody does, or if it is gone."""
    try:
        if sys.platform == "win32":
            path.rename(path)  # fails for a file that another process has open
        file = path.open("rb")
    except OSError:
        yield None
        return
    with file:
        yield file if _lock_file(file) else None
