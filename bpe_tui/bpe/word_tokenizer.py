"""The word tokenizer: the BPE of the classic paper, which never looks across a word.

Source: Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units" (2016).
White space is not kept, so decoding gives the words with single spaces between them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.alphabet import code_points
from bpe_tui.bpe.cuts import last_cut
from bpe_tui.bpe.encoder import Encoder
from bpe_tui.bpe.joins import Joins
from bpe_tui.bpe.special import SpecialPolicy, check_special_tokens, cut_at, refuse_specials, special_pattern
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.vocabulary import merge_ids
from bpe_tui.bpe.words import (
    MARKER,
    Marker,
    Punctuation,
    WordSymbols,
    blocks,
    find_white_space,
    normalised,
    show,
    unshow,
    words_of,
)
from bpe_tui.errors import TokenIdError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.trainer import Trainer

Ids = npt.NDArray[np.int64]


class WordEncoder(Encoder):
    """Encodes texts word by word. Never changes once made; any number of threads may use it.

    No merge has the end of a word in its left part, so all distinct words can be encoded in one go.
    """

    def __init__(
        self,
        symbols: WordSymbols,
        left: npt.NDArray[np.int32],
        right: npt.NDArray[np.int32],
        new: npt.NDArray[np.int32],
        punctuation: Punctuation = Punctuation.KEEP,
        ids: Ids | None = None,
    ) -> None:
        super().__init__(symbols.tokens, left, right, new)
        self._symbols = symbols
        self._punctuation = punctuation
        self._ids = ids

    def normalise(self, text: str) -> str:
        """Give the text that its ids decode to."""
        return normalised(text, self._punctuation)

    def token_lengths(self) -> Ids:
        """Give the characters of each token by id, the end of a word counted as the space that follows it."""
        lengths = np.array([len(token) for token in self._spelled], np.int64)
        if self._ids is None:
            return lengths
        spread = np.zeros(int(self._ids.max()) + 1, np.int64)
        spread[self._ids] = lengths
        return spread

    @cached_property
    def _spelled(self) -> list[str]:
        tokens = list(self.base_tokens)
        for left, right, new in zip(*(column.tolist() for column in self._merges), strict=True):
            if new == len(tokens):
                tokens.append(tokens[left] + tokens[right])
        return tokens

    def encode(self, text: str, report: Report = silent) -> Ids:
        """Give the ids of the tokens of `text`, int64. Raises MissingCharactersError; `report` may raise Cancelled."""
        places: dict[str, int] = {}
        numbers: list[npt.NDArray[np.int32]] = []
        done = 0
        for block in blocks(text):
            words = words_of(block, self._punctuation)
            for word in dict.fromkeys(words):
                places.setdefault(word, len(places))
            numbers.append(np.fromiter(map(places.__getitem__, words), np.int32, len(words)))
            done += len(block)
            report("splitting into words", done, len(text))
        if not places:
            return np.zeros(0, np.int64)
        # Each distinct word is encoded once, and then copied to wherever it stands.
        found = self.encode_symbols(self._symbols.symbols(MARKER.join(places) + MARKER, text), report)
        ends = np.flatnonzero(self._ends_word[found]) + 1
        lengths = np.diff(ends, prepend=0)
        if self._ids is not None:
            found = self._ids[found]
        parts = [_copied(found, ends, lengths, block_numbers) for block_numbers in numbers]
        report("encoding", len(text), len(text))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def joins(self, text: str, report: Report = silent) -> Joins:
        """Give which merge joined what, with the ends of words among the symbols; see `Encoder.joins`."""
        words = words_of(text, self._punctuation)
        if not words:
            return Joins(np.zeros(0, np.int32), np.zeros(0, np.int32))
        found = self.join_symbols(self._symbols.symbols(MARKER.join(words) + MARKER, text), report)
        return found if self._ids is None else Joins(self._ids[found.symbols].astype(np.int32), found.ranks)

    @cached_property
    def _ends_word(self) -> npt.NDArray[np.bool_]:
        return np.array([token.endswith(MARKER) for token in self._spelled], np.bool_)


def _copied(ids: Ids, ends: Ids, lengths: Ids, words: npt.NDArray[np.int32]) -> Ids:
    """Give the ids of words one after another; word w's are `ids[ends[w] - lengths[w] : ends[w]]`."""
    counts = lengths[words]
    stops = np.cumsum(counts)
    places = np.repeat(ends[words] - stops, counts)
    places += np.arange(len(places))
    return ids[places]


