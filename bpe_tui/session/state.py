"""The states of a run and the only ways from one to another."""

from __future__ import annotations

from enum import StrEnum


class RunState(StrEnum):
    """Where a run is. The values are the words that people read."""

    IDLE = "idle"
    READING = "reading"
    COUNTING = "counting"
    TRAINING = "training"
    PAUSED = "paused"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def busy(self) -> bool:
        """Whether a thread is at work on the run right now."""
        return self in {RunState.READING, RunState.COUNTING, RunState.TRAINING}

    @property
    def ended(self) -> bool:
        """Whether the run came to an end, by itself or not."""
        return self in {RunState.DONE, RunState.STOPPED, RunState.FAILED}


TRANSITIONS: dict[RunState, frozenset[RunState]] = {
    RunState.IDLE: frozenset({RunState.READING, RunState.COUNTING, RunState.FAILED}),
    RunState.READING: frozenset({RunState.IDLE, RunState.COUNTING, RunState.STOPPED, RunState.FAILED}),
    RunState.COUNTING: frozenset({RunState.TRAINING, RunState.PAUSED, RunState.STOPPED, RunState.FAILED}),
    RunState.TRAINING: frozenset({RunState.PAUSED, RunState.DONE, RunState.STOPPED, RunState.FAILED}),
    RunState.PAUSED: frozenset({RunState.TRAINING, RunState.DONE, RunState.STOPPED, RunState.FAILED}),
    # A higher target lets a finished run go on.
    RunState.DONE: frozenset({RunState.TRAINING, RunState.PAUSED, RunState.IDLE}),
    RunState.STOPPED: frozenset({RunState.TRAINING, RunState.PAUSED, RunState.IDLE}),
    RunState.FAILED: frozenset({RunState.IDLE}),
}
