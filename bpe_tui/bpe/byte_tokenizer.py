"""The byte-level tokenizer: GPT-2's kind. Any bytes at all can be encoded, and decoded to the same bytes.

Its tokens are strings in the byte alphabet (`byte_alphabet`), as in GPT-2's and Hugging Face's files: `Ġthe` is " the".
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.byte_alphabet import CHARACTERS, spell, to_characters
from bpe_tui.bpe.byte_decoding import Spelling
from bpe_tui.bpe.byte_encoder import ByteEncoder
from bpe_tui.bpe.byte_vocabulary import merge_ids, single_bytes, tokens_by_id
from bpe_tui.bpe.cuts import cutter, last_cut
from bpe_tui.bpe.garbage import no_collection
from bpe_tui.bpe.joins import NEVER, Joins, JoinSteps
from bpe_tui.bpe.piece_counting import Text
from bpe_tui.bpe.preparation import Preparation
from bpe_tui.bpe.pretokenize import SplittingRule, as_bytes, safe_character, split
from bpe_tui.bpe.ranks import DerivedMerges, all_pairs, derive_merges
from bpe_tui.bpe.special import (
    SpecialPolicy,
    check_special_tokens,
    cut_at,
    refuse_specials,
    special_pattern,
)
from bpe_tui.bpe.streaming import StreamingDecoder
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import BPEError
from bpe_tui.progress import Report, silent

Ids = npt.NDArray[np.int64]


class PartialCharacterError(BPEError, ValueError):
    """Ids whose bytes are no UTF-8 text: cut inside a character, or never text."""


class UnencodableByteError(BPEError, ValueError):
    """A byte that no text has, for a tokenizer of text only."""


class ByteBPETokenizer(BPETokenizer):
    """A byte-level BPE tokenizer. Treat it as unchangeable.

    Args:
        vocabulary: token in the byte alphabet to id, all 256 single bytes among them. Ids may have gaps.
        merges: pairs of tokens in learned order; both parts and the joined string must be in the vocabulary.
        rule: how text is cut into pieces before any merge.
        special_tokens: special token to id, see `special`.
        whole_pieces: a piece that is a token is taken as it is, without merging (tiktoken; `ignore_merges`).
        by_rank: any two neighbours whose joined bytes are a token merge, lowest id first (tiktoken). `merges` then
            follow from the vocabulary and need not be given; if they are, they must be right.
        ties: the rule by which training broke ties, if it is known.
        preparation: what happens to a text before it is cut into pieces, and tokens that are found in the text.
        text_only: bytes that no text has may be missing from the vocabulary; content that holds them is refused then.
        corpus_sha256: the SHA-256 of the text that it was trained on, if it is known; of no effect.

    Raises ValueError for what is no such tokenizer, naming the token.

    """

    kind = "byte_bpe"
    unit = "bytes"
    covers_all = True

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        merges: Iterable[tuple[str, str]],
        rule: SplittingRule,
        special_tokens: Mapping[str, int] | None = None,
        *,
        whole_pieces: bool = False,
        by_rank: bool = False,
        ties: str | None = None,
        preparation: Preparation | None = None,
        text_only: bool = False,
        corpus_sha256: str | None = None,
    ) -> None:
        self.preparation = preparation
        self.text_only = text_only
        self.corpus_sha256 = corpus_sha256
        self.lossless = preparation is None or preparation.lossless
        """Whether decoding gives every text back as it was."""
        self.vocabulary = dict(vocabulary)
        self.special_tokens = dict(special_tokens or {})
        self.rule = rule
        self.whole_pieces = whole_pieces
        self.by_rank = by_rank
        self.ties = ties
        self.merges = [(left, right) for left, right in merges]
        self.added_tokens: dict[str, int] = {}
        """Tokens that are no special tokens and are found in every text, to id."""
        if preparation is not None:
            self.preparation = preparation = preparation.with_special_tokens(self.special_tokens)
            self.added_tokens = {token.content: token.id for token in preparation.added_tokens if not token.special}
        check_special_tokens({**self.special_tokens, **self.added_tokens}, self.vocabulary)
        self.base_tokens = single_bytes(self.vocabulary, text_only=text_only)
        self.tokens = tokens_by_id(self.vocabulary, self.special_tokens, self.added_tokens)
        self._derived = self._derive() if by_rank else None
        self._ids = self._merge_ids()
        _ = self._byte_spelling  # finds tokens that are no bytes

    @classmethod
    def train(
        cls,
        text: Text,
        target_vocab_size: int,
        minimum_pair_frequency: int = 2,
        base_tokens: Iterable[str] | None = None,
        verbose: bool = True,
        *,
        rule: SplittingRule | str = "gpt2",
        ties: str = "lowest-id",
        special_tokens: Sequence[str] = (),
    ) -> ByteBPETokenizer:
        """Learn a tokenizer from the bytes of `text`; see `byte_training.byte_sequence` and `Trainer`.

        The text may also come as blocks of UTF-8, cut between characters, as `corpus.read_blocks` gives them: then no
        more than a few megabytes of it are held.

        `base_tokens` can be nothing but the 256 bytes, in the order of their ids.
        """
        from bpe_tui.bpe.byte_training import byte_sequence, byte_tokenizer
        from bpe_tui.bpe.pretokenize import rule as rule_of
        from bpe_tui.bpe.trainer import Ties, Trainer

        rule = rule_of(rule) if isinstance(rule, str) else rule
        order = None if base_tokens is None else list(base_tokens)
        sequence = byte_sequence(text, rule, special_tokens, ties, order)
        trainer = Trainer.on_sequence(
            sequence, target_vocab_size, minimum_pair_frequency, ties=Ties(ties), reserved=len(special_tokens)
        )
        trainer.run(verbose=verbose)
        with no_collection():
            base, merges = trainer.base_tokens, trainer.pairs()
            # What was trained on is larger than the tokenizer, which is made of what was learned.
            del trainer, sequence
            return byte_tokenizer(base, merges, rule, ties, special_tokens)

    def _derive(self) -> DerivedMerges:
        derived = derive_merges(self.vocabulary)
        if self.merges and self.merges != derived.merges:
            pairs = enumerate(zip(self.merges, derived.merges, strict=False))
            rank = next((rank for rank, (ours, right) in pairs if ours != right), len(derived.merges))
            raise ValueError(f"merge {rank} is not how its token comes about by the ranks of the vocabulary")
        self.merges = derived.merges
        return derived

    def _merge_ids(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        if self._derived is not None:
            left_right, made = self._derived.pairs, self._derived.made
            return (left_right >> 32).astype(np.int32), left_right.astype(np.int32), made.astype(np.int32)
        return merge_ids(self.vocabulary, self.merges)

    @cached_property
    def token_bytes(self) -> list[bytes]:
        """The bytes of each token by id; of special and added tokens their text in UTF-8; empty for ids not used."""
        offsets, content = self._byte_spelling
        joined, places = content.tobytes(), offsets.tolist()
        return [joined[start:end] for start, end in pairwise(places)]

    @property
    def token_count(self) -> int:
        """Tokens that there are: the vocabulary without gaps in its ids, special tokens included."""
        return len(self.vocabulary) + len(self.special_tokens) + len(self.added_tokens)

    @cached_property
    def stoi(self) -> dict[str, int]:
        """Token string to id, special and added tokens included."""
        return {**self.vocabulary, **self.special_tokens, **self.added_tokens}

    @cached_property
    def itos(self) -> dict[int, str]:
        """Id to token string, special tokens included; ids that are not used are missing."""
        return {number: token for token, number in self.stoi.items()}

    @cached_property
    def _byte_encoder(self) -> ByteEncoder:
        left, right, new = (ids.astype(np.int64) for ids in self._ids)
        pairs, merges = left << 32 | right, np.arange(len(left)) << 32 | new
        whole_pieces = known = self.whole_pieces
        if self._derived is not None:
            if self._derived.underivable:
                pairs, merges = all_pairs(self.vocabulary)
            else:
                merges = new << 32 | new
                whole_pieces = False  # each becomes itself anyway, which is known without merging
        byte_ids = np.array([self.vocabulary.get(character, -1) for character in CHARACTERS], np.int64)
        tokens: list[bytes] = []
        if known:
            apart = {*self.special_tokens.values(), *self.added_tokens.values()}
            tokens = [b"" if number in apart else token for number, token in enumerate(self.token_bytes)]
        return ByteEncoder(byte_ids, pairs, merges, self.rule, tokens, whole_pieces)

    @cached_property
    def _special_pattern(self) -> Any:
        return special_pattern(self.special_tokens)

    def encoder(self) -> ByteEncoder:
        """Give the encoder behind `encode`, which knows no special tokens."""
        return self._byte_encoder

    def normalise(self, text: str) -> str:
        """Give the text that decoding the ids of `text` gives: the same, unless the tokenizer is not `lossless`."""
        if self.preparation is None:
            return text
        parts = self.preparation.cut(text, special=False)
        return "".join(part if isinstance(part, str) else self.tokens[part] for part in parts)

    def covers(self, text: str) -> bool:  # noqa: ARG002
        """Whether `text` can be encoded: bytes can, whatever they are."""
        return True

    def encode_array(
        self, text: str, report: Report = silent, special: SpecialPolicy | str = SpecialPolicy.TEXT
    ) -> Ids:
        """Give the ids of `text`, int64. `special` says what special tokens in it are; see `SpecialPolicy`.

        Raises SpecialTokenError under the policy "error". `report` may raise Cancelled.
        """
        policy = SpecialPolicy(special)
        if policy is SpecialPolicy.ERROR:
            refuse_specials(text, self._special_pattern)
        if self.preparation is not None:
            return self._encode_prepared(text, self.preparation, policy is SpecialPolicy.SPECIAL, report)
        if policy is not SpecialPolicy.SPECIAL or not self.special_tokens:
            return self._byte_encoder.encode(text, report)
        parts: list[Ids] = []
        for ordinary, token in cut_at(text, self._special_pattern):
            parts.append(self._byte_encoder.encode(ordinary, report))
            if token is not None:
                parts.append(np.array([self.special_tokens[token]], np.int64))
        return np.concatenate(parts)

    def last_cut(self, text: str, special: SpecialPolicy | str = SpecialPolicy.TEXT) -> int:
        """Give a place near the end of `text` where it may be cut; see `BPETokenizer.last_cut`.

        There is none for the rule `none` and patterns of one's own, nor where a preparation does more than to find
        tokens.
        """
        tokens: Collection[str] = self.special_tokens if special != SpecialPolicy.TEXT else ()
        if self.preparation is not None:
            if not self.preparation.only_finds:
                return 0
            tokens = {token.content for token in self.preparation.added_tokens}
        return last_cut(text, self._find_cut, tokens)

    def _find_cut(self, text: str) -> int:
        place = safe_character(text, self.rule, reach=len(text))
        return place if place < len(text) else 0

    def last_cut_of_bytes(self, content: bytes, tokens: Collection[bytes] = ()) -> int:
        """Give a place near the end of `content` where it may be cut, if special tokens in it are text.

        No place lies inside one of `tokens`, for who looks for those.
        """
        return cutter(self.rule, tokens)(content)

    def spells(self, ids: Ids, content: bytes) -> bool:
        """Whether `ids` stand for these very bytes: `decode_bytes(ids) == content`, without making the bytes anew."""
        from bpe_tui.bpe.kernels import spelling as kernel

        rows, characters = self._token_rows
        end: int = kernel.follow(ids, rows, characters, as_bytes(content), 0)
        return end == len(content)

    @cached_property
    def _token_rows(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
        """The bytes of tokens as `kernels.spelling` looks at them."""
        from bpe_tui.bpe.kernels import spelling as kernel

        offsets, characters = self._byte_spelling
        return kernel.token_rows(offsets, characters), characters

    def encode_flat(
        self, texts: Sequence[str], report: Report = silent, special: SpecialPolicy | str = SpecialPolicy.TEXT
    ) -> tuple[Ids, Ids]:
        """Give the ids of many texts one after another, and where those of each end, both int64, on several threads.

        `report` hears of texts and may raise Cancelled.
        """
        policy = SpecialPolicy(special)
        if self.preparation is not None or (policy is not SpecialPolicy.TEXT and self.special_tokens):
            return super().encode_flat(texts, report, policy)
        return self._byte_encoder.encode_texts(texts, report)

    def _encode_prepared(self, text: str, preparation: Preparation, special: bool, report: Report) -> Ids:
        parts: list[Ids] = [np.zeros(0, np.int64)]
        for part in preparation.cut(text, special=special):
            if isinstance(part, int):
                parts.append(np.array([part], np.int64))
            else:
                parts.append(self._byte_encoder.encode(part, report))
        return np.concatenate(parts)

    def encode(self, text: str, special: SpecialPolicy | str = SpecialPolicy.TEXT) -> list[int]:
        """Give the ids of `text` as a list; see `encode_array`."""
        ids: list[int] = self.encode_array(text, special=special).tolist()
        return ids

    def encode_bytes(self, content: bytes) -> list[int]:
        """Give the ids of any bytes, text or not. Special tokens in them are ordinary bytes."""
        if len(self.base_tokens) < len(CHARACTERS):
            for place, byte in enumerate(content):
                if CHARACTERS[byte] not in self.vocabulary:
                    raise UnencodableByteError(
                        f"byte {place:,} is 0x{byte:02X}, which this tokenizer has no token for: it encodes text only"
                    )
        ids: list[int] = self._byte_encoder.encode_bytes(content).tolist()
        return ids

    def joins(self, text: str, report: Report = silent) -> Joins:
        """Like `BPETokenizer.joins`, with bytes for symbols; an added token is one symbol, a special one is text."""
        return self._joined(text, False, report)[0]

    def join_steps(self, text: str, report: Report = silent) -> tuple[Joins, JoinSteps]:
        """Give `joins` and how each came about, which the rank alone does not tell for tokens of bytes."""
        return self._joined(text, True, report)

    def _joined(self, text: str, told: bool, report: Report) -> tuple[Joins, JoinSteps]:
        stretches = [text] if self.preparation is None else self.preparation.cut(text, special=False)
        parts: list[tuple[Joins, JoinSteps]] = []
        for stretch in stretches:
            if isinstance(stretch, int):
                nothing = np.zeros(1 if told else 0, np.int32)
                one = Joins(np.array([stretch], np.int32), np.array([NEVER], np.int32))
                parts.append((one, JoinSteps(nothing, nothing, nothing)))
            else:
                content = stretch.encode("utf-8", "surrogatepass")
                parts.append(self._byte_encoder.join_steps(content, *self.merge_places, report, told=told))
        if not parts:
            empty = np.zeros(0, np.int32)
            return Joins(empty, empty), JoinSteps(empty, empty, empty)
        columns = [(one.symbols, one.ranks, how.rounds, how.left, how.new) for one, how in parts]
        symbols, ranks, *steps = (np.concatenate(column) for column in zip(*columns, strict=True))
        return Joins(symbols, ranks), JoinSteps(*steps)

    @cached_property
    def merge_places(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The place in the merge list of each rank of the encoder (empty if they are the same), and of each token.

        Where ranks are ids, a token that no merge makes takes the place that its id would have among those of the
        merges; otherwise the last, since no fewer merges than all can be known to have it.
        """
        new = self._ids[2]
        last = len(new) - 1
        first = np.full(len(self.tokens), last, np.int32)
        if self.by_rank:
            first = np.searchsorted(np.maximum.accumulate(new), np.arange(len(self.tokens))).astype(np.int32)
            np.minimum(first, last, out=first)
        first[new[::-1]] = np.arange(len(new), dtype=np.int32)[::-1]
        return (first if self.by_rank else np.empty(0, np.int32)), first

    def token_lengths(self) -> Ids:
        """Give the length of each token in bytes, int64, by id."""
        return np.diff(self._byte_spelling[0])

    @cached_property
    def _byte_spelling(self) -> tuple[Ids, npt.NDArray[np.uint8]]:
        """Where the bytes of each token begin and end, and all of them."""
        spelled = self.tokens.copy()
        for token, number in (*self.special_tokens.items(), *self.added_tokens.items()):
            spelled[number] = to_characters(token.encode("utf-8"))
        content, offsets = spell(spelled)
        return offsets, content

    @cached_property
    def _spelling_of_bytes(self) -> Spelling:
        return Spelling(*self._byte_spelling, gaps=len(self.itos) < len(self.tokens))

    def decode_bytes(self, ids: Iterable[int] | npt.NDArray[np.integer]) -> bytes:
        """Give the bytes that `ids` stand for. Raises TokenIdError for an id that is not used."""
        return self._spelling_of_bytes.bytes_of(self._id_array(ids)).tobytes()

    def decode(
        self,
        ids: Iterable[int] | npt.NDArray[np.integer],
        report: Report = silent,
        errors: str = "strict",
    ) -> str:
        """Give the text that `ids` stand for. `errors` "replace" gives U+FFFD for bytes that are no text.

        Raises PartialCharacterError where the bytes are no UTF-8, and TokenIdError.
        """
        array = self._id_array(ids)
        try:
            return self._spelling_of_bytes.text_of(array, report)
        except UnicodeDecodeError:
            # How it is no text is told of the whole.
            content = self._spelling_of_bytes.bytes_of(array)
        try:
            return str(content.data, "utf-8", errors)
        except UnicodeDecodeError as error:
            raise PartialCharacterError(
                f"the ids decode to bytes that are no text: byte {error.start:,} is 0x{content[error.start]:02X} "
                f"({error.reason}); decode to bytes, or ask for replacement characters"
            ) from None

    def streaming_decoder(self) -> StreamingDecoder:
        """Give a decoder for ids that come one after another."""
        return StreamingDecoder(self)

    def fingerprint(self) -> str:
        """Give the SHA-256 of everything that decides what the tokenizer does, 64 hexadecimal digits."""
        content: dict[str, Any] = {
            "type": self.kind,
            "vocabulary": sorted(self.vocabulary.items(), key=lambda item: item[1]),
            "merges": [list(pair) for pair in self.merges],
            "rule": self.rule.name,
            "pattern": self.rule.pattern,
            "special_tokens": sorted(self.special_tokens.items(), key=lambda item: item[1]),
            "whole_pieces": self.whole_pieces,
            "by_rank": self.by_rank,
        }
        if self.preparation is not None:
            content["preparation"] = dataclasses.asdict(self.preparation)
        serialised = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(serialised.encode("utf-8")).hexdigest()

    def with_changes(self, **changes: Any) -> ByteBPETokenizer:
        """Give a tokenizer like this one but for the arguments named. Raises ValueError like the constructor."""
        arguments: dict[str, Any] = {
            "vocabulary": self.vocabulary,
            "merges": self.merges,
            "rule": self.rule,
            "special_tokens": self.special_tokens,
            "whole_pieces": self.whole_pieces,
            "by_rank": self.by_rank,
            "ties": self.ties,
            "preparation": self.preparation,
            "text_only": self.text_only,
            "corpus_sha256": self.corpus_sha256,
        }
        return ByteBPETokenizer(**(arguments | changes))

    def broken_tokens(self, report: Report = silent) -> list[int]:
        """Give the ids of tokens whose bytes, standing alone, do not encode to that one token; special ones left out.

        They are tokens that no merge makes, that the splitting rule cuts, or that other merges get in the way of.
        """
        numbers = np.array(sorted(self.vocabulary.values()), np.int64)
        tokens = [self.token_bytes[number] for number in numbers.tolist()]
        whole = self._byte_encoder.encode_each(tokens, self.token_lengths()) == numbers
        for place in np.flatnonzero(whole).tolist():
            if len(split(tokens[place], self.rule)) > 1:
                whole[place] = False
            if place % 4096 == 0:
                report("checking tokens", place, len(tokens))
        broken: list[int] = numbers[~whole].tolist()
        return broken

    def __repr__(self) -> str:
        return f"ByteBPETokenizer({self.token_count:,} tokens, {len(self.merges):,} merges, rule {self.rule.name})"
