"""Keeps the Statistics tab up to date: one job at a time, and none while nothing changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.session.job import Job, JobState
from bpe_tui.tui.lab.statistics_tab import PASSAGE, SOURCES, WORKING, Figures, StatisticsTab, work_out
from bpe_tui.tui.lab.text_tab import TextTab

if TYPE_CHECKING:
    from bpe_tui.tui.lab.ground import Ground
    from bpe_tui.tui.lab.screen import LabScreen


class FigureKeeper:
    """Asks for figures when the tokenizer or the text is another."""

    def __init__(self, screen: LabScreen) -> None:
        self._screen = screen
        self._asked: tuple[object, ...] = ()
        self._job: Job[Figures] | None = None
        self._overtaken = False
        """Whether the job at work was cancelled for another one."""

    def turn(self) -> None:
        """Take the next text; what is being worked out is cancelled."""
        tab = self._tab
        tab.source = (tab.source + 1) % len(SOURCES)

    def want(self, ground: Ground | None, at: int | None) -> None:
        """Work out the figures as of `ground` and a merge, unless they are shown, or being worked out."""
        if ground is None:
            return
        tab = self._tab
        line = self._screen.query_one(TextTab).text
        corpus = self._screen.bench.workspace.corpus
        merges = ground.merges if at is None else min(at, ground.merges)
        asked = (tab.source, at, line if tab.source == 0 else corpus)
        if self._job is not None and not self._job.snapshot().state.ended:
            # What the user asked for meanwhile comes first; what the run learned meanwhile waits its turn.
            if asked != self._asked[1:] and not self._overtaken:
                self._overtaken = True
                self._job.cancel()
            return
        if (ground.key, *asked) == self._asked:
            return
        self._asked = (ground.key, *asked)
        self._overtaken = False
        source = tab.source
        text = line if source == 0 else self._screen.bench.workspace.training_text()
        if source == 1:
            text = text[:PASSAGE]
        known = tab.known
        self._job = Job("working out the figures", lambda report: work_out(ground, merges, source, text, known, report))
        self._screen.run_worker(self._follow(self._job), group="lab-figures")

    async def _follow(self, job: Job[Figures]) -> None:
        self._screen.keeper.start(job)
        self._tab.say(WORKING)
        outcome = await self._screen.bench.ended(job)
        if outcome.state is JobState.DONE:
            self._tab.show_figures(outcome.result)
        elif outcome.error is not None:
            self._tab.show_figures(None, outcome.error)
        elif not self._overtaken:
            self._tab.show_figures(None, "stopped; p takes another text")
        # The text or the tokenizer may have changed meanwhile.
        self._screen.bench.wake()

    @property
    def _tab(self) -> StatisticsTab:
        return self._screen.query_one(StatisticsTab)
