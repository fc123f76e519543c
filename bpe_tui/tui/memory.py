"""What the next run will take of memory: told before it begins, and asked about where it does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bpe_tui.errors import BPEError
from bpe_tui.session import kinds
from bpe_tui.session.job import Job
from bpe_tui.session.memory import MemoryEstimator, held_before_run
from bpe_tui.session.state import RunState
from bpe_tui.terminal import bytes_size, count
from bpe_tui.tui.dialogs.base import Choice
from bpe_tui.tui.dialogs.question import STAY, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from bpe_tui.progress import Report
    from bpe_tui.session.memory import Fitting, MemoryEstimate
    from bpe_tui.session.settings import RunSettings
    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.describing import Facts
    from bpe_tui.tui.workspace import OpenCorpus

    T = TypeVar("T")

_ANYWAY: Final = "anyway"


class MemoryDesk:
    """The estimates for the open corpus. They are made in threads; the last one is at hand to be drawn."""

    def __init__(self, app: BpeTuiApp) -> None:
        self._app = app
        self._estimator: MemoryEstimator | None = None
        self._held = 0
        self._last: tuple[RunSettings, MemoryEstimate] | None = None

    def open(self, corpus: OpenCorpus | None) -> None:
        """Estimate for another corpus from now on. No run holds memory at this moment."""
        self._last = None
        self._estimator = None
        if corpus is not None:
            splits = corpus.splits
            self._estimator = MemoryEstimator(
                splits.train.text, lambda settings: len(kinds.base_tokens(settings, splits))
            )
            self._held = held_before_run()
            self.follow()

    def follow(self) -> None:
        """Make the estimate for the settings as they are now, in the background, and draw it."""
        # The function, not what it gives when called: an exclusive worker may be dropped before it is ever awaited.
        self._app.run_worker(self._draw, group="memory", exclusive=True)  # type: ignore[arg-type]

    def facts(self, snapshot: Snapshot) -> Facts:
        """Give what to show of the memory of a run that has not begun; nothing while it is not known."""
        if snapshot.state is not RunState.IDLE or self._last is None or self._last[0] != snapshot.settings:
            return ()
        return (("memory", told(self._last[1])),)

    async def tell(self, settings: RunSettings) -> tuple[str, bool]:
        """Give what a run with `settings` takes, in words, and whether it fits; no words if that is not known."""
        found = await self._estimate(settings)
        return (told(found), found.fits) if found is not None else ("", True)

    async def may_begin(self, *, fixed: bool = False) -> bool:
        """Whether the run with the settings as they are fits, or the user chose one that does, or to begin it anyway.

        With `fixed` settings no others are offered.
        """
        settings = self._app.workspace.settings
        found = await self._estimate(settings)
        if found is None or found.free is None or found.fits or self._estimator is None:
            return True
        estimator, free = self._estimator, found.free
        offers: Sequence[Fitting] = ()
        if not fixed:
            offers = await self._work(lambda report: estimator.what_fits(settings, free, report=report)) or ()
        answer = await self._app.push_screen_wait(does_not_fit(found, settings, offers))
        if answer is None or answer == STAY:
            return False
        if answer != _ANYWAY:
            self._app.workspace.set_settings(offers[int(answer.removeprefix("offer-"))].settings)
        return True

    async def _draw(self) -> None:
        settings = self._app.workspace.settings
        found = await self._estimate(settings)
        if found is not None:
            self._last = (settings, found)
            self._app.wake()

    async def _estimate(self, settings: RunSettings) -> MemoryEstimate | None:
        estimator, held = self._estimator, self._held
        if estimator is None:
            return None
        return await self._work(lambda report: estimator.estimate(settings, report, held))

    async def _work(self, function: Callable[[Report], T]) -> T | None:
        """Give what a job of its own gives; None if it fails, which the run itself will tell of."""
        job = Job("estimating memory", function)
        try:
            return (await self._app.ended(job.start())).result
        except BPEError:
            return None
        finally:
            # Whoever asked may not be there any more.
            job.cancel()


def told(found: MemoryEstimate) -> str:
    """Say what a run takes and what is free."""
    if found.free is None:
        return f"about {bytes_size(found.peak)} at the peak"
    if not found.fits:
        return f"does not fit: about {bytes_size(found.run)}, {bytes_size(found.free)} free"
    return f"about {bytes_size(found.peak)} at the peak, {bytes_size(found.free)} free"


def does_not_fit(found: MemoryEstimate, settings: RunSettings, offers: Sequence[Fitting]) -> Question:
    """Ask what is to be done about a run that takes more memory than is free.

    Answers: "offer-0" and so on for `offers`, "anyway", stay.
    """
    sentences = [f"This run takes about {bytes_size(found.run)} of memory, and {bytes_size(found.free)} are free."]
    choices = []
    for number, offer in enumerate(offers):
        takes = bytes_size(offer.run)
        if offer.settings.alphabet is settings.alphabet:
            label, key = "Fewer", "f"
            sentences.append(f"f: the first {count(offer.settings.training_characters)} characters take about {takes}.")
        else:
            label, key = "Bytes", "b"
            sentences.append(f"b: bytes, cut into pieces by the rule {offer.settings.split}, take about {takes}.")
        choices.append(Choice(f"offer-{number}", label, key, main=not number))
    if not offers:
        sentences.append("It may be stopped by the system, and this program with it. End other programs first.")
    return Question(
        "Not enough memory",
        "\n".join(sentences),
        [*choices, Choice(_ANYWAY, "Anyway", "a"), Choice(STAY, "Leave it", "escape", main=not offers)],
    )
