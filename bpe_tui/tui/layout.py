"""The main screen: four panes in three layouts by width, and a card where there is no room for any.

The panes are made once and stay what they are; the classes that Textual sets at its breakpoints decide, in the style
sheet, which of them are seen and where. So a resize keeps the focus and everything that the panes hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from bpe_tui.terminal import count
from bpe_tui.tui.panes.corpus import CorpusPane
from bpe_tui.tui.panes.merge_log import MergeLogPane
from bpe_tui.tui.panes.tokenizer import TokenizerPane
from bpe_tui.tui.panes.vocabulary import VocabularyPane
from bpe_tui.tui.widgets.footer import ActionFooter
from bpe_tui.tui.widgets.headline import SIGNS, Headline, TabRow, state_style

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from bpe_tui.bpe.encoder import TextEncoder
    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.describing import Facts
    from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns
    from bpe_tui.tui.situation import Situation

LEAST_WIDTH: Final = 60
LEAST_HEIGHT: Final = 16
PANES: Final = ("corpus", "tokenizer", "merges", "vocabulary")


@dataclass(frozen=True, slots=True)
class View:
    """All that the main screen shows at one moment."""

    snapshot: Snapshot
    situation: Situation
    key: object
    """Tells the state of the tokenizer that `encoder` belongs to from every other."""
    encoder: TextEncoder | None
    """The newest encoder that is ready, perhaps a few merges behind `snapshot`."""
    fingerprint: str
    corpus: str
    """Name of the corpus: text from outside."""
    columns: VocabularyColumns
    """What is known of each token of `snapshot`."""
    facts: Facts
    """What kind of tokenizer it is."""
    loaded: str
    """Name of the file that it came from, safe to show; empty if it did not."""
    no_merges: str
    """What to say while there are no merges."""
    raw: bool
    """Whether tokens are shown in their raw form."""
    activity: str
    """What another job is doing, safe to show; empty if there is none."""


class TooSmall(Static):
    """The card that says how much room is needed."""

    def on_resize(self) -> None:
        """Say how much there is."""
        size = self.app.size
        self.update(
            Content.assemble(
                ("bpe-tui needs more room\n\n", "bold"),
                f"at least {LEAST_WIDTH} x {LEAST_HEIGHT}, here {size.width} x {size.height}\n\n",
                ("what runs goes on · q quits", "$quiet"),
            )
        )


class MainScreen(Screen[None]):
    """Headline, tabs, panes, footer."""

    # As Screen declares them.
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-too-narrow"),
        (LEAST_WIDTH, "-tabs"),
        (100, "-columns"),
        (140, "-all"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-too-low"),
        (LEAST_HEIGHT, "-low"),
        (22, "-high"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "turn_pane(1)", show=False),
        Binding("shift+tab", "turn_pane(-1)", show=False),
        Binding("escape", "leave_field", show=False),
    ]
    AUTO_FOCUS = None

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__()
        self._ascii_only = ascii_only
        self.pane = "corpus"

    def compose(self) -> ComposeResult:
        """Lay everything out once."""
        yield Headline()
        yield TabRow()
        with Horizontal(id="columns"):
            with Vertical(id="left"):
                yield CorpusPane(ascii_only=self._ascii_only)
                yield TokenizerPane(ascii_only=self._ascii_only)
            with Container(id="right"):
                yield self._listed(
                    MergeLogPane(ascii_only=self._ascii_only, id="merges-pane"), "3", "Merges", "/", "filter"
                )
                yield self._listed(
                    VocabularyPane(ascii_only=self._ascii_only, id="vocabulary-pane"),
                    "4",
                    "Vocabulary",
                    "enter",
                    "opens",
                )
        yield ActionFooter()
        yield TooSmall(id="too-small")

    def on_mount(self) -> None:
        """Begin in the corpus pane."""
        self.go_to(self.pane)

    def show(self, view: View) -> None:
        """Show `view`; what has not changed is not drawn."""
        snapshot = view.snapshot
        self.query_one(Headline).show(view.corpus, self._activity(view))
        self.query_one(TabRow).show(self.pane)
        self.query_one(ActionFooter).show(view.situation)
        self.query_one(CorpusPane).show(view.key, view.encoder, view.columns.lengths)
        tokenizer = self.query_one(TokenizerPane)
        tokenizer.show(snapshot, view.fingerprint, view.loaded, view.facts)
        tokenizer.show_encoder(view.key, view.encoder, view.columns, raw=view.raw)
        merges = self.query_one(MergeLogPane)
        merges.set_empty(view.no_merges)
        merges.show(snapshot, view.columns, raw=view.raw)
        self.query_one(VocabularyPane).show(snapshot, view.columns, raw=view.raw)

    def go_to(self, pane: str) -> None:
        """Give `pane` the focus, and the screen where only one has room."""
        self._mark(pane)
        target = self._target(pane)
        if target is not None:
            target.focus()

    def action_turn_pane(self, step: int) -> None:
        """Go to the next pane, or the one before."""
        self.go_to(PANES[(PANES.index(self.pane) + step) % len(PANES)])

    def action_leave_field(self) -> None:
        """Go back from a text field to its pane."""
        self.go_to(self.pane)

    def on_descendant_focus(self) -> None:
        """Remember which pane has the focus."""
        focused = self.focused
        if focused is None:
            return
        for node in focused.ancestors_with_self:
            if node.has_class("pane") and node.id is not None:
                self._mark(node.id.removesuffix("-pane"))
                return

    def _mark(self, pane: str) -> None:
        self.pane = pane
        for name in PANES:
            self.query_one(f"#{name}-pane").set_class(name == pane, "-active")
        left = pane in {"corpus", "tokenizer"}
        self.query_one("#left").set_class(left, "-active")
        self.query_one("#right").set_class(not left, "-active")
        self.query_one(TabRow).show(pane)

    def _target(self, pane: str) -> Widget | None:
        box = self.query_one(f"#{pane}-pane")
        if box.can_focus:
            return box
        return next((widget for widget in box.query("*") if widget.can_focus and not isinstance(widget, Input)), None)

    @staticmethod
    def _listed(pane: Widget, key: str, title: str, hint: str, does: str) -> Widget:
        pane.add_class("pane")
        pane.border_title = Content.assemble((key, "$accent"), f" {title}")
        pane.border_subtitle = Content.assemble((hint, "$accent"), f" {does}")
        return pane

    def _activity(self, view: View) -> tuple[tuple[str, str], ...]:
        snapshot = view.snapshot
        if view.activity:
            return ((view.activity, "label"),)
        state = snapshot.state
        sign = SIGNS[state][1 if self._ascii_only else 0]
        if view.situation.loaded:
            loaded = f"{count(snapshot.merges)} merges" if snapshot.merges else f"{count(snapshot.vocab_size)} tokens"
            return (("loaded ", "label"), (loaded, "figure"))
        if not snapshot.base_size:
            return ((f"{sign} ", state_style(state)), (state.value, "label"))
        vocabulary = f"{count(snapshot.total_vocab_size)} of {count(snapshot.settings.target_vocab_size)} tokens"
        unsaved = "" if not view.situation.unsaved or state.busy else "not saved  "
        return (
            (unsaved, "dim"),
            (f"{sign} ", state_style(state)),
            (f"{state.value}  ", "label"),
            (vocabulary, "figure"),
        )
