"""Laws of the table of actions."""

from __future__ import annotations

from itertools import product

from bpe_tui.session.state import RunState
from bpe_tui.tui.actions import ACTIONS, BY_ID, GROUPS
from bpe_tui.tui.handlers import HANDLERS, handler
from bpe_tui.tui.situation import Situation
from bpe_tui.tui.widgets.footer import _label, footer_actions


def situations() -> list[Situation]:
    return [
        Situation(run, corpus, job, 5 if tokenizer else 0, tokenizer, loaded, tokenizer, interrupted, pane)
        for run, corpus, job, tokenizer, loaded, interrupted, pane in product(
            RunState, (True, False), ("", "saving"), (True, False), (True, False), (True, False), ("corpus", "merges")
        )
    ]


def test_ids_and_keys_are_unique() -> None:
    assert len(BY_ID) == len(ACTIONS)
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))


def test_every_action_does_something_and_nothing_else_does() -> None:
    assert set(HANDLERS) == set(BY_ID)
    for action in ACTIONS:
        assert callable(handler(action.id))


def test_every_action_has_a_group_and_words() -> None:
    for action in ACTIONS:
        assert action.group in GROUPS
        assert action.help.endswith(".")
        assert action.label


def test_whatever_does_not_apply_says_why() -> None:
    for situation in situations():
        for action in ACTIONS:
            if not action.when(situation):
                assert action.why_not(situation), (action.id, situation)


def test_the_footer_offers_only_what_applies_and_fits() -> None:
    for situation in situations():
        for width in (20, 60, 100, 200):
            offered = footer_actions(situation, width)
            assert all(action.when(situation) for action in offered)
            assert {"menu", "help", "quit"} <= {action.id for action in offered}
            if width >= 60:
                assert sum(len(action.key) + len(_label(action)) + 4 for action in offered) <= width
