"""Bits per character, held against what a patient person would compute."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from torch import Tensor

from bpe_tui import BPETokenizer
from bpe_tui.errors import Cancelled
from bpe_tui.lm.config import MiniGPTConfig
from bpe_tui.lm.data import ModelData, token_lengths
from bpe_tui.lm.errors import ModelSettingsError
from bpe_tui.lm.evaluation import _windows, evaluate
from bpe_tui.lm.model import MiniGPT

from .conftest import SHAPE


@pytest.fixture
def model(tokenizer: BPETokenizer) -> MiniGPT:
    torch.manual_seed(3)
    model = MiniGPT(MiniGPTConfig(tokenizer.vocab_size, **SHAPE))
    with torch.no_grad():
        # Far from uniform, so that mistakes show.
        model.token_embedding.weight.mul_(60.0)
    return model


class Bigrams(MiniGPT):
    """A model whose opinion is a table: what follows depends on the last token alone."""

    def __init__(self, table: list[list[float]], block_size: int) -> None:
        super().__init__(MiniGPTConfig(len(table), block_size, 1, 1, 1))
        self.table = torch.tensor(table).log()

    def hidden(self, ids: Tensor) -> Tensor:
        return self.table[ids]

    def logits(self, hidden: Tensor) -> Tensor:
        return hidden


@pytest.mark.parametrize("block_size", [1, 2, 3, 50])
def test_a_hand_computation(block_size: int) -> None:
    # Tokens a, bé, c. After a come a, bé, c with 1/2, 1/4, 1/4; after bé with 1/8, 3/8, 1/2; after c always even.
    tokenizer = BPETokenizer("abcé", [("b", "é")])
    ids = np.array([0, 4, 4, 2, 0])
    third = 1 / 3
    zero = 1e-30
    table = [
        [1 / 2, zero, 1 / 4, zero, 1 / 4],
        [0.2] * 5,
        [third, zero, third, zero, third],
        [0.2] * 5,
        [1 / 8, zero, 1 / 2, zero, 3 / 8],
    ]
    measured = evaluate(Bigrams(table, block_size), ids, token_lengths(tokenizer), stride=1)
    # The first token costs log2(5); then bé after a, bé after bé, c after bé, a after c.
    bits = math.log2(5) + 2 + math.log2(8 / 3) + 1 + math.log2(3)
    assert measured.nats / math.log(2) == pytest.approx(bits, rel=1e-6)
    # abébéca? no: a, bé, bé, c, a: seven characters, nine bytes.
    assert (measured.tokens, measured.characters, measured.bytes) == (5, 7, 9)
    assert measured.bits_per_character == pytest.approx(bits / 7, rel=1e-6)
    assert measured.bits_per_byte == pytest.approx(bits / 9, rel=1e-6)
    assert measured.loss == pytest.approx(bits * math.log(2) / 5, rel=1e-6)
    assert measured.perplexity == pytest.approx(2 ** (bits / 5), rel=1e-6)


def test_knowing_nothing_costs_exactly_what_it_must(data: ModelData) -> None:
    model = MiniGPT(MiniGPTConfig(data.vocab_size, **SHAPE))
    with torch.no_grad():
        model.token_embedding.weight.zero_()
    for name in ("train", "val", "test"):
        measured = evaluate(model, data.ids(name), data.lengths)
        split = data.split(name)
        expected = math.log2(data.vocab_size) * split.tokens / split.characters
        assert measured.nats == math.log(data.vocab_size) * split.tokens
        assert measured.bits_per_character == pytest.approx(expected, rel=1e-15)
        assert measured.perplexity == pytest.approx(data.vocab_size, rel=1e-12)


@pytest.mark.parametrize("stride", [1, 3, 4, 8])
@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 10, 30, 61])
def test_against_one_token_at_a_time(model: MiniGPT, data: ModelData, stride: int, length: int) -> None:
    """Each token is predicted from the window that the rule gives it, here cut out of the text by hand."""
    ids = data.ids("train")[:length]
    block = model.config.block_size
    model.eval()
    nats = math.log(data.vocab_size)
    for place in range(1, length):
        # The first window that reaches this token begins at a multiple of the stride, or ends with the text.
        start = 0 if place <= block else -(-(place - block) // stride) * stride
        start = max(0, min(start, length - 1 - block))
        context = torch.from_numpy(ids[start:place])[None]
        nats -= model(context)[0, -1].double().log_softmax(0)[ids[place]].item()
    measured = evaluate(model, ids, data.lengths, stride=stride)
    assert measured.nats == pytest.approx(nats, rel=1e-5)
    assert measured.tokens == length


@pytest.mark.parametrize("batch_size", [2, 3, 7, 1000])
def test_the_batch_size_changes_nothing(model: MiniGPT, data: ModelData, batch_size: int) -> None:
    one = evaluate(model, data.ids("train"), data.lengths, batch_size=1)
    many = evaluate(model, data.ids("train"), data.lengths, batch_size=batch_size)
    assert many.nats == pytest.approx(one.nats, rel=1e-7)
    assert (many.tokens, many.characters, many.bytes) == (one.tokens, one.characters, one.bytes)


@hypothesis_settings(max_examples=300, deadline=None)
@given(tokens=st.integers(1, 200), block_size=st.integers(1, 20), data=st.data())
def test_every_token_but_the_first_is_predicted_once(tokens: int, block_size: int, data: st.DataObject) -> None:
    stride = data.draw(st.integers(1, block_size))
    length = min(block_size, tokens - 1)
    predicted: list[int] = []
    for window in _windows(tokens, block_size, stride):
        assert window.start >= 0
        assert window.skip >= 0
        targets = range(window.start + 1, window.start + length + 1)[window.skip :]
        assert targets[-1] < tokens
        if window.start:
            # The promise of the stride: so much context at least.
            assert targets[0] - window.start >= block_size - stride
        predicted.extend(targets)
    assert predicted == list(range(1, tokens))


def test_the_mode_and_the_random_numbers_are_left_alone(model: MiniGPT, data: ModelData) -> None:
    model.train()
    before = torch.get_rng_state()
    first = evaluate(model, data.ids("val"), data.lengths)
    assert model.training
    assert torch.equal(before, torch.get_rng_state())
    assert evaluate(model, data.ids("val"), data.lengths) == first


def test_cancelling_leaves_the_mode_alone_too(model: MiniGPT, data: ModelData) -> None:
    def cancel(*_: object) -> None:
        raise Cancelled("enough")

    model.train()
    with pytest.raises(Cancelled):
        evaluate(model, data.ids("val"), data.lengths, report=cancel)
    assert model.training


def test_reports_end_with_all_tokens(model: MiniGPT, data: ModelData) -> None:
    reports: list[tuple[str, int, int]] = []
    evaluate(model, data.ids("val"), data.lengths, report=lambda *report: reports.append(report), batch_size=2)
    done = [report[1] for report in reports]
    assert done == sorted(done)
    assert done[-1] == reports[-1][2] == data.split("val").tokens


def test_nonsense_is_refused(model: MiniGPT, data: ModelData) -> None:
    with pytest.raises(ModelSettingsError, match="stride is 9"):
        evaluate(model, data.ids("val"), data.lengths, stride=9)
    with pytest.raises(ModelSettingsError, match="empty"):
        evaluate(model, data.ids("val")[:0], data.lengths)
