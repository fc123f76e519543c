"""Where a token occurs, for its card: looked for in a thread, so that the card opens at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from bpe_tui.errors import BPEError, MissingCharactersError
from bpe_tui.session import jobs
from bpe_tui.tui.missing import name_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_tui.analysis import Place
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.dialogs.token import TokenScreen

_PLACES: Final = 50
"""Places that the card lists."""
_FOREIGN_TEXT: Final = 300_000
"""Characters that are searched with tokenizers that other packages encode for, which cannot be stopped."""


async def find(app: BpeTuiApp, screen: TokenScreen, token_id: int) -> None:
    """Find places of a token in the training text and hand them to its card."""
    workspace = app.workspace
    text = workspace.training_text()
    if not text:
        screen.show_places_failed(token_id, "no corpus is open to look in")
        return
    try:
        places = await asyncio.to_thread(_find, workspace.tokenizer(), text, token_id)
    except MissingCharactersError as error:
        screen.show_places_failed(token_id, f"the corpus cannot be encoded: {name_missing(error)}")
    except BPEError as error:
        screen.show_places_failed(token_id, str(error))
    else:
        screen.show_places(token_id, places)


def _find(tokenizer: BPETokenizer, text: str, token_id: int) -> Sequence[Place]:
    if tokenizer.kind == "foreign" or getattr(tokenizer, "preparation", None) is not None:
        # These do something to a text first, so only the tokenizer itself knows its tokens.
        from bpe_tui.analysis import encoded
        from bpe_tui.analysis.places import places_in

        return places_in(encoded.encode(tokenizer, text[:_FOREIGN_TEXT]), token_id, _PLACES)
    return jobs.find_places(tokenizer, text, token_id, _PLACES)
