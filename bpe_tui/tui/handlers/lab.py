"""Opening the Lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.tui.lab.screen import LabScreen

if TYPE_CHECKING:
    from bpe_tui.tui.app import BpeTuiApp


async def open_lab(app: BpeTuiApp) -> None:
    """Open the Lab over the tokenizer at hand."""
    if app.lab is None:
        app.lab = LabScreen(ascii_only=app.ascii_only)
        await app.push_screen(app.lab)
