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
    answer = await app.push_screen_wait(
        Question(
            "A language model is training",
            f"It trains in {shown_path(run.folder)}. Stopping keeps a checkpoint there, from which it can go on; it "
            "can also train on by itself without bpe-tui.",
            [
                Choice("stop", "Stop, keep a checkpoint", "k", main=True),
                Choice("detach", "Detach, train on", "d"),
                Choice(STAY, "Stay", "escape"),
            ],
        )
    )
    if answer == "stop":
        run.stop("stopped")
        app.tell("the language model keeps its checkpoint …")
        if run.process is not None:
            await asyncio.to_thread(run.process.wait, _PATIENCE)
    elif answer == "detach":
        run.detach()
    return answer in {"stop", "detach"}
