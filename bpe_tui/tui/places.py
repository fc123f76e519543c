"""Where a token occurs, for its card: looked for in a thread, so that the card opens at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bpe_tui.errors import BPEError, MissingCharactersError
from bpe_tui.session import jobs
from bpe_tui.tui.missing import name_missing

if TYPE_CHECKING:
    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.dialogs.token import TokenScreen

_PLACES = 50
"""Places that the card lists."""


async def find(app: BpeTuiApp, screen: TokenScreen, token_id: int) -> None:
    """Find places of a token in the training text and hand them to its card."""
    workspace = app.workspace
    text = workspace.training_text()
    if not text:
        screen.show_places_failed(token_id, "no corpus is open to look in")
        return
    try:
        places = await asyncio.to_thread(jobs.find_places, workspace.tokenizer(), text, token_id, _PLACES)
    except MissingCharactersError as error:
        screen.show_places_failed(token_id, f"the corpus cannot be encoded: {name_missing(error)}")
    except BPEError as error:
        screen.show_places_failed(token_id, str(error))
    else:
        screen.show_places(token_id, places)
