"""Tokenizers of characters and words in formats that were made for bytes: what goes, and why the rest does not."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.formats.detection import Format
from bpe_tui.formats.files import refuse, short, write_files
from bpe_tui.formats.hugging_face_writing import dumps_characters

_NAMES = {
    Format.GPT2: "GPT-2's files hold",
    Format.TIKTOKEN: "a tiktoken file holds",
    Format.MINBPE: "a minbpe file holds",
}


def write(tokenizer: BPETokenizer, path: Path, wanted: Format) -> None:
    """Write the file, whole or not at all. Raises TokenizerFileError naming what the format cannot hold."""
    if tokenizer.kind != "character_bpe":
        refuse(path, f"the format {wanted} cannot hold a tokenizer of words: write bpe-tui's own format, name.json")
    if wanted is Format.HUGGING_FACE:
        write_files({path: dumps_characters(tokenizer, path).encode("utf-8")})
        return
    if wanted is Format.GPT2:
        for number, token in enumerate(tokenizer.tokens):
            if any(character.isspace() for character in token):
                refuse(path, f"token {short(token)} (id {number}) holds white space, which merges.txt cannot hold")
    refuse(
        path,
        f"{_NAMES[wanted]} tokens of bytes, but this is a tokenizer of characters, with token "
        f"{short(tokenizer.tokens[0])} (id 0): write name.json or the format huggingface",
    )
