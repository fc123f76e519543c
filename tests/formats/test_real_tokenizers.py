"""Published tokenizers, on whole texts of many languages: every id equals that of the program they are meant for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import RULES
from bpe_tui.formats.foreign import ForeignTokenizer

Encode = Callable[[str], Sequence[int]]


def texts(shared: Path) -> Iterator[tuple[str, str]]:
    """All texts, and those hostile inputs that are text."""
    for path in sorted((shared / "data/text").iterdir()):
        yield path.name, path.read_bytes().decode("utf-8")
    for path in sorted((shared / "data/edge").iterdir()):
        try:
            yield path.name, path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            yield path.name, path.read_bytes().decode("utf-8", "replace")


def check(ours: BPETokenizer, theirs: Encode, shared: Path) -> None:
    for name, text in texts(shared):
        expected = list(theirs(text))
        found = ours.encode(text)
        if found != expected:
            place = next(
                (i for i, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1]), len(expected)
            )
            pytest.fail(
                f"{name}: id {place} of {len(expected)}: {found[place : place + 5]}, not {expected[place:][:5]}"
            )
        if ours.lossless:
            assert ours.decode(found) == text, name


@pytest.mark.parametrize(("name", "rule"), [("p50k_base", "p50k"), ("cl100k_base", "cl100k"), ("o200k_base", "o200k")])
def test_rank_files_encode_as_tiktoken_does(shared: Path, name: str, rule: str) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    public = pytest.importorskip("tiktoken_ext.openai_public")
    path = shared / f"data/ranks/{name}.tiktoken"
    ranks = pytest.importorskip("tiktoken.load").load_tiktoken_bpe(str(path))
    patterns = {"p50k_base": public.r50k_pat_str}
    with pytest.MonkeyPatch.context() as patch:
        # The pattern as it stands in tiktoken's source, without the download that goes with it.
        patch.setattr(public, "load_tiktoken_bpe", lambda *_, **__: ranks)
        pattern = patterns.get(name) or getattr(public, name)()["pat_str"]
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    check(BPETokenizer.from_file(path, split=rule), encoding.encode_ordinary, shared)


def test_gpt2_encodes_as_tiktoken_does(shared: Path) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    public = pytest.importorskip("tiktoken_ext.openai_public")
    load = pytest.importorskip("tiktoken.load")
    folder = shared / "data/gpt2"
    ranks = load.data_gym_to_mergeable_bpe_ranks(str(folder / "vocab.bpe"), str(folder / "encoder.json"))
    encoding = tiktoken.Encoding("gpt2", pat_str=public.r50k_pat_str, mergeable_ranks=ranks, special_tokens={})
    ours = BPETokenizer.from_file(folder)
    assert ours.special_tokens == {"<|endoftext|>": 50256}
    check(ours, encoding.encode_ordinary, shared)


def opened(path: Path) -> Any:
    tokenizer = pytest.importorskip("tokenizers").Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


@pytest.mark.parametrize("name", ["gpt_neox", "modernbert", "qwen3"])
def test_what_is_ours_encodes_as_tokenizers_does(shared: Path, name: str) -> None:
    path = shared / f"data/tokenizers/{name}.tokenizer.json"
    theirs = opened(path)
    ours = BPETokenizer.from_file(path)
    assert isinstance(ours, ByteBPETokenizer)
    check(ours, lambda text: theirs.encode(text, add_special_tokens=False).ids, shared)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("clip_base", "BPE"),
        ("hw_doc_summarizer", "BPE"),
        ("sqlpilot", "BPE"),
        ("bert_base_cased", "WordPiece"),
        ("gte", "WordPiece"),
        ("xlnet_base_cased", "Unigram"),
    ],
)
def test_what_is_not_ours_encodes_by_tokenizers(shared: Path, name: str, model: str) -> None:
    path = shared / f"data/tokenizers/{name}.tokenizer.json"
    theirs = opened(path)
    ours = BPETokenizer.from_file(path)
    assert isinstance(ours, ForeignTokenizer)
    assert ours.model == model
    for name, text in texts(shared):
        part = text[:200_000]  # it is they who encode; what is tested is that nothing stands between
        assert ours.encode(part) == theirs.encode(part, add_special_tokens=False).ids, name


def test_a_sentencepiece_model_encodes_by_sentencepiece(shared: Path) -> None:
    package = pytest.importorskip("sentencepiece")
    path = shared / "data/tokenizers/sp_test_en.model"
    theirs = package.SentencePieceProcessor(model_file=str(path))
    ours = BPETokenizer.from_file(path)
    for name, text in texts(shared):
        assert ours.encode(text[:200_000]) == theirs.encode(text[:200_000]), name


@pytest.mark.parametrize(
    ("path", "rule", "expected"),
    [("gpt2", None, 17), ("ranks/p50k_base.tiktoken", "p50k", 17), ("ranks/cl100k_base.tiktoken", "cl100k", 29)],
)
def test_every_tokens_bytes_encode_back_but_for_those_that_the_rule_cuts(
    shared: Path, path: str, rule: str | None, expected: int
) -> None:
    ours = BPETokenizer.from_file(shared / "data" / path, split=rule)
    assert isinstance(ours, ByteBPETokenizer)
    broken = ours.broken_tokens()
    assert len(broken) == expected
    for number in broken:  # all of them end or begin within a character
        with pytest.raises(UnicodeDecodeError):
            ours.token_bytes[number].decode("utf-8")
    uncut = ours.with_changes(rule=RULES["none"])
    assert uncut.broken_tokens() == []
