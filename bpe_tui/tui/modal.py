"""What all screens that open over the main screen have in common: nothing of theirs goes on once they are left.

Textual takes the widgets of a screen down first and cancels its workers last. One that wakes up in between finds
nothing of what it is to draw on, and the app would end with a traceback.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.screen import ModalScreen, ScreenResultType

if TYPE_CHECKING:
    from textual.await_complete import AwaitComplete


class Modal(ModalScreen[ScreenResultType]):
    """A screen over the main screen. Leaving it cancels what its workers still wait for."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave with a result."""
        # Not before those that have just been started have begun: they would complain that nobody awaited them.
        asyncio.get_running_loop().call_soon(self._cancel_workers)
        return super().dismiss(result)

    def _cancel_workers(self) -> None:
        for worker in list(self.workers):
            if self in worker.node.ancestors_with_self:
                worker.cancel()
