"""The Lab's screen: tabs over the tokenizer at hand. It holds the state that the tabs share, and passes keys on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.widget import Widget
from textual.widgets import Input

from bpe_tui.terminal import count
from bpe_tui.tui.dialogs.number import NumberDialog
from bpe_tui.tui.lab import samples
from bpe_tui.tui.lab.curves_tab import CurvesTab
from bpe_tui.tui.lab.dial_bar import DialBar
from bpe_tui.tui.lab.dial_place import DialPlace
from bpe_tui.tui.lab.exporting import export
from bpe_tui.tui.lab.figure_keeper import FigureKeeper
from bpe_tui.tui.lab.ground_keeper import GroundKeeper
from bpe_tui.tui.lab.held_out_keeper import HeldOutKeeper
from bpe_tui.tui.lab.keys import ONLY, bindings
from bpe_tui.tui.lab.place_keeper import PlaceKeeper
from bpe_tui.tui.lab.probe_tab import ProbeTab
from bpe_tui.tui.lab.rows import DIALLED, TABS, ChoiceRow, head_line, key_line
from bpe_tui.tui.lab.rules_tab import RulesTab
from bpe_tui.tui.lab.sides_keeper import SidesKeeper
from bpe_tui.tui.lab.sides_tab import SidesTab
from bpe_tui.tui.lab.sizes_tab import SizesTab
from bpe_tui.tui.lab.statistics_tab import StatisticsTab
from bpe_tui.tui.lab.text_tab import TextTab, first_line
from bpe_tui.tui.lab.view import NO_TOKENIZER, LabView
from bpe_tui.tui.modal import Modal
from bpe_tui.tui.widgets.styled_lines import StyledLines
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.lab.view import Tab
    from bpe_tui.tui.workspace import OpenCorpus


class LabScreen(Modal[None]):
    """The Lab over the tokenizer at hand."""

    BINDINGS: ClassVar[list[BindingType]] = bindings()
    AUTO_FOCUS = ""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab")
        self._ascii_only = ascii_only
        self.tab = "text"
        self._snapshot: Snapshot | None = None
        self._corpus: OpenCorpus | None = None
        self.sampling = samples.Sampling()
        self.dial = DialPlace()
        self.keeper = GroundKeeper(self)
        self._figures = FigureKeeper(self)
        self._held_out = HeldOutKeeper(self)
        self._places = PlaceKeeper(self)
        self.sides = SidesKeeper(self)

    @property
    def bench(self) -> BpeTuiApp:
        """The app, by its own type."""
        return cast("BpeTuiApp", self.app)

    def compose(self) -> ComposeResult:
        """Lay out the rows and the tabs, of which one shows."""
        yield StyledLines(id="lab-head")
        yield ChoiceRow("", id="lab-tabs")
        yield ChoiceRow(" [ ]", id="lab-samples")
        yield DialBar(ascii_only=self._ascii_only)
        yield TextTab(ascii_only=self._ascii_only)
        yield StatisticsTab(ascii_only=self._ascii_only)
        yield CurvesTab(ascii_only=self._ascii_only)
        yield RulesTab(ascii_only=self._ascii_only)
        yield SizesTab(ascii_only=self._ascii_only)
        yield SidesTab(self.sides, ascii_only=self._ascii_only)
        yield ProbeTab(self.sides, ascii_only=self._ascii_only)
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
        self.keeper.follow(snapshot)
        self.keeper.want_measured()
        self._draw()

    def cancel(self) -> bool:
        """Cancel what the Lab itself is at; gives whether there was anything."""
        return self.keeper.cancel()

    # Drawing

    def _view(self, snapshot: Snapshot) -> LabView:
        workspace = self.bench.workspace
        waiting = NO_TOKENIZER
        if workspace.situation(snapshot, "", "").tokenizer:
            waiting = readable(self.keeper.trouble) or "preparing the tokenizer …"
        elif snapshot.state.busy:
            waiting = "the run is beginning …"
        return LabView(
            snapshot,
            workspace.columns(snapshot),
            self.keeper.ground,
            self.keeper.measured(snapshot),
            waiting,
            self.dial.at,
            self.keeper.unmeasured,
        )

    def _draw(self) -> None:
        if self._snapshot is None or not self.is_mounted:
            return
        self._draw_rows()
        self._draw_dial()
        cast("Tab", self._tab_widget(self.tab)).show(self._view(self._snapshot))
        if self.tab == "statistics":
            self._figures.want(self.keeper.ground, self.dial.at)
        elif self.tab == "rules":
            self._places.want(self.keeper.ground, self._snapshot)
        elif self.tab == "sizes":
            self._held_out.want(self.keeper.ground, self._snapshot)
        elif self.tab in {"sides", "probe"}:
            self.sides.want(self.keeper.ground)

    def redraw(self) -> None:
        """Draw again what changed within the Lab itself."""
        self._draw()

    def _draw_dial(self) -> None:
        ground, bar = self.keeper.ground, self.query_one(DialBar)
        self.dial.total = ground.merges if ground is not None else 0
        bar.display = self.tab in DIALLED and (ground is None or ground.dial is not None)
        bar.show(self.dial.merges, self.dial.total)

    def _draw_rows(self) -> None:
        snapshot, width = self._snapshot, self.size.width
        if snapshot is None or not width:
            return
        workspace = self.bench.workspace
        corpus = workspace.corpus.splits.name if workspace.corpus is not None else "no corpus"
        left = workspace.loaded_from() or readable(corpus)
        right = f"{count(snapshot.merges)} merges, {snapshot.state.value}"
        busy = self.keeper.busy()
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
        if self.tab == "rules":
            self.query_one(RulesTab).focus_list()
        elif self.tab == "statistics":
            self.query_one(StatisticsTab).focus()
        elif self.tab == "sizes":
            self.query_one(SizesTab).focus_page()
        elif self.tab == "sides":
            self.query_one(SidesTab).focus()
        elif self.tab == "probe":
            self.query_one(ProbeTab).focus_list()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Leave the keys of one tab to others on other tabs."""
        return self.tab in ONLY.get(action, self.tab).split()

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
        self.dial.turn(steps, large=large)
        self._draw()

    def action_end_of_dial(self, end: int) -> None:
        """Go to either end of the dial."""
        self.dial.go_to(self.dial.total if end else 0)
        self._draw()

    def on_dial_bar_moved(self, event: DialBar.Moved) -> None:
        """Go where was clicked, or dragged to."""
        event.stop()
        self.dial.go_to(event.merges)
        self._draw()

    def action_go(self) -> None:
        """Ask for a merge and go there."""
        self.run_worker(self._go(), group="lab-go", exclusive=True)

    async def _go(self) -> None:
        question = f"Show everything as of which merge, from 0 to {count(self.dial.total)}?"
        asked = NumberDialog("Go to a merge", question, self.dial.merges, 0, "Go", "it")
        merges = await self.app.push_screen_wait(asked)
        if merges is not None:
            self.dial.go_to(merges)
            self._draw()

    def action_compare(self) -> None:
        """Hold the dial against now."""
        self.query_one(TextTab).compare()

    def action_replay(self, rows: int) -> None:
        """Step through the replay."""
        self.query_one(TextTab).step(rows)

    def action_replay_page(self, pages: int) -> None:
        """Step through the replay by pages."""
        self.query_one(TextTab).page(pages)

    def action_another_text(self) -> None:
        """Take the figures of another text."""
        self._figures.turn()
        self._draw()

    def action_export(self) -> None:
        """Write the curves to a file."""
        self.run_worker(export(self.bench, self.query_one(CurvesTab)), group="lab-export", exclusive=True)

    def action_search(self) -> None:
        """Search the rules."""
        self.query_one(RulesTab).search()

    def action_rules(self) -> None:
        """Go back to the rules."""
        self.query_one(RulesTab).focus_list()

    def action_size_field(self, name: str) -> None:
        """Put the cursor into a field of the Sizes tab."""
        self.query_one(SizesTab).focus_field(name)

    def action_tied(self) -> None:
        """Compare for tied embeddings, or for untied ones."""
        self.query_one(SizesTab).turn_tied()

    def action_sample(self, by: int) -> None:
        """Train on the next sample, or on the one before."""
        self._train_on(self.sampling.next(self.bench, by))

    def _train_on(self, index: int) -> None:
        self.run_worker(self.sampling.train(self.bench, index), group="lab-sample")
