"""Hugging Face's tokenizer.json, out: a file that opens in tokenizers and gives the same ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.preparation import AddedToken
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.formats.exactness import refuse_unless_by_merges
from bpe_tui.formats.files import joined, quoted_ids, quoted_pairs, refuse, short, write_files
from bpe_tui.formats.patterns import oniguruma_pattern


def write(tokenizer: ByteBPETokenizer, path: Path) -> None:
    """Write the file, whole or not at all. Raises TokenizerFileError naming what it cannot hold."""
    write_files({path: dumps(tokenizer, path).encode("utf-8")})


def dumps(tokenizer: ByteBPETokenizer, path: Path) -> str:
    """Give the content of the file. Raises TokenizerFileError naming what it cannot hold."""
    refuse_unless_by_merges(tokenizer, path, "a tokenizer.json", whole_pieces=True)
    preparation = tokenizer.preparation
    prefix_space = preparation is not None and preparation.prefix_space
    added = _added_tokens(tokenizer)
    vocabulary = dict(tokenizer.vocabulary)
    if [token.id for token in added] != list(range(len(vocabulary), len(vocabulary) + len(added))):
        # tokenizers numbers added tokens anew unless the model has them, too.
        vocabulary |= {token.content: token.id for token in added}
    # Where tokens come about by rank, each piece that is a token becomes it anyway.
    ignore_merges = tokenizer.whole_pieces and not tokenizer.by_rank
    return _document(
        [_added_entry(token) for token in added],
        {"type": "NFC"} if preparation is not None and preparation.normalization == "NFC" else None,
        _pre_tokenizer(tokenizer, prefix_space, path),
        {"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": True, "use_regex": True},
        ignore_merges,
        vocabulary,
        tokenizer.merges,
    )


def dumps_characters(tokenizer: BPETokenizer, path: Path) -> str:
    """Give the content for a tokenizer of characters: a BPE without any step before it."""
    base = set(tokenizer.base_tokens)
    made: set[str] = set()
    for left, right in tokenizer.merges:
        token = left + right
        if token in made or token in base:
            refuse(path, f"several merges make token {short(token)}, which tokenizers would do in another order")
        made.add(token)
    return _document([], None, None, {"type": "Fuse"}, False, tokenizer.stoi, tokenizer.merges)


def _document(
    added: list[dict[str, Any]],
    normalizer: dict[str, Any] | None,
    pre_tokenizer: dict[str, Any] | None,
    decoder: dict[str, Any],
    ignore_merges: bool,
    vocabulary: dict[str, int],
    merges: list[tuple[str, str]],
) -> str:
    head = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": decoder,
    }
    lines = [f"  {_json(name)}: {_json(value)}" for name, value in head.items()]
    by_id = sorted(vocabulary.items(), key=lambda entry: entry[1])
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": ignore_merges,
    }
    inner = [f"  {_json(name)}: {_json(value)}" for name, value in model.items()]
    inner.append(joined("vocab", "{}", quoted_ids(by_id)))
    inner.append(joined("merges", "[]", quoted_pairs(merges)))
    lines.append('  "model": {\n' + ",\n".join(inner) + "\n  }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _added_tokens(tokenizer: ByteBPETokenizer) -> list[AddedToken]:
    if tokenizer.preparation is not None:
        return sorted(tokenizer.preparation.added_tokens, key=lambda token: token.id)
    specials = sorted(tokenizer.special_tokens.items(), key=lambda entry: entry[1])
    return [AddedToken(token, number, special=True) for token, number in specials]


def _added_entry(token: AddedToken) -> dict[str, Any]:
    return {
        "id": token.id,
        "content": token.content,
        "single_word": False,
        "lstrip": token.left_strip,
        "rstrip": token.right_strip,
        "normalized": token.normalized,
        "special": token.special,
    }


def _pre_tokenizer(tokenizer: ByteBPETokenizer, prefix_space: bool, path: Path) -> dict[str, Any]:
    name = tokenizer.rule.name
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": prefix_space,
        "trim_offsets": True,
        "use_regex": name == "gpt2",
    }
    if name in ("gpt2", "none"):
        return byte_level
    pattern = oniguruma_pattern(tokenizer.rule)
    if pattern is None:
        refuse(path, f"tokenizers may read the pattern {short(tokenizer.rule.pattern)} in another way than it is meant")
    if prefix_space:
        refuse(path, f"a tokenizer.json cannot put a space in front and then cut by the rule {name}")
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, byte_level]}
