"""Small tokenizers that tests of formats share: made by us, and made by the programs whose files we read."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpe_tui.bpe.byte_alphabet import CHARACTERS, to_bytes
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import rule

TEXT = (
    "the theory of the thin thing: there, then, the other; it's 12 or 123 of them\n"
    "low lower lowest newest widest   and  some   space\n\tnaïve café ÉTÉ 漢字漢字 漢字 🙂🙂\r\n"
) * 5


@pytest.fixture(scope="session")
def small() -> ByteBPETokenizer:
    """A byte-level tokenizer in raw byte order, with two special tokens behind."""
    return ByteBPETokenizer.train(
        TEXT, 400, verbose=False, rule="gpt2", ties="bytes", special_tokens=("<|endoftext|>", "[MASK]")
    )


def ranks_of(tokenizer: ByteBPETokenizer) -> bytes:
    """The tokenizer as a rank file, written by hand."""
    ranks = sorted(tokenizer.vocabulary.items(), key=lambda entry: entry[1])
    return b"".join(b"%s %d\n" % (base64.b64encode(to_bytes(token)), number) for token, number in ranks)


def hugging_face(
    prepare: Callable[[Any], None] = lambda _: None, *, vocab_size: int = 500, text: str = TEXT, **model: Any
) -> Any:
    """A byte-level BPE trained by Hugging Face's tokenizers; `prepare` sets its pipeline before."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(**model))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    prepare(tokenizer)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocab_size,
        show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>"],
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def byte_vocabulary() -> dict[str, int]:
    return {character: number for number, character in enumerate(CHARACTERS)}


def tiny(**arguments: Any) -> ByteBPETokenizer:
    """Bytes and three merges."""
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the")]
    vocabulary = byte_vocabulary() | {left + right: 256 + rank for rank, (left, right) in enumerate(merges)}
    return ByteBPETokenizer(vocabulary, merges, arguments.pop("rule", rule("gpt2")), **arguments)


def saved(tokenizer: Any, path: Path, change: Callable[[dict[str, Any]], None] = lambda _: None) -> Path:
    """A tokenizer of Hugging Face's in a file, its content changed before."""
    content = json.loads(tokenizer.to_str())
    change(content)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path
