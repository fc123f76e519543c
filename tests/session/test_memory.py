"""The estimate before a run, held against the memory that processes really take."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest

from bpe_tui.bpe.memory import DistinctPieces
from bpe_tui.session import free_memory as system
from bpe_tui.session.memory import MemoryEstimator, extending_settings
from bpe_tui.session.settings import RunSettings

ROOT = Path(__file__).resolve().parents[2]

_CHILD = """
import sys
from bpe_tui.__main__ import main

code = main(sys.argv[1:])
try:
    # Unlike getrusage, this begins anew with the program, whatever its parent took.
    most = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    most = int(most.split()[1]) * 1024
except OSError:
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(most, file=sys.stderr)
sys.exit(code)
"""


def zipf_text(characters: int, seed: int = 1, vocabulary: int = 60_000) -> str:
    """Text whose words are as frequent as words are: the n-th comes about 1/n times as often as the first."""
    die = random.Random(seed)
    letters = "etaoinshrdlucmfwygpbvkxqjz"
    weights = list(accumulate(1 / (rank + 2) for rank in range(len(letters))))
    words = [
        "".join(die.choices(letters, cum_weights=weights, k=die.choice((2, 3, 4, 5, 6, 7, 8, 9, 11))))
        for _ in range(vocabulary)
    ]
    ranks = list(accumulate(1 / (rank + 2.7) for rank in range(vocabulary)))
    drawn = die.choices(words, cum_weights=ranks, k=characters // 4)
    return " ".join(word + (".\n" if number % 17 == 16 else "") for number, word in enumerate(drawn))[:characters]


def trained(file: Path, folder: Path, command: str = "train", *options: object) -> tuple[dict[str, Any], int]:
    """Train in a process of its own; give the estimate that it printed and the memory that it took."""
    small = folder / "small.txt"
    small.write_text("the end\n" * 10)
    outputs = (
        ["-o", folder / "t.json"]
        if command == "train"
        else ["--tokenizer-output", folder / "t.json", "--encoded-output-dir", folder / "encoded"]
    )
    words = [command, "--train", file, "--val", small, "--test", small, *outputs, "--json", "--quiet", *options]
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["memory"], int(done.stderr.split()[-1])


def close(estimate: dict[str, Any], peak: int) -> bool:
    return abs(estimate["estimated_peak_bytes"] - peak) <= 0.25 * peak


@pytest.mark.skipif(sys.platform == "win32", reason="the peak of a process is read as on POSIX systems")
class TestAgainstProcesses:
    """Not more than a quarter off: the whole process, from its interpreter to the tokenizer that it saves."""

    @pytest.mark.parametrize(
        "options",
        [
            ("--target-vocab-size", "8000"),
            ("--alphabet", "words", "--target-vocab-size", "2000"),
            ("--alphabet", "bytes", "--target-vocab-size", "16000"),
        ],
        ids=["characters", "words", "bytes"],
    )
    def test_on_made_up_words(self, options: tuple[str, ...], tmp_path: Path) -> None:
        file = tmp_path / "zipf.txt"
        file.write_text(zipf_text(3_000_000), encoding="utf-8")
        estimate, peak = trained(file, tmp_path, "train", "--training-characters", "all", *options)
        assert close(estimate, peak), (estimate, peak)

    def test_on_a_shipped_corpus(self, tmp_path: Path) -> None:
        file = ROOT / "corpora/king-james-bible/train.txt"
        estimate, peak = trained(
            file, tmp_path, "train", "--training-characters", "all", "--alphabet", "bytes", "--split", "none"
        )
        assert close(estimate, peak), (estimate, peak)

    def test_with_everything_that_build_does(self, tmp_path: Path) -> None:
        estimate, peak = trained(ROOT / "corpora/king-james-bible/train.txt", tmp_path, "build")
        assert close(estimate, peak), (estimate, peak)

    @pytest.mark.parametrize(
        ("file", "options"),
        [
            ("wikitext-2/train.txt", ("--target-vocab-size", "64000")),
            ("text/udhr_all_languages.txt", ("--alphabet", "bytes", "--target-vocab-size", "32000")),
            ("text/handbook_ja-JP.txt", ("--target-vocab-size", "8000")),
        ],
    )
    def test_on_real_text(self, file: str, options: tuple[str, ...], shared: Path, tmp_path: Path) -> None:
        estimate, peak = trained(shared / "data" / file, tmp_path, "train", "--training-characters", "all", *options)
        assert close(estimate, peak), (estimate, peak)


@pytest.fixture(scope="module")
def text() -> str:
    return zipf_text(400_000, vocabulary=8_000)


@pytest.fixture(scope="module")
def estimator(text: str) -> MemoryEstimator:
    return MemoryEstimator(text, lambda settings: 256 if settings.alphabet == "bytes" else 30)


KINDS = [{}, {"alphabet": "words"}, {"alphabet": "bytes"}, {"alphabet": "bytes", "split": "none"}]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_more_text_and_more_tokens_never_take_less(estimator: MemoryEstimator, kind: dict[str, Any]) -> None:
    by_text = [
        estimator.run_memory(RunSettings(training_characters=characters, **kind))
        for characters in (1, 1_000, 50_000, 100_000, 399_999)
    ]
    by_target = [
        estimator.run_memory(RunSettings(training_characters=None, target_vocab_size=target, **kind))
        for target in (256, 500, 2_000, 8_000, 1_000_000)
    ]
    for smaller, larger in [*pairwise(by_text), *pairwise(by_target)]:
        assert smaller <= larger


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_is_offered_fits(estimator: MemoryEstimator, kind: dict[str, Any]) -> None:
    settings = RunSettings(training_characters=None, target_vocab_size=2_000, **kind)
    free = estimator.run_memory(settings) * 2 // 3
    for offer in estimator.what_fits(settings, free):
        assert estimator.run_memory(offer.settings) == offer.run <= free
        assert offer.settings.target_vocab_size == settings.target_vocab_size
    fewer = estimator.what_fits(settings, free)[0].settings
    assert fewer.training_characters is not None
    assert fewer.alphabet is settings.alphabet
    # As many as fit, but for a margin and a round number.
    more = RunSettings.from_dict({**fewer.as_dict(), "training_characters": fewer.training_characters * 3 // 2})
    assert estimator.run_memory(more) > free * 0.9


def test_where_nothing_fits_nothing_is_offered(estimator: MemoryEstimator) -> None:
    assert estimator.what_fits(RunSettings(training_characters=None), 1_000) == ()


def test_bytes_are_offered_only_where_their_base_tokens_have_room(estimator: MemoryEstimator) -> None:
    small = RunSettings(training_characters=None, target_vocab_size=255)
    free = estimator.run_memory(small) * 2 // 3
    assert all(offer.settings.alphabet == "characters" for offer in estimator.what_fits(small, free))


def test_a_sample_tells_how_many_pieces_the_whole_has() -> None:
    whole = zipf_text(2_000_000, vocabulary=300_000).split()
    sample = whole[: len(whole) // 8]
    half = sample[::2]

    def figures(words: list[str]) -> DistinctPieces:
        return DistinctPieces(len(set(words)), sum(map(len, set(words))), len(words))

    guess = DistinctPieces.extrapolated(figures(half), figures(sample), 8.0)
    assert guess.number == pytest.approx(len(set(whole)), rel=0.35)
    assert guess.occurrences == pytest.approx(len(whole), rel=0.01)


def test_room_of_an_earlier_run_counts_as_free(estimator: MemoryEstimator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "free_memory", lambda: 1_000_000)
    monkeypatch.setattr(system, "held_memory", lambda: 900_000_000)
    found = estimator.estimate(RunSettings(), held=200_000_000)
    assert found.free == 701_000_000
    assert found.peak == 200_000_000 + found.run
    assert found.fits


def test_nobody_is_refused_where_free_memory_is_not_known(
    estimator: MemoryEstimator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "free_memory", lambda: None)
    assert estimator.estimate(RunSettings()).fits


def test_extending_is_estimated_as_training_on_the_same_kind() -> None:
    from bpe_tui import BPETokenizer
    from bpe_tui.bpe.byte_training import byte_order, byte_tokenizer
    from bpe_tui.bpe.pretokenize import rule

    characters = extending_settings(BPETokenizer(["a", "b"], [("a", "b")]), None, 100, 2)
    assert (characters.alphabet, characters.training_characters) == ("characters", None)
    in_bytes = byte_tokenizer(byte_order("lowest-id"), [], rule("cl100k"), "lowest-id")
    assert extending_settings(in_bytes, 10, 300, 2).split == "cl100k"
    own = byte_tokenizer(byte_order("lowest-id"), [], rule("pattern", r"\w+"), "lowest-id")
    assert extending_settings(own, 10, 300, 2).pattern == r"\w+"


class Machine:
    """The files in which Linux tells of memory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("proc/meminfo", "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\n")

    def write(self, name: str, content: object) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content}\n")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(sys, "platform", "linux")
    return Machine(tmp_path)


