"""What each action does, one function an action. They may ask questions and wait; the screen goes on meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from bpe_tui.tui.handlers import files, training, view

if TYPE_CHECKING:
    from bpe_tui.tui.app import BpeTuiApp

Handler = Callable[["BpeTuiApp"], Awaitable[object]]

HANDLERS: Final[dict[str, Handler]] = {
    "train": training.train,
    "pause": training.pause,
    "step": training.step,
    "steps": training.steps,
    "stop": training.stop,
    "raise": training.raise_target,
    "slower": training.slower,
    "faster": training.faster,
    "settings": training.settings,
    "resume": training.resume,
    "save": files.save,
    "save-as": files.save_as,
    "load": files.load,
    "fingerprint": files.fingerprint,
    "open": files.open_corpus,
    "encode": files.encode,
    "encode-to": files.encode_to,
    "passage-before": view.passage_before,
    "passage-after": view.passage_after,
    "pane-corpus": view.pane_corpus,
    "pane-tokenizer": view.pane_tokenizer,
    "pane-merges": view.pane_merges,
    "pane-vocabulary": view.pane_vocabulary,
    "try": view.try_text,
    "filter": view.filter_rows,
    "follow": view.follow,
    "longest": view.longest,
    "sort": view.sort_next,
    "reverse": view.reverse,
    "menu": view.menu,
    "help": view.show_help,
    "palette": view.palette,
    "screenshot": files.screenshot,
    "theme": view.next_theme,
    "interrupt": training.interrupt,
    "quit": files.leave,
    "quit-anywhere": files.leave,
}
