"""The tutorial's tokenizer file: JSON with base tokens, merges, vocabulary size and fingerprint.

    {"type": "character_bpe", "base_tokens": [...], "merges": [[left, right], ...], "vocab_size": n, "fingerprint": hex}

Indented by 2, non-ASCII characters as they are, UTF-8, no newline at the end. Files without a fingerprint (older ones)
are read; a fingerprint that is there must be right.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bpe_tui.atomic import write_text
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.vocabulary import UndefinedTokenError, check_base_tokens
from bpe_tui.errors import FingerprintMismatchError, TokenizerFileError

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
    try:
        write_text(path, dumps(tokenizer))
    except OSError as error:
        raise TokenizerFileError(
            f"{path}: the tokenizer cannot be saved: {error.strerror or error}; choose another place", file=path
        ) from error


def read(path: Path) -> BPETokenizer:
    """Read the file and check it: types, undefined tokens, vocabulary size, fingerprint.

    Raises TokenizerFileError, which names file and field, and FingerprintMismatchError.
    """
    try:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is no regular file" if path.exists() else "does not exist"
            raise TokenizerFileError(f"{path}: the file {what}; give the path of a tokenizer file", file=path)
        raw = path.read_bytes()
    except OSError as error:
        raise TokenizerFileError(f"{path}: cannot be read: {error.strerror or error}", file=path) from error
    return loads(raw, path)


def loads(raw: bytes, path: Path) -> BPETokenizer:
    """Make a tokenizer of a file's content; `path` is for the errors, which are those of `read`."""

    def wrong(field: str, what: str) -> TokenizerFileError:
        return TokenizerFileError(f"{path}: field {field!r}: {what}", file=path, field=field)

    content = _parse(raw, path)
    if "type" not in content:
        raise wrong("type", f"is missing; a tokenizer file of this program says {TYPE!r} there")
    if content["type"] != TYPE:
        raise wrong("type", f"is {content['type']!r}, but only {TYPE!r} can be read")

    base_tokens = content.get("base_tokens")
    if not isinstance(base_tokens, list) or not all(isinstance(token, str) for token in base_tokens):
        raise wrong("base_tokens", "must be a list of characters")
    if not base_tokens:
        raise wrong("base_tokens", "is empty; a tokenizer needs at least one base token")
    try:
        check_base_tokens(base_tokens)
    except ValueError as error:
        raise wrong("base_tokens", str(error)) from error

    merges = content.get("merges")
    if not isinstance(merges, list):
        raise wrong("merges", "must be a list of pairs")
    for rank, pair in enumerate(merges):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise wrong("merges", f"entry {rank} must be a pair of strings, not {_short(pair)}")
    try:
        tokenizer = BPETokenizer(base_tokens, [(left, right) for left, right in merges])
    except UndefinedTokenError as error:
        raise wrong("merges", str(error)) from error

    vocab_size = content.get("vocab_size")
    if vocab_size is not None and (isinstance(vocab_size, bool) or vocab_size != tokenizer.vocab_size):
        raise wrong(
            "vocab_size",
            f"says {_short(vocab_size)}, but base tokens and merges give {tokenizer.vocab_size}; the file was changed "
            "or cut after it was saved",
        )
    fingerprint = content.get("fingerprint")
    if fingerprint is not None and fingerprint != (computed := tokenizer.fingerprint()):
        raise FingerprintMismatchError(
            f"{path}: field 'fingerprint': says {_short(fingerprint)}, but base tokens and merges give {computed}; the "
            "file was changed after it was saved",
            file=path,
            field="fingerprint",
        )
    return tokenizer


def _parse(raw: bytes, path: Path) -> dict[str, Any]:
    if not raw.strip():
        raise TokenizerFileError(f"{path}: the file is empty; save the tokenizer again", file=path)
    try:
        text = raw.decode("utf-8-sig")
        content = json.loads(text)
    except UnicodeDecodeError as error:
        raise TokenizerFileError(
            f"{path}: byte {error.start:,} is not UTF-8, so this is no tokenizer file", file=path
        ) from error
    except json.JSONDecodeError as error:
        raise TokenizerFileError(
            f"{path}: line {error.lineno}, column {error.colno}: not valid JSON ({error.msg}); the file is cut off or "
            "no tokenizer file",
            file=path,
        ) from error
    except (RecursionError, ValueError) as error:
        raise TokenizerFileError(f"{path}: not a tokenizer file: {error}", file=path) from error
    if not isinstance(content, dict):
        raise TokenizerFileError(
            f"{path}: holds a JSON {type(content).__name__}, but a tokenizer file holds an object", file=path
        )
    return content


def _short(value: object) -> str:
    """Show a value from a file, on one line and not without end."""
    shown = ascii(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."
