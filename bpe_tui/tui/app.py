"""The app: wires the workspace, the screens and the table of actions together, and decides nothing else."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.theme import BUILTIN_THEMES

from bpe_tui.errors import BPEError
from bpe_tui.session.failure import explain
from bpe_tui.session.job import Job, JobState
from bpe_tui.session.state import RunState
from bpe_tui.terminal import count
from bpe_tui.tui import pacing, startup, themes
from bpe_tui.tui.actions import ACTIONS, BY_ID
from bpe_tui.tui.ascii_filter import AsciiOnly
from bpe_tui.tui.commands import ActionCommands
from bpe_tui.tui.handlers import handler
from bpe_tui.tui.lab.sides import Sides
from bpe_tui.tui.layout import MainScreen, View
from bpe_tui.tui.live_encoder import LiveEncoder
from bpe_tui.tui.memory import MemoryDesk
from bpe_tui.tui.panes.corpus import CorpusPane
from bpe_tui.tui.panes.vocabulary import VocabularyPane
from bpe_tui.tui.widgets.footer import ActionFooter
from bpe_tui.tui.widgets.headline import TabRow
from bpe_tui.tui.wording import readable
from bpe_tui.tui.workspace import ENCODED_FOLDER, OpenCorpus, Workspace

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable

    from textual.screen import Screen
    from textual.timer import Timer

    from bpe_tui.progress import Report
    from bpe_tui.session.job import JobSnapshot
    from bpe_tui.tui.dialogs.token import TokenScreen
    from bpe_tui.tui.lab.screen import LabScreen
    from bpe_tui.tui.models.desk import ModelDesk
    from bpe_tui.tui.situation import Situation

T = TypeVar("T")

_LOOK: Final = 0.02
"""Seconds between two looks at a job that the app waits for."""
_GRACE: Final = 4.0
"""Seconds that the app gets to restore the terminal after a signal, once the checkpoint is written."""


def _bindings() -> list[BindingType]:
    return [
        Binding(
            ",".join(action.keys), f"app.perform('{action.id}')", action.label, show=False, priority=action.everywhere
        )
        for action in ACTIONS
        if action.keys
    ]


class BpeTuiApp(App[None]):
    """The terminal app."""

    TITLE = "bpe-tui"
    CSS_PATH = "styles.tcss"
    BINDINGS: ClassVar[list[BindingType]] = _bindings()
    COMMANDS: ClassVar[set[type[ActionCommands]]] = {ActionCommands}  # type: ignore[assignment]
    # The palette opens through the table of actions like everything else.
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        *,
        corpus: Path | None = None,
        tokenizer: Path | None = None,
        ascii_only: bool = False,
        resume: Path | None = None,
        make_run: startup.MakeRun = startup.make_run,
    ) -> None:
        super().__init__()
        self.wanted = startup.Wanted(corpus, tokenizer, resume)
        self.ascii_only = ascii_only
        self.workspace = Workspace(make_run)
        self.main = MainScreen(ascii_only=ascii_only)
        self.rate = pacing.ticks_per_second(os.environ)
        self.speed = 0
        self.raw = False
        self.steps = 10
        self.encoded_folder = ENCODED_FOLDER
        self.job: Job[object] | None = None
        self.background: Job[object] | None = None
        self.models: ModelDesk | None = None
        self.lab: LabScreen | None = None
        """The Lab while it is open."""
        self.memory = MemoryDesk(self)
        self.sides = Sides()
        self.ended_by: int | None = None
        self._loop_at_work: asyncio.AbstractEventLoop | None = None
        self._ticks: Timer | None = None
        self._live = LiveEncoder()
        self._flows: set[str] = set()
        self._state_before = RunState.IDLE
        self._notice = ""
        self._left = False
        # Nothing moves by itself: calm to look at, and idle costs no bytes.
        self.animation_level = "none"
        if ascii_only:
            # Textual has no public place for a filter of one's own.
            self._filters.append(AsciiOnly())
        themes.register(self)
        self.theme = themes.DEFAULT

    def get_default_screen(self) -> Screen[object]:
        """Give the main screen."""
        return self.main  # type: ignore[return-value]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give our own variables to themes that do not know them."""
        theme = self.current_theme
        return themes.defaults(theme.dark, theme.ansi)

    def theme_names(self) -> list[str]:
        """Give the names of the themes, our own first."""
        return [theme.name for theme in themes.THEMES] + sorted(BUILTIN_THEMES)

    def on_mount(self) -> None:
        """Start the clock, draw, and only then read anything."""
        self._loop_at_work = asyncio.get_running_loop()
        self._ticks = self.set_interval(1 / self.rate, self._tick, pause=True)
        self.draw()
        self.call_after_refresh(lambda: self.run_worker(startup.begin(self), exit_on_error=True))

    # Drawing

    def situation(self) -> Situation:
        """Give the ground on which actions apply or not."""
        return self.workspace.situation(self.workspace.snapshot(), self._job_name(), self.main.pane)

    def draw(self) -> None:
        """Hand a snapshot to the main screen; when nothing is at work any more, stop the clock."""
        if self._left or not self.main.is_mounted:
            return
        workspace = self.workspace
        snapshot = workspace.snapshot()
        situation = workspace.situation(snapshot, self._job_name(), self.main.pane)
        corpus = workspace.corpus
        columns = workspace.columns(snapshot)
        caught_up = self._live.follow(
            workspace.key(snapshot), lambda: workspace.encoder(snapshot), busy=snapshot.state.busy
        )
        self.main.show(
            View(
                snapshot=snapshot,
                situation=situation,
                key=self._live.key,
                # The encoder of another tokenizer gives ids that this one may not have.
                encoder=self._live.encoder if workspace.belongs(self._live.key) else None,
                columns=columns,
                facts=(*workspace.facts(snapshot), *self.memory.facts(snapshot)),
                loaded=workspace.loaded_from(),
                no_merges=workspace.no_merges(),
                raw=self.raw,
                fingerprint=workspace.fingerprint(snapshot),
                corpus=corpus.splits.name if corpus is not None else "",
                activity=self._activity(),
            )
        )
        if self.lab is not None:
            self.lab.follow(snapshot)
        self._tell_of_changes(snapshot.state, snapshot.error, snapshot.notice)
        if self._ticks is not None and caught_up and not situation.working and not self._background_speaks():
            self._ticks.pause()

    def wake(self) -> None:
        """Draw now, and on every tick for as long as something is at work."""
        if self._ticks is not None and not self._left:
            self.draw()
            self._ticks.resume()

    def set_rate(self, rate: float) -> None:
        """Draw `rate` pictures a second while something is at work."""
        self.rate = pacing.ticks_per_second(os.environ, rate)
        if self._ticks is not None:
            self._ticks.stop()
        self._ticks = self.set_interval(1 / self.rate, self._tick, pause=True)
        self.wake()

    def show_corpus(self) -> None:
        """Show the corpus that was opened."""
        corpus = self.workspace.corpus
        self.main.query_one(CorpusPane).open(corpus)
        if self.workspace.make_target_possible() and corpus is not None:
            target = self.workspace.settings.target_vocab_size
            least = self.workspace.least_target(self.workspace.settings)
            self.tell(
                f"{count(least)} base tokens: the target vocabulary is now {count(target)}; comma changes it",
                title="Target raised",
            )
        self.memory.open(corpus)
        self.wake()

    def _tick(self) -> None:
        if not pacing.writer_is_behind(self):
            self.draw()

    def _activity(self) -> str:
        for job in (self.job, self.background):
            if job is None:
                continue
            snapshot = job.snapshot()
            if snapshot.state.ended or (job is self.background and not self._background_speaks()):
                continue
            if snapshot.step.startswith("compiling"):
                return f"preparing the compiled kernels, once: {snapshot.done} s of about 10"
            share = f" {100 * snapshot.progress:.0f}%" if snapshot.progress is not None else ""
            return f"{readable(snapshot.step)}{share}"
        return ""

    def _background_speaks(self) -> bool:
        """Whether what goes on in the background takes long enough to be mentioned."""
        if self.background is None:
            return False
        snapshot = self.background.snapshot()
        return not snapshot.state.ended and snapshot.step.startswith("compiling")

    def _tell_of_changes(self, state: RunState, error: str | None, notice: str | None) -> None:
        before, self._state_before = self._state_before, state
        if state is RunState.FAILED and before is not state and error:
            self.tell(error, title="Training failed", severity="error")
        if notice and notice != self._notice:
            self._notice = notice
            self.tell(notice, severity="warning")

    def tell(
        self, message: str, *, title: str = "", severity: Literal["information", "warning", "error"] = "information"
    ) -> None:
        """Show a message in the corner. It may quote text from outside."""
        self.notify(readable(message), title=title, severity=severity, markup=False)

    # Actions

    def action_perform(self, action: str) -> None:
        """Perform an action by id; keys come here."""
        self.perform(action)

    def perform(self, action_id: str) -> None:
        """Do an action, or say why it does not apply."""
        action = BY_ID[action_id]
        situation = self.situation()
        if not action.when(situation):
            self.tell(action.why_not(situation), title=f"{action.label.rstrip('…')}: not now", severity="warning")
        elif action_id not in self._flows:
            self._flows.add(action_id)
            self.run_worker(self._do(action_id), group="actions", exit_on_error=True)

    async def _do(self, action_id: str) -> None:
        try:
            await handler(action_id)(self)
        except (BPEError, OSError) as error:
            self.tell(explain(error, BY_ID[action_id].label.rstrip("…").lower()), severity="error")
        finally:
            self._flows.discard(action_id)
            self.wake()

    def on_action_footer_chosen(self, event: ActionFooter.Chosen) -> None:
        """Do what was clicked."""
        self.perform(event.action_id)

    def on_tab_row_chosen(self, event: TabRow.Chosen) -> None:
        """Go where was clicked."""
        self.main.go_to(event.pane)

    def on_vocabulary_pane_token_chosen(self, event: VocabularyPane.TokenChosen) -> None:
        """Open the token."""
        from bpe_tui.tui.dialogs.token import TokenScreen

        snapshot = self.workspace.snapshot()
        self.push_screen(
            TokenScreen(
                snapshot,
                event.token_id,
                self.workspace.columns(snapshot),
                raw=self.raw,
                ascii_only=self.ascii_only,
            )
        )

    async def on_token_screen_places_wanted(self, event: TokenScreen.PlacesWanted) -> None:
        """Look for places of the token in the training text."""
        from bpe_tui.tui import places

        self.run_worker(places.find(self, event.screen, event.token_id), group="places", exclusive=True)

    # Jobs

    def begin(self, name: str, function: Callable[[Report], T]) -> Job[T]:
        """Start a job that is shown, and that ctrl+c cancels."""
        job = Job(name, function)
        self.job = job  # type: ignore[assignment]
        job.start()
        self.wake()
        return job

    async def work(self, name: str, function: Callable[[Report], T], *, abandon: bool = False) -> T | None:
        """Start a job and wait for its result; gives None after saying that it failed or was cancelled.

        With `abandon`, a cancelled job is not waited for: what it may still give is dropped.
        """
        job = self.begin(name, function)
        snapshot = await self.ended(job, abandon=abandon)
        if snapshot.cancelling:
            if self.job is job:
                self.job = None
            self.wake()
            self.tell(f"{name}: cancelled", severity="warning")
            return None
        self.wake()
        if snapshot.state is JobState.FAILED:
            self.tell(snapshot.error or "failed", title=f"{name[:1].upper()}{name[1:]} failed", severity="error")
        elif snapshot.state is JobState.CANCELLED:
            self.tell(f"{name}: cancelled", severity="warning")
        return snapshot.result

    async def ended(self, job: Job[T], *, abandon: bool = False) -> JobSnapshot[T]:
        """Wait until a job has ended, or only until it is cancelled, while the screen goes on."""
        while not (snapshot := job.snapshot()).state.ended and not (abandon and snapshot.cancelling):
            await asyncio.sleep(_LOOK)
        return snapshot

    async def read(self, path: Path | None, **sources: Path) -> OpenCorpus | None:
        """Read a corpus and count what its pane shows; None after saying that it failed."""
        return await self.work("reading the corpus", lambda report: startup.read(path, sources, report))

    def _job_name(self) -> str:
        return self.job.name if self.job is not None and not self.job.snapshot().state.ended else ""

    # Leaving

    def leave(self) -> None:
        """Close the app; whoever calls this has asked what is to be kept."""
        self._left = True
        if self.models is not None:
            self.models.let_go()
        self.workspace.drop_run()
        if self.background is not None:
            self.background.cancel()
        # Whoever still waits for something must not wake up to panes that are being taken down.
        self.workers.cancel_all()
        self.exit()

    def keep_checkpoint(self) -> None:
        """Put the run aside. Raises OSError."""
        self.workspace.keep_checkpoint()

    def end_by_signal(self, number: signal.Signals) -> None:
        """End as the system asks: checkpoint, terminal restored, exit. Called between any two instructions."""
        if self.ended_by is not None:
            return
        self.ended_by = int(number)
        if self._loop_at_work is None:
            raise SystemExit(128 + self.ended_by)
        self._loop_at_work.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        self._left = True
        try:
            if self.workspace.unsaved(self.workspace.snapshot()):
                self.keep_checkpoint()
        except (BPEError, OSError, TimeoutError) as error:
            # The journal still holds the run, so it is left where it is.
            self.workspace.note_kept_in_journal(explain(error, "write a checkpoint"))
        # A terminal that is gone may hold the writer up for ever; the work is safe by now.
        watchdog = threading.Timer(_GRACE, os._exit, [128 + (self.ended_by or 0)])
        watchdog.daemon = True
        watchdog.start()
        self.leave()
