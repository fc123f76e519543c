"""A list of options that can be paged through at any size, even one without room for a single line.

Textual looks up the line that the highlighted option stands on, and raises when the list has no room and so no lines: a
page key in a terminal of one column would end the app.
"""

from __future__ import annotations

from textual.widgets import OptionList


def can_page(options: OptionList) -> bool:
    """Whether the list has lines to page through."""
    return bool(options.scrollable_content_region)


class Options(OptionList):
    """A list of options; page keys do nothing while there is no room for it."""

    def action_page_up(self) -> None:
        """Move up by a page."""
        if can_page(self):
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        """Move down by a page."""
        if can_page(self):
            super().action_page_down()  # type: ignore[no-untyped-call]
