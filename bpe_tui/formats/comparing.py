"""Whether two tokenizers give the same ids, tried on texts: what `convert` does before it calls a file converted."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import MissingCharactersError
from bpe_tui.formats.detection import Format
from bpe_tui.formats.extras import installed, require
from bpe_tui.formats.foreign import guarded
from bpe_tui.formats.patterns import oniguruma_pattern
from bpe_tui.formats.sample import SAMPLE
from bpe_tui.progress import Report, silent

Encode = Callable[[str, bool], Sequence[int]]
"""Text, and whether special tokens in it count, to ids."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two encodings of a text differ."""

    text: str
    """What the differing tokens stand for, with a little that follows."""
    character: int
    """Characters of the whole text before it."""
    expected: tuple[int, ...]
    found: tuple[int, ...]

    def __str__(self) -> str:
        return (
            f"at character {self.character:,}, {self.text!r} becomes {list(self.found)} and not {list(self.expected)}"
        )


def texts_for(tokenizer: BPETokenizer, own: str = "") -> list[str]:
    """Give texts to try a tokenizer on: many scripts, all its tokens, its special tokens, and the user's own text."""
    texts = [SAMPLE, own]
    if isinstance(tokenizer, ByteBPETokenizer):
        spelled = [token.decode("utf-8", "ignore") for token in tokenizer.token_bytes]
        texts += ["".join(spelled), " ".join(spelled)]
        specials = [*tokenizer.special_tokens, *tokenizer.added_tokens]
        texts.append("".join(f"a {token}{token} b\n{token}\n" for token in specials))
        return [text for text in texts if text]
    if tokenizer.kind == "word_bpe":
        return [" ".join(word for word in text.split() if tokenizer.covers(word)) for text in texts]
    known = set(tokenizer.base_tokens)
    texts = ["".join(character for character in text if character in known) for text in texts]
    return [text for text in (*texts, "".join(tokenizer.tokens)) if text]


def first_difference(
    tokenizer: BPETokenizer, encode: Encode, texts: Sequence[str], report: Report = silent
) -> Difference | None:
    """Give the first difference between what `tokenizer` and `encode` make of texts, or None if there is none."""
    for number, text in enumerate(texts):
        report("comparing", number, len(texts))
        for special in (False, True) if tokenizer.special_tokens else (False,):
            expected = np.asarray(encode_by(tokenizer)(text, special))
            found = np.asarray(encode(text, special), np.int64)
            if not np.array_equal(expected, found):
                return _difference(tokenizer, text, expected.tolist(), found.tolist())
    return None


def encode_by(tokenizer: BPETokenizer) -> Encode:
    """Give how a tokenizer of ours encodes."""
    if not tokenizer.special_tokens:
        return lambda text, _: tokenizer.encode(text)
    any_kind: Any = tokenizer
    return lambda text, special: any_kind.encode(text, special="special" if special else "text")


def _difference(tokenizer: BPETokenizer, text: str, expected: list[int], found: list[int]) -> Difference:
    pairs = zip(expected, found, strict=False)
    place = next(
        (place for place, (first, second) in enumerate(pairs) if first != second), min(len(expected), len(found))
    )
    lengths = tokenizer.token_lengths()
    before = int(lengths[expected[:place]].sum())
    if isinstance(tokenizer, ByteBPETokenizer):
        raw = text.encode("utf-8")
        before, shown = len(raw[:before].decode("utf-8", "ignore")), raw[before : before + 24].decode("utf-8", "ignore")
    else:
        shown = text[before : before + 24]
    return Difference(shown, before, tuple(expected[place : place + 5]), tuple(found[place : place + 5]))


def outside_encoder(tokenizer: BPETokenizer, path: Path, written: Format) -> tuple[str, Encode] | None:
    """Give the program that a written file is meant for, if it is installed, and how it encodes with that file."""
    if written is Format.HUGGING_FACE and installed("tokenizers"):
        opened = guarded(
            "tokenizers", "open the file", require("tokenizers", "checking").Tokenizer.from_file, str(path)
        )

        def by_hugging_face(text: str, special: bool) -> Sequence[int]:
            opened.encode_special_tokens = not special
            ids: Sequence[int] = opened.encode(text, add_special_tokens=False).ids
            return ids

        return "tokenizers", by_hugging_face
    if written is Format.TIKTOKEN and installed("tiktoken") and isinstance(tokenizer, ByteBPETokenizer):
        pattern = tokenizer.rule.pattern
        if pattern is None or (tokenizer.rule.name == "pattern" and oniguruma_pattern(tokenizer.rule) is None):
            return None  # tiktoken cannot leave a text whole, and reads some patterns in another way
        require("tiktoken", "checking")
        from tiktoken import Encoding

        # Not by tiktoken's own reader, which keeps copies of files that it has read, by their names.
        lines = [line.split() for line in path.read_bytes().splitlines() if line]
        ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
        encoding = Encoding(path.stem, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        return "tiktoken", lambda text, _: encoding.encode_ordinary(text)
    return None


def broken_tokens(tokenizer: BPETokenizer, report: Report = silent) -> list[int]:
    """Give the ids of tokens that do not encode back to themselves; special tokens are left out."""
    if isinstance(tokenizer, ByteBPETokenizer):
        return tokenizer.broken_tokens(report)
    if tokenizer.kind == "word_bpe":
        return []  # a token inside a word does not stand alone in any text
    broken: list[int] = []
    for number, token in enumerate(tokenizer.tokens):
        try:
            if token and tokenizer.encode(token) != [number]:
                broken.append(number)
        except MissingCharactersError:  # a special token
            continue
    return broken
