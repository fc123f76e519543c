"""The screen of language models: draws what the desk knows, and asks before it starts or adds anything."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content

from bpe_tui.errors import BPEError
from bpe_tui.lm.run_folder import TOKENIZER_NAME
from bpe_tui.terminal import count
from bpe_tui.tui.dialogs.path import PathDialog
from bpe_tui.tui.dialogs.question import shown_path
from bpe_tui.tui.modal import Modal
from bpe_tui.tui.models import drawing
from bpe_tui.tui.models.desk import known_folders
from bpe_tui.tui.models.run import ModelRun
from bpe_tui.tui.models.start import StartDialog
from bpe_tui.tui.widgets.path_picker import Suggestion
from bpe_tui.tui.widgets.styled_lines import Line, StyledLines
from bpe_tui.tui.wording import in_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.app import ComposeResult

    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.models.desk import ModelDesk

_ROOM_FOR_TWO = 26
"""Lines from which on both curves are shown at once."""


class _Chart(StyledLines):
    """Is drawn anew when it gets another size, which it also does when the list of runs grows or shrinks."""

    def on_resize(self) -> None:
        """Have the screen draw."""
        screen = self.screen
        if isinstance(screen, ModelsScreen):
            screen.draw()


class ModelsScreen(Modal[None]):
    """Curves, runs and samples. Leaving it ends nothing."""

    # As Screen declares them.
    HORIZONTAL_BREAKPOINTS = [(0, "-tall"), (100, "-wide")]  # noqa: RUF012
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("n", "new", show=False),
        Binding("space", "pause", show=False),
        Binding("x", "stop", show=False),
        Binding("a", "add", show=False),
        Binding("d", "remove", show=False),
        Binding("b", "measure", show=False),
        Binding("h", "axis", show=False),
        Binding("down", "select(1)", show=False),
        Binding("up", "select(-1)", show=False),
        Binding("left_square_bracket", "sample(-1)", show=False),
        Binding("right_square_bracket", "sample(1)", show=False),
    ]

    def __init__(self, desk: ModelDesk, *, ascii_only: bool) -> None:
        super().__init__()
        self._desk = desk
        self._ascii_only = ascii_only
        self._measure = drawing.MEASURES[0]
        self._axis = next(iter(drawing.AXES))
        self._back = 0
        self._drawn: object = None
        self._reading: set[Path] = set()

    @property
    def _bpe_tui(self) -> BpeTuiApp:
        return self.app  # type: ignore[return-value]

    def compose(self) -> ComposeResult:
        """First line, chart, runs, sample, last line."""
        yield StyledLines(id="models-head")
        with Container(id="models-body"):
            chart = _Chart(id="models-chart", classes="pane")
            chart.border_title = Content(" Curves ")
            yield chart
            with Vertical(id="models-side"):
                yield _titled("models-runs", "Runs")
                yield _titled("models-sample", "Samples")
        yield StyledLines(id="models-foot")

    def on_mount(self) -> None:
        """Follow the desk."""
        self._desk.on_change = self.draw
        self._desk.find()
        self._desk.follow()
        self.call_after_refresh(self.draw)

    def on_unmount(self) -> None:
        """Let the desk go on alone."""
        self._desk.on_change = None

    def on_resize(self) -> None:
        """Draw for the new size, once everything has its place."""
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Draw what changed."""
        if not self.is_mounted:
            return
        desk, run = self._desk, self._desk.chosen
        width = self.size.width
        self._lines("head").show_lines([drawing.head_line(run, width)])
        self._lines("foot").show_lines([drawing.foot_line(run, width)])
        runs = self._lines("runs")
        most = runs.styles.max_height
        # The pane grows with what it shows, so its room is what the style sheet lets it have.
        room = max(3, int(most.value) - 2 if most is not None else runs.size.height)
        size = max(20, runs.size.width), room
        runs.show_lines(drawing.run_lines(desk.runs, desk.selected, size, self._ascii_only))
        chart = self._lines("chart")
        now = desk.version, self._measure, self._axis, chart.size
        if now != self._drawn:
            self._drawn = now
            chart.show_lines(self._charts(chart.size.width, chart.size.height))
        self._show_sample(run)

    def _charts(self, width: int, height: int) -> list[Line]:
        desk = self._desk

        def drawn(measure: str, lines: int) -> list[Line]:
            return drawing.chart_lines(desk.runs, desk.selected, measure, self._axis, (width, lines), self._ascii_only)

        has_points = any(run.train or run.validation for run in desk.runs)
        if height < _ROOM_FOR_TWO or not has_points:
            return drawn(self._measure, height)
        other = next(measure for measure in drawing.MEASURES if measure != self._measure)
        return drawn(self._measure, height // 2) + drawn(other, height - height // 2)

    def _show_sample(self, run: ModelRun | None) -> None:
        pane = self._lines("sample")
        if run is None or not run.samples:
            words = "what the model writes appears here while it trains"
            pane.border_title = Content(" Samples ")
            pane.show_lines([((line, "dim"),) for line in in_lines(words, max(10, pane.size.width))])
            return
        if run.tokenizer is None and run.folder not in self._reading and (run.folder / TOKENIZER_NAME).is_file():
            self._reading.add(run.folder)
            self.run_worker(self._read_tokenizer(run), group="tokenizers")
        self._back = min(self._back, len(run.samples) - 1)
        number = len(run.samples) - 1 - self._back
        sample = run.samples[number]
        pane.border_title = Content(f" Sample {number + 1} of {len(run.samples)} · step {count(sample.step)} ")
        pane.show_lines(drawing.sample_lines(run, sample, (pane.size.width, pane.size.height), self._ascii_only))

    async def _read_tokenizer(self, run: ModelRun) -> None:
        from bpe_tui.formats import read

        try:
            run.tokenizer = await asyncio.to_thread(read, run.folder / TOKENIZER_NAME)
        except (BPEError, OSError):
            # Samples are still texts without the borders of their tokens.
            run.tokenizer = False
        self._reading.discard(run.folder)
        self.draw()

    def action_close(self) -> None:
        """Leave; what trains goes on."""
        self.dismiss(None)

    def action_select(self, step: int) -> None:
        """Choose another run."""
        self._back = 0
        self._desk.select(step)

    def action_sample(self, step: int) -> None:
        """Show an earlier or a later sample."""
        self._back = max(0, self._back - step)
        self.draw()

    def action_measure(self) -> None:
        """Show the other curve, or the other one first."""
        measures = drawing.MEASURES
        self._measure = measures[(measures.index(self._measure) + 1) % len(measures)]
        self.draw()

    def action_axis(self) -> None:
        """Lay the curves over steps, characters or seconds."""
        axes = list(drawing.AXES)
        self._axis = axes[(axes.index(self._axis) + 1) % len(axes)]
        self.draw()

    def action_stop(self) -> None:
        """End the process of the selected run, with a checkpoint."""
        run = self._desk.chosen
        if run is None or not run.running:
            self._bpe_tui.tell("nothing is training here: n starts a training", severity="warning")
            return
        self._try(run.stop)
        self._desk.follow()
        self.draw()

    def action_pause(self) -> None:
        """Have the training of the selected run hold, or go on: at once, or from its checkpoint if it has ended."""
        run = self._desk.chosen
        if run is None or not (run.running or run.can_go_on):
            words = "nothing is training here: n starts a training"
            if run is not None:
                words = "this run is done" if run.state == "done" else "this run has no checkpoint to go on from"
            self._bpe_tui.tell(words, severity="warning")
        elif run.running and not run.holds:
            self._try(run.pause)
            self._desk.follow()
            self.draw()
        else:
            self._try(lambda: self._desk.go_on(run))

    def action_remove(self) -> None:
        """Show the selected run no longer."""
        run = self._desk.chosen
        if run is not None:
            self._try(lambda: self._desk.remove(run))

    def action_add(self) -> None:
        """Ask for the folder of a training and show it too."""
        self.run_worker(self._add(), group="models", exclusive=True)

    def action_new(self) -> None:
        """Ask what to train and start it."""
        self.run_worker(self._new(), group="models", exclusive=True)

    async def _add(self) -> None:
        text = "The folder that a training has written, finished or not; its curves are laid over the others."
        shown = {run.folder.resolve() for run in self._desk.runs}
        offered = [
            Suggestion(shown_path(folder), folder, ModelRun(folder).told_state())
            for folder in known_folders()
            if folder.resolve() not in shown
        ]
        folder = await self.app.push_screen_wait(PathDialog("Add a run", text, "Add", suggestions=offered))
        if folder is not None:
            self._try(lambda: self._desk.add(folder))

    async def _new(self) -> None:
        busy = self._desk.training
        if busy is not None:
            self._bpe_tui.tell("a model is training already: x stops it first", severity="warning")
            return
        wish = await self.app.push_screen_wait(StartDialog(self._bpe_tui))
        if wish is not None:
            self._try(lambda: self._desk.start(wish.folder, wish.arguments))

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except (BPEError, OSError) as error:
            self._bpe_tui.tell(str(error), severity="error")

    def _lines(self, name: str) -> StyledLines:
        return self.query_one(f"#models-{name}", StyledLines)


def _titled(name: str, title: str) -> StyledLines:
    pane = StyledLines(id=name, classes="pane")
    pane.border_title = Content(f" {title} ")
    return pane
