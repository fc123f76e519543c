"""Jobs that hold bpe-tui against other packages on the same input, in one run, taking turns.

They need `pip install -e '.[bench]'`. Where two packages must give the same, that is checked before anything is timed;
where their rules differ (which of two equally frequent pairs is merged first), the note says what was compared.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bpe_tui import BPETokenizer, Trainer
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.byte_training import byte_sequence, make_byte_tokenizer
from bpe_tui.bpe.pretokenize import RULES
from bpe_tui.bpe.trainer import Ties

Rows = Iterator[tuple[str, float, float | None, str]]
Works = dict[str, Callable[[], Any]]
RUNS = 5
OURS = "bpe-tui"


def alternately(works: Works, runs: int = RUNS) -> dict[str, float]:
    """Give the median seconds of each, one run of each in turn, after one of each that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(runs + 1):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            if turn:
                seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep all threads on one core, where the system can: so nobody gains by threads."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def rows_of(what: str, works: Works, notes: dict[str, str], megabytes: float = 0.0) -> Rows:
    """Give a row for each, with how many times as fast bpe-tui is."""
    medians = alternately(works)
    for name, seconds in sorted(medians.items(), key=lambda entry: entry[1]):
        note = notes.get(name, "")
        if megabytes:
            note = f"{megabytes / seconds:,.1f} MB/s{'; ' if note else ''}{note}"
        yield f"{what}, {name}", seconds, seconds / medians[OURS] if name != OURS else None, note


def learn_bytes(file: Path, target: int) -> Trainer:
    """Learn the merges of a file's bytes, with ties as Hugging Face's tokenizers settle them."""
    sequence = byte_sequence(file.read_bytes(), RULES["gpt2"], ties=Ties.LOWEST_ID)
    trainer = Trainer.on_sequence(sequence, target, 2, ties=Ties.LOWEST_ID)
    while trainer.stop_reason is None:
        trainer.advance()
    return trainer


def train_bytes(file: Path, target: int) -> ByteBPETokenizer:
    """From a file to a finished tokenizer of bytes."""
    return make_byte_tokenizer(learn_bytes(file, target), RULES["gpt2"], Ties.LOWEST_ID)


def peers_bytes(corpus: Any, measure: Any) -> Rows:
    """Training on bytes with GPT-2's splitting, from a file to a finished tokenizer."""
    import gigabpe
    import rustbpe
    import sentencepiece
    import tokenizers

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "train.txt"
        file.write_text(corpus.train, encoding="utf-8")

        def hugging_face(target: int) -> tokenizers.Tokenizer:
            tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
            tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
            alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
            trainer = tokenizers.trainers.BpeTrainer(
                vocab_size=target, min_frequency=2, show_progress=False, initial_alphabet=alphabet
            )
            # As one text: line by line, no piece could hold the line ends with what follows.
            tokenizer.train_from_iterator([file.read_text(encoding="utf-8")], trainer)
            return tokenizer

        def rust(target: int) -> rustbpe.Tokenizer:
            tokenizer = rustbpe.Tokenizer()
            tokenizer.train_from_iterator(
                iter([file.read_text(encoding="utf-8")]), target, pattern=RULES["gpt2"].pattern
            )
            return tokenizer

        def pieces(target: int) -> None:
            sentencepiece.SentencePieceTrainer.train(
                input=str(file), model_writer=io.BytesIO(), vocab_size=target, model_type="bpe", num_threads=2,
                byte_fallback=True, minloglevel=2,
            )  # fmt: skip

        for target in (8_000, 32_000):
            merges = [tuple(pair) for pair in json.loads(hugging_face(target).to_str())["model"]["merges"]]
            if learn_bytes(file, target).pairs() != merges:
                raise SystemExit("peers-bytes: the merges are not those of tokenizers")
            works: Works = {
                OURS: lambda target=target: train_bytes(file, target),
                "gigabpe": lambda target=target: gigabpe.train_bpe(
                    [str(file)], target, special_tokens=[], min_frequency=2, pretokenizer="bytelevel"
                ),
                "rustbpe": lambda target=target: rust(target),
                "tokenizers": lambda target=target: hugging_face(target),
                "sentencepiece": lambda target=target: pieces(target),
            }
            yield from rows_of(f"bytes to {target:,}", works, {"sentencepiece": "characters, its own splitting"})


def peers_characters(corpus: Any, measure: Any) -> Rows:
    """Training on characters without splitting; sentencepiece goes sentence by sentence, which is less work."""
    import sentencepiece

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "train.txt"
        file.write_text(corpus.train, encoding="utf-8")

        def ours(target: int) -> BPETokenizer:
            trainer = Trainer(corpus.train, target)
            while trainer.stop_reason is None:
                trainer.advance()
            return trainer.tokenizer()

        def pieces(target: int) -> None:
            sentencepiece.SentencePieceTrainer.train(
                input=str(file), model_writer=io.BytesIO(), vocab_size=target, model_type="bpe", num_threads=2,
                split_by_whitespace=False, split_by_number=False, split_by_unicode_script=False, add_dummy_prefix=False,
                normalization_rule_name="identity", remove_extra_whitespaces=False, character_coverage=1.0,
                max_sentencepiece_length=512, max_sentence_length=1_000_000, minloglevel=2,
            )  # fmt: skip

        for target in (2_000, 8_000):
            works: Works = {
                OURS: lambda target=target: ours(target),
                "sentencepiece": lambda target=target: pieces(target),
            }
            yield from rows_of(f"characters to {target:,}", works, {"sentencepiece": "sentence by sentence"})


def peers_encode(corpus: Any, measure: Any) -> Rows:
    """Encoding the training split with cl100k on one core, to ids equal to tiktoken's."""
    import quicktok
    import splintr
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    ranks = corpus.folder.parent / "ranks/cl100k_base.tiktoken"
    if not ranks.is_file():
        raise SystemExit(f"peers-encode: needs {ranks}")
    text, pattern = corpus.train, RULES["cl100k"].pattern or ""
    theirs = tiktoken.Encoding(
        "cl100k", pat_str=pattern, mergeable_ranks=load_tiktoken_bpe(str(ranks)), special_tokens={}
    )
    ours = BPETokenizer.from_file(ranks, split="cl100k")
    quick, splinter = quicktok.get_encoding("cl100k_base"), splintr.Tokenizer.from_pretrained("cl100k_base")
    expected = np.asarray(theirs.encode_ordinary(text), np.int64)
    works: Works = {
        OURS: lambda: ours.encode_array(text),
        "tiktoken": lambda: theirs.encode_ordinary(text),
        "quicktok": lambda: quick.encode_ordinary(text),
        "splintr": lambda: np.frombuffer(splinter.encode_flat(text), np.uint32),
    }
    for name, work in works.items():
        if not np.array_equal(np.asarray(work(), np.int64), expected):
            raise SystemExit(f"peers-encode: the ids of {name} are not tiktoken's")
    with one_core():
        yield from rows_of(f"cl100k, {len(text.encode()):,} bytes", works, {}, len(text.encode()) / 1e6)
    ids = expected.tolist()
    decoding: Works = {
        OURS: lambda: ours.decode(expected),
        "tiktoken": lambda: theirs.decode(ids),
        "quicktok": lambda: quick.decode(ids),
        "splintr": lambda: splinter.decode(ids),
    }
    for name, work in decoding.items():
        if work() != text:
            raise SystemExit(f"peers-encode: {name} does not decode to the text")
    with one_core():
        yield from rows_of(f"decode {len(ids):,} ids", decoding, {})
