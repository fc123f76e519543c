"""The tokenizer as users of the library meet it."""

from __future__ import annotations

import hashlib

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.bpe import reference

TEXT = "low lower lowest newer newest wider widest " * 3


def test_training_gives_tokens_ids_and_merges() -> None:
    tokenizer = BPETokenizer.train(TEXT, 20, verbose=False)
    assert tokenizer.base_tokens == sorted(set(TEXT))
    assert tokenizer.merges == [merge.pair for merge in reference.train(TEXT, 20)[0]]
    assert tokenizer.vocab_size == len(tokenizer.tokens) == 20
    assert tokenizer.stoi == {token: number for number, token in enumerate(tokenizer.tokens)}
    assert tokenizer.itos[12] == tokenizer.tokens[12]
    assert tokenizer.token_lengths().tolist() == [len(token) for token in tokenizer.tokens]


def test_the_fingerprint_is_the_sha_256_of_compact_json() -> None:
    tokenizer = BPETokenizer("aé", [("a", "é")])
    content = '{"base_tokens":["a","é"],"merges":[["a","é"]]}'
    assert tokenizer.fingerprint() == hashlib.sha256(content.encode()).hexdigest()


def test_verbose_training_tells_merges_and_why_it_ended(capsys: pytest.CaptureFixture[str]) -> None:
    BPETokenizer.train(TEXT, 20)
    output = capsys.readouterr().out
    assert "merge      1: 'w' + 'e' -> 'we'  frequency" in output
    assert "the vocabulary has reached its target size" in output


@pytest.mark.parametrize(
    ("base_tokens", "merges", "message"),
    [
        (["ab"], [], "'ab' is not a single character"),
        (["a", "a"], [], "'a' is listed twice"),
        (["\ud800"], [], "lone surrogate"),
        (["a"], [("a", "b")], "merge 0 uses 'b'"),
        (["a", "b"], [("a", "b"), ("ab", "aa")], "merge 1 uses 'aa'"),
    ],
)
def test_what_is_no_tokenizer_is_refused(base_tokens: list[str], merges: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BPETokenizer(base_tokens, merges)
