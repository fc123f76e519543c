"""One training as the screen knows it: what its folder tells, and the process if it is this app's own."""

from __future__ import annotations

import math
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bpe_tui.lm.control import Wish, ask, asked
from bpe_tui.lm.process import TrainingProcess
from bpe_tui.lm.run_folder import CHECKPOINT_NAME, STATUS_NAME, TOKENIZER_NAME, Status, TrainingState
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
    wish: Wish | None = None
    """What the training is asked to do, by this app or another program."""
    tokenizer: Any = None
    """That of the folder, once it was read; False if it cannot be."""
    _watcher: RunWatcher = field(init=False)
    _status_at: int = 0
    _started: float = 0.0
    _was: str = ""
    _at_work: bool = False

    def __post_init__(self) -> None:
        self._watcher = RunWatcher(self.folder)

    @property
    def running(self) -> bool:
        """Whether a process is there for it, this app's own or another's; it may hold."""
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
        if self.running:
            return self._state_at_work()
        if self.process is not None:
            if self.process.exit_code == STOPPED_CODE or self._stopped_before_it_could_hear:
                return "stopped"
            return "done" if self.process.exit_code == 0 else "failed"
        if self.status is None:
            return "no figures yet"
        return self.status.state.value if self.status.state.ended else "died"

    def _state_at_work(self) -> str:
        if self.wish is Wish.STOP:
            return "stopping"
        if self.status is None or self.status.updated < self._started:
            return "starting"
        if self.status.state.ended:
            # What it says last comes a moment before the process is gone.
            return "finishing"
        if self.status.state is TrainingState.PAUSED:
            return "paused" if self.holds else "going on"
        return "pausing" if self.holds else self.status.state.value

    @property
    def _stopped_before_it_could_hear(self) -> bool:
        """Whether this app ended its process in the moment before that knew how to end by itself."""
        return self.wish is Wish.STOP and self.process is not None and self.process.exit_code == -signal.SIGTERM

    @property
    def holds(self) -> bool:
        """Whether its process is there and was told to pause."""
        return self.running and self.wish is Wish.PAUSE

    @property
    def can_go_on(self) -> bool:
        """Whether there is a checkpoint of an unfinished training, and nobody at work on it."""
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
        if self.can_go_on and not self._never_began():
            return f"{said}. The last checkpoint is there: space goes on from it"
        return said

    def _never_began(self) -> bool:
        """Whether this app's process came to nothing at all: then going on comes to nothing again."""
        return self.process is not None and (self.status is None or self.status.updated < self._started)

    def told_state(self) -> str:
        """Read where it is and give that, for a list of runs of which nothing else is shown."""
        self.status = self._watcher.status()
        return self.state

    def start(self, arguments: Sequence[str]) -> None:
        """Begin or go on in a process. Raises RunFolderError."""
        self.wish = None
        self._started = time.time()
        self.process = TrainingProcess(self.folder, arguments)
        self._at_work = True

    def go_on(self, threads: Sequence[str]) -> None:
        """Go on from the checkpoint, in a new process. Raises RunFolderError."""
        description = self._watcher.description() or {}
        data = ["--data", str(description["data"])] if isinstance(description.get("data"), str) else []
        self.start(["--resume", *data, "--tokenizer", str(self.folder / TOKENIZER_NAME), *threads])

    def has_ended(self) -> bool:
        """Whether its process, which was seen at work, is gone; true once for each."""
        if self.running:
            self._at_work = True
            return False
        ended, self._at_work = self._at_work, False
        return ended

    def pause(self) -> None:
        """Have the process hold where it is, with a checkpoint kept. Raises RunFolderError."""
        self._ask(Wish.PAUSE)

    def unpause(self) -> None:
        """Have a process that holds go on. Raises RunFolderError."""
        self._ask(None)

    def stop(self) -> None:
        """Have the process keep a checkpoint and end, whoever has started it. Raises RunFolderError."""
        if self.process is None:
            self._ask(Wish.STOP)
        elif self.process.running:
            # It hears this also while it is still starting, and where its folder cannot be written.
            self.wish = Wish.STOP
            self.process.stop()

    def _ask(self, wish: Wish | None) -> None:
        pid = self._pid
        if pid is not None:
            ask(self.folder, pid, wish)
            self.wish = wish

    @property
    def _pid(self) -> int | None:
        """The number of the process at work."""
        if not self.running:
            return None
        if self.process is not None:
            return self.process.pid
        return self.status.pid if self.status is not None else None

    def poll(self) -> bool:
        """Take in what is new and tell whether anything was."""
        before = self._watcher.generation
        entries = self._watcher.poll()
        changed = bool(entries) or self._watcher.generation != before
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
        self._look_for_another_program()
        self._look_for_wish()
        changed = changed or self.state != self._was
        self._was = self.state
        return changed

    def _look_for_another_program(self) -> None:
        """Leave the run to whoever has gone on with it since this app's process ended."""
        process, status = self.process, self.status
        if process is None or process.running or self._at_work or status is None:
            return
        if status.pid != process.pid and status.updated > self._started:
            self.process = None

    def _look_for_wish(self) -> None:
        if self.process is not None and self.wish is Wish.STOP:
            # That went by a signal.
            return
        pid = self._pid
        self.wish = asked(self.folder, pid) if pid is not None else None

    def _take(self, entry: dict[str, Any]) -> None:
        try:
            if entry["kind"] == "sample":
                ids = tuple(int(number) for number in entry["ids"])
                self.samples.append(Sample(int(entry["step"]), str(entry["text"]), ids))
            elif entry["kind"] in {"train", "validation"}:
                names = ("step", "characters", "seconds", "loss", "bits_per_character")
                figures = [float(entry[name]) for name in names]
                if not all(map(math.isfinite, figures)):
                    return
                point = Point(*figures)
                (self.train if entry["kind"] == "train" else self.validation).append(point)
        except (KeyError, TypeError, ValueError, OverflowError):
            # A folder from elsewhere may hold anything; what is no measurement is not drawn.
            return
