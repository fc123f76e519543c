"""Tokenizers to ask about, and the plainest way to encode with the first merges of each."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import strategies as st

from bpe_tui import BPETokenizer
from bpe_tui.bpe import pretokenize
from bpe_tui.bpe.byte_alphabet import CHARACTERS, to_characters
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer


@st.composite
def byte_tokenizers(draw: st.DrawFn, *, proper: bool = False) -> ByteBPETokenizer:
    """Small tokenizers of bytes: shuffled ids, several ways to one token, merges that go out of order unless proper."""
    tokens = list(draw(st.sampled_from(["abc", "aé ", "ab"])).encode().decode("utf-8"))
    tokens = sorted({to_characters(bytes([byte])) for token in tokens for byte in token.encode()})
    merges: list[tuple[str, str]] = []
    made: list[str] = []
    for _ in range(draw(st.integers(0, 10))):
        pair = draw(st.sampled_from(tokens + made)), draw(st.sampled_from(tokens + made))
        if pair in merges or len(pair[0] + pair[1]) > 8 or (proper and pair[0] + pair[1] in made):
            continue
        merges.append(pair)
        if pair[0] + pair[1] not in made:
            made.append(pair[0] + pair[1])
    if not proper:
        merges = draw(st.permutations(merges))
    numbers = draw(st.permutations(range(256, 256 + len(made)))) if not proper else range(256, 256 + len(made))
    vocabulary = {character: byte for byte, character in enumerate(CHARACTERS)} | dict(zip(made, numbers, strict=True))
    rule = pretokenize.rule(draw(st.sampled_from(["none", "gpt2"])))
    known = set(CHARACTERS)
    for left, right in merges:
        if left not in known or right not in known:
            return ByteBPETokenizer(vocabulary, merges, rule)
        known.add(left + right)
    return ByteBPETokenizer(vocabulary, merges, rule, whole_pieces=draw(st.booleans()))


def first_merges_of_bytes(tokenizer: ByteBPETokenizer, text: str, merges: int) -> list[str]:
    """Encode by the definition: in each piece the lowest rank first, leftmost first, with the first merges alone."""
    ranks: dict[tuple[str, str], int] = {}
    for rank, pair in enumerate(tokenizer.merges[:merges]):
        ranks.setdefault(pair, rank)
    known = {left + right for left, right in tokenizer.merges[:merges]}
    found: list[str] = []
    for piece in pretokenize.pieces(text, tokenizer.rule):
        parts = [CHARACTERS[byte] for byte in piece]
        if tokenizer.whole_pieces and "".join(parts) in known:
            parts = ["".join(parts)]
        while True:
            pairs = [(ranks[pair], place) for place, pair in enumerate(itertools.pairwise(parts)) if pair in ranks]
            if not pairs:
                break
            _, place = min(pairs)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        found += parts
    return found


@pytest.fixture(scope="session")
def gpt2(shared: Path) -> ByteBPETokenizer:
    """GPT-2's tokenizer, from OpenAI's own two files."""
    vocabulary = json.loads((shared / "data/gpt2/encoder.json").read_text("utf-8"))
    lines = (shared / "data/gpt2/vocab.bpe").read_text("utf-8").splitlines()[1:]
    special = {"<|endoftext|>": vocabulary.pop("<|endoftext|>")}
    merges = [(left, right) for left, right in (line.split(" ") for line in lines if line)]
    return ByteBPETokenizer(vocabulary, merges, pretokenize.rule("gpt2"), special)


@pytest.fixture(scope="session")
def small() -> BPETokenizer:
    """A character tokenizer learned from a few sentences."""
    text = "The quick brown fox jumps over the lazy dog. the other dog, the lower one, sleeps. " * 8
    return BPETokenizer.train(text, 60, verbose=False)
