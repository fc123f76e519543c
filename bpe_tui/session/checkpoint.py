"""Checkpoints: a run put aside in a file, to be gone on with another day exactly as if it had never stopped.

A checkpoint holds the settings, the merges learned so far and the digests of what they were learned from; not the text.
Going on reads the corpus again, makes sure that it is the same, and replays the merges: since a merge depends only on
the sequence that the merges before it left, what follows is what an uninterrupted run would have learned.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui import atomic
from bpe_tui.corpus.opening import open_regular
from bpe_tui.errors import BPEError, CorpusError
from bpe_tui.session import kinds, places
from bpe_tui.session.identity import RunIdentity, identify
from bpe_tui.session.run import Run
from bpe_tui.session.settings import RunSettings, SettingsError
from bpe_tui.system_errors import reason

if TYPE_CHECKING:
    from bpe_tui.corpus import SplitFiles, Splits
    from bpe_tui.session.journal import Journal

_TYPE = "bpe_tui_checkpoint"
_VERSION = 1
_OWN_NAME = re.compile(r"\d{8}T\d{6}\.\d{6}-\d+\.json")
"""Only files with names given here are ever deleted."""
KEPT = 5
"""How many checkpoints the default folder keeps."""


class CheckpointError(BPEError, ValueError):
    """A checkpoint that cannot be read, or that does not fit the corpus. `file` is the file meant."""

    def __init__(self, message: str, *, file: Path | None = None) -> None:
        self.file = file
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A run put aside."""

    settings: RunSettings
    identity: RunIdentity
    merges: tuple[tuple[str, str], ...]
    created: datetime
    file: Path | None = None
    """Where it is stored, once it is."""


def take_checkpoint(run: Run) -> Checkpoint:
    """Give the checkpoint of a run as it is now, in whatever state it is. Nothing is written.

    Takes up to 50 ms for 10 M characters of training text: call it outside a user interface's thread.
    """
    snapshot = run.snapshot()
    merges = tuple(run.merge_strings(snapshot))
    return Checkpoint(snapshot.settings, run.identity(), merges, datetime.now(UTC))


def write_checkpoint(path: Path | None, run: Run) -> Checkpoint:
    """Put `run` aside in the file `path`, or in the default folder if that is None. Whole or not at all.

    In the default folder only the newest few stay. Raises OSError when it cannot be written.
    """
    return store(take_checkpoint(run), path)


def store(checkpoint: Checkpoint, path: Path | None = None) -> Checkpoint:
    """Write a checkpoint to `path`, or into the default folder, and give it with its file. Raises OSError."""
    target = path or _default_file(checkpoint)
    content = {
        "type": _TYPE,
        "version": _VERSION,
        "created": checkpoint.created.isoformat(),
        "settings": checkpoint.settings.as_dict(),
        "corpus": checkpoint.identity.as_dict(),
        "merges": [list(pair) for pair in checkpoint.merges],
    }
    # All of it in ASCII: a checkpoint must hold whatever a text may hold.
    atomic.write_text(target, json.dumps(content, indent=1) + "\n")
    if path is None:
        _prune(target)
    return Checkpoint(checkpoint.settings, checkpoint.identity, checkpoint.merges, checkpoint.created, target)


def read_checkpoint(path: Path) -> Checkpoint:
    """Give the checkpoint in a file. Raises CheckpointError that names the file, the field and what to do."""
    try:
        with open_regular(path) as file:
            content = json.loads((file.readall() or b"").decode("utf-8"))
    except CorpusError as error:
        raise CheckpointError(f"the checkpoint cannot be read: {error}", file=path) from error
    except OSError as error:
        raise CheckpointError(f"{path}: the checkpoint cannot be read: {reason(error)}", file=path) from error
    except UnicodeDecodeError as error:
        raise CheckpointError(f"{path}: this is no checkpoint: byte {error.start} is no UTF-8", file=path) from error
    except (json.JSONDecodeError, RecursionError) as error:
        line = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise CheckpointError(f"{path}: the checkpoint is damaged: it is no whole JSON{line}", file=path) from error
    try:
        return _checkpoint(content, path)
    except (ValueError, SettingsError) as error:
        raise CheckpointError(f"{path}: the checkpoint cannot be used: {error}", file=path) from error


