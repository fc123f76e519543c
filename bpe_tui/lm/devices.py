"""Choosing what computes: the processor unless the user or the machine knows better."""

from __future__ import annotations

import torch

from bpe_tui.lm.errors import ModelSettingsError

CHOICES = ("auto", "cpu", "cuda", "mps")


def choose_device(name: str = "auto") -> torch.device:
    """Give the device of that name; `auto` takes CUDA or MPS when there.

    Raises ModelSettingsError for one that is not there.
    """
    present = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        name = next(device for device, there in present.items() if there)
    if not present.get(name, False):
        there = ", ".join(device for device, is_there in present.items() if is_there)
        raise ModelSettingsError(f"there is no device {name!r} here; choose one of: auto, {there}")
    return torch.device(name)
