"""From one format to another, with proof: nothing is put where the user wants it before it has been read back, and has
given the same ids as the original on a sample of texts, in our hands and in those of the program it is meant for.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from bpe_tui import formats
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import BPEError, TokenizerFileError
from bpe_tui.formats import comparing, detection, gpt2
from bpe_tui.formats.detection import Format
from bpe_tui.formats.files import write_files
from bpe_tui.formats.foreign import ForeignTokenizer
from bpe_tui.progress import Report, silent


class ConversionError(BPEError):
    """A tokenizer that would give other ids in the other format."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was written, and how it was checked."""

    format: Format
    files: tuple[Path, ...]
    tokenizer: BPETokenizer
    characters: int
    """Characters of the texts on which both were compared."""
    checked_by: tuple[str, ...]
    """Who read the file and gave the same ids."""
    exceptions: tuple[int, ...]
    """Ids of tokens that do not encode back to themselves, in either file."""
    left_out: tuple[str, ...]
    """What the format does not hold and no id depends on."""


def files_for(path: Path, wanted: Format) -> tuple[Path, ...]:
    """Give the files that writing `path` makes."""
    return gpt2.paths_for(path) if wanted is Format.GPT2 else (path,)


def without_special_tokens(tokenizer: BPETokenizer) -> BPETokenizer:
    """Give the tokenizer without its special tokens. All other ids stay."""
    if not isinstance(tokenizer, ByteBPETokenizer):
        return tokenizer
    preparation = tokenizer.preparation
    if preparation is not None:
        preparation = preparation.without_special_tokens()
    return tokenizer.with_changes(special_tokens={}, preparation=preparation)


def convert(
    tokenizer: BPETokenizer, target: Path, wanted: Format, own_text: str = "", report: Report = silent
) -> Conversion:
    """Write `tokenizer` to `target` in another format, after it was proven to give the same ids there.

    Raises TokenizerFileError naming what the format cannot hold, ConversionError naming the first difference.
    `report` may raise Cancelled; then nothing is written.
    """
    if isinstance(tokenizer, ForeignTokenizer):
        raise TokenizerFileError(
            f"{target}: this {tokenizer.model} tokenizer can be inspected and compared, not converted: "
            f"{tokenizer.reason}",
            file=target,
        )
    texts = comparing.texts_for(tokenizer, own_text)
    with tempfile.TemporaryDirectory(prefix="bpe-tui-") as folder:
        # A folder is made for a pair of files, so the name stands one level deeper.
        trial = Path(folder) / (target.name or "tokenizer")
        report("writing a trial", 0, 0)
        try:
            formats.write(tokenizer, trial, wanted)
        except TokenizerFileError as error:
            message = str(error).replace(str(trial), str(target))
            raise TokenizerFileError(message, file=target, field=error.field) from error
        checked = _check(tokenizer, trial, wanted, texts, report)
        exceptions = comparing.broken_tokens(tokenizer, report)
        report(f"writing {target.name}", 0, 0)
        pairs = zip(files_for(target, wanted), files_for(trial, wanted), strict=True)
        write_files({file: tried.read_bytes() for file, tried in pairs})
    return Conversion(
        format=wanted,
        files=files_for(target, wanted),
        tokenizer=tokenizer,
        characters=sum(map(len, texts)),
        checked_by=checked,
        exceptions=tuple(exceptions),
        left_out=_left_out(tokenizer, wanted),
    )


def _check(tokenizer: BPETokenizer, trial: Path, wanted: Format, texts: list[str], report: Report) -> tuple[str, ...]:
    rule = tokenizer.rule if isinstance(tokenizer, ByteBPETokenizer) and wanted is Format.TIKTOKEN else None
    path = gpt2.paths_for(trial)[0] if wanted is Format.GPT2 else trial
    again = formats.read(path, rule, wanted)
    if again.stoi != tokenizer.stoi:
        token = next(token for token, number in tokenizer.stoi.items() if again.stoi.get(token) != number)
        raise ConversionError(
            f"the format {wanted} does not keep the token {token!r} with the id {tokenizer.stoi[token]}; nothing was "
            "written"
        )
    readers = [("bpe-tui", comparing.encode_by(again))]
    outside = comparing.outside_encoder(tokenizer, trial, wanted)
    if outside is not None:
        readers.append(outside)
    for name, encode in readers:
        difference = comparing.first_difference(tokenizer, encode, texts, report)
        if difference is not None:
            raise ConversionError(
                f"read by {name}, the format {wanted} gives other ids: {difference}; nothing was written"
            )
    return tuple(name for name, _ in readers)


def _left_out(tokenizer: BPETokenizer, wanted: Format) -> tuple[str, ...]:
    if wanted is Format.OWN or not isinstance(tokenizer, ByteBPETokenizer):
        return ()
    left_out = []
    if wanted is Format.TIKTOKEN:
        left_out.append(f"the splitting rule {tokenizer.rule.name}: give it when the file is read")
    if tokenizer.ties is not None:
        left_out.append(f"how ties were broken in training ({tokenizer.ties})")
    if tokenizer.corpus_sha256 is not None:
        left_out.append("the SHA-256 of the training text")
    return tuple(left_out)


def wanted_format(tokenizer: BPETokenizer, target: Path, name: str | None) -> Format:
    """Give the format to write: the one named, else the one that the name of the file stands for."""
    return detection.named(name, target) if name else detection.by_name(target, tokenizer.kind)
