"""The tokenizer: base tokens and merges, and all that follows from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.alphabet import code_points, distinct_characters
from bpe_tui.bpe.encoder import Encoder, TextEncoder
from bpe_tui.bpe.joins import Joins
from bpe_tui.bpe.vocabulary import check_base_tokens, merge_ids
from bpe_tui.errors import TokenIdError
from bpe_tui.progress import Report, silent


class BPETokenizer:
    """A character BPE tokenizer. Treat it as unchangeable: the fast tables are made once.

    Args:
        base_tokens: single characters, each once; their ids are their places.
        merges: pairs of token strings in learned order; both parts must be base tokens or made by an earlier merge.

    Raises ValueError for base tokens that are no single characters or are repeated, and for merges that use undefined
    tokens.

    """

    kind = "character_bpe"
    """What kind of BPE this is, as tokenizer files name it: character_bpe, word_bpe or byte_bpe."""
    unit = "characters"
    """What `token_lengths` counts: characters or bytes."""
    covers_all = False
    """Whether there is no text that cannot be encoded."""
    lossless = True
    """Whether decoding gives back every text exactly; if not, `normalise` says what it gives."""
    special_tokens: Mapping[str, int] = MappingProxyType({})
    """Special token to id; character tokenizers have none."""

    def __init__(self, base_tokens: Iterable[str], merges: Iterable[tuple[str, str]]) -> None:
        self.base_tokens: list[str] = list(base_tokens)
        check_base_tokens(self.base_tokens)
        self.merges: list[tuple[str, str]] = [(left, right) for left, right in merges]
        left_ids, right_ids, new_ids, tokens = merge_ids(self.base_tokens, self.merges)
        self._ids = (left_ids, right_ids, new_ids)
        self.tokens: list[str] = tokens
        """All tokens; a token's id is its place."""

    @classmethod
    def train(
        cls,
        text: str,
        target_vocab_size: int,
        minimum_pair_frequency: int = 2,
        base_tokens: Iterable[str] | None = None,
        verbose: bool = True,
    ) -> BPETokenizer:
        """Learn a tokenizer from `text`; see `Trainer` for the arguments and the errors.

        `verbose` prints the first 20 merges and every hundredth, and why training ended.
        """
        from bpe_tui.bpe.trainer import Trainer

        trainer = Trainer(text, target_vocab_size, minimum_pair_frequency, base_tokens)
        trainer.run(verbose=verbose)
        return trainer.tokenizer()

    @classmethod
    def from_file(cls, path: str | Path, split: str | None = None) -> BPETokenizer:
        """Read a tokenizer file of any format that `formats` knows, told by its content.

        `split` is the splitting rule, or a regular expression, for files that do not say it (tiktoken's).
        Raises TokenizerFileError, FingerprintMismatchError.
        """
        from bpe_tui import formats

        return formats.read(Path(path), split)

    def save(self, path: str | Path, format: str | None = None) -> None:  # noqa: A002 - it is the word
        """Write the tokenizer file, whole or not at all. `format` is one of `formats.detection.Format`.

        Without it, the name tells the format. Raises TokenizerFileError, which names what a format cannot hold.
        """
        from bpe_tui import formats

        formats.write(self, Path(path), format)

    def fingerprint(self) -> str:
        """Give the SHA-256 of base tokens and merges, 64 hexadecimal digits: equal for equal tokenizers only."""
        content = {"base_tokens": self.base_tokens, "merges": [list(pair) for pair in self.merges]}
        serialised = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(serialised.encode("utf-8")).hexdigest()

    @property
    def vocab_size(self) -> int:
        """Base tokens and learned tokens together."""
        return len(self.tokens)

    @cached_property
    def stoi(self) -> dict[str, int]:
        """Token string to id."""
        return {token: number for number, token in enumerate(self.tokens)}

    @cached_property
    def itos(self) -> dict[int, str]:
        """Id to token string."""
        return dict(enumerate(self.tokens))

    def merge_ids(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Give the ids of left part, right part and result of each merge, three int32 arrays."""
        return self._ids

    def token_lengths(self) -> npt.NDArray[np.int64]:
        """Give the length of each token in characters, int64, by id."""
        return np.diff(self._spelling[0])

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.base_tokens, *self._ids)

    @cached_property
    def _spelling(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
        """All tokens' characters in one array, and where each token's begin and end in it."""
        offsets = np.zeros(len(self.tokens) + 1, np.int64)
        np.cumsum([len(token) for token in self.tokens], out=offsets[1:])
        return offsets, code_points("".join(self.tokens)).copy()  # the kernels take writable arrays

    def encoder(self) -> TextEncoder:
        """Give the encoder behind `encode`."""
        return self._encoder

    def covers(self, text: str) -> bool:
        """Whether every character of `text` can be encoded."""
        return not set(distinct_characters(text)).difference(self.base_tokens)

    def normalise(self, text: str) -> str:
        """Give the text that decoding the ids of `text` gives: the same, unless the tokenizer is not `lossless`."""
        return text

    def encode(self, text: str) -> list[int]:
        """Give the ids of the tokens of `text`.

        Raises MissingCharactersError, before any work, naming all characters that are no base tokens.
        """
        ids: list[int] = self._encoder.encode(text).tolist()
        return ids

    def encode_array(
        self,
        text: str,
        report: Report = silent,
        special: str = "text",  # noqa: ARG002 - tokenizers of other kinds have special tokens
    ) -> npt.NDArray[np.int64]:
        """Like `encode`, as an int64 array of one dimension. `report` may raise Cancelled.

        `special` says what special tokens in the text are (`special.SpecialPolicy`); here there are none.
        """
        return self._encoder.encode(text, report)

    def encode_flat(
        self, texts: Sequence[str], report: Report = silent, special: str = "text"
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Give the ids of many texts one after another, and where those of each end, both int64.

        `report` hears of texts and may raise Cancelled.
        """
        found = [np.zeros(0, np.int64)]
        for number, text in enumerate(texts):
            found.append(self.encode_array(text, special=special))
            report("encoding", number + 1, len(texts))
        return np.concatenate(found), np.cumsum([len(ids) for ids in found[1:]], dtype=np.int64)

    def encode_batch(
        self, texts: Sequence[str], report: Report = silent, special: str = "text"
    ) -> list[npt.NDArray[np.int64]]:
        """Give the ids of each of many texts, as `encode_array` does: on several threads, where that is faster.

        The arrays are parts of one, which `encode_flat` gives. `report` hears of texts and may raise Cancelled.
        """
        ids, stops = self.encode_flat(texts, report, special)
        places = stops.tolist()
        return [ids[start:stop] for start, stop in zip([0, *places], places, strict=False)]

    def last_cut(self, text: str, special: str = "text") -> int:  # noqa: ARG002
        """Give a place near the end of `text` where it may be cut, whatever text follows; 0 if none is known.

        Encoded one by one, what stands before it and what follows give the ids of the whole, if special tokens are
        taken for the same, `special`, both times.
        """
        from bpe_tui.bpe.cuts import last_cut

        return last_cut(text, self._encoder.find_cut)

    def joins(self, text: str, report: Report = silent) -> Joins:
        """Give which merge joined what in `text`: the encodings by all prefixes of the merge list at once; see `Joins`.

        Raises MissingCharactersError. `report` may raise Cancelled.
        """
        return self._encoder.joins(text, report)

    def encode_tokens(self, text: str) -> list[str]:
        """Give the tokens of `text` as strings. Raises MissingCharactersError."""
        return [self.tokens[number] for number in self.encode(text)]

    def decode(self, ids: Iterable[int] | npt.NDArray[np.integer], report: Report = silent) -> str:
        """Give the text that `ids` stand for: their tokens, joined.

        Raises TokenIdError, naming the first id that is not in the vocabulary. `report` may raise Cancelled.
        """
        from bpe_tui.bpe.kernels import decoding as kernel

        array = self._id_array(ids)
        offsets, characters = self._spelling
        total, bad = kernel.measure(array, offsets)
        if bad >= 0:
            raise TokenIdError(
                f"id {int(array[bad])} at place {bad:,} is not in the vocabulary, whose ids go from 0 to "
                f"{self.vocab_size - 1:,}: decode with the tokenizer that encoded it"
            )
        block = 1 << 22
        pieces: list[str] = []
        for start in range(0, len(array), block):
            part = array[start : start + block]
            length = total if len(part) == len(array) else kernel.measure(part, offsets)[0]
            text = np.empty(length, np.uint32)
            kernel.spell(part, offsets, characters, text)
            pieces.append(str(text.data, "utf-32-le"))
            report("decoding", min(start + block, len(array)), len(array))
        return "".join(pieces)

    def _id_array(self, ids: Iterable[int] | npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Give `ids` as the int64 array of one dimension that the kernels take. Raises TokenIdError."""
        if not isinstance(ids, np.ndarray):
            ids = list(ids)
            for place, number in enumerate(ids):
                if not isinstance(number, (int, np.integer)) or isinstance(number, bool):
                    raise TokenIdError(f"{number!r} at place {place:,} is not a token id: ids are whole numbers")
                if not 0 <= number < self.vocab_size:
                    raise TokenIdError(
                        f"id {number} at place {place:,} is not in the vocabulary, whose ids go from 0 to "
                        f"{self.vocab_size - 1:,}: decode with the tokenizer that encoded it"
                    )
            return np.array(ids, np.int64)
        if ids.ndim != 1 or ids.dtype.kind not in "iu":
            raise TokenIdError(
                f"ids must be whole numbers in one dimension, not {ids.dtype} in {ids.ndim}: flatten or convert them"
            )
        # Ids that lie in a mapped file cannot be written to, which kernels insist on: they are copied.
        return np.require(ids, np.int64, ("C", "W"))

    @staticmethod
    def base_tokens_of(*texts: str) -> list[str]:
        """Give the sorted distinct characters of texts: the base tokens that can encode all of them."""
        return distinct_characters(*texts)

    def __repr__(self) -> str:
        return f"BPETokenizer({len(self.base_tokens)} base tokens, {len(self.merges)} merges)"
