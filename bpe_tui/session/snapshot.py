"""What a run looks like at one moment: the only thing that the faces of a run ever look at.

A snapshot is pulled, never sent. Its figures agree with each other: the number of merges is taken first and everything
else is clipped to it. The columns of the merge log are referred to, not copied; rows below `merges` never change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bpe_tui.bpe.log import MergeLog
    from bpe_tui.bpe.trainer import StopReason
    from bpe_tui.session.settings import RunSettings
    from bpe_tui.session.state import RunState


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """One run at one moment."""

    state: RunState
    settings: RunSettings
    merges: int
    """Merges learned so far; only rows of `log` below it belong to this snapshot."""
    log: MergeLog
    tokens: list[str]
    """Token strings by id; only those below `vocab_size` belong to this snapshot. How people read them says
    `terminal.token_text(token, snapshot.kind)`."""
    vocab_size: int
    """Tokens that the base and the first `merges` merges define; special tokens come on top."""
    base_size: int
    """Base tokens; 0 until the run has looked at its text."""
    token_counts: npt.NDArray[np.int64] | None
    """How often each token stands in the sequence, by id: a view on the living column, clipped to `vocab_size`. None
    until the pairs are counted."""
    initial_length: int
    """Tokens in the sequence before the first merge."""
    sequence_length: int
    """Tokens in the sequence after the last of `merges` merges."""
    pairs_alive: int
    """Distinct pairs in the sequence."""
    stop_reason: StopReason | None
    """Why the run is done; None unless it is."""
    error: str | None
    """Why the run failed, for people; None unless it did."""
    detail: str
    """What is going on, for people."""
    seconds: float
    """Training time so far, counting the pairs included, pauses not."""
    merges_per_second: float
    """While training, over the last two seconds; otherwise over all the training time."""
    eta_seconds: float | None
    """Seconds until the target at the recent rate; None while unknown. It may end earlier for want of pairs."""
    progress: float
    """0 to 1: how much of the way from the base vocabulary to the target is done; 1 when done for any reason."""
    trace: tuple[tuple[float, int], ...] = ()
    """When it had learned how many merges: (seconds of training, merges), thinned out (`pace.Trace`). The first point
    is where learning began, with the pairs counted."""
    notice: str | None = None
    """Something that people should know though the run goes on, such as a journal that cannot be written."""
    ending: bool = False
    """Whether a pause or stop is asked for but has not taken effect yet."""

    @property
    def compression_factor(self) -> float:
        """Characters, or bytes, per token: how many times shorter the sequence became. 1.0 before it is known."""
        return self.initial_length / self.sequence_length if self.sequence_length else 1.0

    @property
    def token_reduction(self) -> float:
        """By how many percent the sequence became shorter."""
        if not self.initial_length:
            return 0.0
        return 100.0 * (1.0 - self.sequence_length / self.initial_length)

    @property
    def kind(self) -> str:
        """What kind of BPE this is: character_bpe, word_bpe or byte_bpe."""
        return self.settings.kind

    @property
    def total_vocab_size(self) -> int:
        """Base tokens, learned tokens and special tokens together."""
        return self.vocab_size + len(self.settings.special_tokens)

    @property
    def learned_tokens(self) -> int:
        """Tokens beyond the base tokens."""
        return self.vocab_size - self.base_size
