"""Tokenizer files: one module a format; here the right one is chosen, by content to read, by name to write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.bpe.garbage import no_collection
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import SplittingError, TokenizerFileError

if TYPE_CHECKING:
    from bpe_tui.bpe.pretokenize import SplittingRule
    from bpe_tui.formats.detection import Format


def read(path: Path, split: str | SplittingRule | None = None, format: str | None = None) -> BPETokenizer:  # noqa: A002
    """Read a tokenizer file, or a folder that holds one.

    `split` names the splitting rule, or is a regular expression, for files that do not say it: tiktoken's must have it,
    GPT-2's may. `format` insists on a format; without it, the content tells.

    Raises TokenizerFileError that names file and place, FingerprintMismatchError.
    """
    with no_collection():
        return _read(path, split, format)


def _read(path: Path, split: str | SplittingRule | None, format: str | None) -> BPETokenizer:  # noqa: A002
    from bpe_tui.formats import detection
    from bpe_tui.formats.detection import Format
    from bpe_tui.formats.files import parse_json, read_bytes, wrong
    from bpe_tui.formats.patterns import given_rule

    try:
        rule = given_rule(split)
    except SplittingError as error:
        raise wrong(path, "split", str(error)) from error
    wanted = detection.named(format, path) if format is not None else None
    if path.is_dir():
        path = _in_folder(path, wanted)
    raw = read_bytes(path)
    found = detection.of_content(raw, path)
    content = None
    if found is None:
        content = parse_json(raw, path)
        found = detection.of_json(content, path)
    if wanted is not None and wanted is not found:
        raise TokenizerFileError(f"{path}: is a file of the format {found}, not {wanted}", file=path)
    if found is Format.TIKTOKEN:
        from bpe_tui.formats import tiktoken_ranks

        return tiktoken_ranks.loads(raw, path, rule)
    if found is Format.GPT2:
        from bpe_tui.formats import gpt2

        if content is None:
            return gpt2.read(gpt2.find_vocabulary(path), path, rule)
        return gpt2.read(path, gpt2.find_merges(path), rule, content)
    if found is Format.MINBPE:
        from bpe_tui.formats import minbpe

        return minbpe.loads(raw, path, rule)
    if rule is not None:
        raise wrong(path, "split", "the file says itself how text is cut into pieces; leave the splitting rule out")
    if found is Format.SENTENCEPIECE:
        from bpe_tui.formats import sentencepiece_model

        return sentencepiece_model.loads(raw, path)
    assert content is not None
    if found is Format.HUGGING_FACE:
        from bpe_tui.formats import hugging_face

        return hugging_face.load(content, path)
    if content["type"] == "byte_bpe":
        from bpe_tui.formats import byte_bpe

        return byte_bpe.load(content, path)
    if content["type"] == "word_bpe":
        from bpe_tui.formats import word_bpe

        return word_bpe.load(content, path)
    from bpe_tui.formats import character_bpe

    return character_bpe.load(content, path)


def _in_folder(folder: Path, wanted: Format | None) -> Path:
    """Give the tokenizer file in a folder. Raises TokenizerFileError."""
    from bpe_tui.formats import gpt2
    from bpe_tui.formats.detection import Format

    if wanted in (None, Format.HUGGING_FACE) and (folder / "tokenizer.json").is_file():
        return folder / "tokenizer.json"
    pair = gpt2.pair_in(folder)
    if wanted in (None, Format.GPT2) and pair is not None:
        return pair[0]
    raise TokenizerFileError(
        f"{folder}: is a folder with neither tokenizer.json nor vocab.json and merges.txt; give the path of a "
        "tokenizer file",
        file=folder,
    )


def write(tokenizer: BPETokenizer, path: Path, format: str | None = None) -> None:  # noqa: A002
    """Write a tokenizer file, whole or not at all. `format` is one of `detection.Format`; without it, the name tells.

    Raises TokenizerFileError, which names what a format cannot hold.
    """
    from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
    from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
    from bpe_tui.formats import character_bpe, detection
    from bpe_tui.formats.detection import Format
    from bpe_tui.formats.foreign import ForeignTokenizer

    if isinstance(tokenizer, ForeignTokenizer):
        raise TokenizerFileError(
            f"{path}: this {tokenizer.model} tokenizer can be inspected and compared, not written: {tokenizer.reason}",
            file=path,
        )
    wanted = detection.by_name(path, tokenizer.kind) if format is None else detection.named(format, path)
    if wanted is Format.SENTENCEPIECE:
        raise TokenizerFileError(f"{path}: sentencepiece models can be read, not written", file=path)
    if not isinstance(tokenizer, ByteBPETokenizer):
        if wanted is Format.OWN and isinstance(tokenizer, WordBPETokenizer):
            from bpe_tui.formats import word_bpe

            word_bpe.write(tokenizer, path)
        elif wanted is Format.OWN:
            character_bpe.write(tokenizer, path)
        else:
            from bpe_tui.formats import character_export

            character_export.write(tokenizer, path, wanted)
    elif wanted is Format.OWN:
        from bpe_tui.formats import byte_bpe

        byte_bpe.write(tokenizer, path)
    elif wanted is Format.HUGGING_FACE:
        from bpe_tui.formats import hugging_face_writing

        hugging_face_writing.write(tokenizer, path)
    elif wanted is Format.GPT2:
        from bpe_tui.formats import gpt2

        gpt2.write(tokenizer, path)
    elif wanted is Format.TIKTOKEN:
        from bpe_tui.formats import tiktoken_ranks

        tiktoken_ranks.write(tokenizer, path)
    else:
        from bpe_tui.formats import minbpe

        minbpe.write(tokenizer, path)
