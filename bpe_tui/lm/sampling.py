"""Writing on: one token after another, as text that is whole at every moment.

The choice of each token depends on the model, the prompt, the settings and the seed only. It is made on the processor
in double precision from numbers drawn by a generator of its own, so that sampling disturbs nobody's random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from bpe_tui.lm.data import token_lengths, token_texts
from bpe_tui.lm.errors import ModelSettingsError
from bpe_tui.lm.model import MiniGPT

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """How the next token is chosen."""

    temperature: float = 0.8
    """Below 1 the likely tokens become likelier, above 1 less so; 0 always takes the likeliest."""
    top_k: int | None = None
    """Choose among so many likeliest tokens only."""
    top_p: float | None = None
    """Choose among the likeliest tokens that together reach this probability only."""
    seed: int = 0
    stop: str | None = None
    """End before this text."""

    def __post_init__(self) -> None:
        if not self.temperature >= 0.0 or not math.isfinite(self.temperature):
            raise ModelSettingsError(f"temperature is {self.temperature}; it must be 0 or more")
        if self.top_k is not None and self.top_k < 1:
            raise ModelSettingsError(f"top_k is {self.top_k}; it must be at least 1")
        if self.top_p is not None and not 0.0 < self.top_p <= 1.0:
            raise ModelSettingsError(f"top_p is {self.top_p}; it must be larger than 0 and at most 1")
        if self.stop == "":
            raise ModelSettingsError("the text to stop at is empty; give at least one character")


@dataclass(frozen=True, slots=True)
class Piece:
    """What one more token adds."""

    id: int
    """-1 for a last piece without a token, that holds what was held back."""
    text: str
    """May be empty: a byte-level token can end within a character, and text may be held back that could become the
    stop text. It comes with a later piece."""


def sample(
    model: MiniGPT, tokenizer: BPETokenizer, prompt: str, tokens: int, settings: SamplingSettings
) -> Iterator[Piece]:
    """Give up to `tokens` pieces that continue `prompt`; the texts of all of them joined are the continuation.

    An empty prompt stands for the beginning of a line. Raises MissingCharactersError for a prompt that the tokenizer
    cannot encode.
    """
    context = tokenizer.encode(prompt) if prompt else _beginning(tokenizer)
    usable = torch.from_numpy(token_lengths(tokenizer).bytes > 0)
    text = _WholeText(tokenizer, prompt, settings.stop)
    for number in sample_ids(model, context, tokens, settings, usable):
        piece = text.add(number)
        yield Piece(number, piece)
        if text.stopped:
            return
    rest = text.finish()
    if rest:
        yield Piece(-1, rest)


def sample_ids(
    model: MiniGPT, context: Sequence[int], tokens: int, settings: SamplingSettings, usable: Tensor | None = None
) -> Iterator[int]:
    """Give `tokens` ids that continue the ids of `context`, of which there must be one; the last ones are seen.

    `usable` (vocab_size, of bool) says which ids may be chosen. The model is left in the mode that it was in.
    """
    random = torch.Generator().manual_seed(settings.seed)
    device = model.token_embedding.weight.device
    ids = list(context)
    for _ in range(tokens):
        was_training = model.training
        model.eval()
        try:
            with torch.inference_mode():
                window = torch.tensor([ids[-model.config.block_size :]], device=device)
                logits = model.logits(model.hidden(window)[0, -1]).float().cpu().double()
        finally:
            model.train(was_training)
        if usable is not None:
            logits = logits.masked_fill(~usable, -math.inf)
        ids.append(_choose(logits, settings, random))
        yield ids[-1]


def _choose(logits: Tensor, settings: SamplingSettings, random: torch.Generator) -> int:
    if settings.temperature == 0.0:
        return int(logits.argmax())
    ordered, ids = logits.sort(descending=True, stable=True)
    probabilities = ((ordered - ordered[0]) / settings.temperature).softmax(0)
    if settings.top_k is not None:
        probabilities[settings.top_k :] = 0.0
    if settings.top_p is not None:
        probabilities = probabilities / probabilities.sum()
        before = probabilities.cumsum(0) - probabilities
        probabilities[before >= settings.top_p] = 0.0
    return int(ids[torch.multinomial(probabilities, 1, generator=random)])


def _beginning(tokenizer: BPETokenizer) -> list[int]:
    """Give what stands before an empty prompt: a line break, or the first token where there is none."""
    newline = tokenizer.stoi.get("\n", tokenizer.stoi.get("\N{LATIN CAPITAL LETTER C WITH DOT ABOVE}"))
    return [0 if newline is None else newline]


class _WholeText:
    """Turns ids into text that is never half a character and never goes beyond the stop text."""

    def __init__(self, tokenizer: BPETokenizer, prompt: str, stop: str | None) -> None:
        self._decoder = tokenizer.streaming_decoder() if hasattr(tokenizer, "streaming_decoder") else None
        self._texts = token_texts(tokenizer) if self._decoder is None else []
        self._stop = stop
        # To a tokenizer of words, a prompt ends with a whole word; the space behind it comes with what follows.
        self._held = " " if tokenizer.kind == "word_bpe" and prompt and not prompt[-1].isspace() else ""
        self.stopped = False

    def add(self, number: int) -> str:
        """Give the text that is certain now that this id has come."""
        text = self._texts[number] if self._decoder is None else self._decoder.feed([number])
        return self._release(text)

    def finish(self) -> str:
        """Give what was held back for something that did not come."""
        text = self._held + (self._decoder.finish() if self._decoder is not None else "")
        self._held = ""
        return text

    def _release(self, text: str) -> str:
        self._held += text
        if self._stop is None:
            certain, self._held = self._held, ""
            return certain
        place = self._held.find(self._stop)
        if place >= 0:
            self.stopped = True
            return self._held[:place]
        # Keep back the longest end that the stop text could begin with.
        longest = min(len(self._stop) - 1, len(self._held))
        kept = next((n for n in range(longest, 0, -1) if self._stop.startswith(self._held[-n:])), 0)
        certain, self._held = self._held[: len(self._held) - kept], self._held[len(self._held) - kept :]
        return certain
