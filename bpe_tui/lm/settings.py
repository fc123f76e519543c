"""How a model is trained and for how long."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bpe_tui.lm.errors import ModelSettingsError


class BudgetKind(StrEnum):
    """What a budget is counted in."""

    STEPS = "steps"
    CHARACTERS = "characters"
    """Characters of text that the training has seen, those seen twice counted twice."""
    SECONDS = "seconds"
    """Seconds spent on training steps; evaluating, sampling and saving are not counted."""
    FLOPS = "flops"
    """Floating-point operations, as `MiniGPTConfig.training_flops_per_token` estimates them."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is."""

    step: int = 0
    tokens: int = 0
    characters: int = 0
    seconds: float = 0.0
    flops: int = 0


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to train: training ends with the first step that reaches `amount`."""

    kind: BudgetKind
    amount: float

    def __post_init__(self) -> None:
        if not self.amount > 0 or not math.isfinite(self.amount):
            raise ModelSettingsError(f"a budget of {self.amount} {self.kind} is none; give one larger than 0")

    def spent(self, progress: Progress) -> float:
        """Give how much of it is spent, in its own units."""
        match self.kind:
            case BudgetKind.STEPS:
                return progress.step
            case BudgetKind.CHARACTERS:
                return progress.characters
            case BudgetKind.SECONDS:
                return progress.seconds
            case BudgetKind.FLOPS:
                return progress.flops

    def fraction(self, progress: Progress) -> float:
        """Give how much of it is spent, from 0 to 1."""
        return min(1.0, self.spent(progress) / self.amount)

    def describe(self) -> str:
        """Say it to people."""
        if self.kind is BudgetKind.SECONDS:
            return f"{self.amount / 60:g} minutes of training"
        if self.kind is BudgetKind.FLOPS:
            return f"{self.amount:.3g} floating-point operations"
        return f"{self.amount:,.0f} {self.kind}"


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Everything that decides what a training comes to, besides the data and the shape of the model."""

    budget: Budget
    batch_size: int = 32
    """Windows of the training split that one step learns from."""
    learning_rate: float = 1e-3
    """The highest one, reached after the warm-up."""
    final_learning_rate: float = 0.1
    """Where the cosine ends, as a share of `learning_rate`."""
    warm_up: float = 0.05
    """The share of the budget in which the learning rate rises from nothing, in a straight line."""
    weight_decay: float = 0.1
    """On matrices; biases and norms are left alone."""
    gradient_clip: float = 1.0
    """The largest norm of all gradients together."""
    seed: int = 0
    """Decides the first weights, the order of the data, the dropout and the samples."""
    logs: int = 400
    """How many points of the training loss are kept, at even distances of the budget."""
    evaluations: int = 20
    """How often the validation loss is measured."""
    evaluation_characters: int = 20_000
    """How much of the validation split, from its beginning, that takes. The end of a training measures all of it."""
    samples: int = 5
    """How often a sample is written down."""
    sample_tokens: int = 80

    def __post_init__(self) -> None:
        for name, least in (("batch_size", 1), ("evaluation_characters", 1), ("sample_tokens", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ModelSettingsError(f"{name} is {getattr(self, name)}; it must be at least {least}")
        for name in ("logs", "evaluations", "samples", "weight_decay"):
            if getattr(self, name) < 0:
                raise ModelSettingsError(f"{name} is {getattr(self, name)}; it cannot be negative")
        for name in ("learning_rate", "gradient_clip"):
            if not getattr(self, name) > 0 or not math.isfinite(getattr(self, name)):
                raise ModelSettingsError(f"{name} is {getattr(self, name)}; it must be larger than 0")
        for name in ("warm_up", "final_learning_rate"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ModelSettingsError(f"{name} is {getattr(self, name)}; it is a share, from 0 to 1")

    def learning_rate_at(self, fraction: float) -> float:
        """Give the learning rate when `fraction` of the budget is spent: a straight rise, then half a cosine down."""
        if fraction < self.warm_up:
            # Never quite nothing: the first step shall move.
            return self.learning_rate * max(fraction / self.warm_up, 0.01)
        rest = (fraction - self.warm_up) / (1.0 - self.warm_up) if self.warm_up < 1.0 else 0.0
        share = self.final_learning_rate + (1.0 - self.final_learning_rate) * 0.5 * (1.0 + math.cos(math.pi * rest))
        return self.learning_rate * share

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        content = dataclasses.asdict(self)
        content["budget"] = {"kind": self.budget.kind.value, "amount": self.budget.amount}
        return content

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> TrainingSettings:
        """Give what `as_dict` gave. Raises KeyError, TypeError or ValueError for anything else."""
        budget = content["budget"]
        return cls(**{**content, "budget": Budget(BudgetKind(budget["kind"]), budget["amount"])})
