r"""bpe-tui's own file for word tokenizers: JSON that holds all there is to know.

    {"type": "word_bpe", "punctuation": …, "marker": …, "ties": …, "lossless": false, "special_tokens": {token: id},
     "unused_ids": […], "corpus_sha256": …, "base_tokens": […], "merges": [[left, right], …], "vocab_size": n,
     "fingerprint": hex}

Tokens are as people see them: `</w>` is the end of a word, and `<\/w>` those four characters in a text; see
`bpe.words`. Ids go to base tokens, then to each merged string when it is first made, past those of special tokens and
unused ones. `lossless` says that decoding gives words with single spaces between them, not the white space of the text.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.errors import TokenizerFileError
from bpe_tui.formats.byte_bpe import check_promises, text_or_none
from bpe_tui.formats.files import is_id, joined, short, token_ids, token_pairs, write_files, wrong

TYPE = "word_bpe"


def dumps(tokenizer: WordBPETokenizer) -> str:
    """Give the content of the tokenizer's file."""
    head: dict[str, Any] = {
        "type": TYPE,
        "punctuation": str(tokenizer.punctuation),
        "marker": str(tokenizer.marker),
        "ties": tokenizer.ties,
        "lossless": tokenizer.lossless,
        "special_tokens": tokenizer.special_tokens,
        "unused_ids": tokenizer.unused_ids,
        "corpus_sha256": tokenizer.corpus_sha256,
    }
    lines = [f"  {_json(name)}: {_json(value)}" for name, value in head.items()]
    lines.append(joined("base_tokens", "[]", [_json(token) for token in tokenizer.base_tokens]))
    lines.append(joined("merges", "[]", [_json(list(pair)) for pair in tokenizer.merges]))
    lines.append(f'  "vocab_size": {tokenizer.vocab_size}')
    lines.append(f'  "fingerprint": {_json(tokenizer.fingerprint())}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def write(tokenizer: WordBPETokenizer, path: Path) -> None:
    """Write the file, whole or not at all. Raises TokenizerFileError."""
    write_files({path: dumps(tokenizer).encode("utf-8")})


def load(content: dict[str, Any], path: Path) -> WordBPETokenizer:
    """Make a tokenizer of what the file holds, checked. Raises TokenizerFileError, FingerprintMismatchError."""
    base_tokens = content.get("base_tokens")
    if not isinstance(base_tokens, list) or not all(isinstance(token, str) and token for token in base_tokens):
        raise wrong(path, "base_tokens", "must be a list of characters and the ends of words")
    for field, choices in (("punctuation", ("keep", "separate")), ("marker", ("own", "glued"))):
        if content.get(field, choices[0]) not in choices:
            raise wrong(path, field, f"must be one of {', '.join(choices)}, not {short(content[field])}")
    unused = content.get("unused_ids", [])
    if not isinstance(unused, list) or not all(is_id(number) for number in unused):
        raise wrong(path, "unused_ids", "must be a list of ids")
    merges = token_pairs(content.get("merges"), path, "merges")
    special_tokens = token_ids(content.get("special_tokens", {}), path, "special_tokens")
    try:
        tokenizer = WordBPETokenizer(
            base_tokens,
            merges,
            special_tokens,
            punctuation=content.get("punctuation", "keep"),
            marker=content.get("marker", "own"),
            ties=text_or_none(content, "ties", path),
            unused_ids=unused,
            corpus_sha256=text_or_none(content, "corpus_sha256", path),
        )
    except ValueError as error:
        raise TokenizerFileError(f"{path}: {error}", file=path) from error
    if content.get("lossless", False) is not False:
        raise wrong(path, "lossless", f"says {short(content['lossless'])}, but words never keep their white space")
    check_promises(content, tokenizer.vocab_size, tokenizer.fingerprint(), path)
    return tokenizer
