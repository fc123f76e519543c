"""How one block of a text is encoded and proven: as text, or, where a tokenizer of bytes allows it, as bytes.

Most of what is encoded by the gigabyte is UTF-8 and goes to tokenizers of bytes. Then the bytes of the file are all
that is needed, and turning them into text and back would take a third of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.cuts import cut_blocks
from bpe_tui.bpe.special import SpecialPolicy, count_specials, may_hold, refuse_specials, special_pattern
from bpe_tui.errors import MissingCharactersError

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.corpus import Split
    from bpe_tui.errors import MissingCharacter
    from bpe_tui.progress import Report

Ids = npt.NDArray[np.int64]
Block = TypeVar("Block", str, bytes)

TEXT_BLOCK = 1 << 22
"""Characters encoded at a time; with all that is made of them on the way, up to a hundred megabytes."""
BYTE_BLOCK = 2 << 20
"""Bytes encoded at a time."""


class Coder(Generic[Block]):
    """What is done with blocks of a split."""

    def blocks(self, split: Split, report: Report) -> Iterator[Block]:
        """Give a split as blocks that may be encoded one by one."""
        raise NotImplementedError

    def encode(self, block: Block, start: int, report: Report) -> Ids:
        """Give the ids of a block that begins `start` characters behind the beginning of the split."""
        raise NotImplementedError

    def missing(self, block: Block) -> tuple[MissingCharacter, ...]:
        """Give the characters of the block that cannot be encoded, with their places in it."""
        raise NotImplementedError

    def utf8(self, block: Block) -> bytes:
        """Give the block as UTF-8."""
        raise NotImplementedError

    def specials(self, block: Block) -> int:
        """Give how many special tokens stand in the block."""
        raise NotImplementedError

    def survived(self, block: Block, ids: Ids, report: Report) -> bool:
        """Whether `ids` decode to what those of the block must decode to."""
        raise NotImplementedError


class TextCoder(Coder[str]):
    """For any tokenizer. `special` is a `SpecialPolicy`."""

    def __init__(self, tokenizer: BPETokenizer, special: str) -> None:
        self._tokenizer = tokenizer
        policy = SpecialPolicy(special)
        # Where they are refused, they are looked for here, as only here it is known where in the split they stand.
        self._refused = special_pattern(tokenizer.special_tokens) if policy is SpecialPolicy.ERROR else None
        self._special = SpecialPolicy.TEXT if policy is SpecialPolicy.ERROR else policy
        self._found = special_pattern(tokenizer.special_tokens) if policy is SpecialPolicy.SPECIAL else None

    def blocks(self, split: Split, report: Report) -> Iterator[str]:
        """Cut the split."""
        # No special token is cut, whatever it is taken for: they are counted.
        return cut_blocks(
            split.blocks(report), lambda text: self._tokenizer.last_cut(text, SpecialPolicy.SPECIAL), TEXT_BLOCK
        )

    def encode(self, block: str, start: int, report: Report) -> Ids:
        """Encode the block."""
        refuse_specials(block, self._refused, start)
        return self._tokenizer.encode_array(block, report, self._special)

    def missing(self, block: str) -> tuple[MissingCharacter, ...]:
        """Find characters that cannot be encoded. Those of special tokens need not be, if they count as such."""
        if self._found is not None:
            block = self._found.sub(lambda match: " " * len(match.group()), block)
        if self._tokenizer.covers(block):
            return ()
        try:
            self._tokenizer.encode_array(block)
        except MissingCharactersError as error:
            return error.missing
        return ()

    def utf8(self, block: str) -> bytes:
        """Give the block as UTF-8."""
        return block.encode()

    def specials(self, block: str) -> int:
        """Count special tokens."""
        return count_specials(block, self._tokenizer.special_tokens)

    def survived(self, block: str, ids: Ids, report: Report) -> bool:
        """Decode and compare."""
        tokenizer = self._tokenizer
        decoded = tokenizer.decode(ids, report=report)
        if decoded == block or tokenizer.lossless:
            return decoded == block
        # What does not keep the text as it is must keep all else: its words, or at least its own ids.
        return decoded == tokenizer.normalise(block) or bool(
            np.array_equal(tokenizer.encode_array(decoded, report, self._special), ids)
        )


class ByteCoder(Coder[bytes]):
    """For a tokenizer of bytes that looks for no tokens in the text."""

    def __init__(self, tokenizer: ByteBPETokenizer) -> None:
        self._tokenizer = tokenizer
        self._specials = [token.encode() for token in tokenizer.special_tokens]

    def blocks(self, split: Split, report: Report) -> Iterator[bytes]:
        """Cut the split."""
        return cut_blocks(
            split.utf8_blocks(report),
            lambda content: self._tokenizer.last_cut_of_bytes(content, self._specials),
            BYTE_BLOCK,
        )

    def encode(self, block: bytes, start: int, report: Report) -> Ids:  # noqa: ARG002
        """Encode the block."""
        return self._tokenizer.encoder().encode_bytes(block, report)

    def missing(self, block: bytes) -> tuple[MissingCharacter, ...]:  # noqa: ARG002
        """Find none: all bytes can be encoded."""
        return ()

    def utf8(self, block: bytes) -> bytes:
        """Give the block as UTF-8."""
        return block

    def specials(self, block: bytes) -> int:
        """Count special tokens."""
        if not may_hold(block, self._specials):
            return 0
        return count_specials(block.decode(), self._tokenizer.special_tokens)

    def survived(self, block: bytes, ids: Ids, report: Report) -> bool:  # noqa: ARG002
        """Decode and compare."""
        return self._tokenizer.spells(ids, block)


def coder_for(tokenizer: BPETokenizer, special: str) -> TextCoder | ByteCoder:
    """Give the quickest way to encode with this tokenizer, if special tokens in the text are `special`."""
    as_text = SpecialPolicy(special) is SpecialPolicy.TEXT or not tokenizer.special_tokens
    if as_text and isinstance(tokenizer, ByteBPETokenizer) and tokenizer.preparation is None:
        return ByteCoder(tokenizer)
    return TextCoder(tokenizer, special)
