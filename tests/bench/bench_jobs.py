"""The jobs of `run.py`. Each yields rows: what was timed, seconds, how many times faster than the reference, a note."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from encoding_jobs import documents, encode_file, peers_encode
from lab_jobs import lab
from phase_jobs import phases
from scaling import scaling
from splitting_jobs import splitting
from training_jobs import peers_big, peers_bytes, peers_characters, peers_huge, peers_long

from bpe_tui import BPETokenizer, Trainer
from bpe_tui.bpe import reference

ROOT = Path(__file__).resolve().parent.parent.parent

Measure = Callable[[Callable[[], Any]], float]
Rows = Iterator[tuple[str, float, float | None, str]]


def train_fully(text: str, target: int, base_tokens: list[str] | None = None) -> Trainer:
    """Train to the end."""
    trainer = Trainer(text, target, base_tokens=base_tokens)
    while trainer.stop_reason is None:
        trainer.advance()
    return trainer


def once(work: Callable[[], Any]) -> tuple[Any, float]:
    """Give the result of `work` and its time: for the reference, which takes too long for several runs."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def train(corpus: Any, measure: Measure) -> Rows:
    """Training against the reference on the first 500,000 characters, and alone on the whole split."""
    text = corpus.train[:500_000]
    (merges, _), slow = once(lambda: reference.train(text, 500))
    trainer = train_fully(text, 500)
    rows = [trainer.log[rank] for rank in range(len(trainer.log))]
    learned = [(pair, row.frequency, row.length) for pair, row in zip(trainer.pairs(), rows, strict=True)]
    if learned != merges:
        raise SystemExit("train: the trainer and the reference differ")
    yield "500,000 characters to 500, reference", slow, None, "one run"
    fast = measure(lambda: train_fully(text, 500))
    yield "500,000 characters to 500, bpe-tui", fast, slow / fast, "merges, frequencies and lengths equal"
    for target in (2_000, 8_000):
        seconds = measure(lambda target=target: train_fully(corpus.train, target))
        note = f"{len(corpus.train) / seconds / 1e6:.1f} M characters/s, {peak_note(corpus, target)}"
        yield f"{len(corpus.train):,} characters to {target:,}, bpe-tui", seconds, None, note


MEASURE_PEAK = """
import sys
from pathlib import Path
from bpe_tui import Trainer

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

text = Path(sys.argv[1]).read_bytes().decode("utf-8")
next(Trainer("low lower lowest", 12))
before = peak()
trainer = Trainer(text, int(sys.argv[2]))
while trainer.stop_reason is None:
    trainer.advance()
print((peak() - before) / len(text))
"""


def peak_note(corpus: Any, target: int) -> str:
    """Say how much memory training adds to a process that has the text and the kernels (Linux only)."""
    if sys.platform != "linux":
        return ""
    finished = python("-c", MEASURE_PEAK, str(corpus.folder / "train.txt"), str(target))
    return f"{float(finished.stdout):.1f} bytes a character at the peak"


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run this Python with the package on its path."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, env=variables)


def encode(corpus: Any, measure: Measure) -> Rows:
    """Encoding all splits with 500 tokens, round trip proven and tensors written, against the reference encoder."""
    from bpe_tui.corpus import read_splits
    from bpe_tui.dataset import encode_splits

    base_tokens = BPETokenizer.base_tokens_of(corpus.train, corpus.val, corpus.test)
    tokenizer = train_fully(corpus.train[:500_000], 500, base_tokens).tokenizer()
    sample = corpus.val[:1_000_000]
    tokens, slow = once(lambda: reference.encode(sample, tokenizer.merges))
    if tokens != tokenizer.encode_tokens(sample):
        raise SystemExit("encode: the encoder and the reference differ")
    slow_rate = len(sample) / slow
    yield f"{len(sample):,} characters, reference", slow, None, "one run"
    fast = measure(lambda: tokenizer.encode_array(corpus.train))
    ratio = len(corpus.train) / fast / slow_rate
    yield (
        "training split to an array of ids, bpe-tui",
        fast,
        ratio,
        f"{len(corpus.train) / fast / 1e6:.1f} M characters/s",
    )
    splits = read_splits(corpus.folder)
    characters = sum(len(split.text) for split in splits)
    with tempfile.TemporaryDirectory() as folder:
        whole = measure(lambda: encode_splits(tokenizer, splits, Path(folder) / "encoded", overwrite=True))
    note = "ids equal on the sample, round trip proven, tensors and manifest written"
    yield f"all splits ({characters:,} characters) to .pt, bpe-tui", whole, characters / whole / slow_rate, note


def start(corpus: Any, measure: Measure) -> Rows:
    """Starting: `--help`, and the first merge with warm and with cold kernels."""
    yield "bpe-tui --help", measure(lambda: python("-m", "bpe_tui", "--help")), None, "whole process"
    first = "from bpe_tui import Trainer; next(Trainer('low lower lowest', 20))"
    yield "first merge, kernels warm", measure(lambda: python("-c", first)), None, "whole process"
    with tempfile.TemporaryDirectory() as folder:
        cold = once(lambda: python("-m", "bpe_tui.bpe.kernels", NUMBA_CACHE_DIR=folder))[1]
    yield "compiling all kernels, once ever", cold, None, "whole process, one run"


JOBS: dict[str, Callable[[Any, Measure], Iterator[tuple[Any, ...]]]] = {
    "train": train,
    "encode": encode,
    "splitting": splitting,
    "lab": lab,
    "start": start,
    "phases": phases,
}
"""What needs no other package."""
PEER_JOBS: dict[str, Callable[[Any, Measure], Iterator[tuple[Any, ...]]]] = {
    "peers-characters": peers_characters,
    "peers-bytes": peers_bytes,
    "peers-big": peers_big,
    "peers-huge": peers_huge,
    "peers-long": peers_long,
    "peers-encode": peers_encode,
    "documents": documents,
    "encode-file": encode_file,
    "scaling": scaling,
}
"""Those that hold it against the packages of the extra `bench`, and those that want a big file: by name only."""
