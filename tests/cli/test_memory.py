"""What a run will take of memory: told before it begins, and a run that does not fit is not begun."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_tui.session import free_memory as system

from .conftest import RunCommand

HELD = 200_000_000


@pytest.fixture
def text(at_home: Path) -> Path:
    die = random.Random(5)
    words = ["".join(die.choices("abdegilmnorstu", k=die.randint(2, 9))) for _ in range(3_000)]
    file = at_home / "long.txt"
    file.write_text("".join(" ".join(die.choices(words, k=9)) + ".\n" for _ in range(6_000)))
    return file


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    """Have so much memory free."""

    def free(size: int | None) -> None:
        monkeypatch.setattr(system, "free_memory", lambda: size)
        monkeypatch.setattr(system, "held_memory", lambda: HELD)

    return free


def test_the_estimate_stands_before_the_first_merge(
    command: RunCommand, text: Path, machine: Callable[[int | None], None]
) -> None:
    machine(5_000_000_000)
    done = command("train", text, "--training-characters", "all", "-o", "t.json")
    assert done.code == 0
    found = re.search(
        r"^memory: about (\d+) MB at the peak, \S+ MB of it for this run; 5.00 GB are free$", done.out, re.M
    )
    assert found is not None
    assert int(found[1]) * 1_000_000 > HELD
    assert done.out.index("memory:") < done.out.index("merge     1")


@pytest.mark.parametrize("alphabet", ["characters", "words", "bytes"])
def test_every_kind_says_it_in_json(
    command: RunCommand, text: Path, machine: Callable[[int | None], None], alphabet: str
) -> None:
    machine(5_000_000_000)
    done = command("train", text, "--alphabet", alphabet, "-o", f"{alphabet}.json", "--json")
    memory = done.document["memory"]
    assert memory["estimated_peak_bytes"] == HELD + memory["estimated_run_bytes"]
    assert (memory["free_bytes"], memory["fits"]) == (5_000_000_000, True)


def test_a_run_that_does_not_fit_is_not_begun_and_what_is_offered_is(
    command: RunCommand, text: Path, machine: Callable[[int | None], None], at_home: Path
) -> None:
    machine(5_000_000)
    run = ("train", text, "--training-characters", "all", "-o", "t.json")
    refused = command(*run)
    assert refused.code == 1
    assert "5.00 MB are free" in refused.error
    assert not (at_home / "t.json").exists()
    fewer = re.search(r"--training-characters (\d+)", refused.error)
    assert fewer is not None
    assert "--alphabet bytes --split gpt2 (about" in refused.error
    assert command("train", text, "--training-characters", fewer[1], "-o", "fewer.json").code == 0
    assert command(*run[:-1], "bytes.json", "--alphabet", "bytes", "--split", "gpt2").code == 0
    ignored = command(*run, "--ignore-memory", "--json")
    assert ignored.code == 0
    assert ignored.document["memory"]["fits"] is False


def test_a_run_that_cannot_be_made_to_fit(
    command: RunCommand, text: Path, machine: Callable[[int | None], None]
) -> None:
    machine(1_000)
    error = command("train", text, "-o", "t.json").error
    assert "end other programs" in error
    assert "--training-characters" not in error


def test_a_machine_that_does_not_tell_refuses_nothing(
    command: RunCommand, corpus: Path, machine: Callable[[int | None], None]
) -> None:
    machine(None)
    done = command("build", "--target-vocab-size", "40")
    assert done.code == 0
    assert "what is free is not known" in done.out


def test_build_compare_sizes_and_extend_look_before_they_begin(
    command: RunCommand, text: Path, machine: Callable[[int | None], None], at_home: Path
) -> None:
    machine(5_000_000_000)
    assert command("train", text, "--target-vocab-size", "60", "-o", "t.json").code == 0
    extend = ("extend", "t.json", "--on", text, "--target-vocab-size", "80", "-o", "more.json")
    sizes = ("compare-sizes", text, "--sizes", "60,80", "--training-characters", "all")
    build = ("build", "--processed-dir", text, "--target-vocab-size", "60", "--overwrite")
    machine(5_000_000)
    for words in (extend, sizes, build):
        refused = command(*words)
        assert refused.code == 1
        assert "5.00 MB are free" in refused.error
        assert "--alphabet" not in refused.error or words is build
    assert not (at_home / "more.json").exists()
    for words in (extend, sizes):
        allowed = command(*words, "--ignore-memory", "--json")
        assert allowed.code == 0
        assert allowed.document["memory"]["fits"] is False


def test_a_resumed_run_cannot_change_so_nothing_else_is_offered(
    command: RunCommand, text: Path, machine: Callable[[int | None], None], at_home: Path
) -> None:
    from bpe_tui.corpus import read_splits
    from bpe_tui.session.checkpoint import write_checkpoint
    from bpe_tui.session.run import Run
    from bpe_tui.session.settings import RunSettings

    run = Run(read_splits(text), RunSettings(training_characters=None, target_vocab_size=100))
    run.step(5)
    run.wait_until(lambda seen: seen.merges == 5 and not seen.state.busy, 60)
    write_checkpoint(at_home / "kept.json", run)
    run.close()
    machine(1_000_000)
    refused = command("train", text, "--resume", "kept.json", "-o", "t.json")
    assert refused.code == 1
    assert "--training-characters" not in refused.error
    assert command("train", text, "--resume", "kept.json", "-o", "t.json", "--ignore-memory").code == 0
