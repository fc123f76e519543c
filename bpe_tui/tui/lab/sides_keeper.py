"""Keeps what is set side by side up to date: one step at a time in a thread, and none while nothing changed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bpe_tui.analysis.word_lists import WORD_LISTS
from bpe_tui.session.job import Job, JobSnapshot, JobState
from bpe_tui.tui.lab import sides_work
from bpe_tui.tui.lab.sides import (
    AT_HAND,
    PASSAGE,
    TEXTS,
    WHOLE,
    Found,
    Pair,
    Passage,
    ProbedWords,
    Side,
    Sides,
    text_of,
)
from bpe_tui.tui.lab.text_tab import TextTab

if TYPE_CHECKING:
    from collections.abc import Callable

    from bpe_tui.progress import Report
    from bpe_tui.tui.lab.ground import Ground
    from bpe_tui.tui.lab.screen import LabScreen

ALL_LISTS: Final = "all lists"
"""The name of the built-in word lists together."""

_NOTICED: Final = 0.3
"""Seconds after which one says what goes on."""

_FIRST_LOOK: Final = 0.02
"""Seconds until one looks at a job for the first time."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Something that has to be worked out."""

    what: str
    """The name of the side it is about; empty if it is about none."""
    wanted: tuple[object, ...]
    """Stays the same as long as the step is worth doing."""
    job: Job[Any]
    take: Callable[[Any, str], None]
    """Takes its result, or None and why there is none."""


