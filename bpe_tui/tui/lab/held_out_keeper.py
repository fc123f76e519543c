"""Keeps the validation text measured for the Sizes tab: once for every tokenizer that rests, in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.analysis.sizes import Measure
from bpe_tui.session.job import Job, JobState
from bpe_tui.tui.lab.ground import measure
from bpe_tui.tui.lab.sizes_tab import SizesTab

if TYPE_CHECKING:
    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.lab.ground import Ground, Measured
    from bpe_tui.tui.lab.screen import LabScreen

_MEASURING = "being measured …"


class HeldOutKeeper:
    """Asks for the tokens of the validation text when the tokenizer or the corpus is another."""

    def __init__(self, screen: LabScreen) -> None:
        self._screen = screen
        self._asked: tuple[object, ...] = ()
        self._job: Job[Measured] | None = None

    def want(self, ground: Ground | None, snapshot: Snapshot) -> None:
        """Measure the validation text with `ground`, unless that is done, or being done."""
        if ground is None or ground.dial is None or (self._job is not None and not self._job.snapshot().state.ended):
            return
        workspace = self._screen.bench.workspace
        corpus = workspace.corpus
        resting = not snapshot.state.busy and ground.key == workspace.key(snapshot)
        asked = (ground.key if resting else None, corpus)
        if asked == self._asked:
            return
        self._asked = asked
        tab = self._screen.query_one(SizesTab)
        text = corpus.splits.val.text if corpus is not None else ""
        if not text:
            tab.show_held_out(None, "this corpus has none" if corpus is not None else "no corpus is open")
        elif not resting:
            # A pass over it for every state of a run would take from the run what it needs.
            tab.show_held_out(None, "measured when the run rests")
        else:
            self._job = Job("measuring the validation text", lambda report: measure(ground.tokenizer, text, report))
            self._screen.run_worker(self._follow(self._job), group="lab-held-out")

    async def _follow(self, job: Job[Measured]) -> None:
        self._screen.keeper.start(job)
        tab = self._screen.query_one(SizesTab)
        tab.show_held_out(None, _MEASURING)
        outcome = await self._screen.bench.ended(job)
        if outcome.state is JobState.DONE and outcome.result is not None:
            tab.show_held_out(Measure(outcome.result.lengths, outcome.result.characters), "")
        else:
            tab.show_held_out(None, outcome.error or "not measured: that was stopped")
        # The tokenizer or the corpus may have changed meanwhile.
        self._screen.bench.wake()
