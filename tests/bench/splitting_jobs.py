"""The benchmark of splitting rules: the scanners against the `regex` package running the published patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import regex

from bpe_tui.bpe.pretokenize import RULES, split

SAMPLE = 1_000_000
"""Characters that `regex` is given."""


def splitting(corpus: Any, measure: Callable[[Callable[[], Any]], float]) -> Iterator[tuple[str, float, float, str]]:
    """Cutting the training split from bytes in memory to an array of ends, one thread, equal on the sample."""
    data = corpus.train.encode()
    sample = corpus.train[:SAMPLE]
    for name in ("whitespace", "gpt2", "cl100k", "o200k", "llama3", "qwen2"):
        rule = RULES[name]
        compiled = regex.compile(rule.pattern or "")
        lengths = [len(piece.encode()) for piece in compiled.findall(sample)]
        ends = split(sample, rule)
        if [end - start for start, end in zip([0, *ends.tolist()], ends.tolist(), strict=False)] != lengths:
            raise SystemExit(f"splitting: {name} and its pattern differ")
        slow = measure(lambda compiled=compiled: compiled.findall(sample)) / len(sample.encode())
        fast = measure(lambda rule=rule: split(data, rule)) / len(data)
        note = (
            f"{1e-6 / fast:,.0f} MB/s, regex {1e-6 / slow:,.0f}; {len(data) / len(split(data, rule)):.1f} bytes a piece"
        )
        yield f"{name}, {len(data):,} bytes", fast * len(data), slow / fast, note
