"""The byte-level encoder: text to pieces by a splitting rule, pieces to ids by rank, as GPT-2 and tiktoken do."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe import character_classes
from bpe_tui.bpe.alphabet import utf8
from bpe_tui.bpe.byte_alphabet import byte_array
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
from bpe_tui.bpe.threads import share, thread_count
from bpe_tui.progress import Report, silent

Ids = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

PART = 1 << 24
"""Characters or bytes of text whose ids get one array at first, with room for the most that they may be."""
STRETCH = 1 << 18
"""Characters or bytes that one thread encodes at a time, between two reports."""
WIDEST = 4
"""Bytes of the longest character in UTF-8."""
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
        if len(text) < STRETCH or not cuts_surely(self.rule):
            return self.encode_bytes(utf8(text), report)
        widest = _widest(text)
        stretches = _stretches(len(text), lambda place: safe_character(text, self.rule, place))

        def encode(number: int, ids: Ids, control: Ids) -> int:
            return self._encode_characters(text, widest, *stretches[number], ids, control)

        stops = [stop for _, stop in stretches]
        return _share(stops, encode, widest, lambda number: report("encoding", stops[number], len(text)))[0]

    def encode_bytes(self, content: bytes, report: Report = silent) -> Ids:
        """Give the ids of the tokens of any bytes, text or not. `report` may raise Cancelled."""
        data = byte_array(content)
        found = split(data, self.rule, report) if self.rule.number < 0 else None

        def place_behind(place: int) -> int:
            return safe_place(data, self.rule, place) if found is None else int(found[np.searchsorted(found, place)])

        stretches = _stretches(len(data), place_behind)

        def encode(number: int, ids: Ids, control: Ids) -> int:
            return self._encode_bytes(data, found, *stretches[number], ids, control)

        stops = [stop for _, stop in stretches]
        return _share(stops, encode, 1, lambda number: report("encoding", stops[number], len(data)))[0]

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
        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
        # How many texts come up to the end of each group.
        marks = np.arange(STRETCH, ends[-1], STRETCH) if len(ends) else ends
        groups = np.unique(np.append(np.searchsorted(ends, marks) + 1, len(texts))).tolist()
        firsts = [0, *groups]
        stops = np.empty(len(texts), np.int64)

        def encode(number: int, ids: Ids, control: Ids) -> int:
            group = slice(firsts[number], groups[number])
            return self._encode_group("".join(texts[group]), ends[group], ids, stops[group], control)

        places = [int(ends[last - 1]) for last in groups if last]
        ids, counts = _share(places, encode, WIDEST, lambda number: report("encoding", groups[number], len(texts)))
        stops += np.repeat(np.cumsum(counts) - counts, np.diff(firsts)[: len(counts)])
        return ids, stops

    def _encode_group(self, joined: str, ends: Ids, ids: Ids, stops: Ids, control: Ids) -> int:
        """Write the ids of texts that follow on each other and where they end; give how many there are.

        `ends` is where the texts end, counted from anywhere. 0 when cancelled.
        """
        from bpe_tui.bpe.kernels import byte_encoding as kernel
        from bpe_tui.bpe.kernels import texts as texts_kernel

        np.subtract(ends, ends[-1] - len(joined), out=stops)
        with self._memory() as memory:
            memory.make_room()
            room = memory.text_room(_widest(joined) * len(joined))
            texts_kernel.write_texts(joined, stops, room)
            pieces, counts = split_documents(room[: int(stops[-1])], stops, self.rule, memory.ends_room(len(room)))
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


def _widest(text: str) -> int:
    """Give how many bytes of UTF-8 a character of a text can be at the most."""
    return 1 if text.isascii() else WIDEST


def _stretches(total: int, place_behind: Callable[[int], int]) -> list[tuple[int, int]]:
    """Cut a text of that length into stretches. `place_behind` gives a place behind another one where a piece ends."""
    stretches: list[tuple[int, int]] = []
    start = 0
    while start < total:
        stop = place_behind(start + STRETCH) if start + STRETCH < total else total
        stretches.append((start, stop))
        start = stop
    return stretches


def _share(
    stops: Sequence[int], encode: Callable[[int, Ids, Ids], int], widest: int, report: Callable[[int], None]
) -> tuple[Ids, Ids]:
    """Give the ids of stretches of a text, which threads share, one after another, and how many each has.

    They end at `stops`. `encode` writes the ids of the stretch of a number to an array, unless the third argument says
    that all is cancelled, and gives how many there are: no more than `widest` times its length. `report` hears of those
    that are done, one after another.
    """
    counts = np.zeros(len(stops), np.int64)
    parts: list[Ids] = []
    first = 0
    begin = 0
    while first < len(stops):
        last = first + 1
        while last < len(stops) and stops[last] - begin <= PART:
            last += 1
        # One place more for each stretch. What is not written to takes no memory.
        sizes = [widest * size + 1 for size in np.diff([begin, *stops[first:last]]).tolist()]
        parts.append(_share_part(first, sizes, encode, counts, report))
        begin = stops[last - 1]
        first = last
    return _joined(parts), counts


def _joined(parts: list[Ids]) -> Ids:
    """Give arrays as one. They are dropped as they are copied: memory need not hold all of them twice."""
    if len(parts) == 1:
        return parts[0]
    whole = np.empty(sum(map(len, parts)), np.int64)
    parts.reverse()
    stop = 0
    while parts:
        part = parts.pop()
        start, stop = stop, stop + len(part)
        whole[start:stop] = part
    return whole


def _share_part(
    first: int, sizes: Sequence[int], encode: Callable[[int, Ids, Ids], int], counts: Ids, report: Callable[[int], None]
) -> Ids:
    """Give the ids of the stretches from number `first` on, of which each needs so much room; see `_share`."""
    control = np.zeros(1, np.int64)
    ids = np.empty(sum(sizes), np.int64)
    rooms: deque[Ids] = deque()

    def encode_aside(number: int) -> Ids:
        # Where the ids of a stretch belong is not known before those of all stretches in front of it are.
        try:
            room = rooms.pop()
        except IndexError:
            room = _NO_IDS
        if len(room) < sizes[number]:
            room = np.empty(sizes[number], np.int64)
        counts[first + number] = encode(first + number, room, control)
        return room

    def give_up() -> None:
        control[0] = 1

    written = 0

    def take(number: int, room: Ids) -> None:
        nonlocal written
        count = int(counts[first + number])
        ids[written : written + count] = room[:count]
        written += count
        rooms.append(room)
        report(first + number)

    if min(thread_count(), len(sizes)) == 1:
        for number in range(first, first + len(sizes)):
            counts[number] = encode(number, ids[written:], control)
            written += int(counts[number])
            report(number)
    else:
        share(len(sizes), encode_aside, take, give_up)
    ids.resize(written, refcheck=False)
    return ids
