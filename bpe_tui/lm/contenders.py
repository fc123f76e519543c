"""The tokenizers that are compared, each with the corpus encoded by it: learned once, cut to size, kept in a folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.dataset import encode_splits, read_manifest
from bpe_tui.errors import DatasetError
from bpe_tui.lm.data import ModelData, open_data
from bpe_tui.progress import Report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_tui.corpus import Splits
    from bpe_tui.lm.comparison import ComparisonPlan

CHARACTERS = "characters"


@dataclass(frozen=True, slots=True)
class Contender:
    """A tokenizer with the corpus encoded by it."""

    name: str
    folder: Path
    data: ModelData


def contender_name(size: int | None) -> str:
    """Give the name of the tokenizer with `size` tokens; None is the one without merges."""
    return CHARACTERS if size is None else f"bpe-{size}"


def prepare_contenders(
    plan: ComparisonPlan, splits: Splits, base: Sequence[str], folder: Path, report: Report
) -> list[Contender]:
    """Give the contenders of a plan; tokenizers and encoded splits that are there and right are used as they are.

    Raises DatasetError, MissingCharactersError, TokenizerFileError, Cancelled.
    """
    largest = _learned(plan, splits, base, report)
    contenders = []
    for size in plan.sizes:
        name = contender_name(size)
        tokenizer = BPETokenizer(base, _merges_for(largest, size))
        place = folder / name
        tokenizer.save(place / "tokenizer.json")

        def named(step: str, done: int, total: int, name: str = name) -> None:
            report(f"{name}: {step}", done, total)

        encoded = place / "encoded"
        if not _is_encoded(encoded, tokenizer, splits):
            encode_splits(tokenizer, splits, encoded, overwrite=True, report=named)
        contenders.append(Contender(name, place, open_data(encoded, tokenizer)))
    return contenders


def _learned(plan: ComparisonPlan, splits: Splits, base: Sequence[str], report: Report) -> BPETokenizer:
    """Give the largest tokenizer of the plan. The smaller ones are its beginnings: merges are learned in order."""
    from bpe_tui.bpe.trainer import Trainer

    target = max((size for size in plan.sizes if size is not None), default=0)
    if not target:
        return BPETokenizer(base, [])
    text = splits.train.text[: plan.training_characters]
    trainer = Trainer(text, target, plan.minimum_pair_frequency, base)
    report("learning merges", 0, target - len(base))
    while trainer.stop_reason is None:
        trainer.advance()
        report("learning merges", len(trainer.tokens) - len(base), target - len(base))
    return trainer.tokenizer()


def _merges_for(tokenizer: BPETokenizer, size: int | None) -> list[tuple[str, str]]:
    """Give the merges with which training to `size` would have ended, or all there are."""
    if size is None or not tokenizer.merges:
        return []
    # A merge can make a token that is there already: what counts is the highest id so far.
    reached = np.maximum.accumulate(tokenizer.merge_ids()[2]) + 1
    return tokenizer.merges[: int(np.searchsorted(reached, size)) + 1]


def _is_encoded(folder: Path, tokenizer: BPETokenizer, splits: Splits) -> bool:
    try:
        present = read_manifest(folder)
    except DatasetError:
        return False
    texts = {split.name: hashlib.sha256(split.text.encode("utf-8")).hexdigest() for split in splits}
    return present.fingerprint == tokenizer.fingerprint() and texts == {
        split.name: split.text_sha256 for split in present.splits if split.path.is_file()
    }
