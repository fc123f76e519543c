"""Moving about: panes, passages, filters, the menu and the help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

from bpe_tui.tui.commands import ActionPalette
from bpe_tui.tui.dialogs.help import Help
from bpe_tui.tui.dialogs.menu import Menu
from bpe_tui.tui.panes.corpus import CorpusPane
from bpe_tui.tui.panes.merge_log import MergeLogPane
from bpe_tui.tui.panes.vocabulary import VocabularyPane
from bpe_tui.tui.widgets.field import Harmless

if TYPE_CHECKING:
    from bpe_tui.tui.app import BpeTuiApp


async def passage_before(app: BpeTuiApp) -> None:
    """Show the passage before."""
    app.main.query_one(CorpusPane).turn(-1)


async def passage_after(app: BpeTuiApp) -> None:
    """Show the next passage."""
    app.main.query_one(CorpusPane).turn(1)


async def pane_corpus(app: BpeTuiApp) -> None:
    """Go to the corpus."""
    app.main.go_to("corpus")


async def pane_tokenizer(app: BpeTuiApp) -> None:
    """Go to the tokenizer."""
    app.main.go_to("tokenizer")


async def pane_merges(app: BpeTuiApp) -> None:
    """Go to the merge log."""
    app.main.go_to("merges")


async def pane_vocabulary(app: BpeTuiApp) -> None:
    """Go to the vocabulary."""
    app.main.go_to("vocabulary")


async def try_text(app: BpeTuiApp) -> None:
    """Put the cursor into the line to type in."""
    app.main.go_to("tokenizer")
    app.main.query_one("#try", Input).focus()


async def filter_rows(app: BpeTuiApp) -> None:
    """Put the cursor into the filter of the list at hand."""
    if app.main.pane == "merges":
        app.main.query_one(MergeLogPane).focus_filter()
    else:
        app.main.query_one(VocabularyPane).focus_filter()


async def follow(app: BpeTuiApp) -> None:
    """Follow the newest merge, or stop doing so."""
    app.main.query_one(MergeLogPane).toggle_follow()


async def longest(app: BpeTuiApp) -> None:
    """Sort the vocabulary by length."""
    app.main.go_to("vocabulary")
    app.main.query_one(VocabularyPane).sort_by("length")


async def sort_next(app: BpeTuiApp) -> None:
    """Sort the vocabulary by its next column."""
    app.main.go_to("vocabulary")
    app.main.query_one(VocabularyPane).action_sort_next(1)


async def reverse(app: BpeTuiApp) -> None:
    """Turn the order of the vocabulary round."""
    app.main.go_to("vocabulary")
    app.main.query_one(VocabularyPane).action_reverse()


async def raw(app: BpeTuiApp) -> None:
    """Show tokens of bytes in their raw form, or no longer."""
    app.raw = not app.raw
    app.clear_notifications()
    app.tell("as their file writes them" if app.raw else "as the text that they are", title="Tokens")


async def menu(app: BpeTuiApp) -> None:
    """Open the menu and do what is chosen."""
    chosen = await app.push_screen_wait(Menu(app.situation()))
    if chosen is not None:
        app.perform(chosen)


async def show_help(app: BpeTuiApp) -> None:
    """Open the help."""
    from bpe_tui.tui.lab.screen import LabScreen

    await app.push_screen_wait(Help(in_lab=isinstance(app.screen, LabScreen)))


async def palette(app: BpeTuiApp) -> None:
    """Open the command palette. Its cursor must not blink: idle costs no bytes."""
    screen = ActionPalette()
    await app.push_screen(screen)
    for field in screen.query(Input):
        field.cursor_blink = False
        field.highlighter = Harmless()


async def next_theme(app: BpeTuiApp) -> None:
    """Switch to the next theme."""
    names = app.theme_names()
    app.theme = names[(names.index(app.theme) + 1) % len(names)] if app.theme in names else names[0]
    app.tell(app.theme, title="Theme")
