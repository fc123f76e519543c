"""The rows of the settings dialog: a name, a field or a choice, an explanation, and below what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Select, Static

from bpe_tui.session.settings import Alphabet
from bpe_tui.tui.widgets.field import Field
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.screen import Screen
    from textual.widget import Widget

ALPHABETS: Final = {
    Alphabet.CHARACTERS: "of the text; merges cross words",
    Alphabet.WORDS: "letters of words, ends in </w>",
    Alphabet.BYTES: "any text; pieces cut by a rule",
}
RULES: Final = {
    "gpt2": "words with the space before them",
    "cl100k": "GPT-4: numbers in threes",
    "o200k": "GPT-4o: also cuts at upper case",
    "llama3": "cl100k as Hugging Face has it",
    "qwen2": "like llama3, single digits",
    "whitespace": "white space, and all else",
    "none": "not cut: merges may cross words",
    "pattern": "the regular expression below",
}
TIE_RULES: Final = {
    "first": "the pair that comes first",
    "lowest-id": "oldest tokens, as Hugging Face",
    "lexicographic": "by letters, as subword-nmt",
    "bytes": "smallest bytes, as rustbpe",
}
PUNCTUATION: Final = {
    "keep": "stays part of its word",
    "separate": "cut off: words of its own",
}


def text(name: str, label: str, value: str, *, wide: bool = False, first: bool = False) -> Vertical:
    """Give a row with a field to type in."""
    field = Field(value, id=name)
    field.set_class(wide, "-wide")
    return _row(name, label, field, first=first)


def choice(name: str, label: str, options: Sequence[str], value: str, *, first: bool = False) -> Vertical:
    """Give a row with a list to choose from."""
    select = Select([(option, option) for option in options], value=value, id=name, compact=True, allow_blank=False)
    select.can_focus = True
    return _row(name, label, select, first=first)


def explain(screen: Screen[Any], name: str, explanation: str, applies: bool = True) -> None:
    """Write behind a setting what it means, or why it does not apply."""
    screen.query_one(f"#{name}").disabled = not applies
    screen.query_one(f"#{name}-about", Static).update(Content.styled(explanation, "$quiet"))
    screen.query_one(f"#{name}-row").set_class(not applies, "-off")


def complain(screen: Screen[Any], name: str, message: str) -> None:
    """Write below a setting what is wrong with it; nothing takes the complaint back."""
    label = screen.query_one(f"#{name}-message", Static)
    label.update(Content.styled(readable(message), "$warning"))
    label.display = bool(message)


def _row(name: str, label: str, field: Widget, *, first: bool) -> Vertical:
    message = Static("", id=f"{name}-message", classes="message")
    message.display = False
    row = Vertical(
        Horizontal(
            Static(Content.styled(label, "$quiet"), classes="name"),
            field,
            Static("", id=f"{name}-about", classes="explanation"),
            classes="field",
        ),
        message,
        classes="row",
        id=f"{name}-row",
    )
    row.set_class(first, "-first")
    return row
