"""The folder of a training: what it writes while it works, so that anybody can follow it from another process.

- `run.json`: what is trained on what, written once.
- `tokenizer.json`: a copy of the tokenizer, so that the folder is enough to sample and evaluate.
- `metrics.jsonl`: one JSON object a line, only ever added to: training loss, validation loss, samples. When a training
  goes on from its checkpoint, a new file without the lines that came after the checkpoint takes its place.
- `status.json`: where the training is right now, replaced whole about once a second.
- `checkpoint.pt`: the model, see `checkpoint`.
- `result.json`: the figures over whole splits, there only when the training is done.
- `control.json`: what others ask of the training, see `control`; not there most of the time.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
import weakref
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.atomic import write_bytes, write_text
from bpe_tui.lm.errors import RunFolderError
from bpe_tui.system_errors import explain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bpe_tui.bpe.tokenizer import BPETokenizer

RUN_NAME = "run.json"
TOKENIZER_NAME = "tokenizer.json"
METRICS_NAME = "metrics.jsonl"
STATUS_NAME = "status.json"
CHECKPOINT_NAME = "checkpoint.pt"
RESULT_NAME = "result.json"
CONTROL_NAME = "control.json"

_LARGEST = 1e100
"""Beyond that, no figure of a training is one; it could not even be shown."""

_ALL = (RESULT_NAME, CHECKPOINT_NAME, METRICS_NAME, STATUS_NAME, TOKENIZER_NAME, RUN_NAME)
"""In the order in which they go. The last one says that the others are a training's."""


