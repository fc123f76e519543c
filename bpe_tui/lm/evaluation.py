"""How well a model predicts a whole split, in a number that can be compared between tokenizers: bits per character.

Loss per token cannot be compared: larger tokens are fewer and each is harder. What all tokens of the split cost
together, in bits, divided by the characters (or bytes) of the split can.

Every token is counted once, and every one but the first is predicted from those before it, in windows of `window`
tokens (the model's block size) that move on by `stride` tokens: each but the earliest tokens is predicted from at least
`window - stride` tokens of context. The first token of the split has nothing before it; it costs log2(vocab_size)
bits, as if all tokens were equally likely. So a model that knows nothing costs exactly
log2(vocab_size) x tokens / characters.

Characters and bytes are those of the text that the ids stand for. A tokenizer of words does not keep white space as it
was: its text has one space behind each word, and what the original had cannot be measured.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bpe_tui.lm.data import TokenLengths
from bpe_tui.lm.errors import ModelSettingsError
from bpe_tui.lm.model import MiniGPT
from bpe_tui.progress import Report, silent

Ids = npt.NDArray[np.int64]

_ROWS = 2048
"""Tokens whose scores are held at once: 65 MB for a vocabulary of 8,000."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a text costs under a model."""

    tokens: int
    characters: int
    bytes: int
    nats: float
    """The cost of all tokens together; a nat is 1.44 bits."""
    window: int
    """The most tokens that a prediction saw."""
    stride: int

    @property
    def loss(self) -> float:
        """Nats per token."""
        return self.nats / self.tokens

    @property
    def perplexity(self) -> float:
        """How many equally likely tokens would be as hard to choose from."""
        return math.exp(min(self.loss, 700.0))

    @property
    def bits_per_character(self) -> float:
        """Bits per character of the text."""
        return self.nats / math.log(2.0) / self.characters

    @property
    def bits_per_byte(self) -> float:
        """Bits per byte of the text in UTF-8."""
        return self.nats / math.log(2.0) / self.bytes

    def as_dict(self) -> dict[str, Any]:
        """Give all figures as JSON values."""
        return {
            "tokens": self.tokens,
            "characters": self.characters,
            "bytes": self.bytes,
            "nats": self.nats,
            "loss": self.loss,
            "perplexity": self.perplexity,
            "bits_per_character": self.bits_per_character,
            "bits_per_byte": self.bits_per_byte,
            "window": self.window,
            "stride": self.stride,
        }


def evaluate(
    model: MiniGPT,
    ids: Ids,
    lengths: TokenLengths,
    *,
    batch_size: int = 32,
    stride: int | None = None,
    report: Report = silent,
    step: str = "evaluating",
) -> Evaluation:
    """Measure what `ids` cost. `stride` is half the model's block size unless given; `report` counts tokens.

    `batch_size` is how many windows are computed together; it changes nothing but speed and memory. The model is left
    in the mode that it was in. Raises ModelSettingsError for no ids and for a stride that leaves tokens out.
    """
    block_size = model.config.block_size
    stride = max(1, block_size // 2) if stride is None else stride
    if not 1 <= stride <= block_size:
        raise ModelSettingsError(f"stride is {stride}; it must be from 1 to the block size of {block_size}")
    if len(ids) == 0:
        raise ModelSettingsError("the split is empty: there is nothing to evaluate; name another split")
    device = model.token_embedding.weight.device
    costs = [np.array([math.log(model.config.vocab_size)])]
    was_training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            report(step, 1, len(ids))
            for windows in _batches(len(ids), block_size, stride, batch_size):
                length = min(block_size, len(ids) - 1)
                starts = np.array([window.start for window in windows])
                tokens = torch.from_numpy(ids[starts[:, None] + np.arange(length + 1)])
                scored = np.arange(length) >= np.array([[window.skip] for window in windows])
                costs += _costs(model, tokens.to(device), torch.from_numpy(scored).to(device))
                report(step, windows[-1].start + length + 1, len(ids))
    finally:
        model.train(was_training)
    return Evaluation(
        tokens=len(ids),
        characters=int(lengths.characters[ids].sum()),
        bytes=int(lengths.bytes[ids].sum()),
        # Added up exactly, so that it does not matter how many windows were computed together.
        nats=math.fsum(itertools.chain.from_iterable(costs)),
        window=block_size,
        stride=stride,
    )


@dataclass(frozen=True, slots=True)
class _Window:
    start: int
    skip: int
    """How many of its first predictions were made in the window before."""


def _windows(tokens: int, block_size: int, stride: int) -> Iterator[_Window]:
    """Give the windows that together predict each token but the first exactly once. All are equally long."""
    length = min(block_size, tokens - 1)
    start, done = 0, 1
    while done < tokens:
        yield _Window(start, done - (start + 1))
        done = start + length + 1
        # The last one ends with the text, so that it is as long as the others.
        start = min(start + stride, tokens - 1 - length)


def _batches(tokens: int, block_size: int, stride: int, batch_size: int) -> Iterator[list[_Window]]:
    windows: list[_Window] = []
    for window in _windows(tokens, block_size, stride):
        windows.append(window)
        if len(windows) == batch_size:
            yield windows
            windows = []
    if windows:
        yield windows


def _costs(model: MiniGPT, tokens: Tensor, scored: Tensor) -> Iterator[npt.NDArray[np.float64]]:
    """Give what each of the scored tokens of (batch, length + 1) costs, in nats, some at a time."""
    hidden = model.hidden(tokens[:, :-1])[scored]
    targets = tokens[:, 1:][scored]
    for start in range(0, len(targets), _ROWS):
        logits = model.logits(hidden[start : start + _ROWS]).float()
        # log(sum(exp)) with its largest term taken out: for equal scores the sum is the exact number of tokens.
        highest = logits.max(dim=1, keepdim=True).values
        sums = (logits - highest).exp_().sum(dim=1)
        chosen = logits.gather(1, targets[start : start + _ROWS, None])
        yield (sums.cpu().double().log() + (highest - chosen).squeeze(1).cpu().double()).numpy()
