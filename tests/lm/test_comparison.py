"""Tokenizers are compared on equal terms, and what was done is not done again."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bpe_tui import BPETokenizer, VocabularySizeError
from bpe_tui.errors import Cancelled
from bpe_tui.lm.comparison import ComparisonPlan, compare
from bpe_tui.lm.errors import ModelSettingsError, RunFolderError
from bpe_tui.lm.results import RunResult
from bpe_tui.lm.settings import BudgetKind

from .conftest import SHAPE, MakeSplits, settings

TIMES = ("seconds", "generated_characters_per_second", "curve")


def plan(amount: float = 500, kind: BudgetKind = BudgetKind.CHARACTERS, **changes: Any) -> ComparisonPlan:
    given: dict[str, Any] = {"sizes": (None, 18, 22), "seeds": (0, 1), **changes}
    return ComparisonPlan(settings=settings(amount, kind, samples=0), shape=SHAPE, **given)


def timeless(results: list[RunResult]) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in dataclasses.asdict(result).items() if name not in TIMES} for result in results
    ]


def test_equal_characters(make_splits: MakeSplits, tmp_path: Path) -> None:
    splits = make_splits()
    runs: list[RunResult] = []
    comparison = compare(plan(), splits, tmp_path / "out", finished=runs.append)
    assert [(run.contender, run.seed) for run in runs] == [
        (name, seed) for seed in (0, 1) for name in ("characters", "bpe-18", "bpe-22")
    ]
    assert [run.vocab_size for run in runs[:3]] == [len(splits.base_characters()), 18, 22]
    # Each saw the budget and less than one more batch: 4 windows of 8 tokens of at most a few characters.
    longest = max(len(token) for token in BPETokenizer.from_file(tmp_path / "out/bpe-22/tokenizer.json").tokens)
    assert all(500 <= run.characters < 500 + 4 * 8 * longest for run in runs)
    assert runs[0].steps > runs[1].steps > runs[2].steps
    assert runs[0].characters_per_token == 1.0 < runs[1].characters_per_token < runs[2].characters_per_token
    assert runs[0].characters_per_window == 8
    assert len({run.other_parameters for run in runs}) == 1
    assert runs[1].embedding_parameters - runs[0].embedding_parameters == (18 - runs[0].vocab_size) * 16
    assert all(run.generated_characters_per_second > 0 for run in runs)
    assert len(runs[0].curve) == 4
    row = comparison.document["summary"][1]
    bits = [run.bits_per_character for run in runs if run.contender == "bpe-18"]
    assert row["bits_per_character"] == pytest.approx(sum(bits) / 2)
    assert (row["lowest"], row["highest"], row["seeds"]) == (min(bits), max(bits), 2)
    assert json.loads((tmp_path / "out/comparison.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(comparison.document)
    )
    chart = ElementTree.parse(tmp_path / "out/comparison.svg")
    assert len(chart.findall("{http://www.w3.org/2000/svg}polyline")) == 3


@pytest.mark.parametrize(("kind", "amount"), [(BudgetKind.FLOPS, 2e7), (BudgetKind.SECONDS, 0.05)])
def test_equal_compute_and_equal_time(kind: BudgetKind, amount: float, make_splits: MakeSplits, tmp_path: Path) -> None:
    runs: list[RunResult] = []
    compare(plan(amount, kind, seeds=(0,)), make_splits(), tmp_path / "out", finished=runs.append)
    for run in runs:
        spent = run.flops if kind is BudgetKind.FLOPS else run.seconds
        assert amount <= spent
        if kind is BudgetKind.FLOPS:
            assert spent < amount + spent / run.steps * 1.001


def test_smaller_vocabularies_are_what_training_to_their_size_gives(make_splits: MakeSplits, tmp_path: Path) -> None:
    splits = make_splits()
    compare(plan(1, BudgetKind.STEPS, seeds=(0,)), splits, tmp_path / "out")
    for size in (18, 22):
        alone = BPETokenizer.train(splits.train.text, size, base_tokens=splits.base_characters(), verbose=False)
        assert BPETokenizer.from_file(tmp_path / f"out/bpe-{size}/tokenizer.json").fingerprint() == alone.fingerprint()


def test_what_was_interrupted_goes_on_and_what_is_done_is_not_done_again(
    make_splits: MakeSplits, tmp_path: Path
) -> None:
    splits = make_splits()
    whole: list[RunResult] = []
    compare(plan(), splits, tmp_path / "whole", finished=whole.append)
    for limit in (50, 120):
        left = [limit]

        def report(step: str, *_: int, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise Cancelled(step)

        with pytest.raises(Cancelled):
            compare(plan(), splits, tmp_path / "broken", report=report)
    broken: list[RunResult] = []
    compare(plan(), splits, tmp_path / "broken", finished=broken.append)
    assert timeless(broken) == timeless(whole)

    steps: list[str] = []
    again: list[RunResult] = []
    compare(plan(), splits, tmp_path / "broken", report=lambda step, *_: steps.append(step), finished=again.append)
    assert again == broken
    assert not [step for step in steps if "training" in step or "encoding" in step]


def test_another_comparison_in_the_folder_is_not_mixed_in(make_splits: MakeSplits, tmp_path: Path) -> None:
    first = plan(1, BudgetKind.STEPS, seeds=(0,), sizes=(None,))
    compare(first, make_splits(), tmp_path / "out")
    with pytest.raises(RunFolderError, match="differs in contenders, seeds, budget"):
        compare(plan(2, BudgetKind.STEPS), make_splits(), tmp_path / "out")
    with pytest.raises(RunFolderError, match="the text of the corpus"):
        compare(first, make_splits(test="low low low low"), tmp_path / "out")
    steps: list[str] = []
    compare(first, make_splits(), tmp_path / "out", overwrite=True, report=lambda step, *_: steps.append(step))
    assert any(step.endswith("training") for step in steps)


def test_nothing_to_compare(make_splits: MakeSplits, tmp_path: Path) -> None:
    with pytest.raises(VocabularySizeError, match=r"14 distinct characters.*from 15 on"):
        compare(plan(sizes=(14,)), make_splits(), tmp_path / "out")
    with pytest.raises(ModelSettingsError, match="test split is empty"):
        compare(plan(), make_splits(test=""), tmp_path / "out")
    with pytest.raises(ModelSettingsError, match="only once"):
        plan(sizes=(18, 18))
    assert not (tmp_path / "out").exists()
