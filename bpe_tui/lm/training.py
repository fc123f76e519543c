"""One training, one step at a time: the model, the optimiser, the order of the data and the random numbers. No files.

Everything that decides the next step is in `state()`: a training that is loaded from it does what the one that gave it
would have done, number for number (on the same kind of device, with the same number of threads and the same torch).
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import Any

import torch

from bpe_tui.lm.config import MiniGPTConfig
from bpe_tui.lm.data import ModelData, batch, check_length
from bpe_tui.lm.errors import TrainingError
from bpe_tui.lm.model import MiniGPT
from bpe_tui.lm.settings import Progress, TrainingSettings


@dataclass(frozen=True, slots=True)
class StepFigures:
    """What one step came to."""

    loss: float
    """Nats per token of its batch, before it learned from it."""
    tokens: int
    characters: int
    gradient_norm: float
    """Before clipping."""
    learning_rate: float
    seconds: float


class Training:
    """A model in training. Raises ModelSettingsError when the training split is shorter than a window.

    Its random numbers are torch's global ones, seeded here: one training at a time in a process.
    """

    def __init__(
        self, config: MiniGPTConfig, settings: TrainingSettings, data: ModelData, device: torch.device | None = None
    ) -> None:
        check_length(data, config.block_size)
        self.config = config
        self.settings = settings
        self.data = data
        self.device = device or torch.device("cpu")
        self.progress = Progress()
        torch.manual_seed(settings.seed)
        self.model = MiniGPT(config).to(self.device)
        self.optimiser = _optimiser(self.model, settings)
        self._ids = data.ids("train")

    @property
    def fraction(self) -> float:
        """How much of the budget is spent, from 0 to 1."""
        return self.settings.budget.fraction(self.progress)

    def advance(self) -> StepFigures:
        """Learn from one batch. Raises TrainingError when the loss is no number any more."""
        begun = time.perf_counter()
        settings, config = self.settings, self.config
        windows, successors = batch(
            self._ids, config.block_size, settings.batch_size, settings.seed, self.progress.step
        )
        learning_rate = settings.learning_rate_at(self.fraction)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate
        self.model.train()
        loss = self.model.loss(torch.from_numpy(windows).to(self.device), torch.from_numpy(successors).to(self.device))
        value = float(loss.item())
        if not math.isfinite(value):
            raise TrainingError(
                f"the loss is {value} at step {self.progress.step + 1:,}; train again with a learning rate lower than "
                f"{settings.learning_rate:g}"
            )
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), settings.gradient_clip)
        self.optimiser.step()
        # Reading the norm waits for the device, so that the clock below sees the whole step.
        figures = StepFigures(
            loss=value,
            tokens=successors.size,
            characters=int(self.data.lengths.characters[successors].sum()),
            gradient_norm=float(norm),
            learning_rate=learning_rate,
            seconds=time.perf_counter() - begun,
        )
        done = self.progress
        self.progress = Progress(
            step=done.step + 1,
            tokens=done.tokens + figures.tokens,
            characters=done.characters + figures.characters,
            seconds=done.seconds + figures.seconds,
            flops=done.flops + figures.tokens * config.training_flops_per_token,
        )
        return figures

    def state(self) -> dict[str, Any]:
        """Give all that decides the next steps, as tensors and plain values."""
        return {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "progress": asdict(self.progress),
            "random": _random_state(self.device),
        }

    def load(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave. Raises what torch raises when it is not of this model."""
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.progress = Progress(**state["progress"])
        _set_random_state(self.device, state["random"])


def _optimiser(model: MiniGPT, settings: TrainingSettings) -> torch.optim.AdamW:
    matrices = [parameter for parameter in model.parameters() if parameter.dim() >= 2]
    others = [parameter for parameter in model.parameters() if parameter.dim() < 2]
    return torch.optim.AdamW(
        [
            {"params": matrices, "weight_decay": settings.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ],
        lr=settings.learning_rate,
        betas=(0.9, 0.99),
    )


def _random_state(device: torch.device) -> dict[str, torch.Tensor]:
    state = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    elif device.type == "mps":
        state["mps"] = torch.mps.get_rng_state()
    return state


def _set_random_state(device: torch.device, state: dict[str, torch.Tensor]) -> None:
    torch.set_rng_state(state["cpu"])
    # A training may go on on another kind of device, where its numbers cannot be the same.
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], device)
    elif device.type == "mps" and "mps" in state:
        torch.mps.set_rng_state(state["mps"])
