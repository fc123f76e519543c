r"""Tokens as people read them, whatever they are made of.

Tokens of bytes are written in an alphabet that shows a space as Ġ; here they are the text that they stand for, with
`\xNN` for bytes that are no text by themselves. Tokens of words end in a marker, which is written `</w>`.
"""

from __future__ import annotations

from bpe_tui.terminal.text import visible


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
        return _bytes_text(content, ascii_only=ascii_only)
    if kind == "word_bpe":
        from bpe_tui.bpe.sequence import SHOWN_MARKER
        from bpe_tui.bpe.words import MARKER

        if token.endswith(MARKER):
            return visible(token[: -len(MARKER)], ascii_only=ascii_only) + SHOWN_MARKER
    return visible(token, ascii_only=ascii_only)


def _bytes_text(content: bytes, *, ascii_only: bool) -> str:
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
