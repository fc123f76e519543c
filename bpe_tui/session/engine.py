"""What a run needs from a trainer, so that the state machine can be tested with a trainer made of nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bpe_tui.bpe.log import MergeLog
    from bpe_tui.bpe.piece_counting import Text
    from bpe_tui.bpe.trainer import StopReason
    from bpe_tui.progress import Report
    from bpe_tui.session.settings import RunSettings


class Engine(Protocol):
    """The part of `bpe.Trainer` that a run uses. Only `cancel` is called from another thread than the rest."""

    target_vocab_size: int
    base_size: int
    initial_length: int
    tokens: list[str]
    log: MergeLog

    @property
    def stop_reason(self) -> StopReason | None:
        """Why the last `advance` found no more to learn; None otherwise."""

    @property
    def token_counts(self) -> npt.NDArray[np.int64]:
        """How often each token stands in the sequence, by id."""

    @property
    def pairs_alive(self) -> int:
        """Distinct pairs in the sequence."""

    def prepare(self) -> None:
        """Count the pairs. Raises Cancelled after `cancel`."""

    def advance(self, max_merges: int | None = None, max_work: int = ...) -> int:
        """Learn at most `max_merges` merges, give back after visiting about `max_work` occurrences, and say how many
        were learned. Raises Cancelled after `cancel`.
        """

    def cancel(self) -> None:
        """Make the training thread raise Cancelled soon. The trainer is spent, what its log holds stays good."""


MakeEngine = Callable[["Text", "RunSettings", list[str], Sequence[tuple[str, str]], "Report"], Engine]
"""`make(training_text, settings, base_tokens, merges, report)`; raises BPEError for what cannot be trained."""


def make_trainer(
    text: Text, settings: RunSettings, base_tokens: list[str], merges: Sequence[tuple[str, str]], report: Report
) -> Engine:
    """Give the real trainer, after making sure that its compiled code is at hand.

    Raises what `kinds.trainer` and `kernels.ensure_compiled` raise; `report` may raise Cancelled.
    """
    from bpe_tui.session import kernels, kinds

    modules = kernels.modules_for(settings.alphabet)
    kernels.ensure_compiled(report, modules)
    kernels.load(report, modules)
    report("counting pairs", 0, 0)
    return kinds.trainer(text, settings, base_tokens, merges, report)
