"""GPT-2's pair of files: a vocabulary in JSON (`encoder.json`, `vocab.json`) and merges as text (`vocab.bpe`,
`merges.txt`).

Given either file or the folder, the other is found beside it. The pair does not say how text is cut into pieces: it is
GPT-2's rule by definition, unless another one is given. Nor does it say which tokens are special: those are that no
merge makes, and they must look like it (`<s>`, `[MASK]`, `<|endoftext|>`), or else merges are missing.
`added_tokens.json` beside the pair, as transformers writes it, holds further ones.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bpe_tui.bpe.byte_alphabet import BYTES
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import RULES, SplittingRule
from bpe_tui.errors import TokenizerFileError
from bpe_tui.formats.exactness import refuse_unless_by_merges
from bpe_tui.formats.files import (
    decode,
    parse_json,
    read_bytes,
    refuse,
    refuse_repeats,
    refuse_unknown,
    short,
    token_ids,
    write_files,
    wrong,
)

PAIRS = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))
ADDED = "added_tokens.json"
VERSION = "#version: 0.2"

_LOOKS_SPECIAL = re.compile(r"<.*>|\[.*\]|madeupword\d+", re.DOTALL)


def pair_in(folder: Path) -> tuple[Path, Path] | None:
    """Give the two files in a folder that holds such a pair, else None."""
    for vocabulary, merges in PAIRS:
        if (folder / vocabulary).is_file() and (folder / merges).is_file():
            return folder / vocabulary, folder / merges
    return None


def find_merges(vocabulary: Path) -> Path:
    """Give the file of merges beside a vocabulary. Raises TokenizerFileError."""
    return _beside(vocabulary, dict(PAIRS), "merges")


def find_vocabulary(merges: Path) -> Path:
    """Give the vocabulary beside a file of merges. Raises TokenizerFileError."""
    return _beside(merges, {second: first for first, second in PAIRS}, "vocabulary")


def _beside(path: Path, partners: dict[str, str], what: str) -> Path:
    # `gpt2-vocab.json` and `gpt2-merges.txt` are a pair, too.
    for ours, theirs in sorted(partners.items(), key=lambda entry: entry[0] != path.name):
        if path.name.endswith(ours):
            candidate = path.with_name(path.name.removesuffix(ours) + theirs)
            if candidate.is_file():
                return candidate
    for theirs in partners.values():
        if path.with_name(theirs).is_file():
            return path.with_name(theirs)
    names = " or ".join(partners.values())
    raise TokenizerFileError(
        f"{path}: this is one half of a GPT-2 tokenizer; put its {what} ({names}) into the same folder", file=path
    )


def read(
    vocabulary_path: Path,
    merges_path: Path,
    rule: SplittingRule | None,
    content: dict[str, Any] | None = None,
) -> ByteBPETokenizer:
    """Read a pair. `content` is that of the vocabulary, if it has been read already.

    Raises TokenizerFileError that names file and line.
    """
    if content is None:
        content = parse_json(read_bytes(vocabulary_path), vocabulary_path)
    vocabulary = dict(token_ids(content, vocabulary_path, "tokens"))
    merges, lines = parse_merges(read_bytes(merges_path), merges_path)

    def line(rank: int) -> str:
        return f"line {lines[rank]}"

    refuse_repeats(merges, merges_path, line)
    refuse_unknown(merges, vocabulary, merges_path, line)
    made = {left + right for left, right in merges}
    special_tokens: dict[str, int] = {}
    for token in [token for token in vocabulary if token not in made and token not in BYTES]:
        if not (_LOOKS_SPECIAL.fullmatch(token) or any(character not in BYTES for character in token)):
            raise wrong(
                merges_path, None, f"no merge makes the token {short(token)} (id {vocabulary[token]}); merges are "
                f"missing, or the file does not belong to {vocabulary_path.name}",
            )  # fmt: skip
        special_tokens[token] = vocabulary.pop(token)
    added = vocabulary_path.with_name(ADDED)
    if added.is_file():
        further = token_ids(parse_json(read_bytes(added), added), added, "tokens")
        special_tokens |= {token: number for token, number in further.items() if token not in vocabulary}
    try:
        return ByteBPETokenizer(vocabulary, merges, rule or RULES["gpt2"], special_tokens)
    except ValueError as error:
        raise TokenizerFileError(f"{vocabulary_path}: {error}", file=vocabulary_path) from error


def parse_merges(raw: bytes, path: Path) -> tuple[list[tuple[str, str]], list[int]]:
    """Give the merges of a file and the line of each, from 1. Raises TokenizerFileError that names the line."""
    lines = decode(raw, path).split("\n")
    while lines and not lines[-1].strip("\r"):
        lines.pop()
    merges: list[tuple[str, str]] = []
    places: list[int] = []
    for number, line in enumerate(lines, 1):
        if number == 1 and line.startswith("#version"):
            continue
        parts = line.removesuffix("\r").split(" ")
        if len(parts) != 2 or not all(parts):
            raise wrong(path, f"line {number}", f"{short(line)} is not two tokens with a space between")
        merges.append((parts[0], parts[1]))
        places.append(number)
    return merges, places


def dumps(tokenizer: ByteBPETokenizer, path: Path) -> tuple[bytes, bytes]:
    """Give the content of both files. Raises TokenizerFileError naming what they cannot hold."""
    if tokenizer.rule != RULES["gpt2"]:
        refuse(
            path, f"GPT-2's files stand for its own splitting rule, but this is {tokenizer.rule.name}: write "
            "tokenizer.json",
        )  # fmt: skip
    if tokenizer.preparation is not None and (tokenizer.added_tokens or not tokenizer.preparation.lossless):
        refuse(path, "GPT-2's files cannot hold normalisation, a space in front or added tokens: write tokenizer.json")
    made = {left + right for left, right in tokenizer.merges}
    for token, number in tokenizer.special_tokens.items():
        if not _LOOKS_SPECIAL.fullmatch(token) and all(character in BYTES for character in token):
            refuse(
                path, f"GPT-2's files cannot say that {short(token)} (id {number}) is a special token, only for those "
                "like <this> or [this]: write tokenizer.json",
            )  # fmt: skip
    refuse_unless_by_merges(tokenizer, path, "GPT-2's pair of files", whole_pieces=False)
    for token, number in tokenizer.vocabulary.items():
        if token not in made and token not in BYTES:
            refuse(path, f"GPT-2's files cannot hold token {short(token)} (id {number}), which no merge makes")
    ids: dict[str, Any] = dict(sorted(tokenizer.stoi.items(), key=lambda entry: entry[1]))
    lines = [VERSION, *(f"{left} {right}" for left, right in tokenizer.merges)]
    return json.dumps(ids).encode("ascii"), ("\n".join(lines) + "\n").encode("utf-8")


def write(tokenizer: ByteBPETokenizer, path: Path) -> None:
    """Write the pair, both files or none: into a folder, or beside the one that is named. Raises TokenizerFileError."""
    vocabulary, merges = paths_for(path)
    contents = dumps(tokenizer, path)
    write_files(dict(zip((vocabulary, merges), contents, strict=True)))


def paths_for(path: Path) -> tuple[Path, Path]:
    """Give the names of both files for the name of one, or of a folder."""
    for vocabulary, merges in PAIRS:
        for name in (vocabulary, merges):
            if path.name.endswith(name):
                stem = path.name.removesuffix(name)
                return path.with_name(stem + vocabulary), path.with_name(stem + merges)
    return path / PAIRS[0][0], path / PAIRS[0][1]
