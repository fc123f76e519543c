"""The command palette, fed from the table of actions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.widgets import OptionList

from bpe_tui.tui.actions import ACTIONS, Action
from bpe_tui.tui.widgets.options import can_page

if TYPE_CHECKING:
    from bpe_tui.tui.app import BpeTuiApp


class ActionPalette(CommandPalette):
    """Textual's palette, without the keys that would end the app when there is no room for the list."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the action applies now."""
        if action == "command_list" and not can_page(self.query_one(OptionList)):
            return False
        return super().check_action(action, parameters)


class ActionCommands(Provider):
    """All actions; one that does not apply says why when it is chosen."""

    async def discover(self) -> Hits:
        """Give all actions."""
        for action in ACTIONS:
            if action.id != "palette":
                yield DiscoveryHit(_label(action), partial(self._app.perform, action.id), help=action.help)

    async def search(self, query: str) -> Hits:
        """Give the actions that match what was typed."""
        matcher = self.matcher(query)
        for action in ACTIONS:
            label = _label(action)
            score = max(matcher.match(label), 0.8 * matcher.match(action.help))
            if score > 0 and action.id != "palette":
                yield Hit(score, matcher.highlight(label), partial(self._app.perform, action.id), help=action.help)

    @property
    def _app(self) -> BpeTuiApp:
        return cast("BpeTuiApp", self.app)


def _label(action: Action) -> str:
    return action.label.rstrip("…")
