"""What the app works on: the open corpus, the run or the loaded tokenizer, and what of it is safe in a file.

No widget owns any of this and nothing here draws. Everything is touched by the app's own thread only; runs and jobs
bring their own.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bpe_tui.bpe.log import MergeLog
from bpe_tui.session.settings import Alphabet, RunSettings
from bpe_tui.session.snapshot import Snapshot
from bpe_tui.session.summary import SessionSummary
from bpe_tui.tui.describing import Facts, describe_settings, describe_tokenizer
from bpe_tui.tui.loaded import Loaded, resting
from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns
from bpe_tui.tui.situation import Situation
from bpe_tui.tui.spelling import BYTES, Spelling
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Callable

    from bpe_tui.bpe.encoder import TextEncoder
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.corpus import Splits
    from bpe_tui.session.checkpoint import Checkpoint
    from bpe_tui.session.jobs import SavedTokenizer
    from bpe_tui.session.run import Run

TOKENIZER_FILE: Final = Path("tokenizer") / "bpe_tokenizer.json"
"""Where a tokenizer is saved unless the user says otherwise: the tutorial's place."""

ENCODED_FOLDER: Final = Path("data") / "encoded_bpe"
"""Where encoded splits go unless the user says otherwise: the tutorial's place."""

_PATIENCE: Final = 2.0
"""Seconds that a run gets to come to its next border when it is dropped; it needs a fraction of one."""


@dataclass(frozen=True, slots=True)
class OpenCorpus:
    """A corpus with the figures that take a moment to count."""

    splits: Splits
    distinct: tuple[int, ...]
    """Distinct characters of each split, in their order."""
    base_size: int
    """Distinct characters of all splits: the base vocabulary, the least that a target can be."""


