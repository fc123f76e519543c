"""The Lab's screen: tabs over the tokenizer at hand. It holds the state that the tabs share, and passes keys on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input

from bpe_tui.session.job import Job
from bpe_tui.terminal import count
from bpe_tui.tui.actions import BY_ID
from bpe_tui.tui.dialogs.number import NumberDialog
from bpe_tui.tui.lab import samples
from bpe_tui.tui.lab.ground import Ground, Measured, make_ground, measure, measured_by_run
from bpe_tui.tui.lab.rows import TABS, ChoiceRow, head_line, key_line
from bpe_tui.tui.lab.text_tab import TextTab, first_line
from bpe_tui.tui.lab.view import NO_TOKENIZER, LabView
from bpe_tui.tui.widgets.styled_lines import StyledLines
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.lab.view import Tab
    from bpe_tui.tui.workspace import OpenCorpus

PASSED_ON: Final = (
    "train", "pause", "step", "steps", "stop", "raise", "slower", "faster", "settings", "save", "load", "open", "menu",
    "help", "quit",
)  # fmt: skip
"""Actions whose keys mean in the Lab what they mean everywhere."""

_REST: Final = 6.0
"""How many times as long as making a ground took nothing is made while the run is busy."""


def _bindings() -> list[BindingType]:
    passed = [
        Binding(",".join(BY_ID[name].keys), f"app.perform('{name}')", BY_ID[name].label, show=False)
        for name in PASSED_ON
    ]
    numbers = [Binding(str(number + 1), f"tab({number})", name, show=False) for number, (_, name) in enumerate(TABS)]
    return [
        *passed,
        *numbers,
        Binding("escape", "leave", "Leave", show=False),
        Binding("L", "close", "Leave the Lab", show=False),
        Binding("tab", "turn_tab(1)", "Next tab", show=False),
        Binding("shift+tab", "turn_tab(-1)", "Tab before", show=False),
        Binding("left_square_bracket", "sample(-1)", "Sample before", show=False),
        Binding("right_square_bracket", "sample(1)", "Next sample", show=False),
        Binding("i", "type", "Type a text", show=False),
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", show=False),
        Binding("shift+left", "turn(-1, True)", show=False),
        Binding("shift+right", "turn(1, True)", show=False),
        Binding("home", "end_of_dial(0)", show=False),
        Binding("end", "end_of_dial(1)", show=False),
        Binding("g", "go", "Go to a merge", show=False),
        Binding("c", "compare", "Compare with now", show=False),
        Binding("up", "replay(-1)", show=False),
        Binding("down", "replay(1)", show=False),
        Binding("pageup", "replay_page(-1)", show=False),
        Binding("pagedown", "replay_page(1)", show=False),
    ]


class LabScreen(ModalScreen[None]):
    """The Lab over the tokenizer at hand."""

    BINDINGS: ClassVar[list[BindingType]] = _bindings()
    AUTO_FOCUS = ""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab")
        self._ascii_only = ascii_only
        self.tab = "text"
        self._ground: Ground | None = None
        self._measured: tuple[object, Measured] | None = None
        self._jobs: list[Job[object]] = []
        self._making: object = None
        self._not_before = 0.0
        self._failed: tuple[object, str] = (None, "")
        self._snapshot: Snapshot | None = None
        self._corpus: OpenCorpus | None = None
        self.sampling = samples.Sampling()

    @property
    def bench(self) -> BpeTuiApp:
        """The app, by its own type."""
        return cast("BpeTuiApp", self.app)

    def compose(self) -> ComposeResult:
        """Lay out the rows and the tabs, of which one shows."""
        yield StyledLines(id="lab-head")
        yield ChoiceRow("", id="lab-tabs")
        yield ChoiceRow(" [ ]", id="lab-samples")
        yield TextTab(ascii_only=self._ascii_only)
        yield StyledLines(id="lab-keys")

    def on_mount(self) -> None:
        """Draw for the first time."""
        self._show_tab()
        self.bench.wake()

    def on_unmount(self) -> None:
        """Let nothing go on that nobody will see."""
        self.cancel()

    def on_resize(self) -> None:
        """Lay out the rows anew."""
        self._draw_rows()

    # Following the app

    def follow(self, snapshot: Snapshot) -> None:
        """Take in a snapshot."""
        if not self.is_mounted:
            return
        self._snapshot = snapshot
        workspace = self.bench.workspace
        if workspace.corpus is not self._corpus:
            self._corpus = workspace.corpus
            self.query_one(TextTab).suggest(first_line(workspace.training_text()))
        key = workspace.key(snapshot)
        if self._ground is not None and not workspace.belongs(self._ground.key):
            self._ground = None
        if not workspace.situation(snapshot, "", "").tokenizer:
            self._ground = None
        elif self._ground is None or self._ground.key != key:
            self._want(key, snapshot)
        self._draw()

    def cancel(self) -> bool:
        """Cancel what the Lab itself is at; gives whether there was anything."""
        running = [job for job in self._jobs if not job.snapshot().state.ended]
        for job in running:
            job.cancel()
        return bool(running)

    def _want(self, key: object, snapshot: Snapshot) -> None:
        """Make a ground for the state `key`, unless one is being made or it is too early."""
        if self._making is not None or self._failed[0] == key:
            return
        if snapshot.state.busy and time.monotonic() < self._not_before:
            return
        workspace = self.bench.workspace
        sample = workspace.training_text()
        make = workspace.tokenizer
        job = Job("preparing the tokenizer", lambda report: make_ground(key, make, sample, report))
        self._making = key
        self.run_worker(self._make(key, job), group="lab-ground")

    async def _make(self, key: object, job: Job[Ground]) -> None:
        self._start(job)
        outcome = await self.bench.ended(job)
        self._making = None
        self._not_before = time.monotonic() + _REST * outcome.seconds
        if outcome.result is not None and self.bench.workspace.belongs(key):
            self._ground = outcome.result
            if self.bench.workspace.loaded is not None:
                self.run_worker(self._measure(outcome.result), group="lab-measure", exclusive=True)
        elif outcome.error is not None:
            self._failed = (key, outcome.error)
        self.bench.wake()

    async def _measure(self, ground: Ground) -> None:
        """Measure the training text with a tokenizer whose run is not at hand."""
        text = self.bench.workspace.training_text()
        if ground.dial is None or not text:
            return
        job = Job("measuring the training text", lambda report: measure(ground.tokenizer, text, report))
        self._start(job)
        outcome = await self.bench.ended(job)
        if outcome.result is not None:
            self._measured = (ground.key, outcome.result)
        elif outcome.error is not None:
            self.bench.tell(outcome.error, severity="warning")
        self._draw()

    def _start(self, job: Job[object] | Job[Ground] | Job[Measured]) -> None:
        self._jobs = [old for old in self._jobs if not old.snapshot().state.ended]
        self._jobs.append(cast("Job[object]", job))
        job.start()

    # Drawing

    def _view(self, snapshot: Snapshot) -> LabView:
        workspace = self.bench.workspace
        measured = None
        if workspace.run is not None:
            measured = measured_by_run(snapshot, len(workspace.training_text()))
        elif self._measured is not None and self._ground is not None and self._measured[0] == self._ground.key:
            measured = self._measured[1]
        waiting = NO_TOKENIZER
        if workspace.situation(snapshot, "", "").tokenizer:
            waiting = readable(self._failed[1]) if self._failed[1] else "preparing the tokenizer …"
        elif snapshot.state.busy:
            waiting = "the run is beginning …"
        return LabView(
            snapshot, workspace.columns(snapshot), self._ground, measured, self.bench.speed_samples.samples, waiting
        )

    def _draw(self) -> None:
        if self._snapshot is None or not self.is_mounted:
            return
        self._draw_rows()
        cast("Tab", self._tab_widget(self.tab)).show(self._view(self._snapshot))

    def _draw_rows(self) -> None:
        snapshot, width = self._snapshot, self.size.width
        if snapshot is None or not width:
            return
        workspace = self.bench.workspace
        corpus = workspace.corpus.splits.name if workspace.corpus is not None else "no corpus"
        left = workspace.loaded_from() or readable(corpus)
        right = f"{count(snapshot.merges)} merges, {snapshot.state.value}"
        busy = next((job for job in self._jobs if not job.snapshot().state.ended), None)
        if busy is not None and busy.snapshot().seconds > 0.5:
            right = f"{busy.name}: ctrl+c stops"
        self.query_one("#lab-head", StyledLines).show_lines([head_line(left, right, width)])
        names = [(str(number + 1), name) for number, (_, name) in enumerate(TABS)]
        marked = [tab for tab, _ in TABS].index(self.tab)
        self.query_one("#lab-tabs", ChoiceRow).show(names, marked)
        self.query_one("#lab-samples", ChoiceRow).show(
            [("", name) for name in self.sampling.names], self.sampling.index(self.bench)
        )
        self.query_one("#lab-keys", StyledLines).show_lines([key_line(self.tab, width, ascii_only=self._ascii_only)])

    def _tab_widget(self, tab: str) -> Widget:
        return self.query_one(f"#lab-{tab}-tab")

    def _show_tab(self) -> None:
        for tab, _ in TABS:
            self._tab_widget(tab).display = tab == self.tab
        self.set_focus(None)
        self._draw()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Leave keys of the Text tab to others on other tabs."""
        if action in {"turn", "end_of_dial", "go", "compare", "replay", "replay_page"}:
            return self.tab == "text"
        return True

    def on_choice_row_chosen(self, event: ChoiceRow.Chosen) -> None:
        """Go to the tab that was clicked, or train on the sample."""
        event.stop()
        if event.row.id == "lab-tabs":
            self.action_tab(event.index)
        else:
            self._train_on(event.index)

    def action_tab(self, number: int) -> None:
        """Show a tab."""
        self.tab = TABS[number][0]
        self._show_tab()

    def action_turn_tab(self, by: int) -> None:
        """Show the next tab, or the one before."""
        names = [tab for tab, _ in TABS]
        self.action_tab((names.index(self.tab) + by) % len(names))

    def action_leave(self) -> None:
        """Leave the line, or else the Lab."""
        if isinstance(self.focused, Input):
            self.set_focus(None)
        else:
            self.action_close()

    def action_close(self) -> None:
        """Leave the Lab."""
        self.bench.lab = None
        self.dismiss(None)

    def action_type(self) -> None:
        """Put the cursor into the line."""
        self.action_tab(0)
        self.query_one("#lab-line", Input).focus()

    def action_turn(self, steps: int, large: bool = False) -> None:
        """Turn the dial."""
        self.query_one(TextTab).turn(steps, large=large)

    def action_end_of_dial(self, end: int) -> None:
        """Go to either end of the dial."""
        tab = self.query_one(TextTab)
        tab.go_to(tab.total if end else 0)

    def action_go(self) -> None:
        """Ask for a merge and go there."""
        self.run_worker(self._go(), group="lab-go", exclusive=True)

    async def _go(self) -> None:
        tab = self.query_one(TextTab)
        question = f"Show everything as of which merge, from 0 to {count(tab.total)}?"
        merges = await self.app.push_screen_wait(NumberDialog("Go to a merge", question, tab.merges, 0, "Go", "it"))
        if merges is not None:
            tab.go_to(merges)

    def action_compare(self) -> None:
        """Hold the dial against now."""
        self.query_one(TextTab).compare()

    def action_replay(self, rows: int) -> None:
        """Step through the replay."""
        self.query_one(TextTab).step(rows)

    def action_replay_page(self, pages: int) -> None:
        """Step through the replay by pages."""
        self.query_one(TextTab).page(pages)

    def action_sample(self, by: int) -> None:
        """Train on the next sample, or on the one before."""
        self._train_on(self.sampling.next(self.bench, by))

    def _train_on(self, index: int) -> None:
        self.run_worker(self.sampling.train(self.bench, index), group="lab-sample", exclusive=True)
