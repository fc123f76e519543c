"""The byte-level encoder: text to pieces by a splitting rule, pieces to ids by rank, as GPT-2 and tiktoken do."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.byte_alphabet import byte_array
from bpe_tui.bpe.joins import NEVER, Joins, JoinSteps
from bpe_tui.bpe.pretokenize import SplittingRule, split
from bpe_tui.progress import Report, silent

Ids = npt.NDArray[np.int64]

GROUP = 1 << 17
"""Pieces that one thread encodes at a time, between two reports."""


@dataclass(slots=True)
class _Memory:
    """What one thread remembers of pieces it has met; see `kernels.byte_encoding`."""

    pieces: npt.NDArray[np.int64]
    store: npt.NDArray[np.uint8]
    ids: Ids
    used: Ids = field(default_factory=lambda: np.zeros(4, np.int64))


class ByteEncoder:
    """Encodes bytes and text. Never changes what it gives; any number of threads may use it.

    Args:
        byte_ids: the id of each of the 256 bytes, int64.
        pairs: left << 32 | right of every pair that merges, int64.
        merges: rank << 32 | new id for each of `pairs`, int64.
        rule: how text is cut into pieces.
        tokens: the bytes of each token by id, empty where there is none.
        whole_pieces: whether a piece that is a token is never merged but taken as it is (`ignore_merges`, tiktoken).

    """

    def __init__(
        self,
        byte_ids: Ids,
        pairs: Ids,
        merges: Ids,
        rule: SplittingRule,
        tokens: Sequence[bytes],
        whole_pieces: bool,
    ) -> None:
        self.rule = rule
        self.byte_ids = byte_ids
        self._pairs = pairs
        self._merges = merges
        self._tokens = tokens
        self._whole_pieces = whole_pieces
        self._memories: deque[_Memory] = deque()

    @cached_property
    def _table(self) -> tuple[Ids, Ids]:
        from bpe_tui.bpe.kernels import piece_merging as kernel

        return kernel.index_pairs(self._pairs, self._merges)

    def _new_memory(self) -> _Memory:
        from bpe_tui.bpe.kernels import byte_encoding as kernel

        known = len(self._tokens) if self._whole_pieces else 0
        rows = 1 << (4 * known + (1 << 17)).bit_length()
        spelled = sum(map(len, self._tokens)) if known else 0
        memory = _Memory(
            np.zeros((rows, 5), np.int64), np.empty(spelled + 6 * rows, np.uint8), np.empty(known + rows, np.int64)
        )
        if known:
            ends = np.cumsum([len(token) for token in self._tokens], dtype=np.int64)
            kernel.remember_tokens(
                byte_array(b"".join(self._tokens)), ends, np.arange(known), memory.pieces, memory.store, memory.ids,
                memory.used,
            )  # fmt: skip
        return memory

    in_bytes = True

    def prepare(self) -> None:
        """Make the tables that the first `encode` would make."""
        _ = self._table

    def normalise(self, text: str) -> str:
        """Give the text that the ids of `text` stand for: the same."""
        return text

    def token_lengths(self) -> Ids:
        """Give the length of each token in bytes, int64, by id; 0 for those that encoding never gives."""
        return self._lengths

    @cached_property
    def _lengths(self) -> Ids:
        new = self._merges & 0xFFFFFFFF
        highest = max(int(self.byte_ids.max()), int(new.max()) if len(new) else 0, len(self._tokens) - 1)
        lengths = [0] * (highest + 1)
        for number in self.byte_ids[self.byte_ids >= 0].tolist():
            lengths[number] = 1
        by_rank = np.argsort(self._merges, kind="stable")
        for pair, made in zip(self._pairs[by_rank].tolist(), new[by_rank].tolist(), strict=True):
            lengths[made] = lengths[pair >> 32] + lengths[pair & 0xFFFFFFFF]
        for number, token in enumerate(self._tokens):
            lengths[number] = max(lengths[number], len(token))
        return np.array(lengths, np.int64)

    def encode(self, text: str, report: Report = silent) -> Ids:
        """Give the ids of the tokens of `text`, int64, one dimension. `report` may raise Cancelled."""
        return self.encode_bytes(text.encode("utf-8", "surrogatepass"), report)

    def encode_bytes(self, content: bytes, report: Report = silent) -> Ids:
        """Give the ids of the tokens of any bytes, text or not. `report` may raise Cancelled."""
        data = byte_array(content)
        ends = split(content, self.rule, report)
        if not len(ends):
            return np.zeros(0, np.int64)
        groups = [(first, min(first + GROUP, len(ends))) for first in range(0, len(ends), GROUP)]
        control = np.zeros(1, np.int64)
        if len(groups) == 1:
            return self._encode_group(data, ends, groups[0], control)
        parts: list[Ids] = []
        with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
            try:
                done = pool.map(lambda group: self._encode_group(data, ends, group, control), groups)
                for (_, last), ids in zip(groups, done, strict=True):
                    parts.append(ids)
                    report("encoding", int(ends[last - 1]), len(data))
            except BaseException:
                control[0] = 1
                raise
        return np.concatenate(parts)

    def encode_each(self, pieces: Sequence[bytes], token_lengths: Ids) -> Ids:
        """Give the one id that each piece becomes, without cutting it by the rule; -1 where it becomes several.

        `token_lengths` are the bytes of each token by id. No piece may be empty.
        """
        data = byte_array(b"".join(pieces))
        ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
        ids = self._encode_group(data, ends, (0, len(ends)), np.zeros(1, np.int64))
        lengths = token_lengths[ids]
        starts = np.cumsum(lengths) - lengths
        first = np.searchsorted(starts, ends - np.diff(ends, prepend=0))
        return np.where(lengths[first] == np.diff(ends, prepend=0), ids[first], -1)

    def _encode_group(self, data: npt.NDArray[np.uint8], ends: Ids, group: tuple[int, int], control: Ids) -> Ids:
        from bpe_tui.bpe.kernels import byte_encoding as kernel

        first, last = group
        start = int(ends[first - 1]) if first else 0
        # A byte becomes one token at most. What came of it is copied: it takes a quarter of the room.
        room = np.empty(int(ends[last - 1]) - start, np.int64)
        try:
            memory = self._memories.pop()
        except IndexError:
            memory = self._new_memory()
        try:
            keys, values = self._table
            count = kernel.encode_pieces(
                data, start, ends[first:last], last - first, self.byte_ids, keys, values, memory.pieces, memory.store,
                memory.ids, memory.used, room, 0, control,
            )  # fmt: skip
            return room[: max(count, 0)].copy()
        finally:
            self._memories.append(memory)

    def join_steps(
        self,
        content: bytes,
        places: npt.NDArray[np.int32],
        token_places: npt.NDArray[np.int32],
        report: Report = silent,
        *,
        told: bool = True,
    ) -> tuple[Joins, JoinSteps]:
        """Give, for every place between two bytes, from which merge on they are in one token, and how; see `Joins`.

        `places` gives the place in the merge list for each rank of this encoder, or is empty where they are the same;
        `token_places` that of the merge which makes each token. Within a piece the lowest rank goes first, and merging
        with the first k merges alone does the same up to the first merge that is not among them. So the k from which on
        two bytes are joined is the highest rank met by then, even if a lower one should come about later.
        Unless `told`, the steps are left empty. `report` may raise Cancelled.
        """
        data = byte_array(content)
        return self.join_pieces(data, split(content, self.rule, report), places, token_places, report, told=told)

    def join_pieces(
        self,
        data: npt.NDArray[np.uint8],
        ends: Ids,
        places: npt.NDArray[np.int32],
        token_places: npt.NDArray[np.int32],
        report: Report = silent,
        *,
        told: bool = True,
    ) -> tuple[Joins, JoinSteps]:
        """Do the same for bytes that are cut into pieces already, which end at `ends`."""
        from bpe_tui.bpe.kernels import byte_encoding as kernel

        keys, values = self._table
        ranks = np.full(len(data), NEVER, np.int32)
        rounds, left, new = (np.zeros(len(data) if told else 0, np.int32) for _ in range(3))
        control = np.zeros(1, np.int64)
        known = self._known_pieces
        groups = [(first, min(first + GROUP, len(ends))) for first in range(0, len(ends), GROUP)]

        def join_group(group: tuple[int, int]) -> int:
            first, last = group
            start = int(ends[first - 1]) if first else 0
            kernel.join_pieces(
                data, start, ends[first:last], last - first, self.byte_ids, keys, values, places, known.pieces,
                known.store, known.ids, token_places, ranks, rounds, left, new, 0, control,
            )  # fmt: skip
            return int(ends[last - 1])

        if len(groups) == 1:
            join_group(groups[0])
        elif groups:
            with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
                try:
                    for stop in pool.map(join_group, groups):
                        report("replaying merges", stop, len(data))
                except BaseException:
                    control[0] = 1
                    raise
        return Joins(self.byte_ids[data].astype(np.int32), ranks), JoinSteps(rounds, left, new)

    @cached_property
    def _known_pieces(self) -> _Memory:
        """The pieces that are taken whole, and no others; empty if there are none."""
        if self._whole_pieces:
            return self._new_memory()
        return _Memory(np.zeros((0, 5), np.int64), np.empty(0, np.uint8), np.empty(0, np.int64))
