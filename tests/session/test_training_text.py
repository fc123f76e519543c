"""A run on bytes learns from files what it learns from their texts, and never holds them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpe_tui.__main__ import main
from bpe_tui.corpus import find_splits, read_splits
from bpe_tui.errors import RunError
from bpe_tui.session.identity import identify
from bpe_tui.session.memory import MemoryEstimator
from bpe_tui.session.run import Run
from bpe_tui.session.settings import RunSettings
from bpe_tui.session.state import RunState
from bpe_tui.session.training_text import training_text


@pytest.fixture
def corpus(tmp_path: Path, bible: str) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    texts = {"train": "\ufeff" + bible[:600_000] + "é 漢字 <|end|>", "val": bible[:100], "test": bible[:50]}
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8", newline="")
    return folder


@pytest.mark.parametrize("characters", [None, 1, 300_000, 10_000_000])
@pytest.mark.parametrize("rule", ["gpt2", "none"])
def test_files_and_texts_give_the_same_tokenizer(corpus: Path, characters: int | None, rule: str) -> None:
    settings = RunSettings(
        training_characters=characters, target_vocab_size=400, alphabet="bytes", split=rule, special_tokens=("<|end|>",)
    )
    found = []
    for splits in (read_splits(corpus), find_splits(corpus)):
        run = Run(splits, settings)
        run.start()
        end = run.wait_until(lambda snapshot: snapshot.state in (RunState.DONE, RunState.FAILED))
        assert end.error is None
        found.append((run.tokenizer().fingerprint(), run.identity(), run.merge_strings()))
        run.close()
    assert found[0] == found[1]


def test_no_more_of_a_file_is_read_than_is_trained_on(corpus: Path) -> None:
    splits = find_splits(corpus)
    reports: list[int] = []

    def report(step: str, done: int, total: int) -> None:
        reports.append(done)

    blocks = training_text(splits, 1000, report)
    assert sum(len(block) for block in blocks) == 1000
    assert max(reports) < splits.train.bytes
    assert identify(splits, RunSettings(training_characters=1000, alphabet="bytes"), ["a"]).characters == 1000


def test_the_text_of_a_file_is_not_at_hand(corpus: Path) -> None:
    run = Run(find_splits(corpus), RunSettings(alphabet="bytes"))
    with pytest.raises(RunError, match="not at hand"):
        _ = run.training_text
    run.close()


def test_the_estimate_of_a_file_is_that_of_its_text(corpus: Path) -> None:
    settings = RunSettings(training_characters=None, target_vocab_size=5_000, alphabet="bytes")
    text = read_splits(corpus).train.text
    at_hand = MemoryEstimator(text, lambda _: 256).run_memory(settings)
    in_file = MemoryEstimator(corpus / "train.txt", lambda _: 256).run_memory(settings)
    assert in_file == pytest.approx(at_hand, rel=0.02)
    (corpus / "wide.txt").write_text(text, encoding="utf-16")
    assert MemoryEstimator(corpus / "wide.txt", lambda _: 256).run_memory(settings) == pytest.approx(at_hand, rel=0.1)


def test_a_byte_that_is_no_text_ends_training_with_its_place(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = (corpus / "train.txt").read_bytes()
    (corpus / "train.txt").write_bytes(content[:500_000] + b"\xff" + content[500_000:])
    words = ["train", str(corpus), "--alphabet", "bytes", "--training-characters", "1000000", "--quiet"]
    words += ["--target-vocab-size", "300", "-o", str(corpus / "t.json")]
    assert main(words) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert "train.txt" in error
    assert "byte offset 500000" in error
    assert not (corpus / "t.json").exists()
    assert main([*words, "--invalid", "replace", "--json"]) == 0
    splits = json.loads(capsys.readouterr().out)["splits"]
    assert splits[0]["notes"]
    assert main([word for word in [*words, "--invalid", "replace", "--overwrite"] if word != "--quiet"]) == 0
    assert "1 invalid byte" in capsys.readouterr().out