class SidesKeeper:
    """Works out what the tabs show."""

    def __init__(self, screen: LabScreen) -> None:
        self._screen = screen
        self._step: Step | None = None
        self._stopped: tuple[object, ...] | None = None
        """What was wanted when the user stopped it: it is not begun again by itself."""
        self._at_hand: Side | None = None
        self.asking = False
        """Whether the user is being asked for something, or something is being added."""
        self.adding: Job[Any] | None = None
        """What is being loaded or trained to be added."""

    @property
    def sides(self) -> Sides:
        """What the user set side by side."""
        return self._screen.bench.sides

    @property
    def stopped(self) -> bool:
        """Whether the user stopped what was to be worked out."""
        return self._stopped is not None

    def all_sides(self) -> list[Side]:
        """Give the tokenizer at hand, if there is one, and those set beside it."""
        return [*([self._at_hand] if self._at_hand is not None else []), *self.sides.added]

    def progress(self, name: str) -> str:
        """Say in a few cells how far the step about a side is; empty if there is none at work."""
        if self._step is None or self._step.what != name:
            return ""
        snapshot = self._step.job.snapshot()
        return f"{snapshot.progress:.0%}" if snapshot.progress is not None and snapshot.total > 1 else "…"

    def working(self) -> str:
        """Say what takes so long, and how far it is; empty for what does not take long."""
        step = self._step
        if step is None or step.wanted[0] == "probe" or (now := step.job.snapshot()).seconds < _NOTICED:
            return ""
        return f"{step.what}: {said_of(now)}" if step.what else said_of(now)

    def probing(self) -> str:
        """Say how far probing is; empty while it rests."""
        step = self._step
        return said_of(step.job.snapshot()) if step is not None and step.wanted[0] == "probe" else ""

    def turn(self) -> None:
        """Take the next text; what is being worked out is cancelled."""
        self.sides.text = (self.sides.text + 1) % len(TEXTS)
        if self.sides.text == WHOLE and len(self._screen.bench.workspace.training_text()) <= PASSAGE:
            # It was just shown: the passage is all of it.
            self.sides.text += 1
        self.sides.line = 0
        self.again()

    def again(self) -> None:
        """Begin anew with what is wanted now, also if it was stopped."""
        self._stopped = None
        step, self._step = self._step, None
        if step is not None:
            step.job.cancel()

    def remove(self, name: str) -> None:
        """Take a side away."""
        self.sides.remove(name)
        if self._step is not None and self._step.what == name:
            self.again()

    def want(self, ground: Ground | None) -> None:
        """Work out what the tab in sight lacks, unless something is at work already."""
        self._follow_ground(ground)
        if self._step is not None:
            return
        step = self._next_probe() if self._screen.tab == "probe" else self._next_side()
        if step is None:
            return
        if self._stopped is not None:
            if step.wanted == self._stopped:
                return
            self._stopped = None
        self._step = step
        self._screen.run_worker(self._follow(step), group="lab-sides")

    def probe_wanted(self) -> tuple[str, ...]:
        """Give the words to probe."""
        sides = self.sides
        if sides.words:
            return sides.words
        lists = WORD_LISTS.values() if sides.probe_list == ALL_LISTS else [WORD_LISTS[sides.probe_list]]
        return tuple(dict.fromkeys(word for words in lists for word in words))

    # Within

    def _follow_ground(self, ground: Ground | None) -> None:
        sides = self.sides
        if ground is None:
            self._at_hand = None
            sides.forget_at_hand()
        elif self._at_hand is None or self._at_hand.state != ground.key:
            self._at_hand = Side(AT_HAND, ground.tokenizer, state=ground.key)
            known = sides.found.get(AT_HAND)
            if known is not None and not self._screen.bench.workspace.belongs(known.side.state):
                sides.forget_at_hand()

    def _next_side(self) -> Step | None:
        """Give the next thing that the table lacks: the lines, then each side's figures, then each pair."""
        sides = self.sides
        line = self._screen.query_one(TextTab).text
        key, text = text_of(self._screen.bench.workspace, sides.text, line)
        passage = sides.passage
        if passage is None or passage.key != key:
            return self._new(
                "", ("passage", key), "reading the lines", lambda report: sides_work.read_passage(key, text, report),
                self._take_passage,
            )  # fmt: skip
        for side in self.all_sides():
            found = sides.found.get(side.name)
            if found is None or found.passage is not passage or not found.side.same(side):
                return self._find(side, passage)
        first = sides.found.get(AT_HAND) if self._at_hand is not None else None
        for side in sides.added:
            second, known = sides.found[side.name], sides.pairs.get(side.name)
            if first is None or first.error or second.error:
                continue
            if known is None or known.first.tokenizer is not first.tokenizer or known.second.side is not side:
                return self._pair(first, second)
        return None

    def _find(self, side: Side, passage: Passage) -> Step:
        def take(found: Found | None, error: str) -> None:
            given = found if found is not None else Found(side, passage, side.tokenizer, None, error=error)
            if side.state is not None or side in self.sides.added:
                self.sides.found[side.name] = given

        return self._new(
            side.name, ("side", side.state or side, passage), f"encoding with {side.name}",
            lambda report: sides_work.find(side, passage, report), take,
        )  # fmt: skip

    def _pair(self, first: Found, second: Found) -> Step:
        def take(pair: Pair | None, error: str) -> None:
            if pair is not None and second.side in self.sides.added:
                self.sides.pairs[second.side.name] = pair
            elif error:
                self.sides.said = error

        return self._new(
            second.side.name, ("pair", first.side.state, second.side), "comparing vocabularies",
            lambda report: sides_work.pair(first, second, report), take,
        )  # fmt: skip

    def _next_probe(self) -> Step | None:
        sides, words, known = tuple(self.all_sides()), self.probe_wanted(), self.sides.probed
        if (
            known is not None
            and known.words == words
            and len(known.sides) == len(sides)
            and all(one.same(other) for one, other in zip(known.sides, sides, strict=True))
        ):
            return None

        def take(found: ProbedWords | None, error: str) -> None:
            self.sides.probed = found if found is not None else ProbedWords(sides, words, error=error)

        return self._new(
            "", ("probe", words, *sides), "probing words",
            lambda report: sides_work.probe_words(sides, words, report), take,
        )  # fmt: skip

    def _take_passage(self, passage: Passage | None, error: str) -> None:
        if passage is not None:
            self.sides.passage = passage
            self.sides.line = 0
        else:
            self.sides.said = error

    @staticmethod
    def _new(
        what: str,
        wanted: tuple[object, ...],
        name: str,
        function: Callable[[Report], Any],
        take: Callable[[Any, str], None],
    ) -> Step:
        return Step(what, wanted, Job(name, function), take)

    async def _follow(self, step: Step) -> None:
        self._screen.keeper.start(step.job)
        outcome = await self.watch(step.job)
        if self._step is not step:
            # Something else is wanted by now.
            self._screen.bench.wake()
            return
        self._step = None
        if outcome.cancelling or outcome.state is JobState.CANCELLED:
            self._stopped = step.wanted
        else:
            step.take(outcome.result, outcome.error or "")
        self._screen.bench.wake()

    async def watch(self, job: Job[Any]) -> JobSnapshot[Any]:
        """Wait until a job has ended or is cancelled, and show its progress meanwhile."""
        pause = _FIRST_LOOK
        while True:
            snapshot = job.snapshot()
            if snapshot.state.ended or snapshot.cancelling:
                return snapshot
            await asyncio.sleep(pause)
            pause = min(2 * pause, 1 / self._screen.bench.rate)
            self._screen.redraw()


def said_of(snapshot: JobSnapshot[Any]) -> str:
    """Say what a job is at and how far: `encoding with gpt2, 40 %`."""
    share = snapshot.progress
    return f"{snapshot.step}, {share:.0%}" if share is not None and snapshot.total > 1 else f"{snapshot.step} …"
