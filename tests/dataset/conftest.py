"""What the tests of encoded splits share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.corpus import Splits, SplitText

MakeSplits = Callable[..., Splits]


@pytest.fixture
def make_splits(tmp_path: Path) -> MakeSplits:
    def make(train: str, val: str = "", test: str = "") -> Splits:
        def split(name: str, text: str) -> SplitText:
            return SplitText(name, text, tmp_path / f"{name}.txt", len(text.encode()))  # type: ignore[arg-type]

        return Splits(split("train", train), split("val", val), split("test", test))

    return make


@pytest.fixture
def tokenizer() -> BPETokenizer:
    return BPETokenizer(" \nelorstw", [("l", "o"), ("lo", "w"), ("low", "e"), ("lowe", "r")])


@pytest.fixture
def splits(make_splits: MakeSplits) -> Splits:
    return make_splits("low lower lowest\n" * 40, "lowest low\n" * 7, "slow\n" * 5)
