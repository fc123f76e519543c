"""A tokenizer from a file, with all that its panes need made ready before it is shown: they never wait for it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from bpe_tui.bpe.log import MergeLog
from bpe_tui.errors import BPEError
from bpe_tui.session.settings import Alphabet, RunSettings
from bpe_tui.session.snapshot import Snapshot
from bpe_tui.session.state import RunState
from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns
from bpe_tui.tui.spelling import spelling_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.progress import Report
    from bpe_tui.session.jobs import LoadedTokenizer

UNKNOWN_FREQUENCY: Final = 0
"""What stands in a merge log's columns where a tokenizer file does not tell: no learned pair has that frequency."""

_HEAD: Final = 4096
"""Bytes from which the format of a file is told."""
_ALPHABETS: Final = {"word_bpe": Alphabet.WORDS, "byte_bpe": Alphabet.BYTES}


class LoadedEncoder:
    """Encodes as a loaded tokenizer does, with whatever it does to a text first."""

    def __init__(self, tokenizer: BPETokenizer) -> None:
        self.tokenizer = tokenizer
        self.in_bytes = tokenizer.unit == "bytes"

    def prepare(self) -> None:
        """Make the tables that the first `encode` would make."""
        if self.tokenizer.kind == "byte_bpe":
            # Bytes lack no character, and their tables are only complete once they have been used.
            self.tokenizer.encode_array("prepared")
        elif self.tokenizer.kind != "foreign":
            self.tokenizer.encoder().prepare()

    def encode(self, text: str, report: Report | None = None) -> npt.NDArray[np.int64]:
        """Give the ids of the tokens of `text`. Raises BPEError. `report` may raise Cancelled."""
        return self.tokenizer.encode_array(text) if report is None else self.tokenizer.encode_array(text, report)

    def normalise(self, text: str) -> str:
        """Give the text that the ids of `text` stand for."""
        return self.tokenizer.normalise(text)

    def token_lengths(self) -> npt.NDArray[np.int64]:
        """Give the length of each token by id."""
        return self.tokenizer.token_lengths()


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tokenizer from a file, and the snapshot that shows it as if it had just been trained."""

    path: Path
    tokenizer: BPETokenizer
    fingerprint: str
    own_format: bool
    """Whether the file is one of bpe-tui's own, so that it can be saved to again."""
    snapshot: Snapshot
    columns: VocabularyColumns
    encoder: LoadedEncoder

    @property
    def cannot_be_written(self) -> str:
        """Why it cannot be written to any file; empty if it can."""
        if self.tokenizer.kind != "foreign":
            return ""
        model = getattr(self.tokenizer, "model", "foreign")
        return f"this {model} tokenizer can be inspected and compared, not written: {foreign_reason(self.tokenizer)}"

    @property
    def why_no_merges(self) -> str:
        """Why the merge log is empty."""
        if self.tokenizer.kind == "foreign":
            model = getattr(self.tokenizer, "model", "foreign")
            how = {
                "WordPiece": "the longest token goes first",
                "WordLevel": "every word is a token",
                "Unigram": "the likeliest tokens win",
            }.get(model, "its file lists none")
            return f"{model} has no merges: {how}"
        return "no merges: base tokens only"


@dataclass(frozen=True, slots=True)
class MissingRule:
    """A file that does not say how text is cut into pieces."""

    published: str
    """The name under which it was published; empty if it is not known."""
    rule: str
    """The rule that it was published with; empty if it is not known."""


def missing_rule(path: Path) -> MissingRule | None:
    """Give what must be asked before a file is read; None if nothing. What is wrong with the file, reading it tells."""
    from bpe_tui.formats import detection, tiktoken_ranks

    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
            if detection.of_content(head, path) is not detection.Format.TIKTOKEN:
                return None
            digest = hashlib.sha256(head)
            while part := file.read(1 << 20):
                digest.update(part)
    except (OSError, BPEError):
        return None
    return MissingRule(*tiktoken_ranks.PUBLISHED.get(digest.hexdigest(), ("", "")))


def is_own(path: Path) -> bool:
    """Whether a tokenizer file that could be read is of a format of bpe-tui's."""
    # The type stands first in what bpe-tui writes; a file that others arranged anew is simply not written over.
    try:
        with path.open("rb") as file:
            return re.search(rb'"type"\s*:\s*"(character|word|byte)_bpe"', file.read(_HEAD)) is not None
    except OSError:
        return False


def foreign_reason(tokenizer: BPETokenizer) -> str:
    """Give why another package encodes for a foreign tokenizer."""
    return str(getattr(tokenizer, "reason", ""))


def make_ready(loaded: LoadedTokenizer, own_format: bool, report: Report) -> Loaded:
    """Prepare a tokenizer to be shown. `report` may raise Cancelled."""
    tokenizer = loaded.tokenizer
    report("arranging the vocabulary", 0, 0)
    snapshot = _snapshot_of(tokenizer)
    columns = VocabularyColumns(spelling_of(tokenizer))
    columns.grow(snapshot)
    encoder = LoadedEncoder(tokenizer)
    report("preparing the encoder", 0, 0)
    encoder.prepare()
    report("ready", 0, 0)
    return Loaded(loaded.path, tokenizer, loaded.fingerprint, own_format, snapshot, columns, encoder)


def _snapshot_of(tokenizer: BPETokenizer) -> Snapshot:
    left, right, new = tokenizer.merge_ids()
    log = MergeLog(max(1, len(left)))
    log.left[: len(left)], log.right[: len(left)], log.new_id[: len(left)] = left, right, new
    log.frequency[: len(left)] = UNKNOWN_FREQUENCY
    log.count = len(left)
    settings = RunSettings(
        target_vocab_size=max(1, tokenizer.vocab_size),
        alphabet=_ALPHABETS.get(tokenizer.kind, Alphabet.CHARACTERS),
    )
    # Without merges, what foreign tokenizers have are simply tokens.
    base_size = len(tokenizer.base_tokens) if len(left) or tokenizer.kind != "foreign" else 0
    return resting(settings, log, tokenizer.tokens, len(left), base_size, "loaded from a file", RunState.DONE)


def resting(
    settings: RunSettings,
    log: MergeLog,
    tokens: Sequence[str],
    merges: int,
    base_size: int,
    detail: str,
    state: RunState = RunState.IDLE,
) -> Snapshot:
    """Give a snapshot of something that is not training."""
    return Snapshot(
        state=state,
        settings=settings,
        merges=merges,
        log=log,
        tokens=list(tokens),
        vocab_size=len(tokens),
        base_size=base_size,
        token_counts=None,
        initial_length=0,
        sequence_length=0,
        pairs_alive=0,
        stop_reason=None,
        error=None,
        detail=detail,
        seconds=0.0,
        merges_per_second=0.0,
        eta_seconds=None,
        progress=1.0 if merges else 0.0,
    )
