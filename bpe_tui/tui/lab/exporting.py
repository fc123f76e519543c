"""Writing the curves to a file."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bpe_tui import atomic
from bpe_tui.errors import BPEError
from bpe_tui.session.failure import explain
from bpe_tui.tui.dialogs.path import PathDialog
from bpe_tui.tui.dialogs.question import overwrite, shown_path

if TYPE_CHECKING:
    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.lab.curves_tab import CurvesTab


async def export(app: BpeTuiApp, tab: CurvesTab) -> None:
    """Ask for a file and write the curves to it: as CSV if its name ends in .csv, else as SVG."""
    if not tab.has_curves:
        app.tell("there are no curves to export yet", severity="warning")
        return
    path = await app.push_screen_wait(
        PathDialog(
            "Export curves", "A picture if the name ends in .svg, a table of every point if it ends in .csv.", "Write",
            value="curves.svg", endings=(".svg", ".csv"),
        )
    )  # fmt: skip
    if path is None or (path.exists() and await app.push_screen_wait(overwrite(path)) != "overwrite"):
        return
    make = tab.csv if path.suffix.lower() == ".csv" else tab.svg
    try:
        await asyncio.to_thread(lambda: atomic.write_text(path, make()))
    except (BPEError, OSError) as error:
        app.tell(explain(error, "export"), severity="error")
        return
    app.tell(shown_path(path), title="Curves written")
