"""The trainer: an iterator of merges that can be stopped, looked at and taken up again. No printing, no files.

    trainer = Trainer("low lower lowest", target_vocab_size=20)
    for merge in trainer:
        ...

It says the same as `reference.train`, merge for merge, and does it with compiled kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.encoder import Encoder
from bpe_tui.bpe.log import MergeEntry, MergeLog
from bpe_tui.bpe.sequence import SHOWN_MARKER, TrainingSequence, character_sequence
from bpe_tui.bpe.string_order import StringOrder
from bpe_tui.bpe.vocabulary import merge_ids
from bpe_tui.errors import Cancelled, VocabularySizeError

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer

WORK_A_CALL = 1_000_000
"""Occurrences that one call of `advance` visits by default: some 20 ms."""
DENSE_BASE = 2048
"""Up to this many base tokens, their pairs are first counted in a dense table (16 MB at most)."""


class StopReason(StrEnum):
    """Why training came to its end."""

    TARGET = "target"
    NO_PAIRS = "no-pairs"
    MINIMUM_FREQUENCY = "minimum-frequency"

    def explain(self) -> str:
        """Say it in words."""
        return {
            StopReason.TARGET: "the vocabulary has reached its target size",
            StopReason.NO_PAIRS: "no pair is left: all that can be merged is merged",
            StopReason.MINIMUM_FREQUENCY: "the best pair left occurs fewer times than the minimum pair frequency",
        }[self]


class Ties(StrEnum):
    """Which of several equally frequent pairs is merged."""

    FIRST = "first"
    """The one whose first occurrence in the current sequence is earliest: the tutorial's rule."""
    LOWEST_ID = "lowest-id"
    """The one with the lowest id on the left, then on the right: the rule of Hugging Face's tokenizers."""
    BYTES = "bytes"
    """The same, where the bytes have their own values as ids: the rule of rustbpe."""
    LEXICOGRAPHIC = "lexicographic"
    """The one with the largest string on the left, then on the right, by code points: the rule of subword-nmt."""


_KERNEL_TIES = {Ties.FIRST: 0, Ties.LOWEST_ID: 1, Ties.BYTES: 1, Ties.LEXICOGRAPHIC: 2}
"""TIES_FIRST and so on of kernels/training.py, which must not be imported before it is needed."""


@dataclass(slots=True)
class _State:
    """The arrays that the kernels work on; what each holds is told in `kernels/training.py`."""

    sequence: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int32]
    table: npt.NDArray[np.int32]
    records: npt.NDArray[np.int64]
    arena: npt.NDArray[np.int32]
    heap: npt.NDArray[np.int64]
    length: npt.NDArray[np.int32]
    order: npt.NDArray[np.int32]
    string_hash: npt.NDArray[np.uint64]
    string_power: npt.NDArray[np.uint64]
    hashes: npt.NDArray[np.uint64]
    neighbours: npt.NDArray[np.int64]
    touched: npt.NDArray[np.int32]
    forced: npt.NDArray[np.int64]
    info: npt.NDArray[np.int64]
    id_of: dict[str, int] = field(default_factory=dict)


