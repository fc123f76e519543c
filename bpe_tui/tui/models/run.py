"""One training as the screen knows it: what its folder tells, and the process if it is this app's own."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bpe_tui.lm.process import TrainingProcess
from bpe_tui.lm.run_folder import CHECKPOINT_NAME, STATUS_NAME, TOKENIZER_NAME, Status
from bpe_tui.lm.watching import RunWatcher

if TYPE_CHECKING:
    from collections.abc import Sequence

STOPPED_CODE: Final = 143
"""How a process ends that was told to stop."""


@dataclass(frozen=True, slots=True)
class Point:
    """A measurement at one moment of a training."""

    step: float
    characters: float
    seconds: float
    loss: float
    bits: float
    """Per character."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A text that the model wrote."""

    step: int
    text: str
    ids: tuple[int, ...]


@dataclass(slots=True)
class ModelRun:
    """A folder of a training, followed. `poll` reads what is new; everything else only tells."""

    folder: Path
    train: list[Point] = field(default_factory=list)
    validation: list[Point] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    status: Status | None = None
    process: TrainingProcess | None = None
    wanted: str = ""
    """The word for the state that a stop of ours leads to: paused or stopped."""
    detached: bool = False
    """Whether it is to outlive the app."""
    tokenizer: Any = None
    """That of the folder, once it was read; False if it cannot be."""
    _watcher: RunWatcher = field(init=False)
    _status_at: int = 0
    _started: float = 0.0
    _was: str = ""
    _said: bool = False

    def __post_init__(self) -> None:
        self._watcher = RunWatcher(self.folder)

    @property
    def running(self) -> bool:
        """Whether a process is at work on it, this app's own or another's."""
        if self.process is not None:
            return self.process.running
        return self.status is not None and self.status.alive

    @property
    def own(self) -> bool:
        """Whether that process is this app's."""
        return self.process is not None and self.process.running

    @property
    def state(self) -> str:
        """Where it is, in a word or two."""
        if self.process is not None:
            if self.process.running:
                if self.wanted:
                    return "stopping"
                if self.status is None or self.status.updated < self._started:
                    return "starting"
                # What it says last comes a moment before the process is gone.
                return "finishing" if self.status.state.ended else self.status.state.value
            if self.process.exit_code == STOPPED_CODE:
                return self.wanted or "stopped"
            return "done" if self.process.exit_code == 0 else "failed"
        if self.status is None:
            return "no figures yet"
        if self.status.state.ended or self.status.alive:
            return self.status.state.value
        return "died"

    @property
    def can_go_on(self) -> bool:
        """Whether there is a checkpoint of an unfinished training."""
        return not self.running and self.state != "done" and (self.folder / CHECKPOINT_NAME).is_file()

    @property
    def trouble(self) -> str:
        """What went wrong, as sentences for people that may quote text from outside; empty if nothing did."""
        state = self.state
        if state not in {"failed", "died"}:
            return ""
        code = self.process.exit_code if self.process is not None else None
        if code is not None and code < 0:
            said = f"the training process was killed (signal {-code})"
        elif self.process is not None:
            said = self.process.error or f"the training process ended with code {code} and said nothing"
        elif state == "died":
            said = "its process is gone and did not say why"
        else:
            said = (self.status.error if self.status is not None else None) or "it failed and did not say why"
        if self.can_go_on:
            return f"{said}. The last checkpoint is there: space goes on from it"
        return said

    def start(self, arguments: Sequence[str]) -> None:
        """Begin or go on in a process. Raises RunFolderError."""
        self.wanted = ""
        self._said = False
        self._started = time.time()
        self.process = TrainingProcess(self.folder, arguments)

    def go_on(self, threads: Sequence[str]) -> None:
        """Go on from the checkpoint. Raises RunFolderError."""
        description = self._watcher.description() or {}
        data = ["--data", str(description["data"])] if isinstance(description.get("data"), str) else []
        self.start(["--resume", *data, "--tokenizer", str(self.folder / TOKENIZER_NAME), *threads])

    def ended_unsaid(self) -> bool:
        """Whether its process has ended and this was not asked since."""
        if self.process is None or self.process.running or self._said:
            return False
        self._said = True
        return True

    def detach(self) -> None:
        """Let it train on when the app is left."""
        self.detached = True

    def stop(self, word: str) -> None:
        """Tell the process to keep a checkpoint and end; `word` is what that is called."""
        if self.process is not None and self.process.running:
            self.wanted = word
            self.process.stop()

    def poll(self) -> bool:
        """Take in what is new and tell whether anything was."""
        # The process is asked first: what it wrote before it ended is read after that.
        state = self.state
        before = self._watcher.generation
        entries = self._watcher.poll()
        changed = bool(entries) or self._watcher.generation != before or state != self._was
        if self._watcher.generation != before:
            self.train.clear()
            self.validation.clear()
            self.samples.clear()
        for entry in entries:
            self._take(entry)
        try:
            at = (self.folder / STATUS_NAME).stat().st_mtime_ns
        except OSError:
            at = 0
        if at != self._status_at:
            self._status_at = at
            self.status = self._watcher.status()
            changed = True
        self._was = state
        return changed

    def _take(self, entry: dict[str, Any]) -> None:
        try:
            if entry["kind"] == "sample":
                ids = tuple(int(number) for number in entry["ids"])
                self.samples.append(Sample(int(entry["step"]), str(entry["text"]), ids))
            elif entry["kind"] in {"train", "validation"}:
                names = ("step", "characters", "seconds", "loss", "bits_per_character")
                point = Point(*(float(entry[name]) for name in names))
                (self.train if entry["kind"] == "train" else self.validation).append(point)
        except (KeyError, TypeError, ValueError):
            # A folder from elsewhere may hold anything; what is no measurement is not drawn.
            return
