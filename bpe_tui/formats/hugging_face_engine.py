"""Encoding by Hugging Face's tokenizers, for files whose pipeline is not ours."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from bpe_tui.errors import TokenizerFileError
from bpe_tui.formats.extras import installed, require
from bpe_tui.formats.foreign import ForeignEncoderError, guarded

PACKAGE = "tokenizers"


_LONG = 10_000
"""Characters from which on encoding takes longer than anybody should be held up."""


class HuggingFaceEngine:
    """Holds the content of a tokenizer.json, which must have been checked, and loads it when it is first needed."""

    package = PACKAGE

    def __init__(self, content: dict[str, Any], model: str) -> None:
        # Truncation and padding would change how many ids there are.
        self._source = json.dumps({**content, "truncation": None, "padding": None})
        self._model = model
        self._lock = threading.Lock()
        self._loaded: Any = None

    def check(self, path: Path) -> None:
        """Load it now if the package is there. Raises TokenizerFileError if the package does not take the file."""
        if not installed(PACKAGE):
            return
        try:
            self._tokenizer()
        except ForeignEncoderError as error:
            raise TokenizerFileError(f"{path}: {error}", file=path) from error

    def _tokenizer(self) -> Any:
        if self._loaded is None:
            package = require(PACKAGE, f"encoding with this {self._model} tokenizer")
            self._loaded = guarded(PACKAGE, "read the file", package.Tokenizer.from_str, self._source)
        return self._loaded

    def encode(self, text: str, special: bool) -> list[int]:
        """Give the ids of a text, without the special tokens that a post-processor adds."""
        with self._lock:
            tokenizer = self._tokenizer()
            tokenizer.encode_special_tokens = not special
            found = guarded(PACKAGE, "encode the text", _encoded, tokenizer, text)
        ids: list[int] = found.ids
        return ids

    def encode_spans(self, text: str) -> tuple[list[int], list[int]]:
        """Give the ids of a text, special tokens as ordinary text, and at which character of it each of them ends."""
        with self._lock:
            tokenizer = self._tokenizer()
            tokenizer.encode_special_tokens = True
            found = guarded(PACKAGE, "encode the text", _encoded, tokenizer, text)
        # One by one: `offsets` makes them all at once, which holds up all threads, and takes twice as long.
        span = found.token_to_chars
        return found.ids, [span(index)[1] for index in range(len(found))]

    def decode(self, ids: list[int]) -> str:
        """Give the text of ids, special tokens included."""
        with self._lock:
            tokenizer = self._tokenizer()
            found = guarded(PACKAGE, "decode the ids", lambda: tokenizer.decode(ids, skip_special_tokens=False))
        text: str = found
        return text


def _encoded(tokenizer: Any, text: str) -> Any:
    """Encode without the special tokens of a post-processor. `encode` holds up all threads; batches do not."""
    if len(text) < _LONG:
        return tokenizer.encode(text, add_special_tokens=False)
    return tokenizer.encode_batch([text], add_special_tokens=False)[0]
