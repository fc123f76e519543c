"""The encoder: text to token ids by replaying merges, fast and exactly as `reference.encode` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.alphabet import symbol_table, symbols
from bpe_tui.bpe.joins import NEVER, Joins
from bpe_tui.bpe.threads import share
from bpe_tui.errors import MissingCharactersError
from bpe_tui.progress import Report, silent

CHUNK = 1 << 13
"""Symbols worked on at a time, so that all that is touched stays in the second-level cache."""
BLOCK = 1 << 20
"""Symbols between two reports."""
DENSE_BASE = 1024
"""Up to this many base tokens, pairs of them are looked up in a dense table (4 MB at most)."""
NO_JOINS = np.empty(0, np.int32)
"""For the kernel: which merge joined what is not asked for."""


class _Index(NamedTuple):
    """What `kernels.encoding` needs beside the text; see there."""

    base_ranks: npt.NDArray[np.int32]
    keys: npt.NDArray[np.int64]
    ranks: npt.NDArray[np.int32]
    again: npt.NDArray[np.int32]
    joint_keys: npt.NDArray[np.int64]
    joint_ranks: npt.NDArray[np.int32]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    new: npt.NDArray[np.int32]
    length: npt.NDArray[np.int32]


class TextEncoder(Protocol):
    """What encoders of all kinds of BPE have in common. None changes once made; any number of threads may use one."""

    def prepare(self) -> None:
        """Make the tables that the first `encode` would make."""

    def encode(self, text: str, report: Report = silent) -> npt.NDArray[np.int64]:
        """Give the ids of the tokens of `text`, int64, one dimension. `report` may raise Cancelled."""

    def normalise(self, text: str) -> str:
        """Give the text that the ids of `text` stand for."""

    def token_lengths(self) -> npt.NDArray[np.int64]:
        """Give the length of each token by id, int64: in bytes where `in_bytes`, else in characters."""

    @property
    def in_bytes(self) -> bool:
        """Whether tokens are made of bytes."""


class Encoder:
    """Encodes texts over the base tokens. Never changes once made; any number of threads may use it.

    Args:
        base_tokens: single characters; their ids are their places.
        left, right, new: ids of the parts and the result of each merge, int32, in learned order.

    """

    def __init__(
        self,
        base_tokens: Sequence[str],
        left: npt.NDArray[np.int32],
        right: npt.NDArray[np.int32],
        new: npt.NDArray[np.int32],
    ) -> None:
        self.base_tokens = tuple(base_tokens)
        self._merges = (np.ascontiguousarray(left), np.ascontiguousarray(right), np.ascontiguousarray(new))

    @cached_property
    def _table(self) -> npt.NDArray[np.int32]:
        return symbol_table(self.base_tokens)

    @property
    def vocab_size(self) -> int:
        """Base tokens and learned tokens together."""
        new = self._merges[2]
        return max(len(self.base_tokens), int(new.max()) + 1 if len(new) else 0)

    @cached_property
    def _index(self) -> _Index:
        from bpe_tui.bpe.kernels import encoding as kernel

        left, right, new = self._merges
        base_size = len(self.base_tokens)
        base_ranks = np.full(base_size * base_size if base_size <= DENSE_BASE else 0, -1, np.int32)
        if len(base_ranks):
            kernel.fill_base_ranks(left, right, base_ranks, base_size)
        keys, ranks, again = kernel.index_ranks(left, right)
        length = np.ones(self.vocab_size, np.int32)
        for left_id, right_id, new_id in zip(left.tolist(), right.tolist(), new.tolist(), strict=True):
            length[new_id] = length[left_id] + length[right_id]
        first, last = kernel.token_ends(left, right, new, self.vocab_size)
        # Where two tokens are joined, the last character of one and the first of the other come to lie side by side.
        joint_keys, joint_ranks, _ = kernel.index_ranks(last[left], first[right])
        return _Index(base_ranks, keys, ranks, again, joint_keys, joint_ranks, left, right, new, length)

    in_bytes = False

    def prepare(self) -> None:
        """Make the tables that the first `encode` would make."""
        _ = self._index

    def normalise(self, text: str) -> str:
        """Give the text that the ids of `text` stand for: the same."""
        return text

    def token_lengths(self) -> npt.NDArray[np.int64]:
        """Give the length of each token in characters, int64, by id."""
        return self._index.length.astype(np.int64)

    def encode(self, text: str, report: Report = silent) -> npt.NDArray[np.int64]:
        """Give the ids of the tokens of `text`, int64, one dimension.

        Raises MissingCharactersError, before any work, naming all characters that are no base tokens. `report` hears
        of characters encoded so far and may raise Cancelled.
        """
        return self.encode_symbols(symbols(text, self.base_tokens, self._table), report)

    def encode_symbols(self, sequence: npt.NDArray[np.int32], report: Report = silent) -> npt.NDArray[np.int64]:
        """Give the ids of the tokens that base symbols become. The array that is given may be overwritten."""
        if not len(self._merges[0]):
            return sequence.astype(np.int64)
        from bpe_tui.bpe.kernels import encoding as kernel

        index = self._index
        total = len(sequence)
        control = np.zeros(1, np.int64)
        ids = np.empty(total, np.int64)
        base_size = len(self.base_tokens)

        def encode_block(start: int, stop: int) -> int:
            # A text of a few characters over many merges is common (a line being typed); it takes one chunk.
            return kernel.encode_range(
                sequence, start, stop, CHUNK, index.base_ranks, base_size, index.keys, index.ranks, index.again,
                index.joint_keys, index.joint_ranks, index.left, index.right, index.new, index.length,
                ids, start, NO_JOINS, control,
            )  # fmt: skip

        def blocks() -> Iterator[tuple[int, int]]:
            start = 0
            while start < total:
                stop = kernel.find_cut(sequence, min(start + BLOCK, total), total, index.joint_keys, index.joint_ranks)
                yield start, stop
                start = stop

        def give_up() -> None:
            control[0] = 1

        if total <= BLOCK:
            return ids[: encode_block(0, total)]
        # Cuts are found before any block is overwritten. Blocks write their ids where their symbols stand, and the
        # gaps between them are closed in order: an id never moves to a higher place.
        cuts = list(blocks())
        end = 0

        def take(number: int, ids_stop: int) -> None:
            nonlocal end
            start, stop = cuts[number]
            ids[end : end + ids_stop - start] = ids[start:ids_stop]
            end += ids_stop - start
            report("encoding", stop, total)

        share(len(cuts), lambda number: encode_block(*cuts[number]), take, give_up)
        return ids[:end]

    def find_cut(self, text: str) -> int:
        """Give the first place inside of `text` where two characters meet that stand side by side in no token, or 0.

        No merge crosses it. In a text that cannot be encoded, it is any place.
        """
        from bpe_tui.bpe.kernels import encoding as kernel

        try:
            sequence = symbols(text, self.base_tokens, self._table)
        except MissingCharactersError:
            return 1 if len(text) > 1 else 0
        index = self._index
        found = int(kernel.find_cut(sequence, 1, len(sequence), index.joint_keys, index.joint_ranks))
        return found if found < len(text) else 0

    def joins(self, text: str, report: Report = silent) -> Joins:
        """Give, for every place between two characters of `text`, which merge joined them; see `Joins`.

        Raises MissingCharactersError, before any work. `report` hears of characters done and may raise Cancelled.
        """
        return self.join_symbols(symbols(text, self.base_tokens, self._table), report)

    def join_symbols(self, sequence: npt.NDArray[np.int32], report: Report = silent) -> Joins:
        """Like `joins`, for a text that is symbols already; `sequence` is overwritten."""
        total = len(sequence)
        ranks = np.full(total, NEVER, np.int32)
        base_symbols = sequence.copy()
        if len(self._merges[0]):
            from bpe_tui.bpe.kernels import encoding as kernel

            index = self._index
            ids = np.empty(min(total, 2 * BLOCK), np.int64)
            control = np.zeros(1, np.int64)
            start = 0
            while start < total:
                stop = kernel.find_cut(sequence, min(start + BLOCK, total), total, index.joint_keys, index.joint_ranks)
                if len(ids) < stop - start:
                    ids = np.empty(stop - start, np.int64)
                kernel.encode_range(
                    sequence, start, stop, CHUNK, index.base_ranks, len(self.base_tokens), index.keys, index.ranks,
                    index.again, index.joint_keys, index.joint_ranks, index.left, index.right, index.new, index.length,
                    ids, 0, ranks, control,
                )  # fmt: skip
                start = stop
                report("replaying merges", start, total)
        return Joins(base_symbols, ranks)
