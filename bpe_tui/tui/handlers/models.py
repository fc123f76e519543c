"""The screen of language models, and what becomes of a training when the app is left."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from bpe_tui.tui.dialogs.base import Choice
from bpe_tui.tui.dialogs.question import STAY, Question, shown_path
from bpe_tui.tui.models.desk import ModelDesk
from bpe_tui.tui.models.screen import ModelsScreen

if TYPE_CHECKING:
    from bpe_tui.tui.app import BpeTuiApp

_PATIENCE: Final = 30.0
"""Seconds that a training gets to keep its checkpoint before the app goes without having seen it."""


async def show(app: BpeTuiApp) -> None:
    """Open the screen."""
    if app.models is None:
        app.models = ModelDesk(app)
    if not isinstance(app.screen, ModelsScreen):
        await app.push_screen(ModelsScreen(app.models, ascii_only=app.ascii_only))


async def may_leave(app: BpeTuiApp, desk: ModelDesk) -> bool:
    """Ask what becomes of a training that is at work; False if the app is not to be left."""
    run = desk.training
    if run is None:
        return True
    goes_on, leave = ("stays paused", "Leave it paused") if run.holds else ("trains on", "Let it train on")
    answer = await app.push_screen_wait(
        Question(
            f"A language model is {run.state}",
            f"Its process in {shown_path(run.folder)} {goes_on} by itself without bpe-tui, and M finds it again the "
            "next time. Or it stops now and keeps a checkpoint there, from which it can go on.",
            [
                Choice("leave", leave, "l", main=True),
                Choice("stop", "Stop and keep it", "k"),
                Choice(STAY, "Stay", "escape"),
            ],
        )
    )
    if answer == "stop":
        run.stop()
        app.tell("the language model keeps its checkpoint …")
        if run.process is not None:
            await asyncio.to_thread(run.process.wait, _PATIENCE)
    return answer in {"stop", "leave"}
