"""Sampling: the same again for the same seed, no token that was not to be, and text that is whole at every moment."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch import Tensor

from bpe_tui import BPETokenizer, MissingCharactersError
from bpe_tui.bpe.byte_alphabet import CHARACTERS
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import rule
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.lm.config import MiniGPTConfig
from bpe_tui.lm.errors import ModelSettingsError
from bpe_tui.lm.model import MiniGPT
from bpe_tui.lm.sampling import SamplingSettings, sample, sample_ids

from .conftest import SHAPE, StandInForBytes


@pytest.fixture
def model(tokenizer: BPETokenizer) -> MiniGPT:
    torch.manual_seed(5)
    model = MiniGPT(MiniGPTConfig(tokenizer.vocab_size, **SHAPE))
    with torch.no_grad():
        model.token_embedding.weight.mul_(20.0)
    return model


class Fixed(MiniGPT):
    """A model with the same scores at every place; the wished ids are by far the likeliest, one after another."""

    def __init__(self, vocab_size: int, scores: list[float] | None = None, wishes: list[int] | None = None) -> None:
        super().__init__(MiniGPTConfig(vocab_size, 4, 1, 1, 1))
        self.scores = torch.tensor(scores or [0.0] * vocab_size)
        self.wishes = iter(wishes or [])

    def hidden(self, ids: Tensor) -> Tensor:
        assert 1 <= ids.shape[1] <= self.config.block_size
        scores = self.scores.clone()
        wish = next(self.wishes, None)
        if wish is not None:
            scores[wish] += 1000.0
        return scores.expand(1, ids.shape[1], -1)

    def logits(self, hidden: Tensor) -> Tensor:
        return hidden


def written(model: MiniGPT, tokenizer: BPETokenizer, prompt: str = "low", tokens: int = 40, **settings: object) -> str:
    pieces = sample(model, tokenizer, prompt, tokens, SamplingSettings(**settings))  # type: ignore[arg-type]
    return "".join(piece.text for piece in pieces)


def test_the_same_seed_gives_the_same_text_and_others_do_not(model: MiniGPT, tokenizer: BPETokenizer) -> None:
    first = written(model, tokenizer, seed=1)
    torch.rand(7)  # nobody else's random numbers matter
    assert written(model, tokenizer, seed=1) == first
    assert len({written(model, tokenizer, seed=seed) for seed in range(5)}) > 1


def test_nobody_elses_random_numbers_are_used_up_and_the_mode_is_kept(model: MiniGPT, tokenizer: BPETokenizer) -> None:
    before = torch.get_rng_state()
    model.train()
    written(model, tokenizer)
    assert torch.equal(before, torch.get_rng_state())
    assert model.training


def test_what_leaves_no_choice_takes_the_likeliest(model: MiniGPT, tokenizer: BPETokenizer) -> None:
    greedy = written(model, tokenizer, temperature=0.0)
    assert written(model, tokenizer, top_k=1, seed=4) == greedy
    assert written(model, tokenizer, top_p=1e-9, seed=5) == greedy
    model.eval()
    ids = tokenizer.encode("low")
    for number in sample_ids(model, ids, 20, SamplingSettings(temperature=0.0)):
        assert number == int(model(torch.tensor([ids[-8:]]))[0, -1].argmax())
        ids.append(number)


def test_tokens_come_as_often_as_the_model_says() -> None:
    probabilities = torch.tensor([0.5, 0.3, 0.15, 0.05])
    model = Fixed(4, probabilities.log().tolist())
    drawn = Counter(sample_ids(model, [0], 3000, SamplingSettings(temperature=1.0)))
    for number, probability in enumerate(probabilities.tolist()):
        assert drawn[number] / 3000 == pytest.approx(probability, abs=0.035)


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        ({"top_k": 2}, {0, 1}),
        ({"top_p": 0.6}, {0, 1}),
        ({"top_p": 0.5}, {0}),
        # Of what top_k leaves, 0.53 and 0.32 make 0.84 already.
        ({"top_p": 0.84, "top_k": 3}, {0, 1}),
        ({"top_p": 0.85, "top_k": 3}, {0, 1, 2}),
        ({"top_k": 100}, {0, 1, 2, 3}),
        ({"top_p": 1.0}, {0, 1, 2, 3}),
    ],
)
def test_only_the_likeliest(settings: dict[str, float], allowed: set[int]) -> None:
    model = Fixed(4, torch.tensor([0.5, 0.3, 0.15, 0.05]).log().tolist())
    drawn = set(sample_ids(model, [0], 400, SamplingSettings(temperature=1.0, **settings)))  # type: ignore[arg-type]
    assert drawn == allowed


def test_ids_that_stand_for_nothing_are_never_chosen() -> None:
    tokenizer = StandInForBytes()
    model = Fixed(7, [0.0, 0.0, 0.0, -50.0, -50.0, -50.0, 50.0])
    pieces = list(sample(model, tokenizer, "a", 50, SamplingSettings()))  # type: ignore[arg-type]
    assert {piece.id for piece in pieces} <= {0, 1, 2}


def test_never_half_a_character() -> None:
    tokenizer = StandInForBytes()
    wishes = [*tokenizer.encode("a☃b"), 3, 4]
    model = Fixed(7, wishes=wishes)
    pieces = list(sample(model, tokenizer, "a", len(wishes), SamplingSettings()))  # type: ignore[arg-type]
    # The last snowman was never finished: what there is of it is replaced at the end.
    assert [piece.text for piece in pieces] == ["a", "", "", "☃", "b", "", "", "\ufffd"]


def test_the_real_byte_level_tokenizer_streams_whole_characters() -> None:
    tokenizer = ByteBPETokenizer({c: n for n, c in enumerate(CHARACTERS)}, [], rule("none"))
    text = "ein Schneemann: ☃, é, 😀"
    wishes = tokenizer.encode(text)
    pieces = list(sample(Fixed(256, wishes=wishes), tokenizer, "", len(wishes), SamplingSettings()))
    assert "".join(piece.text for piece in pieces) == text
    assert {piece.text for piece in pieces} <= {"", *text}


@pytest.mark.parametrize(
    ("stop", "expected"),
    [("b", "aa"), ("aab", ""), ("ba", "aa"), ("bab", "aa"), ("zz", "aababa"), ("ababa", "a"), ("abac", "aababa")],
)
def test_it_stops_before_the_stop_text_wherever_tokens_end(stop: str, expected: str) -> None:
    tokenizer = BPETokenizer("abcz", [("a", "b")])
    wishes = [0, 4, 4, 0]  # a ab ab a
    pieces = list(sample(Fixed(5, wishes=wishes), tokenizer, "", 4, SamplingSettings(stop=stop)))
    assert "".join(piece.text for piece in pieces) == expected


def test_words_are_set_apart_from_the_prompt_and_from_each_other() -> None:
    tokenizer = WordBPETokenizer([*"elow", "</w>"], [("l", "o"), ("lo", "w"), ("low", "</w>")])
    wishes = tokenizer.encode("low owl")

    def continued(prompt: str, **settings: str) -> str:
        pieces = sample(Fixed(8, wishes=wishes), tokenizer, prompt, len(wishes), SamplingSettings(**settings))
        return prompt + "".join(piece.text for piece in pieces)

    assert continued("low") == "low low owl "
    assert continued("low ") == "low low owl "
    assert continued("") == "low owl "
    assert continued("low", stop=" ") == "low"


def test_text_that_could_become_the_stop_text_waits() -> None:
    tokenizer = BPETokenizer("abcz", [("a", "b")])
    pieces = list(sample(Fixed(5, wishes=[0, 2, 0, 1, 0]), tokenizer, "", 5, SamplingSettings(stop="abz")))
    assert [piece.text for piece in pieces] == ["", "ac", "", "", "ab", "a"]


def test_a_prompt_that_cannot_be_encoded(model: MiniGPT, tokenizer: BPETokenizer) -> None:
    with pytest.raises(MissingCharactersError, match="U\\+0051"):
        written(model, tokenizer, "Q")


def test_an_empty_prompt_stands_for_a_new_line(model: MiniGPT, tokenizer: BPETokenizer) -> None:
    assert written(model, tokenizer, "", temperature=0.0) == written(model, tokenizer, "\n", temperature=0.0)


@pytest.mark.parametrize(
    "settings", [{"temperature": -1.0}, {"temperature": float("inf")}, {"top_k": 0}, {"top_p": 0.0}, {"stop": ""}]
)
def test_nonsense_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ModelSettingsError):
        SamplingSettings(**settings)  # type: ignore[arg-type]
