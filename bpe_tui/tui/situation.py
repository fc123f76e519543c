"""What the app is in the middle of, as one frozen value: the ground on which actions apply or do not."""

from __future__ import annotations

from dataclasses import dataclass

from bpe_tui.session.state import RunState


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that decides whether an action applies."""

    run: RunState = RunState.IDLE
    """State of the training run; idle when there is none."""
    corpus: bool = False
    """A corpus is open."""
    job: str = ""
    """What another long job is doing right now ("reading the corpus"), empty if there is none."""
    merges: int = 0
    """Merges of the tokenizer at hand, trained or loaded."""
    tokenizer: bool = False
    """There is a tokenizer to save, encode with or take the fingerprint of."""
    loaded: bool = False
    """That tokenizer came from a file."""
    unsaved: bool = False
    """It would be lost if the app were left now."""
    interrupted: bool = False
    """A run that was interrupted earlier can be resumed."""
    pane: str = "corpus"
    """The pane that has the focus."""

    raw_forms: bool = False
    """Its tokens have a raw form that differs from what they read as."""
    unwritable: str = ""
    """Why the tokenizer cannot be written to a file; empty if it can."""

    @property
    def under_way(self) -> bool:
        """Whether a run is at work, or paused."""
        return self.run.busy or self.run is RunState.PAUSED

    @property
    def working(self) -> bool:
        """Whether a thread is at work on anything."""
        return self.run.busy or bool(self.job)
