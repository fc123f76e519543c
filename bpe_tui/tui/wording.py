"""Sentences that quote text from outside: safe to write to a terminal, and still sentences."""

from __future__ import annotations

from bpe_tui.terminal import visible


def readable(text: str) -> str:
    """Give `text` with everything strange made visible; a common space stays one, since words are to be read."""
    return " ".join(visible(part) for part in text.split(" "))
