"""Which format a file has: told by its content; its name only helps where the content of two formats looks alike."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

from bpe_tui.errors import TokenizerFileError
from bpe_tui.formats import minbpe, sentencepiece_model, tiktoken_ranks


class Format(StrEnum):
    """The formats, by the names that people give them."""

    OWN = "bpe-tui"
    HUGGING_FACE = "huggingface"
    GPT2 = "gpt2"
    TIKTOKEN = "tiktoken"
    MINBPE = "minbpe"
    SENTENCEPIECE = "sentencepiece"


OWN_TYPES = ("character_bpe", "byte_bpe", "word_bpe")

_STRANGERS = (
    (b"version https://git-lfs", "is a pointer of Git LFS, not the file itself: fetch it with git lfs pull"),
    (b"\x1f\x8b", "is compressed by gzip: unpack it first"),
    (b"PK\x03\x04", "is a ZIP archive: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "is compressed by zstd: unpack it first"),
    (b"BZh", "is compressed by bzip2: unpack it first"),
    (b"\xfd7zXZ", "is compressed by xz: unpack it first"),
    (b"%PDF", "is a PDF, not a tokenizer file"),
    (b"GGUF", "is a GGUF model; take the tokenizer file that was published with it"),
)


def of_content(raw: bytes, path: Path) -> Format | None:
    """Give the format of a file that is not JSON; None for JSON. Raises TokenizerFileError if it is none at all."""
    head = raw[:4096]
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not raw.strip():
        raise TokenizerFileError(f"{path}: the file is empty; save the tokenizer again", file=path)
    for mark, what in _STRANGERS:
        if head.startswith(mark):
            raise TokenizerFileError(f"{path}: the file {what}", file=path)
    if start[:1] == b"<" and start[:200].lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        raise TokenizerFileError(
            f"{path}: line 1, column 1: not valid JSON but a web page (HTML); the download went wrong", file=path
        )
    if minbpe.looks_like(head):
        return Format.MINBPE
    if sentencepiece_model.looks_like(head):
        return Format.SENTENCEPIECE
    if start.startswith(b"#version") or path.name.endswith(("merges.txt", "vocab.bpe")):
        return Format.GPT2
    if path.suffix == ".tiktoken" or tiktoken_ranks.looks_like(head):
        return Format.TIKTOKEN
    if start[:1] in (b"{", b"["):
        return None
    if path.suffix == ".model":
        raise TokenizerFileError(
            f"{path}: byte 0: neither a minbpe model ({minbpe.VERSION!r} in its first line) nor one of sentencepiece",
            file=path,
        )
    return None


def of_json(content: dict[str, Any], path: Path) -> Format:
    """Give the format of a file that holds this JSON object. Raises TokenizerFileError."""
    if content.get("type") in OWN_TYPES:
        return Format.OWN
    if isinstance(content.get("model"), dict):
        return Format.HUGGING_FACE
    if "type" in content and not isinstance(content["type"], int):
        raise TokenizerFileError(
            f"{path}: field 'type': is {ascii(content['type'])[:80]}, but only {', '.join(OWN_TYPES)} can be read",
            file=path,
            field="type",
        )
    named = path.name.endswith(("vocab.json", "encoder.json"))
    if content and (named or len(content) >= 100) and all(isinstance(number, int) for number in content.values()):
        return Format.GPT2
    raise TokenizerFileError(
        f"{path}: field 'type': is missing, and there is neither a model of Hugging Face's nor a vocabulary of GPT-2's",
        file=path,
        field="type",
    )


def by_name(path: Path, kind: str) -> Format:
    """Give the format that the name of a file to be written stands for. Raises TokenizerFileError.

    Tokenizers of characters and words go to bpe-tui's own format unless the name clearly means another one; of bytes,
    `tokenizer.json` means Hugging Face's format.
    """
    name = path.name
    if name.endswith(("merges.txt", "vocab.bpe", "vocab.json", "encoder.json")):
        return Format.GPT2
    formats = {".tiktoken": Format.TIKTOKEN, ".model": Format.MINBPE}
    if path.suffix in formats:
        return formats[path.suffix]
    if kind != "byte_bpe":
        return Format.OWN
    if name.endswith("tokenizer.json") and name.removesuffix("tokenizer.json")[-1:] in ("", "."):
        return Format.HUGGING_FACE
    if path.suffix == ".json":
        return Format.OWN
    if path.is_dir() or not path.suffix:
        return Format.GPT2
    raise TokenizerFileError(
        f"{path}: the name does not say which format is meant: use .json, tokenizer.json, .tiktoken, .model or a "
        "folder, or name the format",
        file=path,
    )


def named(name: str, path: Path) -> Format:
    """Give the format with that name. Raises TokenizerFileError."""
    try:
        return Format(name)
    except ValueError:
        known = ", ".join(Format)
        raise TokenizerFileError(f"{path}: there is no format {name!r}: use one of {known}", file=path) from None