class WordBPETokenizer(BPETokenizer):
    """A word BPE tokenizer. Treat it as unchangeable.

    Tokens, in and out, are as people see them: `</w>` is the end of a word, see `words`.

    Args:
        base_tokens: single characters, and `</w>` or, with marker "glued", each character with `</w>` behind.
        merges: pairs of tokens in learned order.
        special_tokens: special token to id.
        punctuation: "keep" or "separate", see `words.Punctuation`.
        marker: "own" or "glued", see `words.Marker`.
        ties: the rule by which training broke ties, if it is known.
        unused_ids: ids that no token has. All others go to base tokens and learned tokens in order.
        corpus_sha256: the SHA-256 of the text that it was trained on, if it is known; of no effect.

    Raises ValueError for what is no such tokenizer, naming the token.

    """

    kind = "word_bpe"
    unit = "characters"
    lossless = False

    def __init__(
        self,
        base_tokens: Iterable[str],
        merges: Iterable[tuple[str, str]],
        special_tokens: Mapping[str, int] | None = None,
        *,
        punctuation: Punctuation | str = Punctuation.KEEP,
        marker: Marker | str = Marker.OWN,
        ties: str | None = None,
        unused_ids: Iterable[int] = (),
        corpus_sha256: str | None = None,
    ) -> None:
        self.base_tokens = list(base_tokens)
        self.merges = [(left, right) for left, right in merges]
        self.special_tokens = dict(special_tokens or {})
        self.punctuation = Punctuation(punctuation)
        self.marker = Marker(marker)
        self.ties = ties
        self.corpus_sha256 = corpus_sha256
        self.unused_ids = sorted(set(unused_ids))
        self._symbols = WordSymbols([unshow(token) for token in self.base_tokens], self.marker)
        for rank, (left, _) in enumerate(self.merges):
            if MARKER in unshow(left):
                raise ValueError(f"merge {rank} goes on behind the end of a word: {left!r}")
        *rows, raw = merge_ids(self._symbols.tokens, self.raw_merges())
        self._rows = (rows[0], rows[1], rows[2])
        self._raw = raw
        self._numbers = self._free_ids(len(raw))
        vocabulary = {show(token): int(number) for token, number in zip(raw, self._numbers, strict=True)}
        check_special_tokens(self.special_tokens, vocabulary)
        self.vocabulary = vocabulary
        """Token to id, without special tokens."""
        self._ids = tuple(self._numbers[row].astype(np.int32) for row in self._rows)  # type: ignore[assignment]
        highest = max([int(self._numbers[-1]), *self.special_tokens.values()])
        self.tokens = [""] * (highest + 1)
        for token, number in self.stoi.items():
            self.tokens[number] = token

    def _free_ids(self, count: int) -> Ids:
        taken = {*self.special_tokens.values(), *self.unused_ids}
        if len(taken) < len(self.special_tokens) + len(self.unused_ids):
            raise ValueError("two special tokens have the same id, or one has an id that is unused")
        free = np.ones(count + len(taken), np.bool_)
        free[[number for number in taken if number < len(free)]] = False
        return np.flatnonzero(free)[:count]

    def raw_merges(self) -> list[tuple[str, str]]:
        """Give the merges as a trainer takes them, with the end of a word as `words.MARKER`."""
        return [(unshow(left), unshow(right)) for left, right in self.merges]

    @classmethod
    def train(
        cls,
        text: str,
        target_vocab_size: int,
        minimum_pair_frequency: int = 2,
        base_tokens: Iterable[str] | None = None,
        verbose: bool = True,
        *,
        punctuation: Punctuation | str = Punctuation.KEEP,
        marker: Marker | str | None = None,
        ties: str = "first",
        special_tokens: Sequence[str] = (),
    ) -> WordBPETokenizer:
        """Learn a tokenizer from the words of `text`; see `word_training.word_sequence` and `Trainer`.

        The marker is "own" unless `ties` are lexicographic: then it is "glued", as subword-nmt has it.
        """
        from bpe_tui.bpe.trainer import Ties, Trainer
        from bpe_tui.bpe.word_training import word_sequence

        marker = marker or (Marker.GLUED if ties == Ties.LEXICOGRAPHIC else Marker.OWN)
        sequence = word_sequence(text, base_tokens, punctuation, special_tokens, marker)
        trainer = Trainer.on_sequence(
            sequence, target_vocab_size, minimum_pair_frequency, ties=Ties(ties), reserved=len(special_tokens)
        )
        trainer.run(verbose=verbose)
        return make_word_tokenizer(trainer, punctuation, marker, special_tokens)

    def fingerprint(self) -> str:
        """Give the SHA-256 of everything that decides what the tokenizer does, 64 hexadecimal digits."""
        content = {
            "type": self.kind,
            "base_tokens": self.base_tokens,
            "merges": [list(pair) for pair in self.merges],
            "special_tokens": sorted(self.special_tokens.items(), key=lambda item: item[1]),
            "punctuation": self.punctuation,
            "marker": self.marker,
            "unused_ids": self.unused_ids,
        }
        serialised = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(serialised.encode("utf-8")).hexdigest()

    @property
    def token_count(self) -> int:
        """Tokens that there are, special tokens included; ids without a token do not count."""
        return len(self.vocabulary) + len(self.special_tokens)

    @cached_property
    def stoi(self) -> dict[str, int]:
        """Token to id, special tokens included."""
        return {**self.vocabulary, **self.special_tokens}

    @cached_property
    def itos(self) -> dict[int, str]:
        """Id to token, special tokens included; ids that are not used are missing."""
        return {number: token for token, number in self.stoi.items()}

    @cached_property
    def _encoder(self) -> WordEncoder:
        plain = int(self._numbers[-1]) == len(self._numbers) - 1
        return WordEncoder(self._symbols, *self._rows, self.punctuation, None if plain else self._numbers)

    @cached_property
    def _special_pattern(self) -> Any:
        return special_pattern(self.special_tokens)

    def covers(self, text: str) -> bool:
        """Whether every character of `text` can be encoded."""
        return self._symbols.known(text)

    def normalise(self, text: str) -> str:
        """Give the text that decoding the ids of `text` gives: its words with single spaces between them."""
        return normalised(text, self.punctuation)

    def encode_array(
        self, text: str, report: Report = silent, special: SpecialPolicy | str = SpecialPolicy.TEXT
    ) -> Ids:
        """Give the ids of `text`, int64. `special` says what special tokens in it are; see `SpecialPolicy`.

        Raises MissingCharactersError, and SpecialTokenError under the policy "error". `report` may raise Cancelled.
        """
        policy = SpecialPolicy(special)
        if policy is SpecialPolicy.ERROR:
            refuse_specials(text, self._special_pattern)
        if policy is not SpecialPolicy.SPECIAL or not self.special_tokens:
            return self._encoder.encode(text, report)
        parts: list[Ids] = []
        for ordinary, token in cut_at(text, self._special_pattern):
            parts.append(self._encoder.encode(ordinary, report))
            if token is not None:
                parts.append(np.array([self.special_tokens[token]], np.int64))
        return np.concatenate(parts)

    def last_cut(self, text: str, special: SpecialPolicy | str = SpecialPolicy.TEXT) -> int:
        """Give a place near the end of `text` where it may be cut; see `BPETokenizer.last_cut`. It is white space."""
        return last_cut(text, find_white_space, self.special_tokens if special != SpecialPolicy.TEXT else ())

    def encode(self, text: str, special: SpecialPolicy | str = SpecialPolicy.TEXT) -> list[int]:
        """Give the ids of `text` as a list; see `encode_array`."""
        ids: list[int] = self.encode_array(text, special=special).tolist()
        return ids

    @cached_property
    def _spelling(self) -> tuple[Ids, npt.NDArray[np.uint32]]:
        spelled = [""] * len(self.tokens)
        for token, number in zip(self._raw, self._numbers.tolist(), strict=True):
            spelled[number] = token
        for token, number in self.special_tokens.items():
            spelled[number] = token + MARKER
        offsets = np.zeros(len(spelled) + 1, np.int64)
        np.cumsum([len(token) for token in spelled], out=offsets[1:])
        return offsets, code_points("".join(spelled)).copy()

    def decode(self, ids: Iterable[int] | npt.NDArray[np.integer], report: Report = silent) -> str:
        """Give the words that `ids` stand for, with single spaces between them.

        Raises TokenIdError, naming the first id that is not in the vocabulary. `report` may raise Cancelled.
        """
        array = self._id_array(ids)
        if self.unused_ids:
            unused = np.flatnonzero(np.isin(array, self.unused_ids))
            if len(unused):
                raise TokenIdError(
                    f"id {int(array[unused[0]])} at place {int(unused[0]):,} is not in the vocabulary: decode with the "
                    "tokenizer that encoded it"
                )
        return super().decode(array, report).removesuffix(MARKER)

    def __repr__(self) -> str:
        return f"WordBPETokenizer({len(self.base_tokens)} base tokens, {len(self.merges)} merges)"


