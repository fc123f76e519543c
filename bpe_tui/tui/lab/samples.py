"""The corpora that come with bpe-tui, one key apart: choosing one opens it and trains on it at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bpe_tui.corpus import shipped
from bpe_tui.errors import BPEError, CorpusError
from bpe_tui.session.failure import explain
from bpe_tui.tui.actions import BY_ID

if TYPE_CHECKING:
    from bpe_tui.session.run import Run
    from bpe_tui.session.settings import RunSettings
    from bpe_tui.tui.app import BpeTuiApp


class Sampling:
    """The samples, and which run was started on one: that is dropped for the next one without a question."""

    def __init__(self) -> None:
        try:
            self._samples = shipped()
        except CorpusError:
            self._samples = ()
        self._own: tuple[Run, RunSettings] | None = None
        self._raised: tuple[int, int] | None = None
        """The target vocabulary that the user set, and that to which the sample at hand raised it."""
        self._wanted: int | None = None
        """The sample that is to be trained on next; None when nothing is being opened."""

    @property
    def names(self) -> list[str]:
        """The names of the samples."""
        return [sample.name for sample in self._samples]

    def index(self, app: BpeTuiApp) -> int | None:
        """Give which of the samples is open; None if another corpus is."""
        corpus = app.workspace.corpus
        source = corpus.splits.train.source if corpus is not None else None
        for number, sample in enumerate(self._samples):
            if source is not None and source.parent == sample.path:
                return number
        return None

    def next(self, app: BpeTuiApp, by: int) -> int:
        """Give the sample that is `by` places from the one that is open, round and round."""
        present = self._wanted if self._wanted is not None else self.index(app)
        if present is None:
            return 0 if by > 0 else len(self._samples) - 1
        return (present + by) % max(1, len(self._samples))

    async def train(self, app: BpeTuiApp, index: int) -> None:
        """Open a sample and train on it; whoever asks again meanwhile gets the last one asked for."""
        at_work = self._wanted is not None
        self._wanted = index
        if at_work:
            return
        try:
            while True:
                chosen = self._wanted
                await self._train(app, chosen)
                if self._wanted == chosen:
                    return
        finally:
            self._wanted = None

    async def _train(self, app: BpeTuiApp, index: int) -> None:
        """Open a sample and train on it with the settings as they are."""
        from bpe_tui.tui.handlers import training
        from bpe_tui.tui.handlers.tokenizers import may_drop

        if not 0 <= index < len(self._samples):
            app.tell("the corpora that come with bpe-tui are missing: install it anew", severity="warning")
            return
        run = app.workspace.run
        own = run is not None and self._own == (run, run.settings)
        situation = app.situation()
        if situation.job or (situation.under_way and not own):
            app.tell(BY_ID["open"].why_not(situation), title="Another sample: not now", severity="warning")
            return
        if not own and not await may_drop(app, "training on a sample"):
            return
        opened = await app.read(self._samples[index].path)
        if opened is None:
            return
        app.workspace.open(opened)
        self._show(app)
        if not await app.memory.may_begin():
            return
        try:
            run = app.workspace.new_run()
            run.set_speed(training.SPEEDS[app.speed])
            run.start()
        except (BPEError, OSError) as error:
            app.tell(explain(error, "training"), severity="error")
            return
        self._own = (run, run.settings)
        app.wake()

    def _show(self, app: BpeTuiApp) -> None:
        """Show the corpus; a target that only the sample before it needed goes back to what the user set."""
        settings = app.workspace.settings
        if self._raised is not None and settings.target_vocab_size == self._raised[1]:
            app.workspace.set_settings(replace(settings, target_vocab_size=self._raised[0]))
        wanted = app.workspace.settings.target_vocab_size
        app.show_corpus()
        reached = app.workspace.settings.target_vocab_size
        self._raised = (wanted, reached) if reached != wanted else None
