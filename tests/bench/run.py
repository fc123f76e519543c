"""Benchmarks: each checks that results are equal, times them side by side in one run, and prints medians and ratios.

    python tests/bench/run.py                the jobs that need no other package
    python tests/bench/run.py JOB...         some of them; those whose names begin with peers- hold it against others
    python tests/bench/run.py --json FILE    the figures as JSON, too

Nothing here asserts a time. The corpus is WikiText-2 where the shared test data is there (see `--shared`), and the King
James Bible that ships with the project otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from bench_jobs import JOBS, PEER_JOBS  # noqa: E402 - found beside this file


@dataclass(frozen=True, slots=True)
class Corpus:
    """What the jobs work on."""

    name: str
    train: str
    val: str
    test: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    job: str
    what: str
    seconds: float
    ratio: float | None
    note: str


def read_corpus(shared: Path) -> Corpus:
    """Read WikiText-2 if it is there, else the corpus that ships."""
    folder = shared / "data/wikitext-2"
    names = ("train", "valid", "test")
    name = "WikiText-2"
    if not folder.is_dir():
        folder, names, name = ROOT / "corpora/king-james-bible", ("train", "val", "test"), "King James Bible"
    train, val, test = ((folder / f"{split}.txt").read_bytes().decode("utf-8") for split in names)
    return Corpus(name, train, val, test, folder)


def measure(work: Callable[[], Any], runs: int) -> float:
    """Give the median time of `work` in seconds, after one run that does not count."""
    work()
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main() -> int:
    """Run the jobs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", help=f"some of: {', '.join([*JOBS, *PEER_JOBS])}")
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("BPE_TUI_SHARED", ROOT.parent / "shared")))
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each (default 5); medians are printed")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    known = JOBS | PEER_JOBS
    unknown = set(arguments.jobs) - set(known)
    if unknown:
        parser.error(f"no such job: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    corpus = read_corpus(arguments.shared)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    print(
        f"{corpus.name}, {len(corpus.train):,} characters in the training split; {machine}; {time.strftime('%Y-%m-%d')}"
    )
    rows: list[Row] = []
    for name in arguments.jobs or JOBS:
        for what, seconds, ratio, note in known[name](corpus, lambda work: measure(work, arguments.runs)):
            rows.append(Row(name, what, seconds, ratio, note))
            faster = f"{ratio:>9,.1f} x" if ratio is not None else " " * 11
            print(f"{name:<16} {what:<52} {seconds:>10.4f} s {faster}  {note}", flush=True)
    if arguments.json:
        content = {"corpus": corpus.name, "machine": machine, "rows": [asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(content, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
