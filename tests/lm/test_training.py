"""A training does what its settings say, and one that was stopped anywhere comes to the same numbers."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bpe_tui.errors import Cancelled
from bpe_tui.lm import loop as loop_module
from bpe_tui.lm.checkpoint import read_checkpoint
from bpe_tui.lm.config import MiniGPTConfig
from bpe_tui.lm.data import ModelData
from bpe_tui.lm.errors import ModelSettingsError, RunFolderError, TrainingError
from bpe_tui.lm.evaluation import evaluate
from bpe_tui.lm.run_folder import RunFolder, TrainingState, read_json, read_status
from bpe_tui.lm.runs import begin_run, resume_run
from bpe_tui.lm.settings import Budget, BudgetKind, Progress, TrainingSettings
from bpe_tui.lm.training import Training
from bpe_tui.lm.watching import read_metrics

from .conftest import SHAPE, settings

TIMES = ("seconds", "tokens_per_second", "characters_per_second")


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return dict(read_checkpoint(folder).state["model"])


def timeless(folder: Path) -> list[dict[str, Any]]:
    return [{key: value for key, value in entry.items() if key not in TIMES} for entry in read_metrics(folder)]


def same(one: Path, other: Path) -> None:
    assert timeless(one) == timeless(other)
    first, second = weights(one), weights(other)
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        assert torch.equal(tensor, second[name]), name
    assert read_json(one / "result.json")["validation"] == read_json(other / "result.json")["validation"]  # type: ignore[index]


class StopAt:
    """A report that cancels when it is called for the nth time."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.step = ""

    def __call__(self, step: str, *_: int) -> None:
        self.left -= 1
        self.step = step
        if self.left == 0:
            raise Cancelled("stopped by the test")


def test_training_learns(data: ModelData, tmp_path: Path) -> None:
    loop = begin_run(data, tmp_path / "run", SHAPE, settings(150, learning_rate=1e-2))
    result = loop.run()
    assert result["validation"]["bits_per_character"] < 0.6 * math.log2(data.vocab_size)
    losses = [entry["loss"] for entry in read_metrics(tmp_path / "run") if entry["kind"] == "train"]
    assert losses[-1] < 0.5 * losses[0]
    assert loop.training.progress.step == 150


@pytest.fixture
def whole(data: ModelData, tmp_path: Path) -> Path:
    """A training that nobody stopped."""
    begin_run(data, tmp_path / "whole", SHAPE, settings()).run()
    return tmp_path / "whole"


@hypothesis_settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stops=st.lists(st.integers(1, 60), min_size=1, max_size=3))
def test_a_training_that_is_stopped_anywhere_comes_to_the_same_numbers(
    data: ModelData, whole: Path, tmp_path_factory: pytest.TempPathFactory, stops: list[int]
) -> None:
    broken = tmp_path_factory.mktemp("broken") / "run"
    first = True
    for stop in stops:
        report = StopAt(stop)
        try:
            if first:
                begin_run(data, broken, SHAPE, settings(), report=report).run()
            else:
                resume_run(data, broken, report=report).run()
        except Cancelled:
            status = read_status(broken)
            assert status is not None
            assert status.state is TrainingState.STOPPED
            # Other random numbers in between are of no account.
            torch.manual_seed(stop)
        first = False
    resume_run(data, broken).run()
    same(whole, broken)
    status = read_status(broken)
    assert status is not None
    assert status.state is TrainingState.DONE


def test_a_training_that_was_killed_goes_on_from_its_last_checkpoint(
    data: ModelData, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_module, "CHECKPOINT_SECONDS", 0.0)
    loop = begin_run(data, tmp_path / "killed", SHAPE, settings())
    advance = loop.training.advance

    def dying() -> Any:
        if loop.training.progress.step == 7:
            raise SystemExit
        if loop.training.progress.step == 4:
            monkeypatch.setattr(loop, "_save", lambda: None)
        return advance()

    monkeypatch.setattr(loop.training, "advance", dying)
    with pytest.raises(SystemExit):
        loop.run()
    assert read_checkpoint(tmp_path / "killed").state["progress"]["step"] == 4
    # What it wrote after the checkpoint comes a second time, not twice; nor does half a line matter.
    with (tmp_path / "killed/metrics.jsonl").open("ab") as file:
        file.write(b'{"kind": "tra')
    resume_run(data, tmp_path / "killed").run()
    same(whole, tmp_path / "killed")


