"""The shape of a model, what it weighs and what it costs, known before any of it is made."""

from __future__ import annotations

from dataclasses import dataclass

from bpe_tui.lm.errors import ModelSettingsError


@dataclass(frozen=True, slots=True)
class MiniGPTConfig:
    """The shape of a MiniGPT. Raises ModelSettingsError for one that cannot be built."""

    vocab_size: int
    """Always that of the tokenizer."""
    block_size: int = 128
    """The context window: how many tokens the model sees at most."""
    embedding_dim: int = 128
    num_heads: int = 4
    num_layers: int = 4
    expansion_factor: int = 4
    """How many times wider than `embedding_dim` the feed-forward layers are."""
    dropout: float = 0.1

    def __post_init__(self) -> None:
        for name in ("vocab_size", "block_size", "embedding_dim", "num_heads", "num_layers", "expansion_factor"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ModelSettingsError(f"{name} is {value!r}; it must be a whole number from 1 on")
        if self.embedding_dim % self.num_heads:
            raise ModelSettingsError(
                f"embedding_dim {self.embedding_dim} cannot be shared out among {self.num_heads} heads evenly; "
                "choose a multiple of num_heads"
            )
        if not 0.0 <= self.dropout < 1.0:
            raise ModelSettingsError(f"dropout is {self.dropout}; it must be at least 0 and less than 1")

    @property
    def embedding_parameters(self) -> int:
        """Parameters of the token embedding, which is the output layer too, and of the position embedding."""
        return (self.vocab_size + self.block_size) * self.embedding_dim

    @property
    def other_parameters(self) -> int:
        """Parameters of everything else: attention, feed-forward layers, norms."""
        dim, wide = self.embedding_dim, self.expansion_factor * self.embedding_dim
        attention = (3 * dim * dim + 3 * dim) + (dim * dim + dim)
        feed_forward = (dim * wide + wide) + (wide * dim + dim)
        norm = 2 * dim
        return self.num_layers * (attention + feed_forward + 2 * norm) + norm

    @property
    def parameters(self) -> int:
        """All parameters."""
        return self.embedding_parameters + self.other_parameters

    @property
    def training_flops_per_token(self) -> int:
        """An estimate of the floating-point operations that training spends on one token.

        Matrix products only, two operations a weight; the attention over a full window; the backward pass counted as
        twice the forward pass. The output layer counts, so a large vocabulary has its price.
        """
        dim = self.embedding_dim
        weights = self.num_layers * (4 + 2 * self.expansion_factor) * dim * dim + self.vocab_size * dim
        attention = self.num_layers * 4 * self.block_size * dim
        return 3 * (2 * weights + attention)
