"""Encoded splits are what the reference encoder says, they say so themselves, and torch reads them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer, MissingCharactersError
from bpe_tui.bpe import reference
from bpe_tui.corpus import Splits, read_splits
from bpe_tui.dataset import encode_splits, read_manifest
from bpe_tui.dataset.tensors import read_tensor

from .conftest import MakeSplits

FILES = ["manifest.json", "test_ids.pt", "train_ids.pt", "val_ids.pt"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def ids_by_reference(text: str, tokenizer: BPETokenizer) -> list[int]:
    return [tokenizer.stoi[token] for token in reference.encode(text, tokenizer.merges)]


def test_tensors_hold_what_the_reference_encodes(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "encoded"
    dataset = encode_splits(tokenizer, splits, folder)
    assert names(folder) == FILES
    for split, encoded in zip(splits, dataset.splits, strict=True):
        tensor = torch.load(encoded.path, weights_only=True)
        expected = ids_by_reference(split.text, tokenizer)
        assert tensor.dtype == torch.int64
        assert tensor.shape == (len(expected),)
        assert tensor.tolist() == expected
        assert (encoded.tokens, encoded.characters) == (len(expected), len(split.text))
        assert (encoded.minimum_id, encoded.maximum_id) == (min(expected), max(expected))
        assert encoded.ids_sha256 == hashlib.sha256(np.array(expected, "<i8").tobytes()).hexdigest()
        assert encoded.text_sha256 == hashlib.sha256(split.text.encode()).hexdigest()
        assert tokenizer.decode(tensor.tolist()) == split.text


def test_manifest_says_the_same_as_the_result(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    dataset = encode_splits(tokenizer, splits, tmp_path / "out")
    assert read_manifest(tmp_path / "out") == dataset
    document = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert document["fingerprint"] == tokenizer.fingerprint()
    assert document["vocab_size"] == tokenizer.vocab_size
    assert document["splits"]["val"]["dtype"] == "int64"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.tuples(*[st.text("ab é€\n😀", max_size=60)] * 3),
    merges=st.lists(st.sampled_from([("a", "b"), ("a", "a"), (" ", "a"), ("é", "€"), ("\n", "\n")]), max_size=5),
)
def test_any_texts_survive(
    texts: tuple[str, str, str],
    merges: list[tuple[str, str]],
    make_splits: MakeSplits,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tokenizer = BPETokenizer("\n abé€😀", merges)
    folder = tmp_path_factory.mktemp("any")
    dataset = encode_splits(tokenizer, make_splits(*texts), folder)
    assert read_manifest(folder) == dataset
    for text, encoded in zip(texts, dataset.splits, strict=True):
        ids = read_tensor(encoded.path)
        assert ids.tolist() == ids_by_reference(text, tokenizer)
        assert tokenizer.decode(ids) == text


def test_an_empty_split_has_no_least_and_largest_id(
    tokenizer: BPETokenizer, make_splits: MakeSplits, tmp_path: Path
) -> None:
    dataset = encode_splits(tokenizer, make_splits("low"), tmp_path)
    val = dataset.splits[1]
    assert (val.tokens, val.minimum_id, val.maximum_id) == (0, None, None)
    assert (val.compression_factor, val.token_reduction) == (0.0, 0.0)
    assert read_manifest(tmp_path) == dataset
    assert torch.load(val.path, weights_only=True).shape == (0,)


def test_figures_of_compression(tokenizer: BPETokenizer, make_splits: MakeSplits, tmp_path: Path) -> None:
    train = encode_splits(tokenizer, make_splits("low low "), tmp_path).splits[0]
    assert (train.characters, train.tokens) == (8, 4)
    assert train.compression_factor == 2.0
    assert train.token_reduction == 50.0


@pytest.mark.parametrize("where", [0, 1, 2])
def test_missing_characters_are_named_with_their_split_before_any_work(
    where: int, tokenizer: BPETokenizer, make_splits: MakeSplits, tmp_path: Path
) -> None:
    texts = ["low", "low", "low"]
    texts[where] = "lowé"
    name = ("train", "val", "test")[where]
    with pytest.raises(MissingCharactersError) as caught:
        encode_splits(tokenizer, make_splits(*texts), tmp_path / "out")
    message = str(caught.value)
    assert f"the {name} split" in message
    assert f"{name}.txt" in message
    assert "'é' (U+00E9, once, first at character 3)" in message
    assert not (tmp_path / "out").exists()


def test_reports_grow_and_name_each_split(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    encode_splits(tokenizer, splits, tmp_path, report=lambda *report: reports.append(report))
    steps = [step for step, _, _ in reports]
    for name in ("train", "val", "test"):
        assert f"encoding {name}" in steps
    assert all(0 <= done <= max(total, done) for _, done, total in reports)


def test_wikitext_gives_the_known_ids(shared: Path, tmp_path: Path) -> None:
    tokenizer = BPETokenizer.from_file(shared / "expected/character_bpe_500000_500.json")
    dataset = encode_splits(tokenizer, read_splits(shared / "data/wikitext-2"), tmp_path)
    expected = json.loads((shared / "expected/seed_reference.json").read_text(encoding="utf-8"))["encode"]
    known = {
        case["split"]: (case["tokens"], case["ids_int64_le_sha256"])
        for case in expected
        if case["target_vocab_size"] == 500
    }
    assert {split.name: (split.tokens, split.ids_sha256) for split in dataset.splits} == known