def test_the_seed_decides(data: ModelData, tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        begin_run(data, tmp_path / name, SHAPE, settings(seed=seed)).run()
    same(tmp_path / "one", tmp_path / "again")
    assert timeless(tmp_path / "one") != timeless(tmp_path / "other")


@pytest.mark.parametrize(
    ("kind", "amount"), [(BudgetKind.STEPS, 5), (BudgetKind.CHARACTERS, 300), (BudgetKind.FLOPS, 5e6)]
)
def test_a_budget_is_spent_and_exceeded_by_less_than_a_step(data: ModelData, kind: BudgetKind, amount: float) -> None:
    training = Training(MiniGPTConfig(data.vocab_size, **SHAPE), settings(amount, kind), data)
    before = Progress()
    characters = 0
    while training.fraction < 1.0:
        before = training.progress
        figures = training.advance()
        characters += figures.characters
    budget = training.settings.budget
    assert budget.spent(before) < amount <= budget.spent(training.progress)
    assert training.progress.characters == characters
    assert training.progress.tokens == training.progress.step * 4 * 8
    assert training.progress.flops == training.progress.tokens * training.config.training_flops_per_token


def test_a_budget_of_time_ends(data: ModelData, tmp_path: Path) -> None:
    loop = begin_run(data, tmp_path / "run", SHAPE, settings(0.05, BudgetKind.SECONDS))
    loop.run()
    assert loop.training.progress.seconds >= 0.05
    kinds = {entry["kind"] for entry in read_metrics(tmp_path / "run")}
    assert kinds == {"train", "validation", "sample"}


def test_what_is_written_down(data: ModelData, tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    loop = begin_run(data, tmp_path / "run", SHAPE, settings(), observe=seen.append)
    result = loop.run()
    assert seen == read_metrics(tmp_path / "run")
    counts = [sum(entry["kind"] == kind for entry in seen) for kind in ("train", "validation", "sample")]
    assert counts == [6, 4, 2]
    assert [entry["step"] for entry in seen if entry["kind"] == "validation"] == [3, 6, 9, 12]
    run = read_json(tmp_path / "run/run.json")
    assert run is not None
    assert run["fingerprint"] == data.fingerprint
    assert run["config"]["vocab_size"] == data.vocab_size
    measured = evaluate(loop.training.model, data.ids("val"), data.lengths)
    assert result["validation"] == measured.as_dict() == read_json(tmp_path / "run/result.json")["validation"]  # type: ignore[index]
    samples = [entry for entry in seen if entry["kind"] == "sample"]
    assert all(data.tokenizer.decode(entry["ids"]) == entry["text"] for entry in samples)
    train = [entry for entry in seen if entry["kind"] == "train"]
    assert all(entry["bits_per_character"] > 0 and entry["characters_per_second"] > 0 for entry in train)


def test_the_folder_keeps_a_tokenizer_of_its_own(data: ModelData, tmp_path: Path) -> None:
    from bpe_tui import BPETokenizer

    begin_run(data, tmp_path / "run", SHAPE, settings())
    assert BPETokenizer.from_file(tmp_path / "run/tokenizer.json").fingerprint() == data.fingerprint


def test_an_empty_validation_split_is_no_obstacle(
    make_data: Callable[..., ModelData], tokenizer: Any, tmp_path: Path
) -> None:
    data = make_data(tokenizer, val="")
    result = begin_run(data, tmp_path / "run", SHAPE, settings()).run()
    assert "validation" not in result


def test_a_loss_that_is_no_number_says_what_to_do(data: ModelData, tmp_path: Path) -> None:
    loop = begin_run(data, tmp_path / "run", SHAPE, settings())
    with torch.no_grad():
        loop.training.model.token_embedding.weight.fill_(float("nan"))
    with pytest.raises(TrainingError, match=r"lower than 0\.001"):
        loop.run()
    status = read_status(tmp_path / "run")
    assert status is not None
    assert (status.state, status.alive) == (TrainingState.FAILED, False)
    assert "learning rate" in str(status.error)


def test_gradients_are_clipped(data: ModelData) -> None:
    config = MiniGPTConfig(data.vocab_size, **SHAPE)
    training = Training(config, settings(gradient_clip=1e-3), data)
    figures = training.advance()
    norm = torch.stack([p.grad.norm() for p in training.model.parameters() if p.grad is not None]).norm()
    assert figures.gradient_norm > 1e-3
    assert norm.item() == pytest.approx(1e-3, rel=1e-2)


@hypothesis_settings(max_examples=200)
@given(fraction=st.floats(0, 1), warm_up=st.floats(0, 1), final=st.floats(0, 1))
def test_the_learning_rate_stays_between_nothing_and_its_highest(fraction: float, warm_up: float, final: float) -> None:
    given = settings(learning_rate=0.5, warm_up=warm_up, final_learning_rate=final)
    assert 0.0 <= given.learning_rate_at(fraction) <= 0.5 * (1 + 1e-12)


def test_the_learning_rate_rises_then_falls() -> None:
    given = settings(learning_rate=1.0, warm_up=0.1, final_learning_rate=0.2)
    rates = [given.learning_rate_at(n / 100) for n in range(101)]
    assert rates[:11] == sorted(rates[:11])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert (rates[5], rates[10], rates[55], rates[100]) == pytest.approx((0.5, 1.0, 0.6, 0.2))


def test_settings_survive_being_written_down() -> None:
    given = settings(7.5, BudgetKind.SECONDS, seed=9, learning_rate=0.5)
    assert TrainingSettings.from_dict(given.as_dict()) == given


@pytest.mark.parametrize(
    "changes",
    [
        {"batch_size": 0},
        {"learning_rate": 0.0},
        {"learning_rate": float("nan")},
        {"warm_up": 2.0},
        {"samples": -1},
        {"seed": -1},
    ],
)
def test_impossible_settings_are_named(changes: dict[str, Any]) -> None:
    with pytest.raises(ModelSettingsError, match=next(iter(changes))):
        settings(**changes)


@pytest.mark.parametrize("amount", [0, -1, float("inf"), float("nan")])
def test_an_impossible_budget(amount: float) -> None:
    with pytest.raises(ModelSettingsError, match="larger than 0"):
        Budget(BudgetKind.STEPS, amount)


@pytest.mark.skipif(os.name != "posix", reason="folders cannot be locked there")
def test_two_trainings_that_begin_at_once_do_not_share_a_folder(data: ModelData, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = begin_run(data, folder, SHAPE, settings())
    # It has not said yet that it is there.
    assert not (folder / "status.json").exists()
    with pytest.raises(RunFolderError, match="is in use: another training has just begun in it"):
        begin_run(data, folder, SHAPE, settings(), overwrite=True)
    first.run(measure=False)
    entries = read_metrics(folder)
    steps = [entry["step"] for entry in entries if entry["kind"] == "validation"]
    assert steps == sorted(set(steps))
    # Whoever waited for it has the folder now, and may not go over what it finds there unasked.
    late = RunFolder(folder)
    late.path = tmp_path / "elsewhere"
    late.check(resume=False, overwrite=False)
    late.path = folder
    with pytest.raises(RunFolderError, match="holds a training already"):
        late.begin({}, data.tokenizer)
    late.release()
    # Two that go on from the same checkpoint are as bad.
    second = resume_run(data, folder)
    with pytest.raises(RunFolderError, match="is in use"):
        resume_run(data, folder)
    second.run(measure=False)


def test_a_folder_in_use_or_full_is_not_taken(data: ModelData, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(RunFolderError, match=r"no checkpoint\.pt to go on from"):
        resume_run(data, folder)
    loop = begin_run(data, folder, SHAPE, settings())
    loop.run()
    with pytest.raises(RunFolderError, match=r"holds a training already.*--resume.*--overwrite"):
        begin_run(data, folder, SHAPE, settings())
    status = read_status(folder)
    assert status is not None
    # The process that started this one is certainly there.
    loop.folder.status(dataclasses.replace(status, state=TrainingState.TRAINING, pid=os.getppid()))
    with pytest.raises(RunFolderError, match="is in use"):
        begin_run(data, folder, SHAPE, settings(), overwrite=True)
    data.tokenizer.save(tmp_path / "mine/tokenizer.json")
    with pytest.raises(RunFolderError, match=r"no run\.json that says"):
        begin_run(data, tmp_path / "mine", SHAPE, settings(), overwrite=True)
    assert (tmp_path / "mine/tokenizer.json").exists()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(RunFolderError, match="is a file"):
        begin_run(data, tmp_path / "file", SHAPE, settings())