class TrainingState(StrEnum):
    """Where a training is. The values are the words that people read."""

    TRAINING = "training"
    EVALUATING = "evaluating"
    PAUSED = "paused"
    """Its process is there and holds until it is told to go on."""
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether no process is at work on it any more, by its own word."""
        return self in {TrainingState.STOPPED, TrainingState.DONE, TrainingState.FAILED}


@dataclass(frozen=True, slots=True)
class Status:
    """A training at one moment."""

    state: TrainingState
    pid: int
    step: int = 0
    tokens: int = 0
    characters: int = 0
    seconds: float = 0.0
    """Spent on training steps."""
    fraction: float = 0.0
    """Of the budget, from 0 to 1."""
    eta_seconds: float | None = None
    loss: float | None = None
    """Of the last step, in nats per token."""
    tokens_per_second: float | None = None
    characters_per_second: float | None = None
    error: str | None = None
    updated: float = 0.0
    """When this was written, in seconds since 1970."""

    @property
    def alive(self) -> bool:
        """Whether its process seems to be at work: it says so, and there is a process of that number."""
        return not self.state.ended and process_exists(self.pid)


class RunFolder:
    """The writer's side of the folder. Nothing is touched before `begin` or `resume`.

    From then on it belongs to this object until `release`, or until the process is gone. The status alone would not
    keep two trainings apart that begin at the same moment.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = 0
        """How many lines of metrics there are."""
        self._status_at = 0.0
        self._overwrite = False
        self._lock: weakref.finalize[..., RunFolder] | None = None

    @property
    def checkpoint(self) -> Path:
        """The file of the checkpoint."""
        return self.path / CHECKPOINT_NAME

    def check(self, *, resume: bool, overwrite: bool) -> None:
        """Make sure that a training may begin here, or go on. Raises RunFolderError."""
        self._overwrite = overwrite
        status = read_status(self.path)
        if status is not None and status.alive and status.pid != os.getpid():
            raise RunFolderError(
                f"{self.path} is in use: process {status.pid} is {status.state} in it; wait for it or stop it, or name "
                f"another folder (if no training is running, remove {self.path / STATUS_NAME})"
            )
        if resume:
            if not self.checkpoint.is_file():
                raise RunFolderError(
                    f"{self.path} holds no {CHECKPOINT_NAME} to go on from; leave out --resume to train from the start"
                )
            return
        if self.path.exists() and not self.path.is_dir():
            raise RunFolderError(f"{self.path} is a file, not a folder; move it away or name another folder")
        present = [name for name in _ALL if (self.path / name).exists()]
        if present and not overwrite:
            raise RunFolderError(
                f"{self.path} holds a training already ({', '.join(present)}); give --resume to go on with it, "
                "--overwrite to begin anew, or name another folder"
            )
        if present and RUN_NAME not in present:
            raise RunFolderError(
                f"{self.path} holds {', '.join(present)}, but no {RUN_NAME} that says that a training wrote it; "
                "move that away or name another folder"
            )

    def claim(self) -> None:
        """Keep all other trainings out of the folder, which must be there. Raises RunFolderError if one is in it."""
        if self._lock is not None:
            return
        try:
            descriptor = _locked(self.path)
        except BlockingIOError as error:
            raise RunFolderError(
                f"{self.path} is in use: another training has just begun in it; wait for it or stop it, or name "
                "another folder"
            ) from error
        if descriptor is not None:
            self._lock = weakref.finalize(self, os.close, descriptor)

    def release(self) -> None:
        """Let others have the folder."""
        if self._lock is not None:
            self._lock()
            self._lock = None

    def begin(self, description: dict[str, Any], tokenizer: BPETokenizer) -> None:
        """Make the folder, or empty it of an earlier training, and write down what is trained.

        Raises RunFolderError, TokenizerFileError.
        """
        with self._explained("write", self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            self.claim()
            # Another training may have come and gone since the last look.
            self.check(resume=False, overwrite=self._overwrite)
            for name in _ALL:
                (self.path / name).unlink(missing_ok=True)
            write_text(self.path / RUN_NAME, _json(description))
            tokenizer.save(self.path / TOKENIZER_NAME)
            (self.path / METRICS_NAME).touch()
        self.lines = 0

    def resume(self, lines: int) -> None:
        """Forget the metrics after the first `lines` and the result: they are about to come again."""
        file = self.path / METRICS_NAME
        with self._explained("write", file):
            (self.path / RESULT_NAME).unlink(missing_ok=True)
            present = file.read_bytes().splitlines(keepends=True) if file.exists() else []
            # What a process that was killed has left of a line would spoil the next one.
            kept = [line for line in present[:lines] if line.endswith(b"\n")]
            if len(present) > len(kept):
                write_bytes(file, b"".join(kept))
        self.lines = len(kept)

    def metric(self, kind: str, **figures: Any) -> dict[str, Any]:
        """Add a line to the metrics and give what it holds."""
        entry = {"kind": kind, **figures}
        file = self.path / METRICS_NAME
        with self._explained("write", file), file.open("ab") as stream:
            # One write: whoever reads meanwhile sees the whole line, or a part without its line end.
            stream.write((json.dumps(entry, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
        self.lines += 1
        return entry

    def status(self, status: Status, *, at_least: float = 0.0) -> None:
        """Replace the status, unless the last one was written less than `at_least` seconds ago."""
        now = time.monotonic()
        if at_least and now - self._status_at < at_least:
            return
        self._status_at = now
        file = self.path / STATUS_NAME
        with self._explained("write", file):
            # Not fsynced: it is of no use after a crash, and it comes often.
            partial = self.path / f".{STATUS_NAME}.partial"
            partial.write_text(_json({**asdict(status), "updated": time.time()}), encoding="utf-8")
            partial.replace(file)

    def result(self, content: dict[str, Any]) -> None:
        """Write the result: the training is done."""
        with self._explained("write", self.path / RESULT_NAME):
            write_text(self.path / RESULT_NAME, _json(content))

    @contextlib.contextmanager
    def _explained(self, action: str, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RunFolderError(explain(error, action, path)) from error


def read_status(folder: Path) -> Status | None:
    """Give the status of the training in `folder`; None when there is none that can be read."""
    content = read_json(folder / STATUS_NAME)
    try:
        status = Status(**{**content, "state": TrainingState(content["state"])}) if content else None
    except (KeyError, TypeError, ValueError):
        return None
    return status if status is not None and _sound(status) else None


def _sound(status: Status) -> bool:
    """Whether everything is of the kind that it should be: the file may come from anywhere."""
    whole = (status.pid, status.step, status.tokens, status.characters)
    needed = (*whole, status.seconds, status.fraction, status.updated)
    rates = (status.eta_seconds, status.loss, status.tokens_per_second, status.characters_per_second)
    return (
        all(isinstance(value, int) for value in whole)
        and all(isinstance(value, int | float) and abs(value) < _LARGEST for value in needed)
        and all(value is None or (isinstance(value, int | float) and abs(value) < _LARGEST) for value in rates)
        and (status.error is None or isinstance(status.error, str))
    )


def read_json(file: Path) -> dict[str, Any] | None:
    """Give the object in a JSON file; None when the file is not there or holds none."""
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _locked(folder: Path) -> int | None:
    """Lock a folder and give the descriptor that holds the lock; None where the system has no such locks.

    Raises BlockingIOError if somebody else holds it.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        # Whoever cannot read it may be able to write in it.
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in {errno.EWOULDBLOCK, errno.EAGAIN}:
            raise
        # Some network file systems cannot lock.
        return None
    return descriptor


def process_exists(pid: int) -> bool:
    """Whether there is a process of that number on this machine, one that has ended but was not cleared away aside."""
    if os.name != "posix":
        # Asking about it would end it there.
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError, ValueError):
        return False
    return pid > 0 and not _is_remains(pid)


def _is_remains(pid: int) -> bool:
    """Whether a process has ended and only its parent's interest is missing: in containers, that may last for ever."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        # No Linux, or gone meanwhile.
        return False
    return fields[:1] == [b"Z"]


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=True, indent=2) + "\n"