def make_word_tokenizer(
    trainer: Trainer,
    punctuation: Punctuation | str = Punctuation.KEEP,
    marker: Marker | str = Marker.OWN,
    special_tokens: Sequence[str] = (),
) -> WordBPETokenizer:
    """Give the tokenizer of what a trainer on a `word_sequence` has learned; special tokens get the ids behind.

    Raises SpecialTokenError for a special token that is equal to another token.
    """
    return word_tokenizer(
        trainer.base_tokens, trainer.pairs(), special_tokens, punctuation=punctuation, marker=marker, ties=trainer.ties
    )


def word_tokenizer(
    base_tokens: Sequence[str],
    merges: Sequence[tuple[str, str]],
    special_tokens: Sequence[str] = (),
    *,
    punctuation: Punctuation | str = Punctuation.KEEP,
    marker: Marker | str = Marker.OWN,
    ties: str | None = None,
    corpus_sha256: str | None = None,
) -> WordBPETokenizer:
    """Give the tokenizer of base tokens and merges as a trainer handles them, special tokens behind."""
    count = len(base_tokens) + len({left + right for left, right in merges}.difference(base_tokens))
    return WordBPETokenizer(
        [show(token) for token in base_tokens],
        [(show(left), show(right)) for left, right in merges],
        {token: count + number for number, token in enumerate(special_tokens)},
        punctuation=punctuation,
        marker=marker,
        ties=str(ties) if ties is not None else None,
        corpus_sha256=corpus_sha256,
    )
