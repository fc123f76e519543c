"""The long steps of tokenizers side by side, over the functions of `analysis`: all of them run in threads."""

from __future__ import annotations

import dataclasses
import importlib.util
from typing import TYPE_CHECKING

from bpe_tui.analysis.baselines import baseline
from bpe_tui.analysis.comparison import compare, parting, shared_tokens, token_set
from bpe_tui.analysis.families import train_family
from bpe_tui.analysis.probe import probe, worst_first
from bpe_tui.bpe.garbage import no_collection
from bpe_tui.session import jobs, kernels
from bpe_tui.tui.lab.sides import Found, Pair, Passage, ProbedWords, Side
from bpe_tui.tui.loaded import LoadedEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.progress import Report

EXAMPLES = 12
"""Tokens that are named of those not shared."""


def why_no_families() -> str:
    """Give why WordPiece and Unigram cannot be trained here; empty if they can."""
    if importlib.util.find_spec("tokenizers") is None:
        return "needs the package tokenizers: pip install tokenizers"
    return ""


def load_side(path: Path, split: str | None, report: Report) -> BPETokenizer:
    """Read a tokenizer file and make it ready. Raises BPEError, OSError; `report` may raise Cancelled."""
    tokenizer = jobs.load_tokenizer(path, report, split).tokenizer
    make_ready(tokenizer, report)
    with no_collection():
        LoadedEncoder(tokenizer).prepare()
    report("ready", 0, 0)
    return tokenizer


def train_side(family: str, text: str, vocab_size: int, report: Report) -> BPETokenizer:
    """Train WordPiece or Unigram. Raises AnalysisError; `report` may raise Cancelled, but not while it trains."""
    return train_family(family, text, vocab_size, report)


def make_ready(tokenizer: BPETokenizer, report: Report) -> None:
    """Load the compiled code that a tokenizer needs; at once if it is there. Raises KernelError."""
    if tokenizer.kind != "foreign":
        modules = kernels.modules_for(tokenizer.unit)
        kernels.ensure_compiled(report, modules)
        kernels.load(report, modules)


def read_passage(key: object, text: str, report: Report) -> Passage:
    """Find the lines of a text. `report` may raise Cancelled."""
    report("reading the lines", 0, 0)
    lines = tuple((number, line) for number, line in enumerate(text.splitlines(), 1) if not line.isspace() and line)
    report("reading the lines", 1, 1)
    return Passage(key, text, lines)


def find(side: Side, passage: Passage, report: Report) -> Found:
    """Take the figures of one side. Raises BPEError; `report` may raise Cancelled."""
    tokenizer = side.tokenizer if side.tokenizer is not None else baseline(side.baseline, passage.text)
    make_ready(tokenizer, report)
    with no_collection():
        column = compare([(side.name, tokenizer)], passage.text, report)[0]
        report("collecting its tokens", 0, 0)
        tokens = frozenset(token_set(tokenizer))
    report("done", 1, 1)
    # The ids of all tokens of a large text take more room than everything else, and nobody asks for them again.
    return Found(side, passage, tokenizer, dataclasses.replace(column, encoded=None), tokens)


def pair(first: Found, second: Found, report: Report) -> Pair:
    """Compare two vocabularies and merge lists. `report` may raise Cancelled."""
    report("comparing vocabularies", 0, 2)
    with no_collection():
        shared = shared_tokens(first.tokens, second.tokens, EXAMPLES)
        report("comparing vocabularies", 1, 2)
        one, other = first.tokenizer, second.tokenizer
        part = parting(one, other) if one is not None and other is not None and one.merges and other.merges else None
    report("comparing vocabularies", 2, 2)
    return Pair(first, second, shared, part)


def probe_words(sides: tuple[Side, ...], words: tuple[str, ...], report: Report) -> ProbedWords:
    """Cut words with each side; the baseline of characters knows those of the words. Raises BPEError."""
    tokenizers = []
    for side in sides:
        tokenizer = side.tokenizer if side.tokenizer is not None else baseline(side.baseline, "".join(words))
        make_ready(tokenizer, report)
        tokenizers.append((side.name, tokenizer))
    probed = probe(tokenizers, words, report)
    return ProbedWords(sides, words, tuple(probed), tuple(worst_first(probed)))
