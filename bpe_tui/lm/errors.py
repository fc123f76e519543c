"""What can be wrong with a model, as errors for people."""

from __future__ import annotations

from bpe_tui.errors import BPEError


class ModelSettingsError(BPEError, ValueError):
    """A model or a training that cannot be as it was asked for."""


class CheckpointFileError(BPEError):
    """A checkpoint of a model that is missing, damaged, or of something else."""


class RunFolderError(BPEError):
    """A folder of a training that cannot be written, or must not be."""


class TrainingError(BPEError):
    """A training that went wrong by itself: its loss is no number any more."""
