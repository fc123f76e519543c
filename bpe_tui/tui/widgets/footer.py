"""The last line: the keys that matter right now, read from the table of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from bpe_tui.terminal import cell_width
from bpe_tui.tui.actions import ACTIONS, Action
from bpe_tui.tui.widgets.styled_lines import Span, StyledLines

if TYPE_CHECKING:
    from textual import events

    from bpe_tui.tui.situation import Situation

_LAST = ("menu", "help", "quit")
"""What is never dropped, however narrow the screen is."""


def footer_actions(situation: Situation, width: int) -> list[Action]:
    """Give the actions that the footer offers, as many as fit into `width` cells."""
    offered = [action for action in ACTIONS if action.footer(situation) and action.when(situation)]
    last = [action for action in offered if action.id in _LAST]
    room = width - sum(_cells(action) for action in last)
    chosen: list[Action] = []
    for action in offered:
        if action.id in _LAST:
            continue
        room -= _cells(action)
        if room < 0:
            break
        chosen.append(action)
    return chosen + last


def _cells(action: Action) -> int:
    return cell_width(action.key) + cell_width(_label(action)) + 4


def _label(action: Action) -> str:
    return "continue" if action.id == "pause" else action.label.rstrip("…").lower()


class ActionFooter(StyledLines):
    """One line of keys; a click on one performs it."""

    class Chosen(Message):
        """An action was clicked."""

        def __init__(self, action_id: str) -> None:
            super().__init__()
            self.action_id = action_id

    def __init__(self) -> None:
        super().__init__(id="footer")
        self._situation: Situation | None = None
        self._places: list[tuple[int, str]] = []

    def show(self, situation: Situation) -> None:
        """Offer what applies in `situation`."""
        self._situation = situation
        spans: list[Span] = [(" ", "")]
        self._places = []
        end = 1
        for action in footer_actions(situation, max(self.size.width, 20)):
            end += _cells(action)
            self._places.append((end, action.id))
            label = _label(action)
            if action.id == "pause" and situation.run.busy:
                # As wide as the word it alternates with, so that the keys beside it stand still.
                label = "pause".ljust(cell_width(label))
            spans += [(action.key, "key"), (f" {label}   ", "dim")]
        self.show_lines([tuple(spans)])

    def on_resize(self) -> None:
        """Offer what fits now."""
        if self._situation is not None:
            self.show(self._situation)

    def on_click(self, event: events.Click) -> None:
        """Perform the action that was clicked."""
        for end, action_id in self._places:
            if event.x < end:
                self.post_message(self.Chosen(action_id))
                return
