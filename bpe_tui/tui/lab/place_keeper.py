"""Keeps the training text encoded for the Rules tab, once for every tokenizer that rests: so places are at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bpe_tui.analysis import encode
from bpe_tui.session.job import Job, JobState
from bpe_tui.terminal import count
from bpe_tui.tui.lab.rules_tab import RulesTab

if TYPE_CHECKING:
    from bpe_tui.analysis import EncodedText
    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.lab.ground import Ground
    from bpe_tui.tui.lab.screen import LabScreen

_MOST: Final = 4_000_000
"""Characters that are searched: where each token lies in them takes some dozen bytes a character for a moment."""
_FOREIGN: Final = 300_000
"""The same with tokenizers that other packages encode for, which cannot be stopped."""


class PlaceKeeper:
    """Encodes the training text when the tokenizer or the text is another."""

    def __init__(self, screen: LabScreen) -> None:
        self._screen = screen
        self._asked: tuple[object, ...] = ()
        self._job: Job[EncodedText] | None = None

    def want(self, ground: Ground | None, snapshot: Snapshot) -> None:
        """Encode the training text with `ground`, unless that is done, or being done."""
        if ground is None or (self._job is not None and not self._job.snapshot().state.ended):
            return
        workspace = self._screen.bench.workspace
        resting = not snapshot.state.busy and ground.key == workspace.key(snapshot)
        asked = (ground.key if resting else None, workspace.corpus)
        if asked == self._asked:
            return
        self._asked = asked
        tab, text = self._screen.query_one(RulesTab), workspace.training_text()
        if not text:
            tab.show_text(None, "no places: no corpus is open to look in")
        elif not resting:
            tab.show_text(None, "places are looked for when the run rests")
        else:
            most = _FOREIGN if ground.tokenizer.kind == "foreign" else _MOST
            part = text[:most]
            where = "the training text" if len(part) == len(text) else f"the first {count(most)} characters"
            job = Job("encoding the training text", lambda report: encode(ground.tokenizer, part, report))
            self._job = job
            self._screen.run_worker(self._follow(job, where), group="lab-places")

    async def _follow(self, job: Job[EncodedText], where: str) -> None:
        self._screen.keeper.start(job)
        tab = self._screen.query_one(RulesTab)
        tab.show_text(None, "looking for places …")
        outcome = await self._screen.bench.ended(job)
        if outcome.state is JobState.DONE:
            tab.show_text(outcome.result, where)
        else:
            tab.show_text(None, f"no places: {outcome.error or 'looking for them was stopped'}")
        # The tokenizer or the corpus may have changed meanwhile.
        self._screen.bench.wake()