class Workspace:
    """The corpus and the tokenizer at hand."""

    def __init__(self, make_run: Callable[[Splits, RunSettings, Checkpoint | None], Run]) -> None:
        self._make_run = make_run
        self.settings = RunSettings()
        self.corpus: OpenCorpus | None = None
        self.run: Run | None = None
        self.loaded: Loaded | None = None
        self.saved_as: Path | None = None
        self.interrupted: Checkpoint | None = None
        self.resumed: Checkpoint | None = None
        self.summary = SessionSummary()
        self.trouble = ""
        """What went wrong on the way out, to be told on the normal screen."""
        self._saved_key: object = None
        self._generation = 0
        """Counts the runs and loaded tokenizers, so that no two are taken for one."""
        self._fingerprint: tuple[object, str] = (None, "")
        self._idle = _empty_snapshot(self.settings)
        self._columns: tuple[object, VocabularyColumns] = (None, VocabularyColumns())
        self._bases: dict[object, list[str]] = {}

    def open(self, corpus: OpenCorpus) -> None:
        """Work on another corpus. The run before it is gone; a loaded tokenizer stays."""
        self.drop_run()
        self.corpus = corpus
        self._bases = {}

    def make_target_possible(self) -> bool:
        """Raise a target that the base vocabulary of the open corpus exceeds; gives whether it had to be raised."""
        base_size = self.least_target(self.settings)
        if self.settings.target_vocab_size > base_size:
            return False
        room = RunSettings().target_vocab_size
        self.set_settings(replace(self.settings, target_vocab_size=(base_size + room + 99) // 100 * 100))
        return True

    def new_run(self, checkpoint: Checkpoint | None = None) -> Run:
        """Give a new run on the open corpus in place of what was at hand. Raises BPEError."""
        if self.corpus is None:
            raise RuntimeError("no corpus is open")
        run = self._make_run(self.corpus.splits, self.settings, checkpoint)
        self.drop_run()
        self.loaded = None
        self.saved_as = None
        self.run = run
        self._generation += 1
        self.resumed = checkpoint
        return run

    def drop_run(self) -> None:
        """Forget the run; whoever calls this asked first. Its journal goes too."""
        if self.run is not None:
            snapshot = self.run.snapshot()
            self.summary.add_run(self.run.splits.name, snapshot, self.fingerprint(snapshot) or None)
            self.run.close(_PATIENCE)
            if self.run.journal is not None:
                self.run.journal.discard()
            self._forget_resumed()
        self.run = None

    def load(self, loaded: Loaded) -> None:
        """Take a tokenizer from a file in place of what was at hand."""
        self.drop_run()
        self._generation += 1
        self.loaded = loaded
        # What came in another format is not written over without asking for a name.
        self.saved_as = loaded.path if loaded.own_format else None
        self._fingerprint = (self.key(loaded.snapshot), loaded.fingerprint)

    def set_settings(self, settings: RunSettings) -> None:
        """Use other settings for the next run."""
        self.settings = settings
        self._idle = _empty_snapshot(settings)

    def snapshot(self) -> Snapshot:
        """Give the tokenizer as it is right now."""
        if self.run is not None:
            return self.run.snapshot()
        return self.loaded.snapshot if self.loaded is not None else self._idle

    def key(self, snapshot: Snapshot) -> object:
        """Give what tells this state of the tokenizer from every other."""
        return (self._generation, snapshot.merges, snapshot.base_size)

    def belongs(self, key: object) -> bool:
        """Whether the state `key` is one of the tokenizer at hand, be it an earlier one."""
        return isinstance(key, tuple) and key[0] == self._generation

    def columns(self, snapshot: Snapshot) -> VocabularyColumns:
        """Give what is known of each token of the tokenizer at hand, up to date with `snapshot`."""
        if self.loaded is not None:
            return self.loaded.columns
        key = (self._generation, snapshot.kind)
        if self._columns[0] != key:
            self._columns = (key, VocabularyColumns(Spelling(snapshot.kind)))
        self._columns[1].grow(snapshot)
        return self._columns[1]

    def facts(self, snapshot: Snapshot) -> Facts:
        """Say what kind of tokenizer it is."""
        return (
            describe_settings(snapshot.settings) if self.loaded is None else describe_tokenizer(self.loaded.tokenizer)
        )

    def loaded_from(self) -> str:
        """Give the name of the file of a loaded tokenizer, safe to show; empty if there is none."""
        return readable(self.loaded.path.name or str(self.loaded.path)) if self.loaded is not None else ""

    def no_merges(self) -> str:
        """Give what the merge log says while it is empty."""
        return self.loaded.why_no_merges if self.loaded is not None else "no merges yet"

    def least_target(self, settings: RunSettings) -> int:
        """Give the tokens that there are before the first merge: base tokens and special tokens."""
        if settings.alphabet is Alphabet.CHARACTERS:
            return self.corpus.base_size if self.corpus is not None else 0
        return len(self.base_tokens(settings)) + len(settings.special_tokens)

    def base_tokens(self, settings: RunSettings) -> list[str]:
        """Give the base tokens of a run with `settings`, as people see them; without a corpus only those of bytes."""
        from bpe_tui.bpe.byte_training import byte_order
        from bpe_tui.bpe.words import show
        from bpe_tui.session import kinds

        key = (settings.alphabet, settings.word_marker)
        if settings.alphabet is not Alphabet.BYTES and self.corpus is None:
            return []
        if key not in self._bases:
            if settings.alphabet is Alphabet.BYTES or self.corpus is None:
                tokens = byte_order(settings.tie_rule)
            else:
                tokens = kinds.base_tokens(settings, self.corpus.splits)
            self._bases[key] = [show(token) for token in tokens] if settings.alphabet is Alphabet.WORDS else tokens
        return self._bases[key]

    def encoder(self, snapshot: Snapshot) -> TextEncoder | None:
        """Give an encoder for the merges of `snapshot`; None while there is nothing to encode with.

        It knows no token that came later: panes that show the snapshot have nothing to say of those.
        """
        if self.loaded is not None:
            return self.loaded.encoder
        return self.run.encoder(snapshot) if self.run is not None and snapshot.base_size else None

    def training_text(self) -> str:
        """Give the text that the tokenizer was trained on; for a loaded one, the train split of the open corpus."""
        if self.run is not None:
            return self.run.training_text
        return self.corpus.splits.train.text if self.corpus is not None else ""

    def note_kept_in_journal(self, why: str) -> None:
        """Leave the journal where it is when the run is dropped: it holds what no checkpoint does."""
        self.trouble = f"no checkpoint could be written ({why}); the next start recovers the run from its journal"
        if self.run is not None:
            self.run.close(_PATIENCE)
            self.run = None

    def tokenizer(self) -> BPETokenizer:
        """Give the tokenizer as it is. Raises RuntimeError if there is none."""
        if self.loaded is not None:
            return self.loaded.tokenizer
        if self.run is None:
            raise RuntimeError("no tokenizer is at hand")
        return self.run.tokenizer()

    def fingerprint(self, snapshot: Snapshot) -> str:
        """Give the fingerprint while the tokenizer rests, "" while it changes or before the first merge."""
        if snapshot.state.busy or not self._exists(snapshot):
            return ""
        key = self.key(snapshot)
        if self._fingerprint[0] != key:
            self._fingerprint = (key, self.tokenizer().fingerprint())
        return self._fingerprint[1]

    def note_saved(self, saved: SavedTokenizer, key: object, *, own_format: bool = True) -> None:
        """Remember that the state `key` of the tokenizer is safe in a file; the journal has done its duty."""
        self._saved_key = key
        if own_format:
            self.saved_as = saved.path
        self.summary.add_saved(saved)
        if self.run is not None and self.run.journal is not None:
            self.run.journal.discard()
        self._forget_resumed()

    def keep_checkpoint(self) -> None:
        """Stop the run and put it aside in the default folder, in a fraction of a second. Raises OSError."""
        from bpe_tui.session.checkpoint import write_checkpoint

        if self.run is None:
            return
        self.run.stop()
        self.run.wait_until(lambda snapshot: not snapshot.state.busy, _PATIENCE)
        if self.run.snapshot().merges:
            self.summary.add_checkpoint(write_checkpoint(None, self.run))

    def _forget_resumed(self) -> None:
        """Delete the checkpoint that the run came from: what it held is safe elsewhere, or dropped on purpose."""
        from bpe_tui.session.checkpoint import discard

        if self.resumed is not None:
            with contextlib.suppress(OSError):
                discard(self.resumed)
            self.resumed = None

    def unsaved(self, snapshot: Snapshot) -> bool:
        """Whether merges would be lost if the tokenizer were dropped now."""
        return self.run is not None and snapshot.merges > 0 and self._saved_key != self.key(snapshot)

    def situation(self, snapshot: Snapshot, job: str, pane: str) -> Situation:
        """Give the ground on which actions apply or not."""
        return Situation(
            run=snapshot.state,
            corpus=self.corpus is not None,
            job=job,
            merges=snapshot.merges,
            tokenizer=self._exists(snapshot),
            loaded=self.loaded is not None,
            unsaved=self.unsaved(snapshot),
            interrupted=self.interrupted is not None,
            pane=pane,
            raw_forms=self._exists(snapshot) and self.columns(snapshot).spelling.kind == BYTES,
            unwritable=self.loaded.cannot_be_written if self.loaded is not None else "",
        )

    def _exists(self, snapshot: Snapshot) -> bool:
        return self.loaded is not None or (self.run is not None and snapshot.base_size > 0)


def _empty_snapshot(settings: RunSettings) -> Snapshot:
    return resting(settings, MergeLog(1), (), 0, 0, "ready: t trains")
