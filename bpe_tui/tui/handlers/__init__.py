"""What each action does, one function an action. They may ask questions and wait; the screen goes on meanwhile.

The functions are named here and loaded when they are first needed: with the dialogs that they open, they would make up
a fifth of the time until the first picture.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from bpe_tui.tui.app import BpeTuiApp

Handler = Callable[["BpeTuiApp"], Awaitable[object]]

HANDLERS: Final[dict[str, str]] = {
    "train": "training.train",
    "pause": "training.pause",
    "step": "training.step",
    "steps": "training.steps",
    "stop": "training.stop",
    "raise": "training.raise_target",
    "slower": "training.slower",
    "faster": "training.faster",
    "settings": "training.settings",
    "resume": "training.resume",
    "models": "models.show",
    "save": "tokenizers.save",
    "save-as": "tokenizers.save_as",
    "load": "tokenizers.load",
    "fingerprint": "tokenizers.fingerprint",
    "open": "files.open_corpus",
    "encode": "files.encode",
    "encode-to": "files.encode_to",
    "passage-before": "view.passage_before",
    "passage-after": "view.passage_after",
    "pane-corpus": "view.pane_corpus",
    "pane-tokenizer": "view.pane_tokenizer",
    "pane-merges": "view.pane_merges",
    "pane-vocabulary": "view.pane_vocabulary",
    "try": "view.try_text",
    "filter": "view.filter_rows",
    "follow": "view.follow",
    "longest": "view.longest",
    "sort": "view.sort_next",
    "raw": "view.raw",
    "reverse": "view.reverse",
    "lab": "lab.open_lab",
    "menu": "view.menu",
    "help": "view.show_help",
    "palette": "view.palette",
    "screenshot": "files.screenshot",
    "theme": "view.next_theme",
    "interrupt": "training.interrupt",
    "quit": "files.leave",
    "quit-anywhere": "files.leave",
}
"""Module of this package and function, by the action's id."""


def handler(action_id: str) -> Handler:
    """Give the function that performs an action."""
    module, function = HANDLERS[action_id].split(".")
    return cast("Handler", getattr(importlib.import_module(f"{__name__}.{module}"), function))


def load_all() -> None:
    """Load every handler with its dialogs, so that the first key is as fast as the second."""
    for action_id in HANDLERS:
        handler(action_id)
