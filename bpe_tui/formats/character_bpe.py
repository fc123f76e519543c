"""The tutorial's tokenizer file: JSON with base tokens, merges, vocabulary size and fingerprint.

    {"type": "character_bpe", "base_tokens": [...], "merges": [[left, right], ...], "vocab_size": n, "fingerprint": hex}

Indented by 2, non-ASCII characters as they are, UTF-8, no newline at the end. Files without a fingerprint (older ones)
are read; a fingerprint that is there must be right.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.vocabulary import UndefinedTokenError, check_base_tokens
from bpe_tui.errors import FingerprintMismatchError
from bpe_tui.formats.files import parse_json, read_bytes, short, write_files, wrong

TYPE = "character_bpe"


def dumps(tokenizer: BPETokenizer) -> str:
    """Give the content of the tokenizer's file."""
    content = {
        "type": TYPE,
        "base_tokens": tokenizer.base_tokens,
        "merges": [list(pair) for pair in tokenizer.merges],
        "vocab_size": tokenizer.vocab_size,
        "fingerprint": tokenizer.fingerprint(),
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def write(tokenizer: BPETokenizer, path: Path) -> None:
    """Write the file, whole or not at all. Raises TokenizerFileError if the folder cannot be written."""
    write_files({path: dumps(tokenizer).encode("utf-8")})


def read(path: Path) -> BPETokenizer:
    """Read the file and check it: types, undefined tokens, vocabulary size, fingerprint.

    Raises TokenizerFileError, which names file and field, and FingerprintMismatchError.
    """
    return loads(read_bytes(path), path)


def loads(raw: bytes, path: Path) -> BPETokenizer:
    """Make a tokenizer of a file's content; `path` is for the errors, which are those of `read`."""
    content = parse_json(raw, path)
    if "type" not in content:
        raise wrong(path, "type", f"is missing; a tokenizer file of this program says {TYPE!r} there")
    if content["type"] != TYPE:
        raise wrong(path, "type", f"is {content['type']!r}, but only {TYPE!r} can be read")
    return load(content, path)


def load(content: dict[str, Any], path: Path) -> BPETokenizer:
    """Make a tokenizer of what the file holds; errors as for `read`."""
    base_tokens = content.get("base_tokens")
    if not isinstance(base_tokens, list) or not all(isinstance(token, str) for token in base_tokens):
        raise wrong(path, "base_tokens", "must be a list of characters")
    if not base_tokens:
        raise wrong(path, "base_tokens", "is empty; a tokenizer needs at least one base token")
    try:
        check_base_tokens(base_tokens)
    except ValueError as error:
        raise wrong(path, "base_tokens", str(error)) from error

    merges = content.get("merges")
    if not isinstance(merges, list):
        raise wrong(path, "merges", "must be a list of pairs")
    for rank, pair in enumerate(merges):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise wrong(path, "merges", f"entry {rank} must be a pair of strings, not {short(pair)}")
    try:
        tokenizer = BPETokenizer(base_tokens, [(left, right) for left, right in merges])
    except UndefinedTokenError as error:
        raise wrong(path, "merges", str(error)) from error

    vocab_size = content.get("vocab_size")
    if vocab_size is not None and (isinstance(vocab_size, bool) or vocab_size != tokenizer.vocab_size):
        raise wrong(
            path,
            "vocab_size",
            f"says {short(vocab_size)}, but base tokens and merges give {tokenizer.vocab_size}; the file was changed "
            "or cut after it was saved",
        )
    fingerprint = content.get("fingerprint")
    if fingerprint is not None and fingerprint != (computed := tokenizer.fingerprint()):
        raise FingerprintMismatchError(
            f"{path}: field 'fingerprint': says {short(fingerprint)}, but base tokens and merges give {computed}; the "
            "file was changed after it was saved",
            file=path,
            field="fingerprint",
        )
    return tokenizer
