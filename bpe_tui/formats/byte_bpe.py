"""bpe-tui's own file for byte-level tokenizers: JSON that holds all there is to know.

    {"type": "byte_bpe", "split": {"rule": …, "pattern": …}, "unicode_version": …, "ties": …, "lossless": …,
     "whole_pieces": …, "by_rank": …, "text_only": …, "preparation": …, "special_tokens": {token: id},
     "corpus_sha256": …, "vocabulary": {token: id}, "merges": [[left, right], …], "vocab_size": n, "fingerprint": hex}

Tokens are in the byte alphabet, one a line, merges too; so files can be read and compared. `unicode_version` says by
which Unicode (or which `regex`) the text was cut when the tokenizer was made. `preparation` is null, or what the
tokenizer does to a text before; see `bpe.preparation`.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from bpe_tui.bpe import pretokenize
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.preparation import AddedToken, Preparation
from bpe_tui.bpe.pretokenize import SplittingRule
from bpe_tui.errors import FingerprintMismatchError, SplittingError, TokenizerFileError
from bpe_tui.formats.files import (
    joined,
    quoted_ids,
    quoted_pairs,
    refuse_unknown,
    short,
    token_ids,
    token_pairs,
    write_files,
    wrong,
)

TYPE = "byte_bpe"


def dumps(tokenizer: ByteBPETokenizer) -> str:
    """Give the content of the tokenizer's file."""
    preparation = tokenizer.preparation
    head: dict[str, Any] = {
        "type": TYPE,
        "split": {"rule": tokenizer.rule.name, "pattern": tokenizer.rule.pattern},
        "unicode_version": tokenizer.rule.unicode_version,
        "ties": tokenizer.ties,
        "lossless": tokenizer.lossless,
        "whole_pieces": tokenizer.whole_pieces,
        "by_rank": tokenizer.by_rank,
        "text_only": tokenizer.text_only,
        "preparation": None if preparation is None else dataclasses.asdict(preparation),
        "special_tokens": tokenizer.special_tokens,
        "corpus_sha256": tokenizer.corpus_sha256,
    }
    lines = [f"  {_json(name)}: {_json(value)}" for name, value in head.items()]
    vocabulary = sorted(tokenizer.vocabulary.items(), key=lambda entry: entry[1])
    lines.append(joined("vocabulary", "{}", quoted_ids(vocabulary)))
    lines.append(joined("merges", "[]", quoted_pairs(tokenizer.merges)))
    lines.append(f'  "vocab_size": {tokenizer.vocab_size}')
    lines.append(f'  "fingerprint": {_json(tokenizer.fingerprint())}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def write(tokenizer: ByteBPETokenizer, path: Path) -> None:
    """Write the file, whole or not at all. Raises TokenizerFileError."""
    write_files({path: dumps(tokenizer).encode("utf-8")})


def load(content: dict[str, Any], path: Path) -> ByteBPETokenizer:
    """Make a tokenizer of what the file holds, checked. Raises TokenizerFileError, FingerprintMismatchError."""
    rule = read_rule(content.get("split"), path)
    vocabulary = token_ids(content.get("vocabulary"), path, "vocabulary")
    merges = token_pairs(content.get("merges"), path, "merges")
    refuse_unknown(merges, vocabulary, path, lambda _: "merges")
    special_tokens = token_ids(content.get("special_tokens", {}), path, "special_tokens")
    try:
        tokenizer = ByteBPETokenizer(
            vocabulary,
            merges,
            rule,
            special_tokens,
            whole_pieces=_flag(content, "whole_pieces", path),
            by_rank=_flag(content, "by_rank", path),
            text_only=_flag(content, "text_only", path),
            ties=text_or_none(content, "ties", path),
            preparation=_preparation(content.get("preparation"), path),
            corpus_sha256=text_or_none(content, "corpus_sha256", path),
        )
    except TokenizerFileError:
        raise
    except ValueError as error:
        raise TokenizerFileError(f"{path}: {error}", file=path) from error
    if content.get("lossless", tokenizer.lossless) is not tokenizer.lossless:
        raise wrong(path, "lossless", f"says {short(content['lossless'])}, which does not fit the other fields")
    check_promises(content, tokenizer.vocab_size, tokenizer.fingerprint(), path)
    return tokenizer


def check_promises(content: dict[str, Any], vocab_size: int, fingerprint: str, path: Path) -> None:
    """Hold the size of the vocabulary and the fingerprint that a file promises against those that it has."""
    said = content.get("vocab_size")
    if said is not None and (isinstance(said, bool) or said != vocab_size):
        raise wrong(
            path, "vocab_size", f"says {short(said)}, but the tokens give {vocab_size}; the file was changed or cut "
            "after it was saved",
        )  # fmt: skip
    promised = content.get("fingerprint")
    if promised is not None and promised != fingerprint:
        raise FingerprintMismatchError(
            f"{path}: field 'fingerprint': says {short(promised)}, but the content gives {fingerprint}; the file was "
            "changed after it was saved",
            file=path,
            field="fingerprint",
        )


def read_rule(value: object, path: Path) -> SplittingRule:
    """Give the splitting rule that a file names. Raises TokenizerFileError."""
    if not isinstance(value, dict) or not isinstance(value.get("rule"), str):
        raise wrong(path, "split", 'must be an object like {"rule": "gpt2", "pattern": …}')
    name, pattern = value["rule"], value.get("pattern")
    if pattern is not None and not isinstance(pattern, str):
        raise wrong(path, "split", f"the pattern is {short(pattern)}, which is no regular expression")
    try:
        rule = pretokenize.rule(name, pattern if name == "pattern" else None)
    except SplittingError as error:
        raise wrong(path, "split", str(error)) from error
    if pattern is not None and pattern != rule.pattern:
        raise wrong(path, "split", f"has another pattern than the rule {name!r}; it was written by another version")
    return rule


def _preparation(value: object, path: Path) -> Preparation | None:
    if value is None:
        return None
    try:
        if not isinstance(value, dict):
            raise TypeError("it is no object")
        added = tuple(AddedToken(**token) for token in value.get("added_tokens", ()))
        for token in added:
            if not isinstance(token.content, str) or not token.content or type(token.id) is not int:
                raise TypeError(f"{short(token.content)} is no token with an id")
        if type(value.get("prefix_space", False)) is not bool:
            raise TypeError("prefix_space must be true or false")
        return Preparation(added, value.get("normalization"), value.get("prefix_space", False))
    except (TypeError, ValueError) as error:
        raise wrong(path, "preparation", f"is not understood: {error}") from error


def _flag(content: dict[str, Any], field: str, path: Path) -> bool:
    value = content.get(field, False)
    if not isinstance(value, bool):
        raise wrong(path, field, f"must be true or false, not {short(value)}")
    return value


def text_or_none(content: dict[str, Any], field: str, path: Path) -> str | None:
    """Give a field that may be missing or null. Raises TokenizerFileError if it is anything but text."""
    value = content.get(field)
    if value is not None and not isinstance(value, str):
        raise wrong(path, field, f"must be text, not {short(value)}")
    return value
