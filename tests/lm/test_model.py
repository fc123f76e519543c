"""The model is what it says: it sees the past only, weighs what its shape says, and can learn."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bpe_tui.lm.config import MiniGPTConfig
from bpe_tui.lm.errors import ModelSettingsError
from bpe_tui.lm.model import MiniGPT

from .conftest import SHAPE


@pytest.fixture
def model() -> MiniGPT:
    torch.manual_seed(1)
    return MiniGPT(MiniGPTConfig(vocab_size=11, **SHAPE)).eval()


@pytest.mark.parametrize("changed", range(8))
def test_a_later_token_changes_no_earlier_score(model: MiniGPT, changed: int) -> None:
    ids = torch.tensor([[1, 2, 3, 4, 5, 6, 7, 8]])
    other = ids.clone()
    other[0, changed] = 10
    before, after = model(ids), model(other)
    assert torch.equal(before[0, :changed], after[0, :changed])
    # And it is no mask of everything: the token itself and all later ones do see it.
    for place in range(changed, 8):
        assert not torch.equal(before[0, place], after[0, place])


def test_no_gradient_flows_back_from_the_past_to_the_future(model: MiniGPT) -> None:
    seen: list[torch.Tensor] = []

    def keep(_module: object, _inputs: object, output: torch.Tensor) -> None:
        output.retain_grad()
        seen.append(output)

    model.token_embedding.register_forward_hook(keep)
    model(torch.arange(8)[None])[0, 3].sum().backward()
    gradient = seen[0].grad
    assert gradient is not None
    assert gradient[0, :4].abs().sum(dim=1).min() > 0
    assert gradient[0, 4:].abs().sum() == 0


def test_the_beginning_of_a_window_means_the_same_whatever_follows(model: MiniGPT) -> None:
    ids = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6]])
    whole = model(ids)
    for length in range(1, 9):
        torch.testing.assert_close(model(ids[:, :length]), whole[:, :length])


def test_it_overfits_one_batch() -> None:
    torch.manual_seed(0)
    model = MiniGPT(MiniGPTConfig(vocab_size=11, **{**SHAPE, "dropout": 0.0}))
    # Each token appears once in a row, so that what follows is certain.
    rows = torch.stack([torch.randperm(11) for _ in range(4)])[:, :9]
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(150):
        loss = model.loss(rows[:, :-1], rows[:, 1:])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    # The first token of a row alone may leave a choice.
    assert loss.item() < 0.2
    assert torch.equal(model.eval()(rows[:, :-1]).argmax(-1)[:, 1:], rows[:, 2:])


def test_the_head_is_the_embedding(model: MiniGPT) -> None:
    names = [name for name, _ in model.named_parameters()]
    assert not any("head" in name for name in names)
    hidden = model.hidden(torch.tensor([[1, 2]]))
    torch.testing.assert_close(model.logits(hidden), hidden @ model.token_embedding.weight.T)


def test_an_untrained_model_is_close_to_knowing_nothing(model: MiniGPT) -> None:
    ids = torch.arange(8)[None]
    assert model.loss(ids, ids + 1).item() == pytest.approx(torch.tensor(11.0).log().item(), abs=0.1)


@hypothesis_settings(max_examples=30, deadline=None)
@given(
    vocab_size=st.integers(1, 40),
    block_size=st.integers(1, 9),
    heads=st.integers(1, 3),
    width=st.integers(1, 4),
    layers=st.integers(1, 3),
    expansion=st.integers(1, 5),
)
def test_parameters_are_counted_right(
    vocab_size: int, block_size: int, heads: int, width: int, layers: int, expansion: int
) -> None:
    config = MiniGPTConfig(vocab_size, block_size, heads * width, heads, layers, expansion)
    model = MiniGPT(config)
    embeddings = model.token_embedding.weight.numel() + model.position_embedding.weight.numel()
    assert config.embedding_parameters == embeddings
    assert config.parameters == sum(parameter.numel() for parameter in model.parameters())


def test_operations_agree_with_what_torch_counts() -> None:
    from torch.utils.flop_counter import FlopCounterMode

    config = MiniGPTConfig(vocab_size=50, **{**SHAPE, "dropout": 0.0})
    model = MiniGPT(config)
    ids = torch.zeros(1, config.block_size, dtype=torch.int64)
    with FlopCounterMode(display=False) as counter, torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        model.loss(ids, ids).backward()
    # torch leaves out what needs no gradient or is done by halves; an estimate is an estimate.
    assert config.training_flops_per_token * config.block_size == pytest.approx(counter.get_total_flops(), rel=0.1)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"embedding_dim": 10, "num_heads": 3}, "10 cannot be shared out among 3 heads"),
        ({"block_size": 0}, "block_size is 0"),
        ({"vocab_size": True}, "vocab_size is True"),
        ({"dropout": 1.0}, "dropout is 1.0"),
        ({"dropout": float("nan")}, "dropout is nan"),
    ],
)
def test_impossible_shapes_are_named(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ModelSettingsError, match=words):
        MiniGPTConfig(**{"vocab_size": 5, **changes})  # type: ignore[arg-type]


def test_the_defaults_are_the_tutorials() -> None:
    config = MiniGPTConfig(500)
    assert (config.block_size, config.embedding_dim, config.num_heads, config.num_layers) == (128, 128, 4, 4)
    assert (config.expansion_factor, config.dropout) == (4, 0.1)
