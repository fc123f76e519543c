"""Benchmarks: each checks that results are equal, times them side by side in one run, and prints medians and ratios.

    python tests/bench/run.py                the jobs that need no other package
    python tests/bench/run.py JOB...         some of them; those whose names begin with peers- hold it against others
    python tests/bench/run.py JOB... --file TEXT
                                             the peers- jobs, documents, encode-file and scaling on any text in UTF-8
    python tests/bench/run.py --json FILE    the figures as JSON, too

Nothing here asserts a time. The corpus is WikiText-2 where the shared test data is there (see `--shared`), and the King
James Bible that ships with the project otherwise. What each job does, and of what size a text it wants, is told in
`tests/bench/README.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from bench_jobs import JOBS, PEER_JOBS  # noqa: E402 - found beside this file
from measuring import Row, Setup  # noqa: E402


def set_up(arguments: argparse.Namespace, scratch: Path) -> Setup:
    """Read WikiText-2 if it is there, else the corpus that ships."""
    folder = arguments.shared / "data/wikitext-2"
    names = ("train", "valid", "test")
    name = "WikiText-2"
    if not folder.is_dir():
        folder, names, name = ROOT / "corpora/king-james-bible", ("train", "val", "test"), "King James Bible"
    train, val, test = ((folder / f"{split}.txt").read_bytes().decode("utf-8") for split in names)
    return Setup(
        name, train, val, test, folder, scratch, arguments.shared, arguments.file, arguments.megabytes, arguments.runs,
        tuple(arguments.peer),
    )  # fmt: skip


def measure(work: Callable[[], Any], runs: int) -> float:
    """Give the median time of `work` in seconds, after one run that does not count."""
    work()
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", help=f"some of: {', '.join([*JOBS, *PEER_JOBS])}")
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("BPE_TUI_SHARED", ROOT.parent / "shared")))
    file = os.environ.get("BPE_TUI_BENCH_FILE")
    parser.add_argument(
        "--file", type=Path, default=Path(file) if file else None,
        help="text to work on (default: $BPE_TUI_BENCH_FILE, else the training split)",
    )  # fmt: skip
    parser.add_argument("--megabytes", type=float, metavar="N", help="work on its first N megabytes")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each (default 5); medians are printed")
    parser.add_argument(
        "--peer", action="append", default=[], metavar="NAME", help="measure this package only (may be repeated)"
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    unknown = set(arguments.jobs) - set(JOBS | PEER_JOBS)
    if unknown:
        parser.error(f"no such job: {', '.join(sorted(unknown))}; there are {', '.join(JOBS | PEER_JOBS)}")
    if arguments.file is not None and not arguments.file.is_file():
        parser.error(f"there is no file {arguments.file}")
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")
    return arguments


def keep(arguments: argparse.Namespace, corpus: str, machine: str, rows: list[dict[str, Any]]) -> None:
    """Write what has been measured so far: a job that fails must not lose those before it."""
    content = {
        "corpus": corpus,
        "file": str(arguments.file) if arguments.file else None,
        "machine": machine,
        "date": time.strftime("%Y-%m-%d"),
        "runs": arguments.runs,
        "rows": rows,
    }
    arguments.json.write_text(json.dumps(content, indent=2), encoding="utf-8")


def main() -> int:
    """Run the jobs and print the table."""
    arguments = parse()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="bpe-tui-bench-") as scratch:
        setup = set_up(arguments, Path(scratch))
        day = time.strftime("%Y-%m-%d")
        print(f"{setup.name}, {len(setup.train):,} characters in the training split; {machine}; {day}")
        if arguments.file is not None:
            print(f"--file: {arguments.file}, {arguments.file.stat().st_size:,} bytes")
        for name in arguments.jobs or JOBS:
            for given in (JOBS | PEER_JOBS)[name](setup, lambda work: measure(work, arguments.runs)):
                row = Row(*given)
                rows.append({"job": name, **row._asdict()})
                faster = f"{row.ratio:>9,.2f} x" if row.ratio is not None else " " * 11
                print(f"{name:<18} {row.what:<56} {row.seconds:>10.4f} s {faster}  {row.note}", flush=True)
                if arguments.json:
                    keep(arguments, setup.name, machine, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
