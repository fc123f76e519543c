"""Many texts at once get the ids that each gets alone, whatever stands beside it."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hard import hard_texts

from bpe_tui import BPETokenizer
from bpe_tui.bpe import byte_encoder, gathering, piece_memory
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import rule
from bpe_tui.errors import Cancelled

RULES = ["none", "whitespace", "gpt2", "cl100k", "o200k", "llama3", "qwen2"]


@pytest.fixture(scope="module", params=[*RULES, "pattern"])
def tokenizer(request: pytest.FixtureRequest, bible: str) -> ByteBPETokenizer:
    cut = rule(request.param, r"\w+|\s|." if request.param == "pattern" else None)
    return ByteBPETokenizer.train(bible[:20_000], 400, verbose=False, rule=cut, special_tokens=["<|end|>"])


@settings(deadline=None, max_examples=60)
@given(texts=st.lists(st.one_of(hard_texts(), st.just(""), st.just("and the lord's <|end|> ")), max_size=12))
@pytest.mark.parametrize("special", ["text", "special"])
def test_a_batch_gives_what_each_text_gives(tokenizer: ByteBPETokenizer, special: str, texts: list[str]) -> None:
    expected = [tokenizer.encode_array(text, special=special).tolist() for text in texts]
    with mock.patch.object(gathering, "STRETCH", 20):
        found = tokenizer.encode_batch(texts, special=special)
    assert [ids.tolist() for ids in found] == expected
    assert all(ids.dtype == np.int64 for ids in found)


@settings(deadline=None, max_examples=60)
@given(text=hard_texts())
def test_a_long_text_is_encoded_part_by_part(tokenizer: ByteBPETokenizer, text: str) -> None:
    """However it is cut and shared, in groups of parts or not: as text, and as bytes."""
    expected = tokenizer.encode_array(text).tolist()
    for part in (30, 1 << 20):
        with mock.patch.multiple(gathering, STRETCH=12, PART=part):
            assert tokenizer.encode_array(text).tolist() == expected
            assert tokenizer.encode_bytes(text.encode("utf-8", "surrogatepass")) == expected


def test_flat_ids_say_where_each_text_ends(tokenizer: ByteBPETokenizer, bible: str) -> None:
    texts = ["", *bible[:3_000].split("\n"), ""]
    with mock.patch.multiple(gathering, STRETCH=200, PART=700):
        ids, stops = tokenizer.encode_flat(texts)
    assert [part.tolist() for part in np.split(ids, stops)] == [*map(tokenizer.encode, texts), []]
    with mock.patch.object(byte_encoder, "LONG", 100):
        again = tokenizer.encode_flat(texts)
    assert again[0].tolist() == ids.tolist()
    assert again[1].tolist() == stops.tolist()
    ids, stops = tokenizer.encode_flat([])
    assert len(ids) == len(stops) == 0


def test_characters_in_batches() -> None:
    tokenizer = BPETokenizer.train("low lower lowest", 12, verbose=False)
    assert [ids.tolist() for ids in tokenizer.encode_batch(["low", "", "lowest"])] == [
        tokenizer.encode("low"),
        [],
        tokenizer.encode("lowest"),
    ]


def test_a_batch_can_be_cancelled(bible: str) -> None:
    tokenizer = ByteBPETokenizer.train(bible[:5_000], 300, verbose=False)

    def refuse(step: str, done: int, total: int) -> None:
        raise Cancelled("enough")

    with mock.patch.object(gathering, "STRETCH", 100), pytest.raises(Cancelled, match="enough"):
        tokenizer.encode_batch([bible[:90]] * 100, report=refuse)


@settings(deadline=None, max_examples=60)
@given(texts=st.lists(hard_texts(), min_size=1, max_size=30))
def test_what_is_forgotten_is_worked_out_again(tokenizer: ByteBPETokenizer, texts: list[str]) -> None:
    """However small the memory of pieces: full, begun anew and taken over from, it gives the same ids."""
    expected = [tokenizer.encode_array(text).tolist() for text in texts]
    with mock.patch.multiple(piece_memory, SMALLEST=8, MOST=16):
        forgetful = tokenizer.with_changes()
        for _ in range(2):
            assert [forgetful.encode_array(text).tolist() for text in texts] == expected
