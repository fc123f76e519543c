"""The data is what the manifest says and the tokenizer made, and a seed decides in what order it comes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer, DatasetError, FingerprintMismatchError
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.corpus import Splits
from bpe_tui.dataset import encode_splits
from bpe_tui.lm.data import ModelData, batch, check_length, open_data, token_lengths
from bpe_tui.lm.errors import ModelSettingsError

from .conftest import TEXT, StandInForBytes


def test_lengths_add_up_to_the_text(data: ModelData) -> None:
    ids = data.ids("train")
    assert data.lengths.characters[ids].sum() == len(TEXT * 20)
    assert data.lengths.bytes[ids].sum() == len((TEXT * 20).encode())


def test_arrays_are_mapped_and_proven_like_tensors(
    tokenizer: BPETokenizer, make_splits: Callable[..., Splits], tmp_path: Path
) -> None:
    encode_splits(tokenizer, make_splits(), tmp_path / "pt")
    encode_splits(tokenizer, make_splits(), tmp_path / "npy", file_format="npy")
    tensors, arrays = (open_data(tmp_path / name, tokenizer) for name in ("pt", "npy"))
    for name in ("train", "val", "test"):
        assert np.array_equal(arrays.ids(name), tensors.ids(name))
        windows, successors = batch(arrays.ids(name), 5, 3, 1, 2)
        torch.from_numpy(windows), torch.from_numpy(successors)
    with (tmp_path / "npy/train_ids.npy").open("r+b") as file:
        file.seek(-8, 2)
        file.write(bytes(8))
    with pytest.raises(DatasetError, match="their SHA-256 differs"):
        open_data(tmp_path / "npy", tokenizer).ids("train")


def test_the_end_of_a_word_is_a_space(make_data: Callable[..., ModelData]) -> None:
    tokenizer = WordBPETokenizer([*"elowé", "</w>"], [("l", "o"), ("lo", "w"), ("low", "</w>")], {"<s>": 9})
    lengths = token_lengths(tokenizer)
    ids = tokenizer.encode("low  lowé\n\nwe <s>", special="special")
    assert tokenizer.decode(ids) == "low lowé we <s>"
    assert lengths.characters[ids].sum() == len("low lowé we <s> ")
    assert lengths.bytes[ids].sum() == len("low lowé we <s> ".encode())
    # White space that is not kept is no reason to refuse the data.
    data = make_data(tokenizer, train="low  lowé\n" * 20, val="low\n", test="we\n")
    assert data.lengths.characters[data.ids("train")].sum() == len("low lowé " * 20)


def test_a_character_in_several_byte_tokens_counts_once() -> None:
    tokenizer = StandInForBytes()
    lengths = token_lengths(tokenizer)  # type: ignore[arg-type]
    ids = tokenizer.encode("a☃b ☃")
    assert lengths.characters[ids].sum() == 5
    assert lengths.bytes[ids].sum() == 9


@hypothesis_settings(max_examples=100, deadline=None)
@given(
    length=st.integers(2, 60),
    block_size=st.integers(1, 20),
    batch_size=st.integers(1, 6),
    seed=st.integers(0, 2**40),
    step=st.integers(0, 10**7),
)
def test_batches_are_windows_of_the_text_and_depend_on_seed_and_step_alone(
    length: int, block_size: int, batch_size: int, seed: int, step: int
) -> None:
    block_size = min(block_size, length - 1)
    ids = np.arange(length)
    windows, successors = batch(ids, block_size, batch_size, seed, step)
    assert windows.shape == successors.shape == (batch_size, block_size)
    assert (successors == windows + 1).all()
    assert (np.diff(windows, axis=1) == 1).all()
    again, _ = batch(ids, block_size, batch_size, seed, step)
    assert (again == windows).all()


def test_every_place_of_the_text_is_visited() -> None:
    starts = {int(start) for step in range(200) for start in batch(np.arange(12), 4, 4, 0, step)[0][:, 0]}
    assert starts == set(range(8))


def test_another_tokenizer_is_refused_with_both_fingerprints(data: ModelData, tokenizer: BPETokenizer) -> None:
    other = BPETokenizer(tokenizer.base_tokens, tokenizer.merges[:-1])
    with pytest.raises(FingerprintMismatchError) as caught:
        open_data(data.dataset.folder, other, Path("other.json"))
    message = str(caught.value)
    for part in (tokenizer.fingerprint()[:16], other.fingerprint()[:16], "19 tokens", "18 tokens", "other.json"):
        assert part in message
    assert "encode the splits again" in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda ids: ids[:-1], "the manifest says"),
        (lambda ids: ids.roll(1), "SHA-256 differs"),
    ],
)
def test_ids_that_are_not_those_of_the_manifest(
    data: ModelData, change: Callable[[torch.Tensor], torch.Tensor], words: str
) -> None:
    path = data.split("val").path
    torch.save(change(torch.load(path, weights_only=True)), path)
    with pytest.raises(DatasetError, match=words):
        data.ids("val")


def test_a_manifest_that_tells_another_number_of_characters(data: ModelData, tokenizer: BPETokenizer) -> None:
    file = data.dataset.folder / "manifest.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["splits"]["test"]["characters"] += 1
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DatasetError, match="do not spell"):
        open_data(data.dataset.folder, tokenizer).ids("test")


def test_too_little_text_says_which_window_would_do(
    make_data: Callable[..., ModelData], tokenizer: BPETokenizer
) -> None:
    data = make_data(tokenizer, train="low lower")
    check_length(data, 3)
    with pytest.raises(ModelSettingsError, match="block size of at most 3"):
        check_length(data, 128)
    with pytest.raises(ModelSettingsError, match="too few"):
        check_length(make_data(tokenizer, "empty", train="l"), 1)


def test_a_split_that_is_not_there(data: ModelData) -> None:
    with pytest.raises(DatasetError, match="no split 'all', only train, val, test"):
        data.ids("all")
