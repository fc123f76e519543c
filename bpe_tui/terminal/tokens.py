r"""Tokens for people: a token of bytes is shown as the text it is part of, a byte that is no character as `\xNN`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bpe_tui.terminal.text import visible

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer

_STRAY = re.compile("[\udc80-\udcff]")


def shown_bytes(content: bytes, *, ascii_only: bool = False) -> str:
    r"""Give bytes as they may be written to a terminal: text as by `visible`, what is no UTF-8 as `\x80` to `\xff`."""
    text = content.decode("utf-8", "surrogateescape")
    if _STRAY.search(text) is None:
        return visible(text, ascii_only=ascii_only)
    pieces: list[str] = []
    start = 0
    for match in _STRAY.finditer(text):
        pieces += [visible(text[start : match.start()], ascii_only=ascii_only), f"\\x{ord(match.group()) - 0xDC00:02x}"]
        start = match.end()
    return "".join([*pieces, visible(text[start:], ascii_only=ascii_only)])


def shown_token(tokenizer: BPETokenizer, token_id: int, *, ascii_only: bool = False) -> str:
    """Give a token as it may be written to a terminal."""
    table = getattr(tokenizer, "token_bytes", None)
    if table is not None:
        return shown_bytes(table[token_id], ascii_only=ascii_only)
    return visible(tokenizer.tokens[token_id], ascii_only=ascii_only)
