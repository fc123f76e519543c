"""Text from ids that come one after another, as a model writes them."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer


class StreamingDecoder:
    """Decodes ids as they come and never gives half a character: the bytes of an incomplete one wait for the rest."""

    def __init__(self, tokenizer: ByteBPETokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, ids: Sequence[int]) -> str:
        """Give the text that these ids complete."""
        return self._decoder.decode(self._tokenizer.decode_bytes(ids))

    def finish(self) -> str:
        """Give what waited for a rest that never came, as U+FFFD."""
        return self._decoder.decode(b"", final=True)
