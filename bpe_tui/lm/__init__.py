"""The small GPT on encoded splits: train it, measure it, sample from it, compare tokenizers by it.

torch is loaded by the modules that compute (`model`, `training`, `evaluation`, `sampling` and what uses them), so every
public name is loaded on first use. `config`, `settings`, `run_folder`, `control`, `watching`, `process` and `chart` do
without torch: a screen that follows a training loads none.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bpe_tui.lm.config import MiniGPTConfig
    from bpe_tui.lm.data import ModelData, open_data
    from bpe_tui.lm.evaluation import Evaluation, evaluate
    from bpe_tui.lm.model import MiniGPT
    from bpe_tui.lm.settings import Budget, BudgetKind, TrainingSettings
    from bpe_tui.lm.training import Training

_HOMES = {
    "Budget": "settings",
    "BudgetKind": "settings",
    "Evaluation": "evaluation",
    "MiniGPT": "model",
    "MiniGPTConfig": "config",
    "ModelData": "data",
    "Training": "training",
    "TrainingSettings": "settings",
    "evaluate": "evaluation",
    "open_data": "data",
}

__all__ = [
    "Budget",
    "BudgetKind",
    "Evaluation",
    "MiniGPT",
    "MiniGPTConfig",
    "ModelData",
    "Training",
    "TrainingSettings",
    "evaluate",
    "open_data",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'bpe_tui.lm' has no attribute {name!r}")
    return getattr(importlib.import_module(f"bpe_tui.lm.{home}"), name)
