"""minbpe's `.model` files: a version, the pattern, special tokens with their ids, and merges as pairs of ids.

Bytes have the ids 0 to 255, and each merge the next one. An empty pattern means that text is not cut.
"""

from __future__ import annotations

from pathlib import Path

from bpe_tui.bpe.byte_alphabet import CHARACTERS
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import RULES, SplittingRule
from bpe_tui.errors import TokenizerFileError
from bpe_tui.formats.exactness import refuse_unless_by_merges
from bpe_tui.formats.files import LONGEST_TOKEN, decode, refuse, short, write_files, wrong
from bpe_tui.formats.patterns import rule_of_pattern

VERSION = "minbpe v1"


def looks_like(head: bytes) -> bool:
    """Whether the beginning of a file is that of a minbpe model."""
    return head.startswith(b"minbpe v")


def loads(raw: bytes, path: Path, rule: SplittingRule | None = None) -> ByteBPETokenizer:
    """Make a tokenizer of a file's content. Raises TokenizerFileError that names the line."""
    lines = decode(raw, path).split("\n")
    if lines[0].strip() != VERSION:
        raise wrong(path, "line 1", f"says {short(lines[0])}, but only {VERSION!r} can be read")
    if len(lines) < 4:
        raise wrong(path, f"line {len(lines)}", "the file ends too early; it is cut off")
    if lines[-1]:
        # minbpe ends every line; without that, the last number may be the beginning of another one.
        raise wrong(path, f"line {len(lines)}", "the file ends within a line; it is cut off")
    pattern = lines[1].strip()
    found = rule_of_pattern(pattern, path, "line 2") if pattern else RULES["none"]
    if rule is not None and rule != found:
        raise wrong(path, "line 2", f"the file says how text is cut into pieces ({found.name}); leave the rule out")
    special_tokens, start = _special_tokens(lines, path)
    merges, vocabulary = _merges(lines, start, path)
    try:
        return ByteBPETokenizer(vocabulary, merges, found, special_tokens)
    except ValueError as error:
        raise TokenizerFileError(f"{path}: {error}", file=path) from error


def _special_tokens(lines: list[str], path: Path) -> tuple[dict[str, int], int]:
    count = lines[2].strip()
    if not (count.isascii() and count.isdigit() and len(count) < 10):
        raise wrong(path, "line 3", f"{short(count)} is not the number of special tokens")
    end = 3 + int(count)
    if end >= len(lines):
        raise wrong(path, "line 3", f"promises {count} special tokens, but the file has only {len(lines)} lines")
    special_tokens: dict[str, int] = {}
    for number, line in enumerate(lines[3:end], 4):
        parts = line.split()
        if len(parts) != 2 or not _is_number(parts[1]):
            raise wrong(path, f"line {number}", f"{short(line)} is not a special token and its id")
        if parts[0] in special_tokens:
            raise wrong(path, f"line {number}", f"the special token {short(parts[0])} is there already")
        special_tokens[parts[0]] = int(parts[1])
    return special_tokens, end


def _merges(lines: list[str], start: int, path: Path) -> tuple[list[tuple[str, str]], dict[str, int]]:
    tokens = list(CHARACTERS)
    vocabulary = {token: number for number, token in enumerate(tokens)}
    merges: list[tuple[str, str]] = []
    end = len(lines)
    while end > start and not lines[end - 1].strip():
        end -= 1
    for number, line in enumerate(lines[start:end], start + 1):
        parts = line.split()
        if len(parts) != 2 or not all(map(_is_number, parts)):
            raise wrong(path, f"line {number}", f"{short(line)} is not a pair of ids")
        left, right = map(int, parts)
        for part in (left, right):
            if part >= len(tokens):
                raise wrong(path, f"line {number}", f"id {part} is not known yet: ids so far end at {len(tokens) - 1}")
        token = tokens[left] + tokens[right]
        if len(token) > LONGEST_TOKEN:
            raise wrong(path, f"line {number}", f"makes a token of {len(token):,} bytes; no tokenizer has such tokens")
        if token in vocabulary:
            raise wrong(
                path, f"line {number}", f"makes {short(token)}, which id {vocabulary[token]} is already; the merge is "
                "a repeat, or of a kind that cannot be represented here",
            )  # fmt: skip
        merges.append((tokens[left], tokens[right]))
        vocabulary[token] = len(tokens)
        tokens.append(token)
    return merges, vocabulary


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def dumps(tokenizer: ByteBPETokenizer, path: Path) -> bytes:
    """Give the content of the file. Raises TokenizerFileError naming what it cannot hold."""
    pattern = tokenizer.rule.pattern or ""
    if pattern != pattern.strip() or "\n" in pattern:
        refuse(path, f"a minbpe file cannot hold the pattern {short(pattern)}, for the white space at its ends")
    if tokenizer.preparation is not None and (tokenizer.added_tokens or not tokenizer.preparation.lossless):
        refuse(path, "a minbpe file cannot hold normalisation, a space in front or added tokens: write tokenizer.json")
    lines = [VERSION, pattern, str(len(tokenizer.special_tokens))]
    for token, number in tokenizer.special_tokens.items():
        if len(token.split()) != 1 or token != token.strip():
            refuse(
                path, f"a minbpe file cannot hold the special token {short(token)} (id {number}): it has white space"
            )
        lines.append(f"{token} {number}")
    for byte, character in enumerate(CHARACTERS):
        if tokenizer.vocabulary[character] != byte:
            number = tokenizer.vocabulary[character]
            refuse(
                path, f"a minbpe file gives each byte its value as id, but here byte 0x{byte:02X} has the id {number}"
            )
    refuse_unless_by_merges(tokenizer, path, "a minbpe file", whole_pieces=False)
    left, right, new = tokenizer.merge_ids()
    for rank, number in enumerate(new.tolist()):
        if number != 256 + rank:
            token = short(tokenizer.tokens[number])
            refuse(path, f"a minbpe file gives merge {rank} the id {256 + rank}, but {token} has the id {number} here")
    if len(tokenizer.vocabulary) != 256 + len(new):
        token = next(token for token, number in tokenizer.vocabulary.items() if number >= 256 + len(new))
        refuse(path, f"a minbpe file holds only tokens that merges make, and none makes {short(token)}")
    lines += [f"{first} {second}" for first, second in zip(left.tolist(), right.tolist(), strict=True)]
    return ("\n".join(lines) + "\n").encode("utf-8")


def write(tokenizer: ByteBPETokenizer, path: Path) -> None:
    """Write the file, whole or not at all. Raises TokenizerFileError."""
    write_files({path: dumps(tokenizer, path)})
