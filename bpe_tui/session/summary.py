"""What a session did, kept as plain data and told in a few lines when it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.terminal import count, duration, percent, visible

if TYPE_CHECKING:
    from bpe_tui.dataset import EncodedDataset
    from bpe_tui.session.checkpoint import Checkpoint
    from bpe_tui.session.jobs import SavedTokenizer
    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.session.state import RunState


@dataclass(frozen=True, slots=True)
class Trained:
    """A run, as it was when it was last looked at."""

    corpus: str
    characters: int
    merges: int
    vocab_size: int
    base_size: int
    compression_factor: float
    token_reduction: float
    seconds: float
    state: RunState
    ending: str
    """Why it ended or where it stands, for people."""
    fingerprint: str | None


@dataclass(slots=True)
class SessionSummary:
    """Collects what a session did. Each thing is told once: the newest run, each file and folder once."""

    trained: list[Trained] = field(default_factory=list)
    saved: dict[Path, SavedTokenizer] = field(default_factory=dict)
    encoded: dict[Path, EncodedDataset] = field(default_factory=dict)
    checkpoints: dict[Path, int] = field(default_factory=dict)
    """Merges that each checkpoint file holds."""
    models: dict[Path, str] = field(default_factory=dict)
    """What became of the training of a language model in each folder."""

    def add_run(self, corpus: str, snapshot: Snapshot, fingerprint: str | None = None) -> None:
        """Note a run, by its last snapshot. A run that learned nothing is not worth a line unless it failed."""
        if snapshot.merges or snapshot.error:
            self.trained.append(
                Trained(
                    corpus=corpus,
                    characters=snapshot.initial_length,
                    merges=snapshot.merges,
                    vocab_size=snapshot.vocab_size,
                    base_size=snapshot.base_size,
                    compression_factor=snapshot.compression_factor,
                    token_reduction=snapshot.token_reduction,
                    seconds=snapshot.seconds,
                    state=snapshot.state,
                    ending=snapshot.error or snapshot.detail,
                    fingerprint=fingerprint,
                )
            )

    def add_saved(self, saved: SavedTokenizer) -> None:
        """Note a tokenizer file."""
        self.saved[saved.path] = saved

    def add_encoded(self, dataset: EncodedDataset) -> None:
        """Note a folder of encoded splits."""
        self.encoded[dataset.folder] = dataset

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Note a run put aside."""
        if checkpoint.file is not None:
            self.checkpoints[checkpoint.file] = len(checkpoint.merges)

    def lines(self, *, ascii_only: bool = False) -> list[str]:
        """Tell it in lines for a terminal, safe to print; no line at all if nothing was done."""

        def shown(text: object) -> str:
            # A space inside a name or a sentence is a space here; only what could do harm is written out.
            return " ".join(visible(part, ascii_only=ascii_only) for part in str(text).split(" "))

        lines = []
        for run in self.trained:
            lines.append(
                f"trained    {shown(run.corpus)}: {count(run.merges)} merges, {count(run.vocab_size)} tokens "
                f"({count(run.base_size)} base) from {count(run.characters)} characters in {duration(run.seconds)}; "
                f"{run.compression_factor:.2f} characters per token ({percent(run.token_reduction)} fewer tokens)"
            )
            lines.append(f"           {run.state}: {shown(run.ending)}")
            if run.fingerprint is not None:
                lines.append(f"           fingerprint {run.fingerprint}")
        for path, saved in self.saved.items():
            lines.append(f"saved      {shown(path)}: {count(saved.vocab_size)} tokens, fingerprint {saved.fingerprint}")
        for folder, dataset in self.encoded.items():
            lines.append(f"encoded    {shown(folder)}: tokenizer {dataset.fingerprint}")
            for split in dataset.splits:
                lines.append(
                    f"           {shown(split.name)}: {count(split.characters)} characters, {count(split.tokens)} "
                    f"tokens, {split.compression_factor:.2f} characters per token"
                )
        for path, merges in self.checkpoints.items():
            lines.append(f"checkpoint {shown(path)}: {count(merges)} merges, ready to go on with")
        for folder, words in self.models.items():
            lines.append(f"model      {shown(folder)}: {shown(words)}")
        return lines
