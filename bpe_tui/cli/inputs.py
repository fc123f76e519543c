"""Texts and ids from where the user has them: arguments, a file, or standard input."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

from bpe_tui.cli.arguments import DEFAULT_TOKENIZER
from bpe_tui.cli.console import Console
from bpe_tui.cli.failures import UsageError
from bpe_tui.cli.work import run_job
from bpe_tui.errors import CorpusError, TextError, TokenIdError

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.corpus import SplitFiles, Splits
    from bpe_tui.corpus.model import Invalid

STANDARD_INPUT = "standard input"


@dataclass(frozen=True, slots=True)
class Input:
    """One text to work on."""

    text: str
    source: str
    """Where it came from, for people."""


def read_texts(arguments: argparse.Namespace, console: Console) -> list[Input]:
    """Give the texts that the arguments name: one for each TEXT, or one file, or standard input whole.

    Files and standard input are read as they are: UTF-8, no newline translated. Raises CorpusError, TextError.
    """
    texts: list[str] = arguments.text
    if texts and arguments.file is not None:
        raise UsageError("give texts as arguments or --file, not both")
    if arguments.file is not None and str(arguments.file) != "-":
        return [Input(read_file(arguments.file, arguments.invalid, console), str(arguments.file))]
    if texts and texts != ["-"]:
        return [Input(_argument(text, position), f"argument {position}") for position, text in enumerate(texts, 1)]
    return [Input(_read_standard_input(arguments, console), STANDARD_INPUT)]


def read_file(file: Path, invalid: Invalid, console: Console) -> str:
    """Give the text of a file, as it is. Raises CorpusError."""
    from bpe_tui.corpus import read_text

    decoded = run_job(console, "reading", lambda report: read_text(file, invalid=invalid, report=report))
    for note in decoded.notes:
        console.note(f"{console.message(file)}: {console.message(note)}")
    return decoded.text


def read_ids(arguments: argparse.Namespace, console: Console) -> npt.NDArray[np.int64]:
    """Give the ids that the arguments name: numbers as arguments, a file (.pt, .npy, text), or standard input.

    In texts, ids are separated by blanks or commas; brackets around them are passed over, so a JSON list is fine.
    Raises TokenIdError that names what is not an id and where; CorpusError, DatasetError for files.
    """
    words: list[str] = arguments.id
    if words and arguments.file is not None:
        raise UsageError("give ids as arguments or --file, not both")
    if arguments.file is not None and str(arguments.file) != "-":
        file: Path = arguments.file
        if file.suffix in (".pt", ".npy"):
            from bpe_tui.dataset import tensors

            return run_job(console, "reading ids", lambda _: tensors.read_ids(file))
        from bpe_tui.corpus import read_text

        return parse_ids(run_job(console, "reading", lambda report: read_text(file, report=report)).text, str(file))
    if words and words != ["-"]:
        return parse_ids(" ".join(words), "the arguments")
    return parse_ids(_read_standard_input(arguments, console), STANDARD_INPUT)


def parse_ids(text: str, source: str) -> npt.NDArray[np.int64]:
    """Give the ids that stand in `text`. Raises TokenIdError, which names the first word that is no id."""
    words = text.translate(_SEPARATORS).split()
    try:
        return np.array(words, dtype=np.int64) if words else np.zeros(0, np.int64)
    except (ValueError, OverflowError):
        pass
    for position, word in enumerate(words, 1):
        if not re.fullmatch(r"[+-]?[0-9]+", word):
            raise TokenIdError(
                f"{source}: {word[:40]!r} (number {position:,}) is not a token id; ids are whole numbers"
            )
        if abs(int(word[:25])) > 2**62:
            raise TokenIdError(f"{source}: {word[:40]} (number {position:,}) is far too large for a token id")
    return np.array([int(word) for word in words], dtype=np.int64)


def load_tokenizer(path: Path | None, console: Console) -> BPETokenizer:
    """Give the tokenizer of a file; None stands for the one that `build` writes by default.

    `FILE@RULE` names the splitting rule, for files that do not say it (tiktoken's).
    Raises TokenizerFileError, FingerprintMismatchError.
    """
    from bpe_tui.session.jobs import load_tokenizer as load

    path = path or DEFAULT_TOKENIZER
    return run_job(console, f"loading {path.name}", lambda report: load(path, report)).tokenizer


def load_named(name: str, text: str, console: Console) -> BPETokenizer:
    """Give the tokenizer of a file as `load_tokenizer` does, or the built-in baseline of that name if there is no such
    file. Raises TokenizerFileError, FingerprintMismatchError.
    """
    from bpe_tui.analysis.baselines import baseline

    if is_baseline(name):
        return baseline(name, text)
    return load_tokenizer(Path(name), console)


def is_baseline(name: str) -> bool:
    """Whether `name` means a built-in baseline: a file of that name comes first."""
    from bpe_tui.analysis.baselines import BASELINES

    return name in BASELINES and not Path(name).exists()


def short_names(names: list[str]) -> list[str]:
    """Give short names for tokenizer files: without folder and ending, unless two would be called the same."""
    short = []
    for name in names:
        file = name.rpartition("@")[0] if "@" in name and not Path(name).exists() else name
        brief = Path(file).name
        for ending in (".json", ".tokenizer", ".tiktoken", ".model"):
            brief = brief.removesuffix(ending)
        short.append(brief or name)
    return [name if short.count(brief) > 1 else brief for name, brief in zip(names, short, strict=True)]


def as_of(tokenizer: BPETokenizer, arguments: argparse.Namespace) -> BPETokenizer:
    """Give the tokenizer as of the merge that `--merges` names. Raises UsageError if it has not so many."""
    from bpe_tui.analysis import prefix
    from bpe_tui.errors import AnalysisError

    if arguments.merges is None:
        return tokenizer
    try:
        return prefix(tokenizer, arguments.merges)
    except AnalysisError as error:
        raise UsageError(f"--merges {arguments.merges}: {error}") from None


def encode_text(tokenizer: BPETokenizer, text: str, console: Console, special: str = "text") -> npt.NDArray[np.int64]:
    """Give the ids of a text; `special` is a `SpecialPolicy`. Raises MissingCharactersError, SpecialTokenError."""
    from bpe_tui.session.jobs import encode_array

    return run_job(console, "encoding", lambda report: encode_array(tokenizer, text, special, report))


def note_specials(source: str, found: int, special: str, console: Console) -> None:
    """Remark how many special tokens a text held, if it held any."""
    if found:
        tokens = "1 special token" if found == 1 else f"{found:,} special tokens"
        how = "encoded as such" if special == "special" else "encoded as ordinary text (see --special-policy)"
        console.note(f"{console.message(source)}: {tokens} in the text, {how}")


def load_splits(arguments: argparse.Namespace, path: Path | None, console: Console) -> Splits:
    """Give the corpus in `path`, which may be the name of a shipped one, or of `--train --val --test`."""
    from bpe_tui.corpus import by_name
    from bpe_tui.session.jobs import read_corpus

    return run_job(
        console,
        "reading the corpus",
        lambda report: read_corpus(
            by_name(path) if path is not None else None,
            train=arguments.train,
            val=arguments.val,
            test=arguments.test,
            invalid=arguments.invalid,
            report=report,
        ),
    )


def find_splits(arguments: argparse.Namespace, path: Path | None, console: Console) -> SplitFiles | Splits:
    """Find the same corpus as `load_splits`; only a single file, which is to be cut into three, is read."""
    from bpe_tui.corpus import by_name
    from bpe_tui.session.jobs import find_corpus

    return run_job(
        console,
        "finding the corpus",
        lambda report: find_corpus(
            by_name(path) if path is not None else None,
            train=arguments.train,
            val=arguments.val,
            test=arguments.test,
            invalid=arguments.invalid,
            report=report,
        ),
    )


_SEPARATORS = str.maketrans(dict.fromkeys(",[]", " "))


def _argument(text: str, position: int) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        # Python hands bytes of arguments that are not UTF-8 over as lone surrogates.
        raise TextError(
            f"argument {position} is not valid UTF-8 at character {error.start:,}; "
            "put the text into a file and give --file with --invalid replace"
        ) from None
    return text


class _UntilEnd:
    """Standard input that is not asked again once it has ended: on a terminal, that would take a second ctrl+d."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._ended = False

    def readinto(self, buffer: memoryview, /) -> int:
        if self._ended:
            return 0
        # A buffered stream comes back with less than asked for only at its end.
        count = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        self._ended = count < len(buffer)
        return int(count)


def _read_standard_input(arguments: argparse.Namespace, console: Console) -> str:
    from bpe_tui.corpus.reading import decode

    # Started without a standard input (`<&-`), there is no such object at all.
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError("standard input is closed; give arguments or --file")
    if sys.stdin.isatty():
        console.note("reading standard input; end it with ctrl+d")
    invalid: Invalid = getattr(arguments, "invalid", "error")
    try:
        decoded = decode(_UntilEnd(sys.stdin.buffer), 0, Path(STANDARD_INPUT), invalid=invalid)
    except OSError as error:
        raise CorpusError(f"standard input cannot be read: {error.strerror or error}; give --file") from error
    for note in decoded.notes:
        console.note(f"{STANDARD_INPUT}: {note}")
    return decoded.text
