"""Getting a training going: a new one in an empty folder, or one that was put aside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from bpe_tui.lm.checkpoint import check_data, read_checkpoint
from bpe_tui.lm.config import MiniGPTConfig
from bpe_tui.lm.data import ModelData
from bpe_tui.lm.loop import Loop, Observe
from bpe_tui.lm.run_folder import RunFolder
from bpe_tui.lm.settings import TrainingSettings
from bpe_tui.lm.training import Training
from bpe_tui.progress import Report, silent


def begin_run(
    data: ModelData,
    folder: Path,
    shape: dict[str, Any],
    settings: TrainingSettings,
    *,
    overwrite: bool = False,
    device: torch.device | None = None,
    report: Report = silent,
    observe: Observe | None = None,
) -> Loop:
    """Give a new training in `folder`, ready to `run`. `shape` holds fields of MiniGPTConfig but the vocabulary size.

    Raises RunFolderError when the folder holds a training (unless `overwrite`), ModelSettingsError, DatasetError.
    """
    run_folder = RunFolder(folder)
    run_folder.check(resume=False, overwrite=overwrite)
    config = MiniGPTConfig(vocab_size=data.vocab_size, **shape)
    loop = Loop(Training(config, settings, data, device), run_folder, report, observe)
    loop.begin()
    return loop


def resume_run(
    data: ModelData,
    folder: Path,
    *,
    device: torch.device | None = None,
    report: Report = silent,
    observe: Observe | None = None,
) -> Loop:
    """Give the training whose checkpoint is in `folder`, ready to `run` on, with the shape and settings that it has.

    Raises RunFolderError, CheckpointFileError, FingerprintMismatchError when tokenizer or data are not the same.
    """
    run_folder = RunFolder(folder)
    run_folder.check(resume=True, overwrite=False)
    # Before the checkpoint is read: nobody shall go on from it meanwhile and write another.
    run_folder.claim()
    checkpoint = read_checkpoint(folder)
    # Before anything is made of it: a model of another vocabulary would fail in ways that nobody understands.
    check_data(checkpoint, data, same_text=True)
    loop = Loop(Training(checkpoint.config, checkpoint.settings, data, device), run_folder, report, observe)
    loop.resume(checkpoint)
    return loop
