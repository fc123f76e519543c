"""The menu: everything that can be done, by group, and why some of it cannot be done now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from bpe_tui.tui.actions import ACTIONS, BY_ID, GROUPS
from bpe_tui.tui.dialogs.base import Dialog
from bpe_tui.tui.widgets.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from bpe_tui.tui.actions import Action
    from bpe_tui.tui.situation import Situation

_KEY, _LABEL = 8, 26


class Menu(Dialog[str]):
    """The actions as a list; gives the id of the chosen one. A greyed one says why, and stays."""

    width = 92

    def __init__(self, situation: Situation) -> None:
        super().__init__("Menu", hint="↑ ↓ move · enter does it · esc leaves")
        self._situation = situation

    def body(self) -> Iterable[Widget]:
        """Give the list."""
        options: list[Option | None] = []
        for group in GROUPS:
            options.append(Option(Content.styled(group, "bold $primary"), disabled=True))
            options += [
                Option(_row(action, self._situation), id=action.id)
                for action in ACTIONS
                if action.group == group and action.id != "menu"
            ]
        yield Options(*options, id="menu", compact=True, markup=False)
        yield Static("", id="about")

    def on_mount(self) -> None:
        """Start at the first action."""
        menu = self.query_one(OptionList)
        menu.focus()
        menu.highlighted = 1

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Say what the action does, and why it does not apply, in full."""
        action = BY_ID.get(event.option_id or "")
        if action is None:
            return
        applies = action.when(self._situation)
        reason = "" if applies else f"Not now: {action.why_not(self._situation)}."
        self.query_one("#about", Static).update(Content.assemble((action.help, "$quiet"), "\n", (reason, "$warning")))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Do the chosen action, or say why it does not apply."""
        event.stop()
        action = BY_ID[event.option_id or ""]
        if action.when(self._situation):
            self.dismiss(action.id)
        else:
            self.notify(
                action.why_not(self._situation), title=f"{action.label}: not now", severity="warning", markup=False
            )


def _row(action: Action, situation: Situation) -> Content:
    label = f"{action.label:<{_LABEL}}"
    if action.when(situation):
        return Content.assemble((f"{action.key:<{_KEY}}", "$accent"), label, (action.help, "$quiet"))
    return Content.assemble(
        (f"{action.key:<{_KEY}}", "$quiet"),
        (label, "$quiet"),
        (f"not now: {action.why_not(situation)}", "$quiet italic"),
    )