def test_a_machine_without_limits(machine: Machine) -> None:
    machine.write("proc/self/cgroup", "0::/user.slice/session")
    machine.write("sys/fs/cgroup/user.slice/session/memory.max", "max")
    machine.write("sys/fs/cgroup/user.slice/session/memory.current", 5)
    assert system.free_memory(machine.root) == 8_000_000 * 1024


def test_a_limit_on_any_level_counts(machine: Machine) -> None:
    machine.write("proc/self/cgroup", "0::/user.slice/session")
    machine.write("sys/fs/cgroup/user.slice/memory.max", 2_000_000_000)
    machine.write("sys/fs/cgroup/user.slice/memory.current", 1_500_000_000)
    machine.write("sys/fs/cgroup/user.slice/memory.stat", "anon 9\ninactive_file 100000000\nactive_file 7")
    assert system.free_memory(machine.root) == 600_000_000


def test_a_container_sees_its_group_as_the_root(machine: Machine) -> None:
    machine.write("proc/self/cgroup", "0::/docker/not-to-be-seen-from-inside")
    machine.write("sys/fs/cgroup/memory.max", 300_000_000)
    machine.write("sys/fs/cgroup/memory.current", 310_000_000)
    assert system.free_memory(machine.root) == 0


def test_groups_of_the_first_version(machine: Machine) -> None:
    machine.write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/box/a\n0::/")
    machine.write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", 1_000_000_000)
    machine.write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", 400_000_000)
    # What stands for "no limit" in this version.
    machine.write("sys/fs/cgroup/memory/box/a/memory.limit_in_bytes", 9223372036854771712)
    machine.write("sys/fs/cgroup/memory/box/a/memory.usage_in_bytes", 1)
    assert system.free_memory(machine.root) == 600_000_000


def test_a_system_that_does_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert system.free_memory(tmp_path) is None


def test_macos_tells_in_pages() -> None:
    told = (
        "Mach Virtual Memory Statistics: (page size of 16384 bytes)\nPages free:                  1000.\n"
        "Pages active:             90000.\nPages inactive:              2000.\nPages speculative:           30.\n"
        "Pages purgeable:                4.\n"
    )
    assert system.pages_free(told) == 3034 * 16384
    assert system.pages_free("vm_stat: not today") is None


def test_this_machine_tells_both() -> None:
    assert system.held_memory() > 10_000_000
    if sys.platform == "linux":
        assert (system.free_memory() or 0) > 0


@pytest.mark.parametrize("kind", [{"alphabet": "bytes"}, {"alphabet": "words"}, {"alphabet": "characters"}])
def test_a_run_on_nothing_takes_next_to_nothing(kind: dict[str, str]) -> None:
    estimator = MemoryEstimator("", lambda _: 256)
    settings = RunSettings(None, 300, 2, **kind)  # type: ignore[arg-type]
    assert estimator.run_memory(settings) < 100_000_000
    assert estimator.knows(settings) or kind["alphabet"] != "characters"
    assert estimator.what_fits(settings, 10**9) is not None
