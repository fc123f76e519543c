"""The command palette, fed from the table of actions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from bpe_tui.tui.actions import ACTIONS, Action

if TYPE_CHECKING:
    from bpe_tui.tui.app import BpeTuiApp


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
