"""Word and byte tokenizers on the command line, from training to encoded splits; pruning and extending."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.dataset.manifest import read_manifest

from .conftest import CORPUS, RunCommand

TEXT = "low low low low low lower lower\twidest widest widest  newest newest newest newest newest newest<|end|>\n" * 5


@pytest.fixture
def text() -> Path:
    path = Path("text.txt")
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_the_classic_words(command: RunCommand, corpus: Path) -> None:
    result = command("train", corpus, "--alphabet", "words", "--target-vocab-size", 40, "-o", "w.json", "--json")
    assert result.code == 0, result.err
    assert [merge["pair"] for merge in result.document["training"]["log"]][:3] == [
        ["e", "s"],
        ["es", "t"],
        ["est", "</w>"],
    ]
    assert json.loads(Path("w.json").read_text())["lossless"] is False
    assert BPETokenizer.from_file("w.json").encode_tokens("lowest") == ["low", "est</w>"]
    shown = command("tokenize", "--tokenizer", "w.json", "lowest  low").out
    assert [line.split()[1] for line in shown.splitlines()] == ["low", "est</w>", "low</w>"]
    ids = command("encode", "--tokenizer", "w.json", "lowest \t low").out.split()
    assert command("decode", "--tokenizer", "w.json", *ids).out == "lowest low"


def test_words_tell_their_merges_with_the_marker(command: RunCommand, corpus: Path) -> None:
    out = command("train", corpus, "--alphabet", "words", "--target-vocab-size", 40).out
    assert "est + </w> → est</w>" in out


def test_build_with_words_checks_the_text_but_for_white_space(command: RunCommand) -> None:
    folder = Path("data")
    folder.mkdir()
    for name in CORPUS:
        (folder / f"{name}.txt").write_text(TEXT, encoding="utf-8")
    result = command(
        *("build", "--processed-dir", folder, "--alphabet", "words", "--target-vocab-size", 40, "--special", "<|end|>")
    )
    assert result.code == 0, result.err
    assert "round trip exact but for white space" in result.out
    manifest = read_manifest(Path("data/encoded_bpe"))
    assert (manifest.kind, manifest.lossless) == ("word_bpe", False)


def test_build_with_bytes(command: RunCommand, corpus: Path) -> None:
    result = command("build", "--processed-dir", corpus, "--alphabet", "bytes", "--target-vocab-size", 265, "--json")
    assert result.code == 0, result.err
    document = result.document
    assert document["training"]["alphabet"] == "bytes"
    assert document["training"]["ties"] == "lowest-id"
    assert document["tokenizer"]["vocab_size"] == 265
    assert document["encoded"]["lossless"]
    tokenizer = BPETokenizer.from_file("tokenizer/bpe_tokenizer.json")
    assert isinstance(tokenizer, ByteBPETokenizer)
    assert tokenizer.rule.name == "gpt2"
    assert tokenizer.corpus_sha256 is not None


@pytest.mark.parametrize(
    ("options", "rule"),
    [(["--split", "cl100k", "--ties", "bytes"], "cl100k"), (["--pattern", r"\w+|\W"], "pattern"), ([], "gpt2")],
)
def test_splitting_rules(command: RunCommand, corpus: Path, options: list[str], rule: str) -> None:
    result = command("train", corpus, "--alphabet", "bytes", "--target-vocab-size", 280, *options)
    assert result.code == 0, result.err
    tokenizer = BPETokenizer.from_file("tokenizer/bpe_tokenizer.json")
    assert isinstance(tokenizer, ByteBPETokenizer)
    assert tokenizer.rule.name == rule


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--split", "gpt2"], "splitting rule goes with bytes only"),
        (["--alphabet", "bytes", "--split", "nonsense"], "no splitting rule 'nonsense'"),
        (["--alphabet", "bytes", "--pattern", "("], "no regular expression"),
        (["--special", "<s>"], "special tokens go with words or bytes"),
        (["--alphabet", "bytes", "--ties", "lexicographic"], "tie rule with bytes must be one of"),
        (["--alphabet", "words", "--special", "<s>", "--special", "<s>"], "given twice"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(
    command: RunCommand, corpus: Path, options: list[str], what: str
) -> None:
    result = command("train", corpus, *options)
    assert result.code == 2
    assert what in result.error


def test_special_tokens_in_a_text_are_counted_and_treated_as_asked(command: RunCommand, text: Path) -> None:
    trained = command(
        *("train", text, "--alphabet", "bytes", "--target-vocab-size", 265),
        *("--special", "<|end|>", "--special", "[CLS]", "-o", "b.json"),
    )
    assert trained.code == 0, trained.err
    tokenizer = BPETokenizer.from_file("b.json")
    assert tokenizer.special_tokens == {"<|end|>": 263, "[CLS]": 264}

    plain = command("encode", "--tokenizer", "b.json", "newest<|end|>")
    assert "1 special token in the text, encoded as ordinary text" in plain.err
    assert "263" not in plain.out.split()
    special = command("encode", "--tokenizer", "b.json", "--special-policy", "special", "newest<|end|>", "--json")
    assert special.document["texts"][0]["ids"][-1] == 263
    assert special.document["texts"][0]["special_tokens"] == 1
    refused = command("encode", "--tokenizer", "b.json", "--special-policy", "error", "newest<|end|>")
    assert refused.code == 1
    assert "stands in the text at character 6" in refused.error
    assert command("decode", "--tokenizer", "b.json", 263).out == "<|end|>"

    folder = ("encode", "--tokenizer", "b.json", "--splits", text, "--output-dir", "out", "--special-policy", "special")
    result = command(*folder, "--json")
    assert result.code == 0, result.err
    assert result.document["encoded"]["splits"][0]["maximum_id"] == 263


def test_bytes_cut_inside_a_character_decode_only_when_asked(command: RunCommand, corpus: Path) -> None:
    command("train", corpus, "--alphabet", "bytes", "--target-vocab-size", 260)
    ids = command("encode", "é").out.split()
    refused = command("decode", ids[0])
    assert refused.code == 1
    assert "no text" in refused.error
    assert command("decode", "--invalid", "replace", ids[0]).out == "\ufffd"


def test_looking_into_a_byte_tokenizer(command: RunCommand, corpus: Path) -> None:
    command("train", corpus, "--alphabet", "bytes", "--target-vocab-size", 270, "--special", "<s>")
    out = command("inspect", "tokenizer/bpe_tokenizer.json").out
    assert "byte_bpe" in out
    assert "special token    269  <s>" in out
    assert "·newest" in out
    tree = command("inspect", "tokenizer/bpe_tokenizer.json", "--token", " newest")
    assert tree.code == 0, tree.err
    assert "7 bytes" in tree.out
    assert len(command("fingerprint", "tokenizer/bpe_tokenizer.json").out.split()[0]) == 64


def test_an_interrupted_run_goes_on_only_as_what_it_was(
    command: RunCommand, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bpe_tui.corpus import read_splits
    from bpe_tui.session.checkpoint import write_checkpoint
    from bpe_tui.session.run import Run
    from bpe_tui.session.settings import RunSettings
    from bpe_tui.session.state import RunState

    settings = RunSettings(target_vocab_size=40, alphabet="words", special_tokens=("<s>",))
    training = Run(read_splits(corpus), settings)
    training.step(5)
    training.wait_until(lambda seen: seen.state is RunState.PAUSED, 60)
    write_checkpoint(Path("c.json"), training)
    training.close(60)
    for options, what in (
        (["--alphabet", "bytes"], "made with --alphabet words"),
        (["--punctuation", "separate"], "made with --punctuation keep"),
        (["--special", "<x>"], "made with --special <s>"),
        (["--pattern", "x"], "made without --pattern"),
        (["--ties", "lowest-id"], "made with --ties first"),
    ):
        refused = command("train", corpus, "--resume", "c.json", *options)
        assert refused.code == 2
        assert what in refused.error
    result = command("train", corpus, "--resume", "c.json", "--alphabet", "words", "--ties", "first", "-o", "w.json")
    assert result.code == 0, result.err
    expected = WordBPETokenizer.train(
        CORPUS["train"], 40, base_tokens="".join(CORPUS.values()), verbose=False, special_tokens=["<s>"]
    )
    assert BPETokenizer.from_file("w.json").fingerprint() == expected.fingerprint()


@pytest.mark.parametrize("alphabet", ["characters", "words", "bytes"])
def test_prune(command: RunCommand, corpus: Path, text: Path, alphabet: str) -> None:
    size = 300 if alphabet == "bytes" else 45
    command("train", corpus, "--alphabet", alphabet, "--target-vocab-size", size, "-o", "t.json")
    Path("new.txt").write_text("lowest newest " * 20)
    result = command("prune", "t.json", "--minimum-use", 5, "--on", "new.txt", "-o", "small.json")
    assert result.code == 0, result.err
    assert "removed" in result.out
    assert "needed by" in result.out
    old, new = BPETokenizer.from_file("t.json"), BPETokenizer.from_file("small.json")
    assert new.vocab_size < old.vocab_size
    ids = json.loads(Path("small_ids.json").read_text())
    assert ids["from"] == old.fingerprint()
    assert ids["to"] == new.fingerprint()
    assert all(old.itos[int(before)] == new.itos[after] for before, after in ids["ids"].items())
    kept = command("prune", "t.json", "--minimum-use", 5, "--on", "new.txt", "-o", "holes.json", "--keep-ids")
    if alphabet == "characters":
        assert kept.code == 1
        assert "cannot have unused ids" in kept.error
        assert not Path("holes.json").exists()
        return
    assert kept.code == 0, kept.err
    holes = BPETokenizer.from_file("holes.json")
    assert all(holes.itos[number] == old.itos[number] for number in holes.itos)
    assert len(holes.itos) == new.vocab_size
    assert holes.decode(holes.encode("lowest newest")) == "lowest newest"


@pytest.mark.parametrize("options", [[], ["--alphabet", "words"], ["--alphabet", "bytes", "--ties", "bytes"]])
def test_extending_on_the_same_text_is_training_in_one_go(
    command: RunCommand, corpus: Path, options: list[str]
) -> None:
    sizes = (260, 268) if "bytes" in options else (25, 28)
    for size, name in zip(sizes, ("small", "large"), strict=True):
        command("train", corpus, *options, "--target-vocab-size", size, "-o", f"{name}.json")
    extend = ("extend", "small.json", "--on", corpus / "train.txt", "--target-vocab-size", sizes[1], "-o", "more.json")
    result = command(*extend, "--json")
    assert result.code == 0, result.err
    assert result.document["merges_learned"] == sizes[1] - sizes[0]
    assert BPETokenizer.from_file("more.json").fingerprint() == BPETokenizer.from_file("large.json").fingerprint()
