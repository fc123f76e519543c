r"""How the tokens of one tokenizer read: as the text that they stand for, or as their file writes them.

Tokens of bytes are written in an alphabet in which " the" is `Ġthe`. People see `·the`, find it by ` the` or `the`, and
may ask for the raw form. Bytes that are no text by themselves read as `\xNN`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_tui.terminal import token_text, visible

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer

BYTES = "byte_bpe"
WORDS = "word_bpe"


@dataclass(frozen=True, slots=True)
class Spelling:
    """How to read tokens."""

    kind: str = "character_bpe"
    """The kind of tokenizer, as files name it; "byte_bpe" for foreign ones whose tokens are bytes, too."""
    special: frozenset[int] = frozenset()
    """Ids of special tokens."""
    plain: frozenset[int] = frozenset()
    """Ids of tokens that are written as they are, whatever the others are made of."""
    described: bool = True
    """Whether a token that no merge made is a base token."""

    @property
    def has_raw(self) -> bool:
        """Whether tokens have a raw form that differs from what they read as."""
        return self.kind == BYTES

    @property
    def unit(self) -> str:
        """What lengths are counted in: bytes or characters."""
        return "bytes" if self.kind == BYTES else "characters"

    def shown(self, token_id: int, token: str, *, raw: bool = False, ascii_only: bool = False) -> str:
        """Give a token as it may be written to a terminal."""
        if token_id in self.plain or (raw and self.has_raw):
            return visible(token, ascii_only=ascii_only)
        return token_text(token, self.kind, ascii_only=ascii_only)

    def texts(self, tokens: Sequence[str], first: int) -> list[str]:
        r"""Give what tokens read as, to be searched and sorted; `first` is the id of the first. Not safe to write.

        Bytes that are no text read as `\xNN`, the end of a word as `</w>`.
        """
        if self.kind == BYTES:
            texts = [_read_bytes(token) for token in tokens]
        elif self.kind == WORDS:
            texts = [_read_word(token) for token in tokens]
        else:
            return list(tokens)
        for token_id in self.plain:
            if first <= token_id < first + len(tokens):
                texts[token_id - first] = tokens[token_id - first]
        return texts

    def lengths(self, tokens: Sequence[str], first: int) -> list[int]:
        """Give the length of each token in its unit; the end of a word counts as the space behind it."""
        if self.kind == WORDS:
            from bpe_tui.bpe.words import unshow

            return [len(unshow(token)) for token in tokens]
        lengths = list(map(len, tokens))
        if self.kind == BYTES:
            for token_id in self.plain:
                if first <= token_id < first + len(tokens):
                    lengths[token_id - first] = len(tokens[token_id - first].encode("utf-8", "surrogatepass"))
        return lengths


def spelling_of(tokenizer: BPETokenizer) -> Spelling:
    """Give how the tokens of a tokenizer are to be read."""
    special = frozenset(tokenizer.special_tokens.values())
    added = getattr(tokenizer, "added_tokens", {})
    kind = BYTES if tokenizer.unit == "bytes" else tokenizer.kind
    foreign = tokenizer.kind == "foreign" and not tokenizer.merges
    return Spelling(kind, special, special.union(added.values()), described=not foreign)


def _read_bytes(token: str) -> str:
    from bpe_tui.bpe.byte_alphabet import to_bytes

    # The printable part of ASCII stands for itself, and most other tokens only begin with a space.
    read = token.replace("Ġ", " ")
    if read.isascii():
        return read
    try:
        return to_bytes(token).decode("utf-8", "backslashreplace")
    except ValueError:
        return token


def _read_word(token: str) -> str:
    from bpe_tui.bpe.words import MARKER, show

    return show(token) if token.endswith(MARKER) else token
