"""The byte-level encoder: text to pieces by a splitting rule, pieces to ids by rank, as GPT-2 and tiktoken do."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe import character_classes, gathering
from bpe_tui.bpe.alphabet import utf8
from bpe_tui.bpe.byte_alphabet import byte_array
from bpe_tui.bpe.gathering import WIDEST, cut_into_stretches, gather, widest_character
from bpe_tui.bpe.joins import NEVER, Joins, JoinSteps
from bpe_tui.bpe.piece_memory import PieceMemory
from bpe_tui.bpe.pieces import piece_rows
from bpe_tui.bpe.pretokenize import (
    SplittingRule,
    cuts_surely,
    safe_character,
    safe_place,
    split,
    split_documents,
)
from bpe_tui.bpe.threads import share
from bpe_tui.progress import Report, silent

Ids = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

LONG = 1 << 20
"""Characters of a text that is not worth to be encoded beside others: alone, it keeps all threads busy."""
GROUP = 1 << 17
"""Pieces that one thread joins at a time, between two reports."""

_NO_IDS: Ids = np.zeros(0, np.int64)
_NONE_WHOLE = np.zeros(0, np.uint64), np.empty(0, np.uint8)
"""No pieces that are taken whole, for the kernels."""


class ByteEncoder:
    """Encodes bytes and text. Never changes what it gives; any number of threads may use it.

    Args:
        byte_ids: the id of each of the 256 bytes, int64.
        pairs: left << 32 | right of every pair that merges, int64.
        merges: rank << 32 | new id for each of `pairs`, int64.
        rule: how text is cut into pieces.
        tokens: the bytes by id of the tokens that a piece of the same bytes becomes, empty for others; it may be empty.
        whole_pieces: whether it does so without merging (`ignore_merges`, tiktoken), or merging gives the same.

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
        self._memories: deque[PieceMemory] = deque()

    @cached_property
    def _table(self) -> Ids:
        from bpe_tui.bpe.kernels import piece_merging as kernel

        table: Ids = kernel.index_pairs(self._pairs, self._merges)
        return table

    @cached_property
    def _byte_pairs(self) -> Ids:
        from bpe_tui.bpe.kernels import byte_encoding as kernel

        pairs: Ids = kernel.pairs_of_bytes(self.byte_ids, self._table)
        return pairs

    @cached_property
    def _whole(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
        """The pieces that are taken whole and their ids, as the kernels look them up; both empty if none are."""
        from bpe_tui.bpe.kernels import byte_encoding as kernel

        if not self._tokens:
            return _NONE_WHOLE
        tokens = piece_rows(1 << (2 * len(self._tokens)).bit_length())
        content = b"".join(self._tokens)
        store = np.empty(len(content), np.uint8)
        ends = np.cumsum([len(token) for token in self._tokens], dtype=np.int64)
        kernel.remember_tokens(byte_array(content), ends, np.arange(len(ends)), tokens, store)
        return tokens, store

    in_bytes = True

    def prepare(self) -> None:
        """Make the tables that the first `encode` would make."""
        _ = self._byte_pairs, self._whole

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
        if len(text) < gathering.STRETCH or not cuts_surely(self.rule):
            return self.encode_bytes(utf8(text), report)
        widest = widest_character(text)
        stretches = cut_into_stretches(len(text), lambda place: safe_character(text, self.rule, place))

        def encode(number: int, ids: Ids, control: Ids) -> int:
            return self._encode_characters(text, widest, *stretches[number], ids, control)

        stops = [stop for _, stop in stretches]
        return gather(stops, encode, widest, lambda number: report("encoding", stops[number], len(text)))[0]

    def encode_bytes(self, content: bytes, report: Report = silent) -> Ids:
        """Give the ids of the tokens of any bytes, text or not. `report` may raise Cancelled."""
        data = byte_array(content)
        found = split(data, self.rule, report) if self.rule.number < 0 else None

        def place_behind(place: int) -> int:
            return safe_place(data, self.rule, place) if found is None else int(found[np.searchsorted(found, place)])

        stretches = cut_into_stretches(len(data), place_behind)

        def encode(number: int, ids: Ids, control: Ids) -> int:
            return self._encode_bytes(data, found, *stretches[number], ids, control)

        stops = [stop for _, stop in stretches]
        return gather(stops, encode, 1, lambda number: report("encoding", stops[number], len(data)))[0]

    def _encode_characters(self, text: str, widest: int, start: int, stop: int, ids: Ids, control: Ids) -> int:
        """Write the ids of a part of a text; give how many there are, 0 when cancelled."""
        from bpe_tui.bpe.kernels import texts as kernel

        with self._memory() as memory:
            room = memory.text_room(widest * (stop - start))
            return self._encode_stretch(room, 0, kernel.write_utf8(text, start, stop, room), memory, ids, control)

    def _encode_bytes(self, data: Bytes, found: Ids | None, start: int, stop: int, ids: Ids, control: Ids) -> int:
        """Write the ids of a part of some bytes; give how many there are, 0 when cancelled.

        `found` is where pieces end, if that is known.
        """
        with self._memory() as memory:
            if found is None:
                return self._encode_stretch(data, start, stop, memory, ids, control)
            first, last = np.searchsorted(found, (start, stop), side="right")
            return self._encode_pieces(data, start, found[first:last], memory, ids, control)

    def _encode_stretch(self, data: Bytes, start: int, stop: int, memory: PieceMemory, ids: Ids, control: Ids) -> int:
        """Write the ids of what a named rule is to cut; give how many there are, 0 when cancelled."""
        from bpe_tui.bpe.kernels import byte_encoding as kernel

        memory.make_room()
        count: int = kernel.encode_stretch(
            self.rule.number, data, start, stop, character_classes.table(), self.byte_ids, self._byte_pairs,
            self._table, *self._whole, *memory.arrays(), ids, control,
        )  # fmt: skip
        return max(count, 0)

    @contextmanager
    def _memory(self) -> Iterator[PieceMemory]:
        """Lend a memory to one thread."""
        try:
            memory = self._memories.pop()
        except IndexError:
            memory = PieceMemory()
        try:
            yield memory
        finally:
            self._memories.append(memory)

    def _encode_pieces(self, data: Bytes, start: int, ends: Ids, memory: PieceMemory, ids: Ids, control: Ids) -> int:
        """Write the ids of pieces, of which the first begins at `start`; give how many there are, 0 when cancelled."""
        from bpe_tui.bpe.kernels import byte_encoding as kernel

        memory.make_room()
        count: int = kernel.encode_pieces(
            data, start, ends, len(ends), self.byte_ids, self._byte_pairs, self._table, *self._whole,
            *memory.arrays(), ids, 0, _NO_IDS, _NO_IDS, control,
        )  # fmt: skip
        return max(count, 0)

    def encode_texts(self, texts: Sequence[str], report: Report = silent) -> tuple[Ids, Ids]:
        """Give the ids of many texts one after another, int64, and where those of each end. `report` hears of texts."""
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        if lengths.max(initial=0) > LONG:
            return self._encode_one_by_one(texts, report)
        ends = np.cumsum(lengths)
        # How many texts come up to the end of each group.
        marks = np.arange(gathering.STRETCH, ends[-1], gathering.STRETCH) if len(ends) else ends
        groups = np.unique(np.append(np.searchsorted(ends, marks) + 1, len(texts))).tolist()
        firsts = [0, *groups]
        stops = np.empty(len(texts), np.int64)

        def encode(number: int, ids: Ids, control: Ids) -> int:
            group = slice(firsts[number], groups[number])
            return self._encode_group("".join(texts[group]), ends[group], ids, stops[group], control)

        places = [int(ends[last - 1]) for last in groups if last]
        ids, counts = gather(places, encode, WIDEST, lambda number: report("encoding", groups[number], len(texts)))
        stops += np.repeat(np.cumsum(counts) - counts, np.diff(firsts)[: len(counts)])
        return ids, stops

    def _encode_one_by_one(self, texts: Sequence[str], report: Report) -> tuple[Ids, Ids]:
        found: list[Ids] = []
        for number, text in enumerate(texts):
            found.append(self.encode(text))
            report("encoding", number + 1, len(texts))
        return np.concatenate(found), np.cumsum([len(ids) for ids in found], dtype=np.int64)

    def _encode_group(self, joined: str, ends: Ids, ids: Ids, stops: Ids, control: Ids) -> int:
        """Write the ids of texts that follow on each other and where they end; give how many there are.

        `ends` is where the texts end, counted from anywhere. 0 when cancelled.
        """
        from bpe_tui.bpe.kernels import byte_encoding as kernel
        from bpe_tui.bpe.kernels import texts as texts_kernel

        np.subtract(ends, ends[-1] - len(joined), out=stops)
        with self._memory() as memory:
            memory.make_room()
            room = memory.text_room(widest_character(joined) * len(joined))
            texts_kernel.write_texts(joined, stops, room)
            data = room[: int(stops[-1])]
            pieces, counts = split_documents(data, stops, self.rule, memory.ends_room(len(data)))
            count: int = kernel.encode_pieces(
                room, 0, pieces, len(pieces), self.byte_ids, self._byte_pairs, self._table, *self._whole,
                *memory.arrays(), ids, 0, counts, stops, control,
            )  # fmt: skip
        return max(count, 0)

    def encode_each(self, pieces: Sequence[bytes], token_lengths: Ids) -> Ids:
        """Give the one id that each piece becomes, without cutting it by the rule; -1 where it becomes several.

        `token_lengths` are the bytes of each token by id. No piece may be empty.
        """
        data = byte_array(b"".join(pieces))
        ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
        ids = np.empty(len(data) + 1, np.int64)
        with self._memory() as memory:
            ids = ids[: self._encode_pieces(data, 0, ends, memory, ids, np.zeros(1, np.int64))]
        lengths = token_lengths[ids]
        starts = np.cumsum(lengths) - lengths
        first = np.searchsorted(starts, ends - np.diff(ends, prepend=0))
        return np.where(lengths[first] == np.diff(ends, prepend=0), ids[first], -1)

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

        table = self._table
        ranks = np.full(len(data), NEVER, np.int32)
        rounds, left, new = (np.zeros(len(data) if told else 0, np.int32) for _ in range(3))
        control = np.zeros(1, np.int64)
        whole = self._whole if self._whole_pieces else _NONE_WHOLE
        groups = [(first, min(first + GROUP, len(ends))) for first in range(0, len(ends), GROUP)]

        def give_up() -> None:
            control[0] = 1

        def join_group(number: int) -> int:
            first, last = groups[number]
            start = int(ends[first - 1]) if first else 0
            kernel.join_pieces(
                data, start, ends[first:last], last - first, self.byte_ids, table, places, *whole,
                token_places, ranks, rounds, left, new, 0, control,
            )  # fmt: skip
            return int(ends[last - 1])

        share(len(groups), join_group, lambda _, stop: report("replaying merges", stop, len(data)), give_up)
        return Joins(self.byte_ids[data].astype(np.int32), ranks), JoinSteps(rounds, left, new)
