"""Tokenizers of other kinds, for inspection and comparison: what they hold is read here, encoding is done by others.

A `ForeignTokenizer` has the same public surface as the others. Encoding and decoding are done by the package that the
file belongs to, tokenizers or sentencepiece, which is asked for only then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.encoder import Encoder
from bpe_tui.bpe.special import SpecialPolicy, count_specials, refuse_specials, special_pattern
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import BPEError, TextError, TokenIdError
from bpe_tui.progress import Report, silent

Ids = npt.NDArray[np.int64]


class ForeignEncoderError(BPEError):
    """The package that encodes for a tokenizer of another kind failed."""


class Engine(Protocol):
    """What encodes and decodes for a foreign tokenizer. Any number of threads may use it."""

    package: str

    def encode(self, text: str, special: bool) -> list[int]:
        """Give the ids of a text; `special` says whether special tokens in it count as such."""

    def decode(self, ids: list[int]) -> str:
        """Give the text of ids, special tokens included."""


class ForeignTokenizer(BPETokenizer):
    """A tokenizer whose encoding is done by another package. Treat it as unchangeable.

    Args:
        model: what it is: BPE, WordPiece, WordLevel, Unigram, ….
        tokens: token by id, empty where an id is not used.
        merges: ids of left part, right part and result, in learned order; none but for BPE.
        special_tokens: special token to id.
        engine: what encodes and decodes.
        reason: why encoding is not done here, for people.
        source: the content of the file, for the fingerprint.
        unit: "bytes" if the tokens are in the byte alphabet, else "characters".

    """

    kind = "foreign"
    covers_all = True
    lossless = False
    replayable = False
    """Its merges, if it has any, are carried out by the other package, unseen."""

    def __init__(
        self,
        *,
        model: str,
        tokens: Sequence[str],
        merges: Sequence[tuple[int, int, int]],
        special_tokens: Mapping[str, int],
        engine: Engine,
        reason: str,
        source: bytes,
        unit: str = "characters",
    ) -> None:
        self.model = model
        self.reason = reason
        self.unit = unit
        self.tokens = list(tokens)
        self.special_tokens = dict(special_tokens)
        self.merges = [(self.tokens[left], self.tokens[right]) for left, right, _ in merges]
        rows = np.array(merges, np.int32).reshape(-1, 3).T
        self._ids = (rows[0].copy(), rows[1].copy(), rows[2].copy())
        made = {new for _, _, new in merges}
        specials = set(self.special_tokens.values())
        self.base_tokens = [
            token for number, token in enumerate(self.tokens) if token and number not in made and number not in specials
        ]
        self._engine = engine
        self._source = source

    @property
    def package(self) -> str:
        """The package that encodes."""
        return self._engine.package

    @property
    def token_count(self) -> int:
        """Tokens that there are: ids that are not used do not count."""
        return len(self.stoi)

    @cached_property
    def stoi(self) -> dict[str, int]:
        """Token string to id."""
        return {token: number for number, token in enumerate(self.tokens) if token}

    @cached_property
    def itos(self) -> dict[int, str]:
        """Id to token string; ids that are not used are missing."""
        return {number: token for number, token in enumerate(self.tokens) if token}

    def fingerprint(self) -> str:
        """Give the SHA-256 of the file's content as far as it matters, 64 hexadecimal digits."""
        return hashlib.sha256(b"foreign\0" + self._source).hexdigest()

    def token_lengths(self) -> Ids:
        """Give the length of each token as it is written, int64, by id."""
        return np.array([len(token) for token in self.tokens], np.int64)

    def normalise(self, text: str) -> str:
        """Give the text that decoding the ids of `text` gives."""
        return self.decode(self.encode_array(text))

    def covers(self, text: str) -> bool:  # noqa: ARG002
        """Whether `text` can be encoded: that package has an id for everything, if only one for what it cannot."""
        return True

    def encoder(self) -> Encoder:
        """Refuse: there is no encoder of ours. Raises ForeignEncoderError."""
        raise ForeignEncoderError(
            f"this {self.model} tokenizer encodes by the package {self.package}; it can be inspected and compared only"
        )

    def encode_array(
        self, text: str, report: Report = silent, special: SpecialPolicy | str = SpecialPolicy.TEXT
    ) -> Ids:
        """Give the ids of `text`, int64. `special` says what special tokens in it are; see `SpecialPolicy`.

        Raises MissingExtraError, TextError for lone surrogates, SpecialTokenError under the policy "error".
        """
        policy = SpecialPolicy(special)
        if policy is SpecialPolicy.ERROR:
            refuse_specials(text, special_pattern(self.special_tokens))
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise TextError(f"character {error.start:,} is a lone surrogate, which is no text: remove it") from None
        report(f"encoding by {self.package}", 0, 0)
        return np.array(self._engine.encode(text, policy is SpecialPolicy.SPECIAL), np.int64)

    def last_cut(self, text: str, special: SpecialPolicy | str = SpecialPolicy.TEXT) -> int:  # noqa: ARG002
        """Give no place: what the other package does to a text is not known well enough to cut it."""
        return 0

    def encode(self, text: str, special: SpecialPolicy | str = SpecialPolicy.TEXT) -> list[int]:
        """Give the ids of `text` as a list; see `encode_array`."""
        ids: list[int] = self.encode_array(text, special=special).tolist()
        return ids

    def spans(self, text: str) -> tuple[Ids, Ids] | None:
        """Give the ids of `text` and at which character each ends; None if that package does not tell where."""
        tell = getattr(self._engine, "encode_spans", None)
        if tell is None:
            return None
        ids, ends = tell(text)
        return np.array(ids, np.int64), np.array(ends, np.int64)

    def count_specials(self, text: str) -> int:
        """Give how many special tokens stand in a text."""
        return count_specials(text, self.special_tokens)

    def decode(self, ids: Iterable[int] | npt.NDArray[np.integer], report: Report = silent) -> str:
        """Give the text that `ids` stand for, which need not be the text that was encoded. Raises TokenIdError."""
        array = self._id_array(ids)
        known = np.array([bool(token) for token in self.tokens])
        inside = (array >= 0) & (array < len(known))
        bad = np.flatnonzero(~(inside & known[np.where(inside, array, 0)]))
        if len(bad):
            raise TokenIdError(
                f"id {int(array[bad[0]])} at place {int(bad[0]):,} is not in the vocabulary: decode with the tokenizer "
                "that encoded it"
            )
        report(f"decoding by {self.package}", 0, 0)
        return self._engine.decode(array.tolist())

    def __repr__(self) -> str:
        return f"ForeignTokenizer({self.model}, {self.token_count:,} tokens, encoded by {self.package})"


def guarded(package: str, action: str, work: Any, *arguments: Any) -> Any:
    """Do `work`, and turn every failure of a package into ForeignEncoderError, the panics of Rust included."""
    try:
        return work(*arguments)
    except BPEError:
        raise
    except Exception as error:
        raise ForeignEncoderError(f"{package} cannot {action}: {_one_line(error)}") from error
    except BaseException as error:
        # pyo3's PanicException is no Exception, so that it escapes; here it must not.
        if type(error).__name__ != "PanicException":
            raise
        raise ForeignEncoderError(f"{package} failed to {action}: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return words if len(words) <= 200 else words[:197] + "..."
