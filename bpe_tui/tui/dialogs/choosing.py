"""A short list to choose from. What cannot be chosen stays in it and says why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from bpe_tui.tui.dialogs.base import Dialog
from bpe_tui.tui.widgets.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.widget import Widget

_LABEL: Final = 16


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing to choose."""

    id: str
    label: str
    about: str
    why_not: str = ""
    """Why it cannot be chosen; empty if it can."""


class ChoosingDialog(Dialog[str]):
    """Gives the id of what was chosen."""

    width = 76

    def __init__(self, title: str, text: str, offers: Sequence[Offer]) -> None:
        super().__init__(title, hint="↑ ↓ move · enter chooses · esc leaves")
        self._text = text
        self._offers = tuple(offers)

    def body(self) -> Iterable[Widget]:
        """Give the question, the list, and the line that says why something cannot be chosen."""
        yield Static(Content(self._text), id="text")
        yield Options(*map(_option, self._offers), id="offers", compact=True, markup=False)
        yield Static("", id="message", classes="message")

    def on_mount(self) -> None:
        """Start in the list."""
        self.query_one(OptionList).focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Take back what was said of another."""
        event.stop()
        self.say("#message", "")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take it, or say why not."""
        event.stop()
        offer = self._offers[event.option_index]
        if offer.why_not:
            self.say("#message", f"{offer.label}: {offer.why_not}")
        else:
            self.dismiss(offer.id)


def _option(offer: Offer) -> Option:
    if offer.why_not:
        return Option(Content.assemble((f"{offer.label:<{_LABEL}}", "$quiet"), (f"not now: {offer.why_not}", "$quiet")))
    return Option(Content.assemble((f"{offer.label:<{_LABEL}}", "bold"), (offer.about, "$quiet")))
