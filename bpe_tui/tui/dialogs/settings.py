"""The settings of the next run and of the screen, each checked where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Select, Static

from bpe_tui.session.settings import RunSettings, SettingsError, parse_number
from bpe_tui.terminal import count
from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.widgets.field import Field
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Preferences:
    """Everything that the settings dialog edits."""

    run: RunSettings
    refresh_rate: float
    """Pictures a second while something is at work."""
    theme: str
    open_corpus: bool = False
    """Whether the user went on to open another corpus."""


class SettingsDialog(Dialog[Preferences]):
    """One field a line, its explanation behind it, what is wrong with it below."""

    width = 78

    def __init__(
        self, preferences: Preferences, corpus: str, themes: Sequence[str], base_size: int, characters: int
    ) -> None:
        super().__init__(
            "Settings",
            [Choice("accept", "Use these settings", main=True), Choice("corpus", "Open another corpus…")],
            hint="tab moves · enter uses them · esc leaves",
        )
        self._preferences = preferences
        self._corpus = corpus
        self._themes = list(themes)
        self._base_size = base_size
        self._characters = characters

    def body(self) -> Iterable[Widget]:
        """Give the fields."""
        run = self._preferences.run
        training = "all" if run.training_characters is None else count(run.training_characters)
        train = f"of {count(self._characters)}; all takes them all"
        rate = f"{self._preferences.refresh_rate:g}"
        least = f"tokens; at least {count(self._base_size)} here" if self._base_size else "tokens, base tokens included"
        fields = VerticalScroll(id="fields")
        fields.can_focus = False
        with fields:
            yield Static(Content.assemble(("corpus  ", "$quiet"), readable(self._corpus)), id="text")
            yield _field("training_characters", "training characters", training, train)
            yield _field("target_vocab_size", "target vocabulary", count(run.target_vocab_size), least)
            yield _field(
                "minimum_pair_frequency",
                "minimum frequency",
                count(run.minimum_pair_frequency),
                "rarer pairs stay apart",
            )
            yield _field("refresh_rate", "refresh rate", rate, "pictures a second, 0.5 to 30")
            chosen = self._preferences.theme if self._preferences.theme in self._themes else Select.NULL
            select = Select([(name, name) for name in self._themes], value=chosen, id="theme", compact=True)
            select.can_focus = True
            yield Horizontal(Static(Content.styled("theme", "$quiet"), classes="name"), select, classes="field")

    def on_mount(self) -> None:
        """Start at the first field."""
        self.query_one("#training_characters", Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say at once what is wrong with the field that changes."""
        event.stop()
        self._check()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Use the settings."""
        event.stop()
        self.choose("accept")

    def choose(self, choice: str) -> None:
        """Use the settings if they are all right."""
        if choice == "corpus":
            self.dismiss(
                Preferences(self._preferences.run, self._preferences.refresh_rate, self._preferences.theme, True)
            )
            return
        checked = self._check()
        if checked is not None:
            self.dismiss(checked)

    def _too_small(self, target: str) -> bool:
        return parse_number(target, "target_vocab_size") < self._base_size

    def _check(self) -> Preferences | None:
        """Give what the fields say, or None after writing beside them what is wrong."""
        values = {field.id: field.value for field in self.query(Input)}
        wrong: dict[str, str] = {}
        run = self._preferences.run
        for name in ("training_characters", "target_vocab_size", "minimum_pair_frequency"):
            try:
                texts = {"training_characters": "all", "target_vocab_size": "1", "minimum_pair_frequency": "1"}
                RunSettings.from_text(**{**texts, name: values[name]})
            except SettingsError as error:
                wrong[name] = str(error)
        rate = self._preferences.refresh_rate
        try:
            rate = float(values["refresh_rate"])
            if not 0.5 <= rate <= 30:
                wrong["refresh_rate"] = "the refresh rate must be between 0.5 and 30"
        except ValueError:
            wrong["refresh_rate"] = f"the refresh rate must be a number, not {values['refresh_rate']!r}"
        if "target_vocab_size" not in wrong and self._too_small(values["target_vocab_size"]):
            wrong["target_vocab_size"] = (
                f"the base vocabulary alone has {self._base_size:,} tokens; that is the least possible"
            )
        if not wrong:
            run = RunSettings.from_text(
                values["training_characters"], values["target_vocab_size"], values["minimum_pair_frequency"]
            )
        for field in values:
            message = wrong.get(str(field), "")
            label = self.query_one(f"#{field}-message", Static)
            label.update(Content.styled(readable(message), "$warning"))
            label.display = bool(message)
        if wrong:
            return None
        theme = self.query_one("#theme", Select).value
        return Preferences(run, rate, str(theme) if theme is not Select.NULL else self._preferences.theme)


def _field(name: str, label: str, value: str, explanation: str) -> Vertical:
    field = Field(value, id=name)
    message = Static("", id=f"{name}-message", classes="message")
    message.display = False
    return Vertical(
        Horizontal(
            Static(Content.styled(label, "$quiet"), classes="name"),
            field,
            Static(Content.styled(explanation, "$quiet"), classes="explanation"),
            classes="field",
        ),
        message,
        classes="row",
    )
