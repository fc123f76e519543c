"""How each package encodes and decodes with published ranks, each by the call that its users are told is the fastest.

They are given a `str` and give what they have: an array where there is one, otherwise a list. Left out: quicktok and
toktok with gpt2, which they do not have; tokenizers with cl100k, which has no file of its own for it. toktok's public
calls only count, so the ids come from the calls beneath, which its source names for those who want them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Ids = Any


@dataclass(frozen=True, slots=True)
class Works:
    """What a loaded tokenizer does."""

    encode: Callable[[str], Ids]
    decode: Callable[[Any], str]
    batch: Callable[[list[str], int], Any]
    """Encode many texts with so many threads."""
    flat: Callable[[Any], Any]
    """Give the ids of a batch one after another."""
    to_decode: Callable[[Any], Any] = lambda ids: ids.tolist()
    """Give ids as `decode` likes them best."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """One way to encode."""

    package: str
    load: Callable[[Path, str], Works]
    """Give the tokenizer of a file of ranks in tiktoken's format."""
    encodings: tuple[str, ...] = ("cl100k", "gpt2")
    note: str = ""


def cut_documents(text: str, separator: str) -> list[str]:
    """Cut a text behind each separator; articles of WikiText begin with a line ` = Title = `."""
    return [part for part in text.split(separator) if part]


def _rows(rows: Iterable[Any]) -> Any:
    return np.concatenate([np.zeros(0, np.int64), *(np.asarray(row, np.int64) for row in rows)])


def pattern_of(encoding: str) -> str:
    """Give the published splitting pattern."""
    from bpe_tui.bpe.pretokenize import RULES

    return RULES[encoding].pattern or ""


def _ours(ranks: Path, encoding: str) -> Works:
    from bpe_tui import BPETokenizer

    # Compiled code is loaded by another tokenizer, so that this one has met nothing.
    BPETokenizer.from_file(ranks, split=encoding).encode_array("what loads the compiled code" * 10_000)
    tokenizer = BPETokenizer.from_file(ranks, split=encoding)

    # As many threads as there are processors for the process.
    return Works(
        tokenizer.encode_array, tokenizer.decode, lambda texts, _: tokenizer.encode_flat(texts),
        lambda result: result[0], lambda ids: ids,
    )  # fmt: skip


def _tiktoken(ranks: Path, encoding: str) -> Works:
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    known = load_tiktoken_bpe(str(ranks))
    tokenizer = tiktoken.Encoding("bench", pat_str=pattern_of(encoding), mergeable_ranks=known, special_tokens={})
    return Works(
        tokenizer.encode_ordinary, tokenizer.decode,
        lambda texts, threads: tokenizer.encode_ordinary_batch(texts, num_threads=threads), _rows,
    )  # fmt: skip


def _riptoken(ranks: Path, encoding: str) -> Works:
    import riptoken

    tokenizer = riptoken.CoreBPE(riptoken.load_tiktoken_bpe(str(ranks)), {}, pattern_of(encoding))
    return Works(
        tokenizer.encode_ordinary, tokenizer.decode, lambda texts, _: tokenizer.encode_ordinary_batch(texts), _rows
    )


def _quicktok(ranks: Path, encoding: str) -> Works:
    import quicktok

    tokenizer = quicktok.get_encoding("cl100k_base")
    return Works(
        tokenizer.encode_ordinary, tokenizer.decode,
        lambda texts, threads: tokenizer.encode_batch(texts, threads), lambda result: result[0],
    )  # fmt: skip


def _splintr(ranks: Path, encoding: str) -> Works:
    import splintr

    if encoding == "cl100k":
        tokenizer = splintr.Tokenizer.from_pretrained("cl100k_base")
    else:
        tokenizer = splintr.Tokenizer.from_bytes(ranks.read_bytes(), splintr.GPT2_PATTERN)
    return Works(
        lambda text: np.frombuffer(tokenizer.encode_flat(text), np.uint32), tokenizer.decode,
        lambda texts, _: tokenizer.encode_batch_flat(texts), lambda result: np.frombuffer(result[0], np.uint32),
    )  # fmt: skip


def _gigatoken(ranks: Path, encoding: str) -> Works:
    import awkward
    import gigatoken

    tokenizer = gigatoken.Tokenizer.from_tiktoken(ranks, pretokenizer=encoding, special_tokens={})
    return Works(
        tokenizer.encode, lambda ids: tokenizer.decode(ids).decode("utf-8"),
        lambda texts, threads: tokenizer.encode_batch(texts, parallel=threads > 1),
        lambda result: np.asarray(awkward.flatten(result)), lambda ids: ids.astype(np.uint32),
    )  # fmt: skip


def _toktok(ranks: Path, encoding: str) -> Works:
    import toktok

    tokenizer = toktok._encoding("cl100k_base")
    return Works(
        tokenizer.encode_to_numpy, tokenizer.decode,
        lambda texts, threads: tokenizer.encode_batch_to_numpy(texts, threads), lambda result: result[0],
    )  # fmt: skip


def _wordchipper(ranks: Path, encoding: str) -> Works:
    import wordchipper

    # It downloads ranks unless they lie where it looks.
    name = {"cl100k": "cl100k_base", "gpt2": "r50k_base"}[encoding]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "openai" / name / f"{name}.tiktoken"
        place.parent.mkdir(parents=True)
        place.symlink_to(ranks.resolve())
        os.environ["WORDCHIPPER_CACHE_DIR"] = folder
        tokenizer = wordchipper.Tokenizer.from_pretrained(name)
    return Works(tokenizer.encode, tokenizer.decode, lambda texts, _: tokenizer.encode_batch(texts), _rows)


def _tokenizers(ranks: Path, encoding: str) -> Works:
    import tokenizers

    from bpe_tui import BPETokenizer

    ours = BPETokenizer.from_file(ranks, split=encoding)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(dict(ours.stoi), list(ours.merges)))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    return Works(
        lambda text: tokenizer.encode(text).ids, tokenizer.decode,
        lambda texts, _: tokenizer.encode_batch_fast(texts), lambda result: _rows(one.ids for one in result),
    )  # fmt: skip


ENCODERS: dict[str, Encoder] = {
    "bpe-tui": Encoder("bpe_tui", _ours),
    "tiktoken": Encoder("tiktoken", _tiktoken),
    "quicktok": Encoder("quicktok", _quicktok, ("cl100k",)),
    "splintr": Encoder("splintr", _splintr),
    "riptoken": Encoder("riptoken", _riptoken),
    "gigatoken": Encoder("gigatoken", _gigatoken),
    "toktok": Encoder("toktok", _toktok, ("cl100k",)),
    "wordchipper": Encoder("wordchipper", _wordchipper),
    "tokenizers": Encoder("tokenizers", _tokenizers, ("gpt2",)),
}
