"""The settings of the next run and of the screen, each explained and checked where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Select, Static

from bpe_tui.bpe.special import SpecialTokenError, check_special_tokens
from bpe_tui.session.settings import DEFAULT_SPLIT, TIES, Alphabet, RunSettings, SettingsError
from bpe_tui.terminal import count
from bpe_tui.tui.dialogs import setting_rows as rows
from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from textual.widget import Widget

NUMBERS: Final = ("training_characters", "target_vocab_size", "minimum_pair_frequency")
OWN_PATTERN: Final = "pattern"
_NO_CHANGE: Final = {"training_characters": "all", "target_vocab_size": "1", "minimum_pair_frequency": "1"}


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
    """One setting a line, its explanation behind it, what is wrong with it below."""

    width = 84

    def __init__(
        self,
        preferences: Preferences,
        corpus: str,
        themes: Sequence[str],
        base_tokens: Callable[[RunSettings], list[str]],
        characters: int,
        tell_memory: Callable[[RunSettings], Awaitable[tuple[str, bool]]],
    ) -> None:
        """`base_tokens` gives those of a run with some settings, `characters` is the length of the training split.

        `tell_memory` gives what a run takes of memory in words, none if that is not known, and whether it fits.
        """
        super().__init__(
            "Settings",
            [Choice("accept", "Use these settings", main=True), Choice("corpus", "Open another corpus…")],
            hint="tab moves · enter uses them · esc leaves",
        )
        self._preferences = preferences
        self._corpus = corpus
        self._themes = list(themes)
        self._base_tokens = base_tokens
        self._characters = characters
        self._tell_memory = tell_memory
        self._offered_for = preferences.run.alphabet

    def body(self) -> Iterable[Widget]:
        """Give the settings: what is trained on, what is made, how the screen behaves."""
        run = self._preferences.run
        training = "all" if run.training_characters is None else count(run.training_characters)
        chosen = self._preferences.theme if self._preferences.theme in self._themes else self._themes[0]
        fields = VerticalScroll(id="fields")
        fields.can_focus = False
        with fields:
            yield Static(Content.assemble(("corpus  ", "$quiet"), readable(self._corpus)), id="corpus-name")
            yield rows.text("training_characters", "characters", training)
            yield rows.text("target_vocab_size", "target vocabulary", count(run.target_vocab_size))
            yield rows.text("minimum_pair_frequency", "least frequency", count(run.minimum_pair_frequency))
            yield rows.choice("alphabet", "alphabet", list(Alphabet), str(run.alphabet), first=True)
            yield rows.choice("split", "splitting rule", list(rows.RULES), run.split or DEFAULT_SPLIT)
            yield rows.text("pattern", "own pattern", run.pattern or "", wide=True)
            yield rows.choice("ties", "ties", TIES[run.alphabet], run.tie_rule)
            yield rows.choice("punctuation", "punctuation", list(rows.PUNCTUATION), run.punctuation)
            yield rows.text("special_tokens", "special tokens", " ".join(run.special_tokens), wide=True)
            yield rows.text("refresh_rate", "refresh rate", f"{self._preferences.refresh_rate:g}", first=True)
            yield rows.choice("theme", "theme", self._themes, chosen)
        yield Static("", id="memory")

    def on_mount(self) -> None:
        """Start at the first field."""
        self.query_one("#training_characters", Input).focus()
        self._check()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say at once what is wrong with the field that changes."""
        event.stop()
        self._check()

    def on_select_changed(self, event: Select.Changed) -> None:
        """Offer what goes with the new alphabet, and check."""
        event.stop()
        if event.select.id == "alphabet":
            self._offer_ties()
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

    def _value(self, name: str) -> str:
        widget = self.query_one(f"#{name}")
        assert isinstance(widget, Input | Select)
        return "" if widget.value is Select.NULL else str(widget.value)

    @property
    def _alphabet(self) -> Alphabet:
        return Alphabet(self._value("alphabet"))

    def _offer_ties(self) -> None:
        ties = self.query_one("#ties", Select)
        before, offered = self._value("ties"), TIES[self._alphabet]
        if before == TIES[self._offered_for][0]:
            before = offered[0]  # nobody chose it
        self._offered_for = self._alphabet
        ties.set_options([(name, name) for name in offered])
        ties.value = before if before in offered else offered[0]

    def _check(self) -> Preferences | None:
        """Give what the fields say, or None after writing beside them what is wrong."""
        self._explain()
        wrong: dict[str, str] = {}
        numbers = {name: self._value(name) for name in NUMBERS}
        for name in NUMBERS:
            try:
                RunSettings.from_text(**{**_NO_CHANGE, name: numbers[name]})
            except SettingsError as error:
                wrong[name] = str(error)
        run = None
        try:
            right = {name: text for name, text in numbers.items() if name not in wrong}
            run = RunSettings.from_text(**{**_NO_CHANGE, **right}, **self._kind())
            base = self._base_tokens(run)
            self._explain_target(len(base) + len(run.special_tokens) if base else 0)
            self._check_tokens(run, base, wrong)
        except SettingsError as error:
            wrong[error.field] = str(error)
        rate = self._refresh_rate(wrong)
        for name in (*NUMBERS, "pattern", "special_tokens", "refresh_rate"):
            rows.complain(self, name, wrong.get(name, ""))
        if wrong or run is None:
            return None
        # The function, not what it gives when called: an exclusive worker may be dropped before it is ever awaited.
        self.run_worker(partial(self._show_memory, run), group="memory", exclusive=True)  # type: ignore[arg-type]
        return Preferences(run, rate, self._value("theme") or self._preferences.theme)

    async def _show_memory(self, run: RunSettings) -> None:
        words, fits = await self._tell_memory(run)
        style = "" if fits else "$warning"
        self.query_one("#memory", Static).update(
            Content.assemble((f"{'memory':<18}", "$quiet"), (words, style)) if words else ""
        )

    def _check_tokens(self, run: RunSettings, base: list[str], wrong: dict[str, str]) -> None:
        if not base:
            return
        try:
            check_special_tokens(
                dict.fromkeys(run.special_tokens, 0), {token: number for number, token in enumerate(base)}
            )
        except SpecialTokenError as error:
            wrong["special_tokens"] = str(error)
        least = len(base) + len(run.special_tokens)
        if "target_vocab_size" not in wrong and run.target_vocab_size < least:
            what = "the base vocabulary alone has" if not run.special_tokens else "base and special tokens alone are"
            wrong["target_vocab_size"] = f"{what} {least:,} tokens; that is the least possible"

    def _refresh_rate(self, wrong: dict[str, str]) -> float:
        text = self._value("refresh_rate")
        try:
            rate = float(text)
        except ValueError:
            wrong["refresh_rate"] = f"the refresh rate must be a number, not {text!r}"
            return self._preferences.refresh_rate
        if not 0.5 <= rate <= 30:
            wrong["refresh_rate"] = "the refresh rate must be between 0.5 and 30"
        return rate

    def _kind(self) -> dict[str, Any]:
        """Give the settings that belong to the alphabet; the others are not asked."""
        alphabet = self._alphabet
        before = self._preferences.run
        kind: dict[str, Any] = {"alphabet": alphabet}
        ties = self._value("ties")
        if ties in TIES[alphabet] and ties != TIES[alphabet][0]:
            kind["ties"] = ties
        if alphabet is Alphabet.BYTES:
            kind["split"] = self._value("split")
            if kind["split"] == OWN_PATTERN:
                kind["pattern"] = self._value("pattern") or None
        if alphabet is Alphabet.WORDS:
            kind["punctuation"] = self._value("punctuation")
            # There is no field for it, but what was set elsewhere stays.
            kind["marker"] = before.marker
        if alphabet is not Alphabet.CHARACTERS:
            typed = self._value("special_tokens")
            # Special tokens may hold spaces; as long as nobody edits the field, it is not cut at them.
            same = typed == " ".join(before.special_tokens)
            kind["special_tokens"] = before.special_tokens if same else tuple(typed.split())
        return kind

    def _explain(self) -> None:
        """Write behind each setting what it means as it stands, and disable what does not apply."""
        alphabet = self._alphabet
        in_bytes, in_words = alphabet is Alphabet.BYTES, alphabet is Alphabet.WORDS
        rule = self._value("split")
        own = in_bytes and rule == OWN_PATTERN
        rows.explain(self, "training_characters", f"of {count(self._characters)}; all takes them all")
        rows.explain(self, "minimum_pair_frequency", "rarer pairs stay apart")
        rows.explain(self, "alphabet", rows.ALPHABETS[alphabet])
        rows.explain(self, "split", rows.RULES.get(rule, "") if in_bytes else "only bytes are cut by a rule", in_bytes)
        why = "its matches are the pieces" if own else "with the rule pattern only"
        rows.explain(self, "pattern", why, own)
        rows.explain(self, "ties", rows.TIE_RULES.get(self._value("ties"), ""))
        words = rows.PUNCTUATION.get(self._value("punctuation"), "") if in_words else "only words are parted from it"
        rows.explain(self, "punctuation", words, in_words)
        specials = alphabet is not Alphabet.CHARACTERS
        why = "parted by spaces" if specials else "with words or bytes only"
        rows.explain(self, "special_tokens", why, specials)
        rows.explain(self, "refresh_rate", "pictures a second, 0.5 to 30")

    def _explain_target(self, least: int) -> None:
        told = f"tokens; at least {count(least)} here" if least else "tokens, base tokens included"
        rows.explain(self, "target_vocab_size", told)
