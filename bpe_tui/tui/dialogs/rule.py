"""Asking how text is cut into pieces, for a tokenizer file that does not say it. It is never guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from bpe_tui.errors import SplittingError
from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.widgets.field import Field
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from bpe_tui.tui.loaded import MissingRule

RULES: Final = {
    "gpt2": "GPT-2, r50k, p50k: words with the space before them",
    "cl100k": "GPT-4: numbers in threes, either case of 's 'll",
    "o200k": "GPT-4o: also cuts where case changes",
    "llama3": "Llama 3: like cl100k, as Hugging Face has it",
    "qwen2": "Qwen 2 and 3: single digits",
    "whitespace": "runs of white space, and runs of all else",
    "none": "the text stays whole: merges may cross words",
}
"""The named rules, each with a few words for people."""


class RuleDialog(Dialog[str]):
    """Asks for a named rule or a pattern; gives either."""

    width = 76

    def __init__(self, path: str, missing: MissingRule) -> None:
        super().__init__(
            "Splitting rule",
            [Choice("accept", "Load with it", main=True)],
            hint="arrows choose · enter loads · esc leaves",
        )
        self._path = path
        self._missing = missing

    def body(self) -> Iterable[Widget]:
        """Give the question, the rules, and the field for a pattern."""
        missing = self._missing
        text = f"{self._path} does not say how text is cut into pieces, and its ids depend on it."
        if missing.published:
            text += f" It is OpenAI's {missing.published}, published with the rule {missing.rule}."
        yield Static(Content(text), id="text")
        rules = OptionList(
            *[Option(Content.assemble((f"{name:<12}", "bold"), (about, "$quiet"))) for name, about in RULES.items()],
            id="rules",
            compact=True,
        )
        rules.highlighted = list(RULES).index(missing.rule) if missing.rule in RULES else 0
        yield rules
        yield Field(placeholder="or a pattern: a regular expression whose matches are the pieces", id="pattern")
        yield Static("", id="message", classes="message")

    def on_mount(self) -> None:
        """Start in the list."""
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take a rule."""
        event.stop()
        self.dismiss(list(RULES)[event.option_index])

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take back the complaint about what stood there before."""
        event.stop()
        self.say("#message", "")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the pattern."""
        event.stop()
        self.choose("accept")

    def choose(self, choice: str) -> None:  # noqa: ARG002
        """Take the pattern if there is one, else the rule."""
        pattern = self.query_one(Field).value
        if not pattern:
            self.dismiss(list(RULES)[self.query_one(OptionList).highlighted or 0])
            return
        from bpe_tui.formats.patterns import given_rule

        try:
            given_rule(pattern)
        except SplittingError as error:
            self.say("#message", readable(str(error)))
        else:
            self.dismiss(pattern)
