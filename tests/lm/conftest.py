"""What the tests of models share: tiny shapes, one thread, and corpora that are encoded in a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from bpe_tui import BPETokenizer
from bpe_tui.corpus import Splits, SplitText
from bpe_tui.dataset import encode_splits
from bpe_tui.lm.data import ModelData, open_data
from bpe_tui.lm.settings import Budget, BudgetKind, TrainingSettings

SHAPE: dict[str, Any] = {"block_size": 8, "embedding_dim": 16, "num_heads": 2, "num_layers": 2, "dropout": 0.1}
TEXT = "low low lower lowest newest widest é ☃\n"

MakeSplits = Callable[..., Splits]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def settings(steps: float = 12, kind: BudgetKind = BudgetKind.STEPS, **changes: Any) -> TrainingSettings:
    """Settings of a training that takes a moment."""
    given = {"batch_size": 4, "logs": 6, "evaluations": 4, "samples": 2, "sample_tokens": 5, **changes}
    return TrainingSettings(budget=Budget(kind, steps), **given)


@pytest.fixture(scope="session")
def tokenizer() -> BPETokenizer:
    return BPETokenizer(" \neilnorstwé☃d", [("l", "o"), ("lo", "w"), ("low", " "), ("e", "s"), ("es", "t")])


@pytest.fixture
def make_splits(tmp_path: Path) -> MakeSplits:
    def make(train: str = TEXT * 20, val: str = TEXT * 4, test: str = TEXT * 3) -> Splits:
        def split(name: str, text: str) -> SplitText:
            return SplitText(name, text, tmp_path / f"{name}.txt", len(text.encode()))  # type: ignore[arg-type]

        return Splits(split("train", train), split("val", val), split("test", test), name="words")

    return make


@pytest.fixture
def make_data(tmp_path: Path, make_splits: MakeSplits) -> Callable[..., ModelData]:
    def make(tokenizer: BPETokenizer, name: str = "encoded", **texts: str) -> ModelData:
        encode_splits(tokenizer, make_splits(**texts), tmp_path / name)
        return open_data(tmp_path / name, tokenizer)

    return make


@pytest.fixture
def data(make_data: Callable[..., ModelData], tokenizer: BPETokenizer) -> ModelData:
    return make_data(tokenizer)


class StandInForBytes:
    """As much of a byte-level tokenizer as a model needs: the snowman is three tokens, one id is not used."""

    kind = "byte_bpe"
    tokens = ("a", "b", "\u0120", "[E2]", "[98]", "[83]", "")
    token_bytes = (b"a", b"b", b" ", b"\xe2", b"\x98", b"\x83", b"")
    stoi = {token: number for number, token in enumerate(tokens) if token}  # noqa: RUF012 - it stands for an attribute
    vocab_size = len(tokens)

    def encode(self, text: str) -> list[int]:
        return [self.token_bytes.index(bytes([byte])) for byte in text.encode()]

    def streaming_decoder(self) -> Any:
        import codecs

        decoder = codecs.getincrementaldecoder("utf-8")("replace")

        class Stream:
            def feed(self, ids: list[int]) -> str:
                return decoder.decode(b"".join(StandInForBytes.token_bytes[number] for number in ids))

            def finish(self) -> str:
                return decoder.decode(b"", final=True)

        return Stream()
