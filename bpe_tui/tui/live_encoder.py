"""An encoder that keeps up with a run, without ever keeping the screen waiting.

An encoder for other merges needs its tables built anew: about a microsecond a merge. While that is little it is done at
once; with very many merges a thread does it, no more often than leaves the run most of the machine, and until it is
ready the one before serves on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bpe_tui.bpe.encoder import TextEncoder

_AT_ONCE: Final = 0.008
"""Seconds that may be spent on it in the app's own thread."""
_REST: Final = 6.0
"""How many times as long as it took it then rests, while the run is busy."""


class LiveEncoder:
    """The newest encoder that is ready, and the state of the tokenizer that it belongs to."""

    def __init__(self) -> None:
        self._ready: tuple[object, TextEncoder | None] = (None, None)
        self._cost = 0.0
        self._not_before = 0.0
        self._thread: threading.Thread | None = None

    @property
    def key(self) -> object:
        """The state of the tokenizer that `encoder` belongs to."""
        return self._ready[0]

    @property
    def encoder(self) -> TextEncoder | None:
        """The newest encoder that is ready; None while there is nothing to encode with."""
        return self._ready[1]

    def follow(self, key: object, make: Callable[[], TextEncoder | None], *, busy: bool) -> bool:
        """Move on to the state `key`, now or soon; gives whether `encoder` is of that state."""
        if key == self.key:
            return True
        if self._thread is not None and self._thread.is_alive():
            return False
        if busy and time.monotonic() < self._not_before:
            return False
        encoder = make()
        if encoder is None or self._cost < _AT_ONCE:
            self._build(key, encoder)
            return True
        self._thread = threading.Thread(target=self._build, args=(key, encoder), name="bpe-tui encoder", daemon=True)
        self._thread.start()
        return False

    def _build(self, key: object, encoder: TextEncoder | None) -> None:
        begun = time.monotonic()
        if encoder is not None:
            encoder.prepare()
        end = time.monotonic()
        self._cost = end - begun
        self._not_before = end + _REST * self._cost
        self._ready = (key, encoder)
