"""The keys of the Lab: those that mean there what they mean everywhere, and those of its own."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from bpe_tui.tui.actions import BY_ID
from bpe_tui.tui.lab.rows import DIALLED, TABS

PASSED_ON: Final = (
    "train", "pause", "step", "steps", "stop", "raise", "slower", "faster", "settings", "save", "load", "open", "menu",
    "help", "quit",
)  # fmt: skip
"""Actions whose keys mean in the Lab what they mean everywhere."""

ONLY: Final = {
    **dict.fromkeys(("turn", "end_of_dial", "go"), " ".join(DIALLED)),
    **dict.fromkeys(("compare", "replay", "replay_page"), "text"),
    "another_text": "statistics",
    "export": "curves",
    "search": "rules",
    "rules": "rules",
    "size_field": "sizes",
    "tied": "sizes",
}
"""Actions of some tabs alone, named with spaces between them."""


def bindings() -> list[BindingType]:
    """Give all of them."""
    passed = [
        Binding(",".join(BY_ID[name].keys), f"app.perform('{name}')", BY_ID[name].label, show=False)
        for name in PASSED_ON
    ]
    numbers = [Binding(str(number + 1), f"tab({number})", name, show=False) for number, (_, name) in enumerate(TABS)]
    return [
        *passed,
        *numbers,
        Binding("escape", "leave", "Leave", show=False),
        Binding("L", "close", "Leave the Lab", show=False),
        Binding("tab", "turn_tab(1)", "Next tab", show=False),
        Binding("shift+tab", "turn_tab(-1)", "Tab before", show=False),
        Binding("left_square_bracket", "sample(-1)", "Sample before", show=False),
        Binding("right_square_bracket", "sample(1)", "Next sample", show=False),
        Binding("i", "type", "Type a text", show=False),
        Binding("left", "turn(-1)", show=False),
        Binding("right", "turn(1)", show=False),
        Binding("shift+left", "turn(-1, True)", show=False),
        Binding("shift+right", "turn(1, True)", show=False),
        Binding("home", "end_of_dial(0)", show=False),
        Binding("end", "end_of_dial(1)", show=False),
        Binding("g", "go", "Go to a merge", show=False),
        Binding("c", "compare", "Compare with now", show=False),
        Binding("up", "replay(-1)", show=False),
        Binding("down", "replay(1)", show=False),
        Binding("p", "another_text", "Another text", show=False),
        Binding("e", "export", "Export the curves", show=False),
        Binding("slash", "search", "Search the rules", show=False),
        Binding("backspace", "rules", "Back to the rules", show=False),
        Binding("z", "size_field('sizes')", "Vocabulary sizes", show=False),
        Binding("d", "size_field('dimension')", "Embedding dimension", show=False),
        Binding("k", "size_field('context')", "Context", show=False),
        Binding("u", "tied", "Tied or untied", show=False),
        Binding("pageup", "replay_page(-1)", show=False),
        Binding("pagedown", "replay_page(1)", show=False),
    ]
