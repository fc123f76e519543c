"""The Sizes tab: what smaller vocabularies would give, from the one run at hand, since its first merges are they."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message

from bpe_tui.session.settings import SettingsError
from bpe_tui.tui.lab.size_table import default_sizes, look, note_lines, table_lines
from bpe_tui.tui.lab.size_wishes import Wishes, parse_positive, parse_sizes
from bpe_tui.tui.widgets.field import Field
from bpe_tui.tui.widgets.styled_lines import Line, StyledLines
from bpe_tui.tui.wording import broken, readable

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.widgets import Input

    from bpe_tui.analysis.sizes import Measure
    from bpe_tui.tui.lab.view import LabView

FIELDS: Final = {"sizes": "z sizes", "dimension": "d dimension", "context": "k context"}
"""The fields by name, with the keys that go to them."""


class TiedSwitch(StyledLines):
    """Whether both embeddings are one matrix; a click turns it."""

    class Turned(Message):
        """It was clicked."""

    def show(self, *, tied: bool) -> None:
        """Show how it stands."""
        self.show_lines([((" u ", "key"), ("tied  " if tied else "untied", "figure"))])

    def on_click(self, event: events.Click) -> None:
        """Turn it."""
        event.stop()
        self.post_message(self.Turned())


class SizesPage(VerticalScroll, inherit_bindings=False):
    """The table; the keys that scroll."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", show=False),
        Binding("down", "scroll_down", show=False),
        Binding("pageup", "page_up", show=False),
        Binding("pagedown", "page_down", show=False),
    ]


class SizesTab(Vertical):
    """Fields to say what to compare, and the table."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="lab-sizes-tab", classes="lab-tab")
        self._ascii_only = ascii_only
        self._view: LabView | None = None
        self._wishes = Wishes()
        self._wrong: dict[str, str] = {}
        """What is wrong with a field, by its name."""
        self._suggested = ""
        self._held_out: Measure | None = None
        self._no_held_out = ""
        self._shown: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """The fields in a row, the page below."""
        with Horizontal(id="lab-sizes-fields"):
            for name, label in FIELDS.items():
                yield StyledLines([((label[:2], "key"), (label[2:] + " ", "label"))], classes="lab-sizes-label")
                value = "" if name == "sizes" else str(getattr(self._wishes, name))
                yield Field(value, placeholder="300,500,1000" if name == "sizes" else "", id=f"lab-{name}")
            switch = TiedSwitch(id="lab-tied")
            switch.show(tied=True)
            yield switch
        with SizesPage(id="lab-sizes-page"):
            yield StyledLines(id="lab-sizes-lines")

    @property
    def wishes(self) -> Wishes:
        """What is asked for."""
        return self._wishes

    def show(self, view: LabView) -> None:
        """Draw a view."""
        self._view = view
        self._suggest(view)
        self._draw()

    def show_held_out(self, held_out: Measure | None, why_not: str) -> None:
        """Take in what is known of the validation text, or why nothing is."""
        self._held_out, self._no_held_out = held_out, why_not
        self._draw()

    def focus_page(self) -> None:
        """Give the table the keyboard."""
        self.query_one(SizesPage).focus()

    def focus_field(self, name: str) -> None:
        """Put the cursor into a field, everything selected, so that typing replaces it."""
        field = self.query_one(f"#lab-{name}", Field)
        field.focus()
        field.action_select_all()

    def turn_tied(self) -> None:
        """Take one matrix for two, or the other way round."""
        self._wishes = replace(self._wishes, tied=not self._wishes.tied)
        self.query_one(TiedSwitch).show(tied=self._wishes.tied)
        self._draw()

    def on_tied_switch_turned(self, event: TiedSwitch.Turned) -> None:
        """Turn it."""
        event.stop()
        self.turn_tied()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take what was typed, or say what is wrong with it and stay with what was there before."""
        event.stop()
        name, text = (event.input.id or "").removeprefix("lab-"), event.value
        self._wrong.pop(name, None)
        try:
            if name == "sizes":
                sizes = () if text == self._suggested else parse_sizes(text)
                self._wishes = replace(self._wishes, sizes=sizes)
            elif name == "dimension":
                self._wishes = replace(self._wishes, dimension=parse_positive(text, "the dimension"))
            else:
                self._wishes = replace(self._wishes, context=parse_positive(text, "the context"))
        except SettingsError as error:
            self._wrong[name] = str(error)
        self._draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Leave the field; an empty list gives way to the sizes that suggest themselves."""
        event.stop()
        if self._view is not None:
            self._suggest(self._view)
        self.focus_page()

    def on_resize(self) -> None:
        """Lay the table out anew."""
        self._draw()

    def _suggest(self, view: LabView) -> None:
        """Write the sizes that suggest themselves into the field, unless the user wrote others or is about to."""
        field = self.query_one("#lab-sizes", Field)
        text = ",".join(map(str, default_sizes(view)))
        if text and text != field.value and field.value in {"", self._suggested} and not field.has_focus:
            self._suggested = field.value = text

    def _draw(self) -> None:
        view, width = self._view, self.size.width - 4
        if view is None or width < 10:
            return
        measured = view.measured
        state = (
            width,
            self._wishes,
            tuple(self._wrong.values()),
            view.ground,
            view.waiting,
            view.unmeasured,
            None if measured is None else (measured.characters, len(measured.lengths)),
            view.snapshot.state,
            self._held_out,
            self._no_held_out,
        )
        if state != self._shown:
            self._shown = state
            self.query_one("#lab-sizes-lines", StyledLines).show_lines(self._lines(view, width))

    def _lines(self, view: LabView, width: int) -> list[Line]:
        ground = view.ground
        if ground is None or ground.dial is None:
            words = view.waiting if ground is None else ground.why_no_dial
            return [(), *[((line, "warning"),) for line in broken(readable(words), width)]]
        sizes = look(view, self._wishes, self._held_out)
        said = [*self._wrong.values(), *([view.unmeasured] if view.unmeasured else [])]
        if view.measured is None and not view.unmeasured:
            said.append("the training text is not measured yet, or no corpus is open: o opens one")
        return [
            *[((line, "warning"),) for words in said for line in broken(readable(words), width)],
            (),
            *table_lines(sizes, self._wishes, ground.tokenizer, width, ascii_only=self._ascii_only),
            (),
            *note_lines(sizes, self._wishes, self._no_held_out, width),
        ]
