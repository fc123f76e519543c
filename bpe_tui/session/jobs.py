"""The long jobs of a session as plain functions, called by the command line and by the terminal app alike.

Each takes a `report` (see `bpe_tui.progress`) and raises BPEError or OSError; run one through `Job` to have it in a
thread of its own, with progress, cancel, error and done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bpe_tui.bpe.garbage import no_collection
from bpe_tui.errors import FingerprintMismatchError, TokenizerFileError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bpe_tui.analysis import Place
    from bpe_tui.bpe.encoder import TextEncoder
    from bpe_tui.bpe.pruning import Pruned
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.bpe.trainer import StopReason
    from bpe_tui.corpus import Split, SplitFiles, Splits
    from bpe_tui.dataset import EncodedDataset
    from bpe_tui.dataset.id_files import FileFormat


@dataclass(frozen=True, slots=True)
class LoadedTokenizer:
    """A tokenizer that came from a file."""

    tokenizer: BPETokenizer
    path: Path
    fingerprint: str


@dataclass(frozen=True, slots=True)
class SavedTokenizer:
    """A tokenizer file that was written and read again."""

    path: Path
    fingerprint: str
    vocab_size: int
    merges: int
    bytes: int


def read_corpus(
    path: Path | None = None,
    *,
    train: Path | None = None,
    val: Path | None = None,
    test: Path | None = None,
    invalid: Literal["error", "replace"] = "error",
    report: Report = silent,
) -> Splits:
    """Read the splits of a corpus: a folder, a single file, or three files named one by one. Raises CorpusError."""
    from bpe_tui import corpus

    return corpus.read_splits(path, train=train, val=val, test=test, invalid=invalid, report=report)


def find_corpus(
    path: Path | None = None,
    *,
    train: Path | None = None,
    val: Path | None = None,
    test: Path | None = None,
    invalid: Literal["error", "replace"] = "error",
    report: Report = silent,
) -> SplitFiles | Splits:
    """Find the splits of a corpus, for a job that takes their text block by block; a single file is read.

    Raises CorpusError.
    """
    from bpe_tui import corpus

    return corpus.find_splits(path, train=train, val=val, test=test, invalid=invalid, report=report)


def load_tokenizer(path: Path, report: Report = silent, split: str | None = None) -> LoadedTokenizer:
    """Read a tokenizer file of any format. `split` names the splitting rule, for files that do not say it (tiktoken's).

    A path `FILE@RULE` names it too, unless there is a file of that whole name. Raises TokenizerFileError,
    FingerprintMismatchError, KernelError.
    """
    from bpe_tui import formats

    report("reading the tokenizer", 0, 0)
    if split is None:
        path, split = _without_rule(path)
    if _is_worked_out(path):
        from bpe_tui.session import kernels

        kernels.ensure_compiled(report, kernels.modules_for("bytes"))
    with no_collection():
        tokenizer = formats.read(path, split)
        report("computing the fingerprint", 0, 0)
        return LoadedTokenizer(tokenizer, path, tokenizer.fingerprint())


def _without_rule(path: Path) -> tuple[Path, str | None]:
    name, at, rule = path.name.rpartition("@")
    if not at or not name or path.exists():
        return path, None
    return path.with_name(name), rule


def _is_worked_out(path: Path) -> bool:
    """Whether the merges are not in the file but computed by compiled code: tiktoken's ranks."""
    from bpe_tui.formats import tiktoken_ranks

    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return path.suffix == ".tiktoken" or tiktoken_ranks.looks_like(file.read(4096))
    except OSError:
        return False  # whoever reads it will say what is wrong


def save_tokenizer(
    tokenizer: BPETokenizer,
    path: Path,
    *,
    overwrite: bool = True,
    format: str | None = None,  # noqa: A002 - it is the word
    report: Report = silent,
) -> SavedTokenizer:
    """Write a tokenizer file, whole or not at all, and read it again to prove that it is what was to be saved.

    Without a `format`, the name of the file tells. For other formats than bpe-tui's own there is `export_tokenizer`.

    Raises TokenizerFileError (also for a file that exists, unless `overwrite`), FingerprintMismatchError if what was
    read differs.
    """
    from bpe_tui import formats

    if not overwrite and path.exists():
        raise TokenizerFileError(f"{path} exists already; name another file, or say that it may be replaced", file=path)
    report("writing the tokenizer", 0, 2)
    formats.write(tokenizer, path, format)
    # It stands now, so reading it again is not to be cut short by a cancel that would call it unsaved.
    written, kept = formats.read(path).fingerprint(), tokenizer.fingerprint()
    if written != kept:
        raise FingerprintMismatchError(
            f"{path}: the saved tokenizer reads back with fingerprint {written[:12]}… instead of {kept[:12]}…; "
            "save it to another disk, or convert it to another format",
            file=path,
        )
    return SavedTokenizer(path, kept, tokenizer.vocab_size, len(tokenizer.merges), path.stat().st_size)


def export_tokenizer(
    tokenizer: BPETokenizer, path: Path, wanted: str, own_text: str = "", report: Report = silent
) -> SavedTokenizer:
    """Write a tokenizer in another format, after it was proven to give the same ids there, also on `own_text`.

    Raises TokenizerFileError naming what the format cannot hold, ConversionError, KernelError.
    """
    from bpe_tui.formats import conversion, detection
    from bpe_tui.session import kernels

    # Other formats are of bytes, whatever the tokenizer is.
    kernels.ensure_compiled(report, kernels.modules_for("bytes"))
    done = conversion.convert(tokenizer, path, detection.named(wanted, path), own_text, report)
    size = sum(file.stat().st_size for file in done.files)
    return SavedTokenizer(path, tokenizer.fingerprint(), tokenizer.vocab_size, len(tokenizer.merges), size)


def encode(
    tokenizer: BPETokenizer,
    splits: Iterable[Split],
    folder: Path,
    *,
    overwrite: bool = False,
    special: str = "text",
    file_format: FileFormat = "pt",
    report: Report = silent,
) -> EncodedDataset:
    """Encode every split into `folder`, with the round trip proven and a manifest; all files or none.

    Raises MissingCharactersError, CorpusError, DatasetError, KernelError.
    """
    from bpe_tui import dataset
    from bpe_tui.session import kernels

    kernels.ensure_compiled(report, kernels.modules_for(tokenizer.unit))
    return dataset.encode_splits(
        tokenizer, splits, folder, overwrite=overwrite, special=special, file_format=file_format, report=report
    )


def encode_array(
    tokenizer: BPETokenizer, text: str, special: str = "text", report: Report = silent
) -> npt.NDArray[np.int64]:
    """Give the ids of a text, int64; `special` says what special tokens in it are (`bpe.special.SpecialPolicy`).

    Raises MissingCharactersError, SpecialTokenError, KernelError.
    """
    from bpe_tui.session import kernels

    kernels.ensure_compiled(report, kernels.modules_for(tokenizer.unit))
    return tokenizer.encode_array(text, report, special)


def prune(
    tokenizer: BPETokenizer, text: str, minimum_use: int, *, keep_ids: bool = False, report: Report = silent
) -> Pruned:
    """Take out learned tokens that the encoded `text` uses fewer than `minimum_use` times and no other merge needs.

    Raises PruningError, MissingCharactersError, KernelError.
    """
    from bpe_tui.bpe import pruning
    from bpe_tui.session import kernels

    kernels.ensure_compiled(report, kernels.modules_for(tokenizer.unit))
    uses = pruning.count_uses(tokenizer, text, report)
    report("removing tokens", 0, 0)
    return pruning.prune(tokenizer, uses, minimum_use, keep_ids=keep_ids)


def extend(
    tokenizer: BPETokenizer,
    text: str,
    target_vocab_size: int,
    minimum_pair_frequency: int = 2,
    ties: str | None = None,
    report: Report = silent,
) -> tuple[BPETokenizer, StopReason]:
    """Learn further merges on `text`; give the larger tokenizer and why learning ended.

    Raises ExtendingError, VocabularySizeError, TextError, MissingCharactersError, KernelError.
    """
    from bpe_tui.bpe.extending import extended, extending_trainer
    from bpe_tui.session import kernels

    kernels.ensure_compiled(report, kernels.modules_for(tokenizer.unit))
    trainer = extending_trainer(tokenizer, text, target_vocab_size, minimum_pair_frequency, ties, report)
    report("counting pairs", 0, 0)
    while trainer.stop_reason is None:
        trainer.advance()
        report("learning merges", trainer.vocab_size + trainer.reserved, target_vocab_size)
    return extended(tokenizer, trainer), trainer.stop_reason


def find_places(
    tokenizer: BPETokenizer | TextEncoder, text: str, token_id: int, limit: int = 20, report: Report = silent
) -> Sequence[Place]:
    """Give the first `limit` places of `text` where the token `token_id` stands when `text` is encoded.

    Raises MissingCharactersError, KernelError.
    """
    from bpe_tui import analysis
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.session import kernels

    in_bytes = tokenizer.unit == "bytes" if isinstance(tokenizer, BPETokenizer) else tokenizer.in_bytes
    unit = "bytes" if in_bytes else "characters"
    kernels.ensure_compiled(report, kernels.modules_for(unit))
    report("looking for the token", 0, 0)
    return analysis.places(tokenizer, text, token_id, limit)
