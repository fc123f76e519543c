"""A text with its tokens and where each of them lies in it: what every figure about a text starts from."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.alphabet import code_points
from bpe_tui.bpe.byte_alphabet import to_bytes
from bpe_tui.bpe.words import unshow
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer

Ints = npt.NDArray[np.int64]

END_OF_WORD = "</w>"
"""What the tokens of word tokenizers end in at the end of a word."""


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A text and its tokens."""

    text: str
    ids: Ints
    ends: Ints | None
    """Where each token ends, in bytes of the text in UTF-8; None if its tokenizer does not keep the text whole."""
    bytes: int
    """Length of the text in UTF-8."""

    @property
    def characters(self) -> int:
        """Length of the text in characters (code points)."""
        return len(self.text)

    @property
    def tokens(self) -> int:
        """How many tokens it is."""
        return len(self.ids)


def encode(tokenizer: BPETokenizer, text: str, report: Report = silent) -> EncodedText:
    """Encode `text` and find where each token lies.

    Raises MissingCharactersError. `report` may raise Cancelled.
    """
    size = utf8_size(text)
    tell = getattr(tokenizer, "spans", None)
    told = tell(text) if tell is not None and text else None
    if told is not None:
        ids, behind = told
        report("encoding", len(text), len(text))
        return EncodedText(text, ids, np.maximum.accumulate(byte_offsets(text)[behind]) if len(ids) else behind, size)
    ids = tokenizer.encode_array(text, report)
    return EncodedText(text, ids, _ends(tokenizer, text, ids, size), size)


def _ends(tokenizer: BPETokenizer, text: str, ids: Ints, size: int) -> Ints | None:
    if kind_of(tokenizer) == "word_bpe":
        return _ends_in_words(tokenizer, text, ids)
    if kind_of(tokenizer) == "foreign":
        return None
    ends = np.cumsum(tokenizer.token_lengths()[ids], dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    if not counts_bytes(tokenizer):
        if total != len(text):
            return None
        return ends if size == len(text) else byte_offsets(text)[ends]
    if not getattr(tokenizer, "lossless", True):
        # A space in front, or characters composed otherwise: then tokens lie where they say only if nothing changed.
        given, content = tokenizer.decode_bytes(ids), text.encode("utf-8", "surrogatepass")  # type: ignore[attr-defined]
        if given == b" " + content:
            return np.maximum(ends - 1, 0)
        return ends if given == content else None
    return ends if total == size else None


def _ends_in_words(tokenizer: BPETokenizer, text: str, ids: Ints) -> Ints | None:
    """Find tokens of words by counting characters that are no white space: the text between words is not kept."""
    marked = np.array([token.endswith(END_OF_WORD) for token in tokenizer.tokens], np.bool_)
    inside = (tokenizer.token_lengths() - marked)[ids]
    places = byte_offsets(text)
    behind = np.array([place + 1 for place, character in enumerate(text) if not character.isspace()], np.int64)
    counts = np.cumsum(inside, dtype=np.int64)
    if (int(counts[-1]) if len(counts) else 0) != len(behind):
        return None
    starts = np.concatenate([np.zeros(1, np.int64), behind])
    ends: Ints = places[starts[counts]]
    return ends


def symbol_lengths(tokenizer: BPETokenizer) -> Ints:
    """Give how many base symbols each token is made of, by id."""
    if kind_of(tokenizer) != "word_bpe":
        lengths = tokenizer.token_lengths()
        # Tokens that are found in the text as they are count as one symbol.
        added = list(getattr(tokenizer, "added_tokens", {}).values())
        if added:
            lengths = lengths.copy()
            lengths[added] = 1
        return lengths
    lengths = np.ones(len(tokenizer.tokens), np.int64)
    for left, right, new in zip(*(column.tolist() for column in tokenizer.merge_ids()), strict=True):
        lengths[new] = lengths[left] + lengths[right]
    return lengths


def counts_bytes(tokenizer: BPETokenizer) -> bool:
    """Whether `token_lengths` of this tokenizer are bytes, not characters."""
    return getattr(tokenizer, "unit", "characters") == "bytes"


def unit_of(tokenizer: BPETokenizer) -> str:
    """Give what the lengths of its tokens are counted in: characters or bytes."""
    return "bytes" if counts_bytes(tokenizer) else "characters"


def kind_of(tokenizer: object) -> str:
    """Give what kind of tokenizer it is, as its file says."""
    return str(getattr(tokenizer, "kind", "character_bpe"))


def shown_kind(tokenizer: object) -> str:
    """Give what kind of tokenizer it is, for people: of foreign ones, their model."""
    return str(getattr(tokenizer, "model", kind_of(tokenizer)))


def token_count(tokenizer: BPETokenizer) -> int:
    """Give how many tokens there are, without gaps between ids."""
    return int(getattr(tokenizer, "token_count", tokenizer.vocab_size))


def token_bytes(tokenizer: BPETokenizer, token_id: int) -> bytes:
    """Give the bytes of text that a token stands for; the end of a word counts as the space behind it.

    Of foreign tokens the usual signs are taken for what they mean: WordPiece's `##` for nothing, `▁` for a space.
    """
    table = getattr(tokenizer, "token_bytes", None)
    if table is not None:
        return bytes(table[token_id])
    token = tokenizer.tokens[token_id]
    kind = kind_of(tokenizer)
    if kind == "word_bpe":
        token = unshow(token)
    elif kind == "foreign":
        if counts_bytes(tokenizer):
            with contextlib.suppress(ValueError):  # a special token
                return to_bytes(token)
        token = token.removeprefix("##") if shown_kind(tokenizer) == "WordPiece" else token.replace("▁", " ")
    return token.encode("utf-8", "surrogatepass")


def token_text(tokenizer: BPETokenizer, token_id: int) -> str | None:
    """Give a token as text; None if its bytes are no text by themselves."""
    try:
        return token_bytes(tokenizer, token_id).decode("utf-8")
    except UnicodeDecodeError:
        return None


def learned_ids(tokenizer: BPETokenizer, merges: int | None = None) -> Ints:
    """Give the ids of the tokens that the first `merges` merges make (by default all), ascending."""
    new = tokenizer.merge_ids()[2][:merges]
    return np.unique(new).astype(np.int64)


def utf8_size(text: str) -> int:
    """Give the length of a text in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def byte_widths(text: str) -> npt.NDArray[np.int8]:
    """Give the bytes that each character takes in UTF-8."""
    points = code_points(text)
    widths = np.ones(len(points), np.int8)
    for least in (0x80, 0x800, 0x10000):
        widths += points >= least
    return widths


def byte_offsets(text: str) -> Ints:
    """Give where each character begins in UTF-8, and the length of the whole at the end."""
    offsets = np.zeros(len(text) + 1, np.int64)
    np.cumsum(byte_widths(text), out=offsets[1:])
    return offsets
