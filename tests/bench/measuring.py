"""Rows of figures, and jobs in fresh processes that take turns and whose memory is measured, too.

A job that is measured in a process of its own cannot profit from what an earlier one left behind, and its peak is its
own. `child.py` does it; here it is asked and its answers are made rows.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
OURS = "bpe-tui"
LONGEST = 3600
"""Seconds after which a child is given up."""


class Row(NamedTuple):
    """What was timed, seconds, how many times as fast bpe-tui or the reference is, a note, bytes of memory at the peak.

    `peak` is the whole process; `added` what the job added to a process that had loaded its packages.
    """

    what: str
    seconds: float
    ratio: float | None = None
    note: str = ""
    peak: int | None = None
    added: int | None = None


Rows = Iterator[Row]
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Setup:
    """What the jobs work on and how often: see `run.py --help`."""

    name: str
    train: str
    val: str
    test: str
    folder: Path
    """Where these three are."""
    scratch: Path
    """A folder for files that are gone afterwards."""
    shared: Path
    file: Path | None = None
    megabytes: float | None = None
    runs: int = 5
    peers: tuple[str, ...] = ()

    def text_file(self, at_most: float | None = None) -> Path:
        """Give the file to work on: the one that was named, or the training split; cut to so many megabytes."""
        file = self.file or self.folder / "train.txt"
        sizes = [size for size in (at_most, self.megabytes) if size is not None]
        return beginning(file, min(sizes), self.scratch) if sizes else file

    def wants(self, peer: str) -> bool:
        """Whether a peer is to be measured."""
        return peer == OURS or not self.peers or peer in self.peers


def beginning(file: Path, megabytes: float, folder: Path) -> Path:
    """Give a file with the first megabytes of another; no character is cut."""
    size = int(megabytes * 1e6)
    if file.stat().st_size <= size:
        return file
    part = folder / f"{file.stem}-{megabytes:g}.txt"
    if not part.exists():
        with file.open("rb") as source:
            content = source.read(size + 4)
        while content[size] & 0xC0 == 0x80:
            size -= 1
        part.write_bytes(content[:size])
    return part


_told: set[str] = set()


def installed(package: str, name: str) -> bool:
    """Whether a package is there; says so once if it is not."""
    if importlib.util.find_spec(package) is not None:
        return True
    if name not in _told:
        print(f"{name} is not installed and left out: pip install -e '.[bench]'", flush=True)
        _told.add(name)
    return False


def skip(job: str, why: str) -> None:
    """Say that a part of a job is left out."""
    print(f"{job:<18} left out: {why}", flush=True)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep what compiled code prints on the way (gigatoken does) away from the figures."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with Path(os.devnull).open("wb") as nowhere:
        try:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            yield
        finally:
            for number, descriptor in enumerate(kept, 1):
                os.dup2(descriptor, number)
                os.close(descriptor)


def ask(**request: Any) -> Answer:
    """Let a fresh process do a job of `child.py`. Raises SystemExit with what it said if it fails."""
    command = [sys.executable, str(Path(__file__).parent / "child.py"), json.dumps(request)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    cores = request.get("cores", 0)
    if cores:
        # Pools of threads are made as large as these say, where they do not look at the cores they may use.
        environment |= {"RAYON_NUM_THREADS": str(cores), "OMP_NUM_THREADS": str(cores)}
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, env=environment)
    except subprocess.TimeoutExpired:
        raise SystemExit(f"{request}: not done after {LONGEST} s") from None
    if ended.returncode:
        raise SystemExit(f"{request}: exit code {ended.returncode}\n{ended.stderr[-3000:]}")
    answer: Answer = json.loads(ended.stdout.splitlines()[-1])
    return answer


def in_turn(
    requests: Mapping[str, Mapping[str, Any]],
    runs: int,
    once: Sequence[str] = (),
    check: Callable[[dict[str, Answer]], None] | None = None,
) -> dict[str, list[Answer]]:
    """Ask each in turn, after one round that does not count, whose answers are checked.

    Those in `once` are asked in that first round only, and it counts for them.
    """
    first = {name: ask(**request) for name, request in requests.items()}
    if check is not None:
        check(first)
    answers = {name: [first[name]] if name in once else [] for name in requests}
    for _ in range(runs):
        for name, request in requests.items():
            if name not in once:
                answers[name].append(ask(**request))
    return answers


def median(answers: Sequence[Answer], key: str) -> float:
    """Give the median of a figure."""
    return statistics.median(answer[key] for answer in answers)


def peak_of(answers: Sequence[Answer]) -> tuple[int, int]:
    """Give the peak of the process and what the job added to it: medians, in bytes."""
    return int(median(answers, "peak")), int(median(answers, "added"))
