r"""Tokens as people read them, whatever they are made of.

Tokens of bytes are written in an alphabet that shows a space as Ġ; here they are the text that they stand for, with
`\xNN` for bytes that are no text by themselves. Tokens of words end in a marker, which is written `</w>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.terminal.text import visible

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer


def token_text(token: str, kind: str, *, ascii_only: bool = False) -> str:
    """Give a token as it may be written to a terminal; `visible` has been applied already. Never raises.

    `kind` is that of its tokenizer or run, such as byte_bpe. Tokens of words may be given as a trainer handles them or
    as their tokenizer lists them.
    """
    # What is imported here would be too much for a command that only prints its help.
    if kind == "byte_bpe":
        from bpe_tui.bpe.byte_alphabet import to_bytes

        try:
            content = to_bytes(token)
        except ValueError:  # a special token
            return visible(token, ascii_only=ascii_only)
        return shown_bytes(content, ascii_only=ascii_only)
    if kind == "word_bpe":
        from bpe_tui.bpe.sequence import SHOWN_MARKER
        from bpe_tui.bpe.words import MARKER

        if token.endswith(MARKER):
            return visible(token[: -len(MARKER)], ascii_only=ascii_only) + SHOWN_MARKER
    return visible(token, ascii_only=ascii_only)


def shown_token(tokenizer: BPETokenizer, token_id: int, *, ascii_only: bool = False) -> str:
    """Give a token of a tokenizer of any kind as it may be written to a terminal."""
    kind = "byte_bpe" if getattr(tokenizer, "unit", "characters") == "bytes" else getattr(tokenizer, "kind", "")
    return token_text(tokenizer.tokens[token_id], kind, ascii_only=ascii_only)


def shown_bytes(content: bytes, *, ascii_only: bool = False) -> str:
    r"""Give bytes of a text as they may be written to a terminal: as `visible` does, what is no UTF-8 as `\xNN`."""
    parts: list[str] = []
    while content:
        try:
            parts.append(visible(content.decode("utf-8"), ascii_only=ascii_only))
            break
        except UnicodeDecodeError as error:
            if error.start:
                parts.append(visible(content[: error.start].decode("utf-8"), ascii_only=ascii_only))
            parts += [f"\\x{byte:02x}" for byte in content[error.start : error.end]]
            content = content[error.end :]
    return "".join(parts)