class Trainer:
    """Learns merges from one text.

    The constructor checks its arguments and is cheap; the pairs are counted by `prepare`, which the first `advance`
    or `next` calls. One thread trains; any thread may read `log`, `tokens` and the figures, and call `cancel`.

    Args:
        text: what to learn from; lone surrogates are refused.
        target_vocab_size: base tokens and learned tokens together; may be raised later.
        minimum_pair_frequency: pairs that occur fewer times are not merged.
        base_tokens: single characters; sorted and deduplicated here. Those of `text` by default.
        merges: pairs of strings to merge first, in this order, whatever their frequency: how a run is resumed.

    Raises TextError, MissingCharactersError, VocabularySizeError.

    """

    def __init__(
        self,
        text: str,
        target_vocab_size: int,
        minimum_pair_frequency: int = 2,
        base_tokens: Iterable[str] | None = None,
        merges: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._begin(
            character_sequence(text, base_tokens), target_vocab_size, minimum_pair_frequency, merges, Ties.FIRST
        )

    @classmethod
    def on_sequence(
        cls,
        sequence: TrainingSequence,
        target_vocab_size: int,
        minimum_pair_frequency: int = 2,
        merges: Sequence[tuple[str, str]] = (),
        ties: Ties = Ties.FIRST,
        reserved: int = 0,
    ) -> Trainer:
        """Give a trainer on a sequence of any kind. Raises VocabularySizeError.

        `reserved` tokens of the target are for others than this trainer to fill: special tokens.
        """
        trainer = cls.__new__(cls)
        trainer._begin(sequence, target_vocab_size, minimum_pair_frequency, merges, ties, reserved)
        return trainer

    def _begin(
        self,
        sequence: TrainingSequence,
        target_vocab_size: int,
        minimum_pair_frequency: int,
        merges: Sequence[tuple[str, str]],
        ties: Ties,
        reserved: int = 0,
    ) -> None:
        base_size = len(sequence.tokens)
        if target_vocab_size < base_size + reserved:
            special = f" and {reserved:,} special tokens" if reserved else ""
            raise VocabularySizeError(
                f"a target vocabulary of {target_vocab_size:,} is smaller than the base vocabulary: there are "
                f"{base_size:,} base tokens{special}, so the least possible target is {base_size + reserved:,}"
            )
        if minimum_pair_frequency < 1:
            raise ValueError(f"the minimum pair frequency is {minimum_pair_frequency}, the least possible is 1")
        self._sequence: TrainingSequence | None = sequence
        self.base_tokens: tuple[str, ...] = sequence.tokens
        self.tokens: list[str] = list(sequence.tokens)
        """All tokens by id; only ever appended to."""
        self.base_size = base_size
        self.initial_length = sequence.length
        self._target_vocab_size = target_vocab_size
        self.minimum_pair_frequency = minimum_pair_frequency
        self.ties = ties
        self.reserved = reserved
        self._marker = sequence.marker
        self._string_order: StringOrder | None = None
        self.log = MergeLog()
        self.stop_reason: StopReason | None = None
        self.token_counts: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        """How often each token stands in the sequence now, by id; rows beyond `vocab_size` are 0."""
        left, right, _, _ = merge_ids(self.base_tokens, merges)
        self._forced = (left.astype(np.int64) << 32) | right
        self._state: _State | None = None
        # control[0]: the kernels give up when it is not 0. Written by any thread, one aligned word.
        self._control = np.zeros(1, np.int64)

    @property
    def target_vocab_size(self) -> int:
        """Where training ends. Raising it after the end lets training go on."""
        return self._target_vocab_size

    @target_vocab_size.setter
    def target_vocab_size(self, size: int) -> None:
        self._target_vocab_size = size
        if self.stop_reason is StopReason.TARGET and size > self.vocab_size + self.reserved:
            self.stop_reason = None

    @property
    def vocab_size(self) -> int:
        """Base tokens and learned tokens so far."""
        return len(self.tokens)

    @property
    def sequence_length(self) -> int:
        """Tokens in the training sequence now."""
        return int(self.log.length[self.log.count - 1]) if self.log.count else self.initial_length

    @property
    def pairs_alive(self) -> int:
        """Different pairs in the training sequence now; 0 before they are counted."""
        from_state = self._state
        # PAIRS_ALIVE of kernels/training.py, which must not be imported just to look.
        return int(from_state.info[2]) if from_state is not None else 0

    def prepare(self) -> None:
        """Load the kernels and count all pairs. Does nothing the second time. Raises Cancelled after `cancel`."""
        if self._state is not None:
            return
        from bpe_tui.bpe.kernels import training as kernel

        if self._sequence is None:
            raise Cancelled("training was cancelled; make a new trainer with the merges learned so far to go on")
        # The kernels work in place, and nobody else has a use for the symbols.
        sequence, weights = self._sequence.symbols, self._sequence.weights
        self._sequence = None
        base_size = self.base_size
        self.token_counts = kernel.count_symbols(sequence, weights, base_size)
        info = np.zeros(kernel.INFO_SIZE, np.int64)
        ties = _KERNEL_TIES[self.ties]
        dense = base_size <= DENSE_BASE
        room = 1 << 11
        # Memory that is not touched costs nothing, growing costs a copy: as many pairs as a long training may meet.
        most_pairs = len(sequence) // 3
        while True:
            info[kernel.RECORDS] = 0
            record_of = np.full(base_size * base_size if dense else 0, -1, np.int32)
            table = np.full(4 * room, -1, np.int32)
            records = np.zeros((max(room, most_pairs), 4), np.int64)
            if kernel.count_pairs(sequence, weights, base_size, record_of, table, records, info, self._control):
                break
            room *= 4
        # Later lists take at most twice the number of merges, in all.
        arena = np.empty(3 * len(sequence) + 1024, np.int32)
        heap = np.zeros((max(2 * room, most_pairs), 3), np.int64)
        length = np.ones(base_size, np.int32)
        order = np.zeros(base_size, np.int32)
        if self.ties is Ties.LEXICOGRAPHIC:
            self._string_order = StringOrder([self._spelled(token) for token in self.tokens])
            self._string_order.number(order)
        kernel.list_pairs(
            sequence, base_size, record_of, table, records, arena, length, order, heap, ties, info, self._control
        )
        if self._control[0]:
            raise Cancelled("training was cancelled while the pairs were counted")
        info[kernel.LENGTH] = self.initial_length
        info[kernel.VOCABULARY] = base_size
        info[kernel.CANDIDATE] = -1
        # Any odd multiplier spreads the hashes of the base characters: equal hashes are looked at, never trusted.
        string_hash = np.arange(1, base_size + 1, dtype=np.uint64) * np.uint64(0xBF58476D1CE4E5B9)
        self._state = _State(
            sequence=sequence,
            weights=weights,
            table=table,
            records=records,
            arena=arena,
            heap=heap,
            length=length,
            order=order,
            string_hash=string_hash,
            string_power=np.full(base_size, kernel.HASH_BASE, np.uint64),
            hashes=np.zeros(1 << 11, np.uint64),
            neighbours=np.zeros((base_size, 8), np.int64),
            touched=np.zeros(2 * base_size, np.int32),
            forced=self._forced,
            info=info,
            id_of={token: number for number, token in enumerate(self.tokens)},
        )

    def _make_room(self, state: _State) -> None:
        """Grow what the kernel found too small: everything that has a row a token or a merge, or the lists of pairs."""
        from bpe_tui.bpe.kernels import training as kernel

        info = state.info
        if self.log.count >= len(self.log.left):
            self.log.reserve(2 * self.log.count)
        if self.vocab_size >= len(state.length):
            rows = 2 * len(state.length) + 256
            state.length = _grown(state.length, rows)
            state.order = _grown(state.order, rows)
            state.string_hash = _grown(state.string_hash, rows)
            state.string_power = _grown(state.string_power, rows)
            state.neighbours = _grown(state.neighbours, rows)
            state.touched = np.zeros(2 * rows, np.int32)
            self.token_counts = _grown(self.token_counts, rows)
            if 2 * rows > len(state.hashes):
                state.hashes = np.zeros(1 << (2 * rows).bit_length(), np.uint64)
                kernel.remember_hashes(state.hashes, state.string_hash[self.base_size : self.vocab_size])
        if info[kernel.NEED_RECORDS] > len(state.records) or 2 * info[kernel.NEED_RECORDS] > len(state.table):
            rows = 1 << int(2 * info[kernel.NEED_RECORDS]).bit_length()
            if info[kernel.NEED_RECORDS] > len(state.records):
                state.records = _grown(state.records, rows)
            state.table = np.full(2 * rows, -1, np.int32)
            kernel.index_records(state.table, state.records, info[kernel.RECORDS])
        if info[kernel.NEED_HEAP] > len(state.heap):
            state.heap = _grown(state.heap, 2 * int(info[kernel.NEED_HEAP]))
        if info[kernel.NEED_ARENA] > len(state.arena):
            arena = np.empty(int(info[kernel.NEED_ARENA]) * 5 // 4, np.int32)
            arena[: info[kernel.ARENA_TOP]] = state.arena[: info[kernel.ARENA_TOP]]
            state.arena = arena

    def advance(self, max_merges: int | None = None, max_work: int = WORK_A_CALL) -> int:
        """Learn some more merges and give how many.

        Comes back after `max_merges`, after visiting about `max_work` occurrences (but a merge that has begun is
        finished), or at the end of training, when `stop_reason` says which end it was. Merges given to the constructor
        are replayed first and count. Raises Cancelled after `cancel`.
        """
        self.prepare()
        from bpe_tui.bpe.kernels import training as kernel

        state = self._state
        if state is None or self._control[0]:
            raise Cancelled("training was cancelled; make a new trainer with the merges learned so far to go on")
        ties = _KERNEL_TIES[self.ties]
        log = self.log
        before = log.count
        wanted = np.iinfo(np.int64).max if max_merges is None else max_merges
        self.stop_reason = None
        while True:
            why = kernel.learn(
                state.sequence,
                state.weights,
                state.table,
                state.records,
                state.arena,
                state.heap,
                state.length,
                state.order,
                state.string_hash,
                state.string_power,
                state.hashes,
                self.token_counts,
                state.neighbours,
                state.touched,
                state.forced,
                log.left,
                log.right,
                log.new_id,
                log.frequency,
                log.length,
                self.target_vocab_size - self.reserved,
                self.minimum_pair_frequency,
                ties,
                wanted - (log.count - before),
                max_work,
                state.info,
                self._control,
            )
            self._publish(state, int(state.info[kernel.MERGES]))
            if why == kernel.NEED_ROOM:
                self._make_room(state)
            elif why == kernel.ASK_STRING:
                key = int(state.records[state.info[kernel.CANDIDATE], kernel.KEY])
                string = self.tokens[key >> 32] + self.tokens[key & 0xFFFFFFFF]
                state.info[kernel.ANSWER] = state.id_of.get(string, -1)
                if self._string_order is not None and state.info[kernel.ANSWER] < 0:
                    new = int(state.info[kernel.VOCABULARY])
                    if not self._string_order.insert(self._spelled(string), new, state.order):
                        kernel.order_again(state.heap, state.records, state.order, state.info[kernel.HEAP_SIZE])
            else:
                break
        if why == kernel.CANCELLED:
            self._state = None
            raise Cancelled("training was cancelled")
        self.stop_reason = {
            kernel.TARGET: StopReason.TARGET,
            kernel.NO_PAIRS: StopReason.NO_PAIRS,
            kernel.MINIMUM_FREQUENCY: StopReason.MINIMUM_FREQUENCY,
        }.get(why)
        return log.count - before

    def _spelled(self, token: str) -> str:
        """Give a token as it is compared with others in the order of strings."""
        return token.replace(self._marker, SHOWN_MARKER) if self._marker else token

    def _publish(self, state: _State, merges: int) -> None:
        """Let readers see the kernel's new rows: first the strings of new tokens, then the count of merges."""
        log = self.log
        tokens = self.tokens
        new = slice(log.count, merges)
        rows = zip(log.left[new].tolist(), log.right[new].tolist(), log.new_id[new].tolist(), strict=True)
        for left, right, new_id in rows:
            if new_id == len(tokens):
                token = tokens[left] + tokens[right]
                state.id_of[token] = new_id
                tokens.append(token)
        log.count = merges

    def __iter__(self) -> Iterator[MergeEntry]:
        return self

    def __next__(self) -> MergeEntry:
        # Asked again after the end, it looks again: the target may have been raised.
        if not self.advance(max_merges=1):
            raise StopIteration
        return self.log[self.log.count - 1]

    def run(self, *, verbose: bool = False) -> None:
        """Train to the end. `verbose` prints the first 20 merges and every hundredth, and why training ended."""
        if not verbose:
            while True:
                self.advance()
                if self.stop_reason is not None:
                    return
        print(f"base vocabulary: {self.base_size:,} tokens; sequence: {self.initial_length:,} tokens")
        for merge in self:
            if merge.rank < 20 or (merge.rank + 1) % 100 == 0:
                left, right = (self._spelled(self.tokens[token]) for token in (merge.left, merge.right))
                print(
                    f"merge {merge.rank + 1:>6,}: {left!r} + {right!r} -> {left + right!r}"
                    f"  frequency {merge.frequency:,}  sequence {merge.length:,}"
                )
        reason = self.stop_reason
        print(f"ended after {self.log.count:,} merges: {reason.explain() if reason else 'stopped'}")

    def cancel(self) -> None:
        """Make the thread that trains raise Cancelled within milliseconds. What the log holds stays good."""
        self._control[0] = 1

    def pairs(self) -> list[tuple[str, str]]:
        """Give the merges learned so far as pairs of strings."""
        count, tokens = self.log.count, self.tokens
        return [
            (tokens[left], tokens[right])
            for left, right in zip(self.log.left[:count].tolist(), self.log.right[:count].tolist(), strict=True)
        ]

    def encoder(self) -> Encoder:
        """Give an encoder of the merges learned so far. May be called by any thread at any time."""
        count = self.log.count
        return Encoder(self.base_tokens, self.log.left[:count], self.log.right[:count], self.log.new_id[:count])

    def tokenizer(self) -> BPETokenizer:
        """Give the tokenizer of the merges learned so far. May be called by any thread at any time."""
        from bpe_tui.bpe.tokenizer import BPETokenizer

        return BPETokenizer(self.base_tokens, self.pairs())


def _grown(array: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    """Give a copy with `rows` rows, the new ones 0."""
    larger = np.zeros((rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
