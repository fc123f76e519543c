"""`bpe-tui build`: the whole way, each figure held against the plain algorithm."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from bpe_tui import BPETokenizer
from bpe_tui.bpe import reference
from bpe_tui.dataset import read_manifest

from .conftest import CORPUS, RunCommand, files_below

OUTPUTS = {
    "tokenizer/bpe_tokenizer.json",
    "data/encoded_bpe/train_ids.pt",
    "data/encoded_bpe/val_ids.pt",
    "data/encoded_bpe/test_ids.pt",
    "data/encoded_bpe/manifest.json",
}


def outputs(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in files_below(folder).items() if not name.startswith("data/processed")}


def test_everything_is_what_the_reference_says(command: RunCommand, corpus: Path, at_home: Path) -> None:
    result = command("build", "--target-vocab-size", 45, "--training-characters", 1000)
    assert result.code == 0, result.err
    assert set(outputs(at_home)) == OUTPUTS

    base_tokens = sorted(set("".join(CORPUS.values())))
    merges, reason = reference.train(CORPUS["train"][:1000], 45, 2, base_tokens)
    tokenizer = BPETokenizer.from_file("tokenizer/bpe_tokenizer.json")
    assert tokenizer.base_tokens == base_tokens
    assert tokenizer.merges == [merge.pair for merge in merges]
    assert reason == "target"

    lines = result.out.splitlines()
    for split, text in CORPUS.items():
        assert any(line.startswith(f"{split}:") and f"{len(text):,} characters" in line for line in lines)
        expected = [tokenizer.stoi[token] for token in reference.encode(text, tokenizer.merges)]
        tensor = torch.load(f"data/encoded_bpe/{split}_ids.pt", weights_only=True)
        assert tensor.dtype == torch.int64
        assert tensor.tolist() == expected
        factor, reduction = len(text) / len(expected), 100 - 100 * len(expected) / len(text)
        assert f"{factor:.3f} characters per token, {reduction:.1f}% fewer" in result.out
        assert f"ids {min(expected)} to {max(expected)} of {tokenizer.vocab_size}" in result.out
        assert f"shape ({len(expected)},)" in result.out
    assert f"base vocabulary: {len(base_tokens)} tokens" in lines
    told = [line for line in lines if line.startswith("merge ")]
    assert len(told) == min(20, len(merges))
    for line, merge in zip(told, merges, strict=False):
        assert f"frequency {merge.frequency:>9,}  length {merge.length:>11,}" in line
        assert line.endswith("→ " + "".join(merge.pair).replace(" ", "·").replace("\n", "⏎"))
    assert tokenizer.fingerprint() in result.out
    longest = sorted(
        enumerate(tokenizer.tokens[len(base_tokens) :], len(base_tokens)), key=lambda e: (-len(e[1]), e[0])
    )
    start = lines.index(f"the {len(longest[:30])} longest learned tokens:") + 1
    for line, (token_id, token) in zip(lines[start:], longest[:30], strict=False):
        assert line.split() == [
            str(token_id),
            str(len(token)),
            "characters",
            token.replace(" ", "·").replace("\n", "⏎"),
        ]


def test_without_a_corpus_it_says_how_to_name_one(command: RunCommand) -> None:
    result = command("build")
    assert result.code == 2
    assert "--processed-dir king-james-bible" in result.error


def test_every_hundredth_merge_is_told(command: RunCommand, at_home: Path) -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    (at_home / "code.txt").write_text(text, encoding="utf-8")
    result = command("build", "--processed-dir", "code.txt", "--target-vocab-size", 400, "--json")
    assert result.code == 0, result.err
    merges = result.document["training"]["merges"]
    assert merges > 200
    ranks = [entry["rank"] for entry in result.document["training"]["log"]]
    assert ranks == [rank for rank in range(merges) if rank < 20 or rank % 100 == 99]


def test_json_is_the_only_thing_on_standard_output(command: RunCommand, corpus: Path) -> None:
    result = command("build", "--json", "--target-vocab-size", 30)
    assert result.code == 0, result.err
    document = result.document
    assert set(document) == {"splits", "memory", "training", "tokenizer", "encoded", "longest_tokens", "sample"}
    assert "base vocabulary" in result.err
    assert document["training"]["vocab_size"] == 30
    assert document["training"]["stop_reason"] == "target"
    assert document["tokenizer"]["reloaded_equal"] is True
    for split in document["encoded"]["splits"]:
        ids = torch.load(split["file"], weights_only=True).numpy()
        assert split["shape"] == [len(ids)]
        assert split["ids_sha256"] == hashlib.sha256(ids.astype("<i8").tobytes()).hexdigest()
        assert split["text_sha256"] == hashlib.sha256(CORPUS[split["name"]].encode()).hexdigest()
        assert split["round_trip_exact"] is True
    sample = document["sample"]
    assert "".join(sample["tokens"]) == sample["text"] == CORPUS["val"][:120]


def test_quiet_says_nothing(command: RunCommand, corpus: Path, at_home: Path) -> None:
    result = command("build", "--quiet", "--target-vocab-size", 30)
    assert (result.code, result.raw, result.err) == (0, b"", "")
    assert set(outputs(at_home)) == OUTPUTS


def test_ascii_prints_nothing_else(command: RunCommand, corpus: Path) -> None:
    result = command("build", "--ascii", "--target-vocab-size", 30)
    assert result.code == 0, result.err
    assert result.out.isascii()
    assert " + " in result.out
    assert "->" in result.out


def test_the_same_again_changes_nothing(command: RunCommand, corpus: Path, at_home: Path) -> None:
    assert command("build", "--target-vocab-size", 30).code == 0
    before = outputs(at_home)
    assert command("build", "--target-vocab-size", 30).code == 0
    assert outputs(at_home) == before


def test_outputs_of_another_tokenizer_stay_unless_overwrite(command: RunCommand, corpus: Path, at_home: Path) -> None:
    assert command("build", "--target-vocab-size", 30).code == 0
    before = outputs(at_home)
    result = command("build", "--target-vocab-size", 35)
    assert result.code == 1
    assert "bpe_tokenizer.json holds another tokenizer" in result.error
    assert "--overwrite" in result.error
    assert outputs(at_home) == before
    result = command("build", "--target-vocab-size", 35, "--tokenizer-output", "other.json")
    assert result.code == 1
    assert "data/encoded_bpe holds the output of another tokenizer" in result.error
    # Neither of the two outputs is touched when one of them is refused.
    assert outputs(at_home) == before
    assert command("build", "--target-vocab-size", 35, "--overwrite").code == 0
    assert read_manifest(at_home / "data/encoded_bpe").vocab_size == 35
    assert BPETokenizer.from_file("tokenizer/bpe_tokenizer.json").vocab_size == 35


def test_a_file_that_is_no_tokenizer_is_not_replaced(command: RunCommand, corpus: Path, at_home: Path) -> None:
    (at_home / "notes.txt").write_text("mine", encoding="utf-8")
    result = command("build", "--target-vocab-size", 30, "--tokenizer-output", "notes.txt")
    assert result.code == 1
    assert "notes.txt exists and is no tokenizer" in result.error
    assert (at_home / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_splits_named_one_by_one(command: RunCommand, at_home: Path) -> None:
    folder = at_home / "a b, ü"
    folder.mkdir()
    for name, text in CORPUS.items():
        (folder / f"{name} ☃.txt").write_bytes(text.encode())
    named = [f for name in CORPUS for f in (f"--{name}", folder / f"{name} ☃.txt")]
    result = command(
        "build", *named, "--target-vocab-size", 30,
        "--tokenizer-output", "out, ü/t k.json", "--encoded-output-dir", "encoded, ü",
    )  # fmt: skip
    assert result.code == 0, result.err
    assert "a b, ü/val ☃.txt" in result.out
    assert set(outputs(at_home)) >= {"out, ü/t k.json", "encoded, ü/test_ids.pt", "encoded, ü/manifest.json"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--minimum-pair-frequency", 100_000], "fewer times than the minimum pair frequency"),
        (["--target-vocab-size", 100_000, "--minimum-pair-frequency", 1], "no pair"),
    ],
)
def test_the_reason_for_stopping(command: RunCommand, corpus: Path, options: list[object], words: str) -> None:
    result = command("build", *options, "--training-characters", 120)
    assert result.code == 0, result.err
    assert words in next(line for line in result.out.splitlines() if line.startswith("training ended"))


def test_hostile_text_reaches_the_screen_only_made_visible(command: RunCommand, at_home: Path) -> None:
    hostile = "\x1b[31m\x07[/markup]\u202e\u2066\x9b0m\r\n\x00[bold]" * 50
    folder = at_home / "data/processed"
    folder.mkdir(parents=True)
    for name in ("train", "val", "test"):
        (folder / f"{name}.txt").write_bytes(hostile.encode("utf-8"))
    result = command("build", "--target-vocab-size", 60)
    assert result.code == 0, result.err
    shown = result.out + result.err
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c in "\u202e\u2066" for c in shown)
    assert "[/markup]" in shown.replace(" | ", "")
    assert (
        BPETokenizer.from_file("tokenizer/bpe_tokenizer.json").decode(
            torch.load("data/encoded_bpe/test_ids.pt", weights_only=True).tolist()
        )
        == hostile
    )


def test_wikitext_gives_the_known_results(command: RunCommand, shared: Path, at_home: Path) -> None:
    result = command("build", "--processed-dir", shared / "data/wikitext-2", "--json")
    assert result.code == 0, result.err
    expected = json.loads((shared / "expected/seed_reference.json").read_text(encoding="utf-8"))
    known = next(case for case in expected["train"] if case["target_vocab_size"] == 500)
    document = result.document
    assert document["tokenizer"]["fingerprint"] == known["fingerprint"]
    assert document["training"]["merges"] == known["merges"]
    for entry, first in zip(document["training"]["log"], known["first"], strict=False):
        assert {key: entry[key] for key in ("pair", "frequency", "length")} == first
    assert (at_home / "tokenizer/bpe_tokenizer.json").read_bytes() == (
        shared / "expected/character_bpe_500000_500.json"
    ).read_bytes()
    cases = {case["split"]: case for case in expected["encode"] if case["target_vocab_size"] == 500}
    for split in document["encoded"]["splits"]:
        case = cases[split["name"]]
        assert (split["tokens"], split["ids_sha256"]) == (case["tokens"], case["ids_int64_le_sha256"])
        ids = torch.load(split["file"], weights_only=True).numpy()
        assert hashlib.sha256(ids.astype(np.dtype("<i8")).tobytes()).hexdigest() == case["ids_int64_le_sha256"]
