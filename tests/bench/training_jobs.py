"""Jobs that hold training against other packages: each peer in fresh processes, in turn, from a file to a tokenizer.

What must learn the same merges is checked to have done so before anything counts; of the others it is said how many
tokens they share with bpe-tui: their rules differ.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inputs import base64_lines, prose_without_spaces
from measuring import OURS, Answer, Row, Rows, Setup, in_turn, installed, median, peak_of, skip
from peers_training import PEERS

COMMAND = "bpe-tui train"
"""The command, with reading and checking of the text, its imports, and the file that it writes."""
SLOW = ("rustbpe", "bpeasy", "tokenizers", "sentencepiece", COMMAND)
"""Measured once only where the input is big."""


def training(
    setup: Setup, what: str, kind: str, file: Path, target: int, peers: Sequence[str], once: Sequence[str] = ()
) -> Rows:
    """Give a row for each peer that is there."""
    present = [name for name in peers if name == COMMAND or installed(PEERS[kind][name].package, name)]
    present = [name for name in present if name == COMMAND or setup.wants(name)]
    places = {name: setup.scratch / f"learned-{number}.json" for number, name in enumerate(present)}
    requests: dict[str, dict[str, Any]] = {
        name: {
            "job": "train", "kind": kind, "peer": name, "file": str(file), "target": target, "tokens": str(places[name])
        }
        for name in present
    }  # fmt: skip
    if COMMAND in present:
        requests[COMMAND] = {"job": "cli", "arguments": _command(setup, file, target, places[COMMAND])}
    notes: dict[str, str] = {}

    def check(_: dict[str, Answer]) -> None:
        for name in present:
            notes[name] = _compared(kind, name, places)

    answers = in_turn(requests, setup.runs, once, check)
    ours, size = median(answers[OURS], "seconds"), file.stat().st_size
    for name in sorted(present, key=lambda name: median(answers[name], "seconds")):
        seconds = median(answers[name], "seconds")
        peak, added = peak_of(answers[name])
        parts = [f"{size / seconds / 1e6:,.1f} MB/s", f"peak {peak / 1e6:,.0f} MB", f"{added / size:.2f} added a byte"]
        parts += [notes[name]] * bool(notes[name]) + ["one run"] * (name in once)
        yield Row(f"{what}, {name}", seconds, None if name == OURS else seconds / ours, "; ".join(parts), peak, added)


def _command(setup: Setup, file: Path, target: int, output: Path) -> list[str]:
    little = setup.scratch / "little.txt"
    little.write_text("low lower lowest\n", encoding="utf-8")
    splits = ["--train", str(file), "--val", str(little), "--test", str(little)]
    settings = ["--alphabet", "bytes", "--training-characters", "all", "--target-vocab-size", str(target)]
    return ["train", *splits, *settings, "--output", str(output), "--overwrite", "--quiet"]


def _compared(kind: str, name: str, places: dict[str, Path]) -> str:
    """Hold what a peer has learned against ours. Raises SystemExit where they must be equal and are not."""
    if name == OURS:
        return ""
    ours = json.loads(places[OURS].read_text(encoding="utf-8"))
    if name == COMMAND:
        from bpe_tui import BPETokenizer

        theirs = [left + right for left, right in BPETokenizer.from_file(places[name]).merges]
        must, note = True, "reads, checks, writes"
    else:
        theirs = json.loads(places[name].read_text(encoding="utf-8"))
        must, note = PEERS[kind][name].exact, PEERS[kind][name].note
    if theirs == ours:
        return f"{note}{', ' if note else ''}merges equal"
    if theirs is not None and theirs[: len(ours)] == ours:
        # Where no pair is left that occurs twice, some go on with those that occur once.
        return f"{note}{', ' if note else ''}merges equal, {len(theirs) - len(ours):,} more of pairs that occur once"
    if must:
        raise SystemExit(f"the merges of {name} are not those of bpe-tui")
    if theirs is None:
        return note
    shared = len(set(theirs) & set(ours))
    return f"{note}{', ' if note else ''}{shared:,} of {len(ours):,} tokens shared"


def peers_characters(setup: Setup, _: Any) -> Rows:
    """Characters without splitting, to 2,000 and 8,000."""
    for target in (2_000, 8_000):
        yield from training(
            setup, f"characters to {target:,}", "characters", setup.text_file(), target, list(PEERS["characters"])
        )


def peers_bytes(setup: Setup, _: Any) -> Rows:
    """Bytes with GPT-2's splitting, to 8,000 and 32,000."""
    for target in (8_000, 32_000):
        yield from training(setup, f"bytes to {target:,}", "bytes", setup.text_file(), target, list(PEERS["bytes"]))


def peers_big(setup: Setup, _: Any) -> Rows:
    """Bytes to 32,000 on 105 MB: time and memory. The slow ones once."""
    file = setup.text_file(None if setup.megabytes else 105)
    peers = [*PEERS["bytes"], COMMAND]
    yield from training(setup, f"bytes to 32,000, {_size(file)}", "bytes", file, 32_000, peers, SLOW)


def peers_huge(setup: Setup, _: Any) -> Rows:
    """The same on all that the file has, for the fastest only."""
    file = setup.text_file()
    peers = [OURS, "gigabpe", "gigatoken", COMMAND]
    yield from training(setup, f"bytes to 32,000, {_size(file)}", "bytes", file, 32_000, peers, (COMMAND,))


def peers_long(setup: Setup, _: Any) -> Rows:
    """Long pieces: 30 MB of Chinese and Japanese without spaces, 10 MB of base64; bytes to 8,000."""
    size = setup.megabytes or 30
    sources = (
        [setup.file] if setup.file else [setup.shared / f"data/text/handbook_{name}.txt" for name in ("zh-CN", "ja-JP")]
    )
    inputs = {}
    if all(source.is_file() for source in sources):
        inputs["Chinese and Japanese"] = prose_without_spaces(sources, size, setup.scratch)
    else:
        skip("peers-long", "Chinese and Japanese; name a text in such a language with --file")
    inputs["base64"] = base64_lines(size / 3, setup.scratch)
    for what, file in inputs.items():
        yield from training(setup, f"{what}, {_size(file)}", "bytes", file, 8_000, [OURS, "gigabpe", "gigatoken"])


def _size(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:,.0f} MB"