def resume(checkpoint: Checkpoint, splits: Splits | SplitFiles, *, journal: Journal | None = None) -> Run:
    """Give an idle run that goes on where the checkpoint ended; `start()` or `step()` sets it going.

    Raises CheckpointError that names what differs if `splits` are not what the checkpoint was trained on.
    """
    present = identify(splits, checkpoint.settings, kinds.base_tokens(checkpoint.settings, splits))
    different = checkpoint.identity.differences(present)
    if different:
        source = checkpoint.identity.sources.get("train", checkpoint.identity.name)
        raise CheckpointError(
            f"the corpus is not the one that this checkpoint was trained on ({source}): {'; '.join(different)}; "
            "bring the corpus back as it was, or start a new run",
            file=checkpoint.file,
        )
    if checkpoint.identity.base_tokens != present.base_tokens:
        raise CheckpointError(
            "the base tokens of this checkpoint are not those of its settings; start a new run", file=checkpoint.file
        )
    return Run(splits, checkpoint.settings, checkpoint.merges, journal=journal)


def stored() -> list[Path]:
    """Give the checkpoint files in the default folder, newest first."""
    files = [file for file in places.checkpoint_folder().glob("*.json") if _OWN_NAME.fullmatch(file.name)]
    return sorted(files, reverse=True)


def latest() -> Checkpoint | None:
    """Give the newest checkpoint of the default folder; None if it holds none. Raises CheckpointError."""
    files = stored()
    return read_checkpoint(files[0]) if files else None


def discard(checkpoint: Checkpoint) -> None:
    """Delete the file of a checkpoint; nothing happens if it is gone already. Raises OSError."""
    if checkpoint.file is not None:
        checkpoint.file.unlink(missing_ok=True)


def replayed(base_tokens: Sequence[str], merges: Sequence[tuple[str, str]]) -> list[str]:
    """Give the tokens that merges define. Raises ValueError that names the first merge of an undefined token."""
    tokens = list(base_tokens)
    known = set(tokens)
    for rank, (left, right) in enumerate(merges):
        for part in (left, right):
            if part not in known:
                raise ValueError(f"merge {rank} uses the token {json.dumps(part)}, which nothing before it defines")
        if left + right not in known:
            known.add(left + right)
            tokens.append(left + right)
    return tokens


def _checkpoint(content: object, path: Path) -> Checkpoint:
    if not isinstance(content, dict) or content.get("type") != _TYPE:
        raise ValueError("it is no bpe-tui checkpoint (field type)")
    if content.get("version") != _VERSION:
        raise ValueError(f"it is of version {content.get('version')!r}, this program reads version {_VERSION}")
    settings = content.get("settings")
    if not isinstance(settings, dict):
        raise ValueError("settings is missing or of the wrong type")
    try:
        identity = RunIdentity.from_dict(content.get("corpus"))
    except ValueError as error:
        raise ValueError(f"corpus: {error}") from error
    merges = _merges(content.get("merges"))
    replayed(identity.base_tokens, merges)
    try:
        created = datetime.fromisoformat(str(content.get("created")))
    except ValueError:
        raise ValueError("created is no date and time") from None
    return Checkpoint(RunSettings.from_dict(settings), identity, merges, created, path)


def _merges(data: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(data, list):
        raise ValueError("merges is missing or of the wrong type")
    for rank, pair in enumerate(data):
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) and part for part in pair)):
            raise ValueError(f"merges[{rank}] is no pair of tokens")
    return tuple((left, right) for left, right in data)


def _default_file(checkpoint: Checkpoint) -> Path:
    # Names sort by time. The process id keeps two programs apart that write within the same microsecond.
    stamp = checkpoint.created.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%f")
    return places.checkpoint_folder() / f"{stamp}-{os.getpid()}.json"


def _prune(newest: Path) -> None:
    for old in [file for file in stored() if file != newest][KEPT - 1 :]:
        old.unlink(missing_ok=True)
