"""The byte-level tokenizer: GPT-2's kind. Any bytes at all can be encoded, and decoded to the same bytes.

Its tokens are strings in the byte alphabet (`byte_alphabet`), as in GPT-2's and Hugging Face's files: `Ġthe` is " the".
"""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.byte_alphabet import CHARACTERS, byte_array, to_bytes
from bpe_tui.bpe.byte_encoder import ByteEncoder
from bpe_tui.bpe.joins import Joins, JoinSteps
from bpe_tui.bpe.pretokenize import SplittingRule
from bpe_tui.bpe.special import (
    SpecialPolicy,
    check_special_tokens,
    cut_at,
    refuse_specials,
    special_pattern,
)
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import BPEError, TokenIdError
from bpe_tui.progress import Report, silent

Ids = npt.NDArray[np.int64]


class PartialCharacterError(BPEError, ValueError):
    """Ids whose bytes are no UTF-8 text: cut inside a character, or never text."""


class ByteBPETokenizer(BPETokenizer):
    """A byte-level BPE tokenizer. Treat it as unchangeable.

    Args:
        vocabulary: token in the byte alphabet to id, all 256 single bytes among them. Ids may have gaps.
        merges: pairs of tokens in learned order; both parts and the joined string must be in the vocabulary.
        rule: how text is cut into pieces before any merge.
        special_tokens: special token to id, see `special`.
        whole_pieces: a piece that is a token is taken as it is, without merging (tiktoken; `ignore_merges`).
        by_rank: any two neighbours whose joined bytes are a token merge, lowest id first (tiktoken), whatever `merges`
            says; `merges` then is how each token comes about by that.
        ties: the rule by which training broke ties, if it is known.

    Raises ValueError for what is no such tokenizer, naming the token.
    """

    kind = "byte_bpe"
    unit = "bytes"

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
    ) -> None:
        self.vocabulary = dict(vocabulary)
        self.special_tokens = dict(special_tokens or {})
        self.rule = rule
        self.whole_pieces = whole_pieces
        self.by_rank = by_rank
        self.ties = ties
        self.merges = [(left, right) for left, right in merges]
        check_special_tokens(self.special_tokens, self.vocabulary)
        self.base_tokens = self._base_tokens()
        self.tokens = self._tokens_by_id()
        self._ids = self._merge_ids()

    def _base_tokens(self) -> list[str]:
        missing = [byte for byte in range(256) if CHARACTERS[byte] not in self.vocabulary]
        if missing:
            named = ", ".join(f"0x{byte:02X}" for byte in missing[:8])
            raise ValueError(
                f"{len(missing)} of the 256 single bytes have no token: {named}; the vocabulary is damaged"
            )
        return sorted(CHARACTERS, key=self.vocabulary.__getitem__)

    def _tokens_by_id(self) -> list[str]:
        owners: dict[int, str] = {}
        for token, number in (*self.vocabulary.items(), *self.special_tokens.items()):
            if number < 0:
                raise ValueError(f"token {token!r} has the id {number}, ids start at 0")
            if number in owners:
                raise ValueError(f"id {number} belongs to both {owners[number]!r} and {token!r}")
            owners[number] = token
        highest = max(owners)
        if highest >= 2 * len(owners) + 100_000:
            raise ValueError(f"the highest id is {highest:,}, but there are only {len(owners):,} tokens")
        return [owners.get(number, "") for number in range(highest + 1)]

    def _merge_ids(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        vocabulary = self.vocabulary
        rows = np.empty((3, len(self.merges)), np.int32)
        for rank, (left, right) in enumerate(self.merges):
            try:
                rows[:, rank] = vocabulary[left], vocabulary[right], vocabulary[left + right]
            except KeyError as error:
                raise ValueError(f"merge {rank} uses {error.args[0]!r}, which is not in the vocabulary") from None
        return rows[0], rows[1], rows[2]

    @cached_property
    def token_bytes(self) -> list[bytes]:
        """The bytes of each token by id; of a special token its text in UTF-8; empty where an id is not used."""
        specials = {number: token for token, number in self.special_tokens.items()}
        return [
            specials[number].encode("utf-8") if number in specials else to_bytes(token)
            for number, token in enumerate(self.tokens)
        ]

    @property
    def token_count(self) -> int:
        """Tokens that there are: the vocabulary without gaps in its ids, special tokens included."""
        return len(self.vocabulary) + len(self.special_tokens)

    @cached_property
    def stoi(self) -> dict[str, int]:
        """Token string to id, special tokens included."""
        return {**self.vocabulary, **self.special_tokens}

    @cached_property
    def itos(self) -> dict[int, str]:
        """Id to token string, special tokens included; ids that are not used are missing."""
        return {number: token for token, number in self.stoi.items()}

    @cached_property
    def _byte_encoder(self) -> ByteEncoder:
        left, right, new = (ids.astype(np.int64) for ids in self._ids)
        pairs, merges = left << 32 | right, np.arange(len(left)) << 32 | new
        if self.by_rank:
            pairs, merges = _all_pairs(self.vocabulary)
        byte_ids = np.array([self.vocabulary[character] for character in CHARACTERS], np.int64)
        specials = set(self.special_tokens.values())
        tokens = [b"" if number in specials else token for number, token in enumerate(self.token_bytes)]
        return ByteEncoder(byte_ids, pairs, merges, self.rule, tokens, self.whole_pieces)

    @cached_property
    def _special_pattern(self) -> Any:
        return special_pattern(self.special_tokens)

    def encode_array(
        self, text: str, report: Report = silent, special: SpecialPolicy | str = SpecialPolicy.TEXT
    ) -> Ids:
        """Give the ids of `text`, int64. `special` says what special tokens in it are; see `SpecialPolicy`.

        Raises SpecialTokenError under the policy "error". `report` may raise Cancelled.
        """
        policy = SpecialPolicy(special)
        if policy is SpecialPolicy.ERROR:
            refuse_specials(text, self._special_pattern)
        if policy is not SpecialPolicy.SPECIAL or not self.special_tokens:
            return self._byte_encoder.encode(text, report)
        parts: list[Ids] = []
        for ordinary, token in cut_at(text, self._special_pattern):
            parts.append(self._byte_encoder.encode(ordinary, report))
            if token is not None:
                parts.append(np.array([self.special_tokens[token]], np.int64))
        return np.concatenate(parts)

    def encode(self, text: str, special: SpecialPolicy | str = SpecialPolicy.TEXT) -> list[int]:
        """Give the ids of `text` as a list; see `encode_array`."""
        ids: list[int] = self.encode_array(text, special=special).tolist()
        return ids

    def encode_bytes(self, content: bytes) -> list[int]:
        """Give the ids of any bytes, text or not. Special tokens in them are ordinary bytes."""
        ids: list[int] = self._byte_encoder.encode_bytes(content).tolist()
        return ids

    def joins(self, text: str, report: Report = silent) -> Joins:
        """Like `BPETokenizer.joins`, with bytes for symbols; special tokens are ordinary text."""
        return self._byte_encoder.joins(text.encode("utf-8", "surrogatepass"), *self._merge_places, report)

    def join_steps(self, text: str, report: Report = silent) -> tuple[Joins, JoinSteps]:
        """Give `joins` and how each came about, which the rank alone does not tell for tokens of bytes."""
        return self._byte_encoder.join_steps(text.encode("utf-8", "surrogatepass"), *self._merge_places, report)

    @cached_property
    def _merge_places(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
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
        offsets = np.zeros(len(self.tokens) + 1, np.int64)
        np.cumsum([len(token) for token in self.token_bytes], out=offsets[1:])
        return offsets, byte_array(b"".join(self.token_bytes)).copy()

    def decode_bytes(self, ids: Iterable[int] | npt.NDArray[np.integer]) -> bytes:
        """Give the bytes that `ids` stand for. Raises TokenIdError for an id that is not used."""
        from bpe_tui.bpe.kernels import decoding as kernel

        array = self._id_array(ids)
        offsets, characters = self._byte_spelling
        total, bad = kernel.measure(array, offsets)
        if bad < 0 and len(self.itos) < len(self.tokens):
            unused = np.flatnonzero(offsets[array + 1] == offsets[array])
            bad = int(unused[0]) if len(unused) else -1
        if bad >= 0:
            raise TokenIdError(
                f"id {int(array[bad])} at place {bad:,} is not in the vocabulary: decode with the tokenizer that "
                "encoded it"
            )
        content = np.empty(total, np.uint8)
        kernel.spell(array, offsets, characters, content)
        return content.tobytes()

    def decode(
        self,
        ids: Iterable[int] | npt.NDArray[np.integer],
        report: Report = silent,
        errors: str = "strict",
    ) -> str:
        """Give the text that `ids` stand for. `errors` "replace" gives U+FFFD for bytes that are no text.

        Raises PartialCharacterError where the bytes are no UTF-8, and TokenIdError.
        """
        content = self.decode_bytes(ids)
        try:
            return content.decode("utf-8", errors)
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
        content = {
            "type": self.kind,
            "vocabulary": sorted(self.vocabulary.items(), key=lambda item: item[1]),
            "merges": [list(pair) for pair in self.merges],
            "rule": self.rule.name,
            "pattern": self.rule.pattern,
            "special_tokens": sorted(self.special_tokens.items(), key=lambda item: item[1]),
            "whole_pieces": self.whole_pieces,
            "by_rank": self.by_rank,
        }
        serialised = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(serialised.encode("utf-8")).hexdigest()

    def __repr__(self) -> str:
        return f"ByteBPETokenizer({self.token_count:,} tokens, {len(self.merges):,} merges, rule {self.rule.name})"


class StreamingDecoder:
    """Decodes ids as they come and never gives half a character: the bytes of an incomplete one wait for the rest."""

    def __init__(self, tokenizer: ByteBPETokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, ids: Sequence[int]) -> str:
        """Give the text that these ids complete."""
        return self._decoder.decode(self._tokenizer.decode_bytes(ids))

    def finish(self) -> str:
        """Give what waited for a rest that never came, as U+FFFD."""
        return self._decoder.decode(b"", final=True)


def _all_pairs(vocabulary: Mapping[str, int]) -> tuple[Ids, Ids]:
    """Give every pair of tokens whose joined string is a token, with its rank (that token's id) and the token's id."""
    pairs: list[int] = []
    merges: list[int] = []
    get = vocabulary.get
    for token, number in vocabulary.items():
        for cut in range(1, len(token)):
            left, right = get(token[:cut]), get(token[cut:])
            if left is not None and right is not None:
                pairs.append(left << 32 | right)
                merges.append(number << 32 | number)
    return np.array(pairs, np.int64), np.array(merges, np.int64)
