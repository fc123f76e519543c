"""One job in a fresh process: `child.py '{"job": "train", ...}'` prints what it measured as a line of JSON.

Packages and compiled code are loaded before the clock starts. The peak is that of this process, read where the system
keeps it for this program alone: `getrusage` on Linux also counts the process that started this one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATUS = Path("/proc/self/status")
WARM_SECONDS = 3.0
"""After so long no further call is timed: there are fresh processes to come."""


def memory(field: str) -> int:
    """Give VmRSS or VmHWM in bytes."""
    if not STATUS.exists():
        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return size if sys.platform == "darwin" else 1024 * size
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def timed(work: Callable[[], Any]) -> tuple[Any, dict[str, Any]]:
    """Give the result of `work`, its seconds, and the memory at its peak."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak of loading
    before = memory("VmRSS")
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    peak = memory("VmHWM")
    return result, {"seconds": seconds, "peak": peak, "added": max(0, peak - before)}


def train(
    kind: str, peer: str, file: str, target: int, tokens: str | None = None, more: bool = False
) -> dict[str, Any]:
    """From a file to a finished tokenizer; writes the learned tokens to the file `tokens`, as JSON.

    With `more`, the target is on top of the base tokens.
    """
    from peers_training import PEERS

    trainer = PEERS[kind][peer]
    work = trainer.load()
    result, answer = timed(lambda: work(Path(file), target, more))
    if tokens is not None:
        Path(tokens).write_text(json.dumps(trainer.learned(result)), encoding="utf-8")
    return answer


def cli(arguments: list[str]) -> dict[str, Any]:
    """`bpe-tui` with these arguments, its imports included."""
    from bpe_tui.__main__ import main

    code, answer = timed(lambda: main(arguments))
    if code:
        raise SystemExit(f"bpe-tui {' '.join(arguments)}: exit code {code}")
    return answer


def digest(ids: Any) -> str:
    """Give a digest of ids, whatever holds them."""
    import numpy as np

    return hashlib.sha256(np.asarray(ids, np.int64).tobytes()).hexdigest()


def warm(work: Callable[[], Any], calls: int) -> float:
    """Give the median seconds of some more calls."""
    begun, seconds = time.perf_counter(), []
    while len(seconds) < calls and (not seconds or time.perf_counter() - begun < WARM_SECONDS):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def encode(peer: str, ranks: str, encoding: str, file: str, calls: int = 3) -> dict[str, Any]:
    """Encode and decode a text: the first call of a tokenizer, and calls after it."""
    import numpy as np
    from peers_encoding import ENCODERS

    encoder = ENCODERS[peer].load(Path(ranks), encoding)
    text = Path(file).read_bytes().decode("utf-8")
    ids, answer = timed(lambda: encoder.encode(text))
    given = np.asarray(ids, np.int64)
    answer |= {"digest": digest(given), "tokens": len(given), "warm": warm(lambda: encoder.encode(text), calls)}
    ids = encoder.to_decode(given)
    if encoder.decode(ids) != text:
        raise SystemExit(f"{peer} does not decode to the text")
    answer["decoding"] = warm(lambda: encoder.decode(ids), calls)
    return answer


def documents(
    peer: str, ranks: str, encoding: str, file: str, separator: str, threads: int, calls: int = 9
) -> dict[str, Any]:
    """Encode many documents by one call, with so many threads where a peer can be told."""
    from peers_encoding import ENCODERS, cut_documents

    encoder = ENCODERS[peer].load(Path(ranks), encoding)
    texts = cut_documents(Path(file).read_bytes().decode("utf-8"), separator)
    encoder.batch(texts[:64], threads)
    result, answer = timed(lambda: encoder.batch(texts, threads))
    ids = encoder.flat(result)
    answer |= {"digest": digest(ids), "tokens": len(ids), "documents": len(texts)}
    answer["warm"] = warm(lambda: encoder.batch(texts, threads), calls)
    return answer


def encode_file(tokenizer: str, file: str) -> dict[str, Any]:
    """Read a file and encode it as one text to an array; each timed by itself."""
    from bpe_tui import BPETokenizer
    from bpe_tui.corpus import read_text

    encoder = BPETokenizer.from_file(tokenizer)
    encoder.encode("what loads the compiled code")
    encoder = BPETokenizer.from_file(tokenizer)
    steps: dict[str, float] = {}

    def step(name: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = work()
        steps[name] = time.perf_counter() - start
        return result

    def work() -> int:
        text = step("reading", lambda: read_text(file).text)
        return len(step("encoding", lambda: encoder.encode_array(text)))

    tokens, answer = timed(work)
    return answer | {"tokens": tokens, "steps": steps}


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "train": train, "cli": cli, "encode": encode, "documents": documents, "encode_file": encode_file,
}  # fmt: skip


def main() -> None:
    """Do what was asked."""
    request = json.loads(sys.argv[1])
    cores = request.pop("cores", 0)
    if cores and hasattr(os, "sched_setaffinity"):
        # Before anything is loaded: threads of pools stay where the thread was that made them.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    print(json.dumps(JOBS[request.pop("job")](**request)))


if __name__ == "__main__":
    main()
