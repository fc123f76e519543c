"""tiktoken's rank files: one token a line, its bytes in base64 and its rank, which is its id.

    IQ== 0

The file says neither how text is cut into pieces nor which special tokens there are; that stands in tiktoken's source.
So the splitting rule has to be given when such a file is read, and special tokens cannot be written to one.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from pathlib import Path

from bpe_tui.bpe.byte_alphabet import to_bytes, to_characters
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import RULES, SplittingRule
from bpe_tui.errors import TokenizerFileError
from bpe_tui.formats.exactness import refuse_unless_by_rank
from bpe_tui.formats.files import LONGEST_TOKEN, decode, refuse, short, write_files, wrong

PUBLISHED = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": ("r50k_base", "gpt2"),
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": ("p50k_base", "gpt2"),
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": ("cl100k_base", "cl100k"),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": ("o200k_base", "o200k"),
}
"""SHA-256 of the files that tiktoken's `openai_public.py` names, with their names and rules."""


def looks_like(head: bytes) -> bool:
    """Whether the beginning of a file is the first line of a rank file."""
    parts = head.lstrip(b"\xef\xbb\xbf\r\n").split(b"\n", 1)[0].split()
    if len(parts) != 2 or not parts[1].isdigit():
        return False
    try:
        base64.b64decode(parts[0], validate=True)
    except binascii.Error:
        return False
    return True


def loads(raw: bytes, path: Path, rule: SplittingRule | None) -> ByteBPETokenizer:
    """Make a tokenizer of a file's content. Raises TokenizerFileError, also when no rule is given."""
    if rule is None:
        known = PUBLISHED.get(hashlib.sha256(raw).hexdigest())
        hint = f"; this is OpenAI's {known[0]}, published with the rule {known[1]}" if known else ""
        raise wrong(
            path,
            "split",
            f"a tiktoken file does not say how text is cut into pieces: give one of {', '.join(RULES)}, or a regular "
            f"expression (FILE@RULE on the command line, split=RULE in Python){hint}",
        )
    vocabulary = parse(raw, path)
    try:
        tokenizer = ByteBPETokenizer(vocabulary, (), rule, whole_pieces=True, by_rank=True)
    except ValueError as error:
        raise TokenizerFileError(f"{path}: {error}", file=path) from error
    # Deriving the merges has loaded the kernels; the tables take a hundredth of that, and the first text finds them.
    tokenizer.encoder().prepare()
    return tokenizer


def parse(raw: bytes, path: Path) -> dict[str, int]:
    """Give token in the byte alphabet to rank. Raises TokenizerFileError that names the line."""
    vocabulary: dict[str, int] = {}
    lines: dict[int, int] = {}
    for number, line in enumerate(decode(raw, path).split("\n"), 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 2:
            raise wrong(path, f"line {number}", f"{short(line)} is not a token in base64 and a rank")
        try:
            content = binascii.a2b_base64(parts[0], strict_mode=True)
        except (binascii.Error, ValueError) as error:
            raise wrong(path, f"line {number}", f"{short(parts[0])} is not base64 ({error})") from error
        if not parts[1].isascii() or not parts[1].isdigit() or len(parts[1]) > 9:
            raise wrong(path, f"line {number}", f"{short(parts[1])} is not a rank")
        if not content:
            raise wrong(path, f"line {number}", "the token is empty")
        if len(content) > LONGEST_TOKEN:
            raise wrong(path, f"line {number}", f"the token has {len(content):,} bytes; no tokenizer has such tokens")
        rank, token = int(parts[1]), to_characters(content)
        if rank in lines:
            raise wrong(path, f"line {number}", f"the rank {rank} is there already, in line {lines[rank]}")
        if token in vocabulary:
            earlier = lines[vocabulary[token]]
            raise wrong(path, f"line {number}", f"the token {short(content)} is there already, in line {earlier}")
        vocabulary[token] = rank
        lines[rank] = number
    if not vocabulary:
        raise TokenizerFileError(f"{path}: the file holds no tokens", file=path)
    return vocabulary


def dumps(tokenizer: ByteBPETokenizer, path: Path) -> bytes:
    """Give the content of the file. Raises TokenizerFileError naming what a rank file cannot hold."""
    for token, number in (*tokenizer.special_tokens.items(), *tokenizer.added_tokens.items()):
        refuse(
            path,
            f"a tiktoken file holds no special tokens, and there is {short(token)} (id {number}): write "
            "tokenizer.json, or leave special tokens out and give them to tiktoken.Encoding",
        )
    if tokenizer.preparation is not None and not tokenizer.preparation.lossless:
        refuse(path, "a tiktoken file cannot hold normalisation or a space in front: write tokenizer.json")
    refuse_unless_by_rank(tokenizer, path, "a tiktoken file")
    ranks = sorted(tokenizer.vocabulary.items(), key=lambda entry: entry[1])
    return b"".join(b"%s %d\n" % (base64.b64encode(to_bytes(token)), number) for token, number in ranks)


def write(tokenizer: ByteBPETokenizer, path: Path) -> None:
    """Write the file, whole or not at all. Raises TokenizerFileError."""
    write_files({path: dumps(tokenizer, path)})
