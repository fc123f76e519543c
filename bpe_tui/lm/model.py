"""MiniGPT: a decoder-only transformer in plain PyTorch, the whole of it.

Tokens become vectors, position is added, and each block lets every token look at itself and those before it
(attention) and think for itself (feed-forward). Each half first norms its input and adds what it found to it
(pre-norm, residual). The token embedding is used a second time, as the output layer (tied head).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from bpe_tui.lm.config import MiniGPTConfig


class Attention(nn.Module):
    """Causal self-attention with several heads."""

    def __init__(self, config: MiniGPTConfig) -> None:
        super().__init__()
        self.num_heads = config.num_heads
        self.dropout = config.dropout
        self.query_key_value = nn.Linear(config.embedding_dim, 3 * config.embedding_dim)
        self.output = nn.Linear(config.embedding_dim, config.embedding_dim)

    def forward(self, x: Tensor) -> Tensor:
        """Give for each token of `x` (batch, time, embedding) what it takes from itself and those before it."""
        batch, time, dim = x.shape
        heads = self.query_key_value(x).view(batch, time, 3, self.num_heads, dim // self.num_heads)
        query, key, value = heads.permute(2, 0, 3, 1, 4)  # each (batch, head, time, dim of a head)
        dropout = self.dropout if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True, dropout_p=dropout)
        merged: Tensor = self.output(mixed.transpose(1, 2).reshape(batch, time, dim))
        return merged


class Block(nn.Module):
    """One layer: attention, then a feed-forward network, each on a normed input and added to what was there."""

    def __init__(self, config: MiniGPTConfig) -> None:
        super().__init__()
        dim, wide = config.embedding_dim, config.expansion_factor * config.embedding_dim
        self.attention_norm = nn.LayerNorm(dim)
        self.attention = Attention(config)
        self.feed_forward_norm = nn.LayerNorm(dim)
        self.feed_forward = nn.Sequential(nn.Linear(dim, wide), nn.GELU(), nn.Linear(wide, dim))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Give `x` with what this layer adds to it."""
        x = x + self.dropout(self.attention(self.attention_norm(x)))
        added: Tensor = self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return x + added


class MiniGPT(nn.Module):
    """The model. Its first weights come from torch's global random numbers: seed those to get the same ones again."""

    def __init__(self, config: MiniGPTConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocab_size, config.embedding_dim)
        self.position_embedding = nn.Embedding(config.block_size, config.embedding_dim)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.num_layers))
        self.norm = nn.LayerNorm(config.embedding_dim)
        self._initialise()

    def _initialise(self) -> None:
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)
        # Each layer adds to the residual stream twice; scaled down, the sum stays about as large as one of them.
        for name, parameter in self.named_parameters():
            if name.endswith(("attention.output.weight", "feed_forward.2.weight")):
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * self.config.num_layers))

    def hidden(self, ids: Tensor) -> Tensor:
        """Give the vector (batch, time, embedding) from which each token's successor is predicted.

        `ids` is (batch, time) with at most `block_size` tokens of time.
        """
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.dropout(self.token_embedding(ids) + self.position_embedding(positions))
        for block in self.blocks:
            x = block(x)
        normed: Tensor = self.norm(x)
        return normed

    def logits(self, hidden: Tensor) -> Tensor:
        """Give for vectors (..., embedding) the score of each token as the next one (..., vocab_size)."""
        return functional.linear(hidden, self.token_embedding.weight)

    def forward(self, ids: Tensor) -> Tensor:
        """Give for each token of `ids` (batch, time) the scores of its successor (batch, time, vocab_size)."""
        return self.logits(self.hidden(ids))

    def loss(self, ids: Tensor, targets: Tensor) -> Tensor:
        """Give the mean cross-entropy, in nats a token, of the `targets` that follow the `ids`; both (batch, time)."""
        return functional.cross_entropy(self(ids).flatten(0, 1), targets.flatten())
