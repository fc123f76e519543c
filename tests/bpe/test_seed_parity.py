"""Results equal to the tutorial's own, on WikiText-2, to the bit."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


@pytest.fixture(scope="module")
def wikitext(shared: Path) -> dict[str, str]:
    names = {"train": "train", "val": "valid", "test": "test"}
    return {split: read(shared / f"data/wikitext-2/{name}.txt") for split, name in names.items()}


def test_training_and_encoding_equal_the_tutorials(shared: Path, wikitext: dict[str, str], tmp_path: Path) -> None:
    expected = json.loads(read(shared / "expected/seed_reference.json"))
    base_tokens = BPETokenizer.base_tokens_of(*wikitext.values())
    tokenizers = {}
    for case in expected["train"]:
        characters, target = case["training_characters"], case["target_vocab_size"]
        tokenizer = BPETokenizer.train(
            wikitext["train"][:characters], target, case["minimum_pair_frequency"], base_tokens, verbose=False
        )
        assert tokenizer.fingerprint() == case["fingerprint"]
        tokenizer.save(tmp_path / "tokenizer.json")
        whole_file = shared / f"expected/character_bpe_{characters}_{target}.json"
        assert (tmp_path / "tokenizer.json").read_bytes() == whole_file.read_bytes()
        tokenizers[characters, target] = tokenizer
    for case in expected["encode"]:
        tokenizer = tokenizers[case["training_characters"], case["target_vocab_size"]]
        text = wikitext[case["split"]]
        ids = tokenizer.encode_array(text)
        assert len(ids) == case["tokens"]
        assert hashlib.sha256(ids.astype("<i8")).hexdigest() == case["ids_int64_le_sha256"]
        assert tokenizer.decode(ids) == text
