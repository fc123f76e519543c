"""Working on a text portion by portion gives what working on the whole of it gives."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hard import hard_texts

from bpe_tui.bpe import alphabet, byte_decoding
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer, PartialCharacterError
from bpe_tui.errors import TextError, TokenIdError


@given(hard_texts(), st.integers(1, 7))
def test_utf8_there_and_back(text: str, portion: int) -> None:
    with mock.patch.object(alphabet, "PORTION", portion):
        content = alphabet.utf8(text)
    assert content == text.encode("utf-8", "surrogatepass")


BYTE_TOKENS = ByteBPETokenizer.train(b"ab\xc3\xa9ab\xc3\xa9 \xe6\xbc", 262, 1, verbose=False)


@given(
    st.lists(st.one_of(st.integers(0, 261), st.sampled_from(BYTE_TOKENS.encode("é漢😀ab"))), max_size=40),
    st.integers(1, 6),
)
def test_ids_are_decoded_block_by_block_as_at_once(ids: list[int], block: int) -> None:
    content = BYTE_TOKENS.decode_bytes(ids)
    with mock.patch.object(byte_decoding, "BLOCK", block):
        assert BYTE_TOKENS.decode(ids, errors="replace") == content.decode("utf-8", "replace")
        try:
            expected = content.decode("utf-8")
        except UnicodeDecodeError as wrong:
            place = f"byte {wrong.start:,} is "
        else:
            assert BYTE_TOKENS.decode(ids) == expected
            return
        with pytest.raises(PartialCharacterError, match=place):
            BYTE_TOKENS.decode(ids)


def test_an_id_that_is_not_used_is_told_with_its_place() -> None:
    ids = np.array([1, 2, 3, 4, 300, 5])
    with mock.patch.object(byte_decoding, "BLOCK", 2), pytest.raises(TokenIdError, match="id 300 at place 4"):
        BYTE_TOKENS.decode(ids)


@given(hard_texts(), st.integers(1, 5))
def test_characters_are_found_and_surrogates_refused(text: str, portion: int) -> None:
    with mock.patch.object(alphabet, "PORTION", portion):
        assert alphabet.distinct_characters(text) == sorted(set(text))
        broken = [place for place, character in enumerate(text) if 0xD800 <= ord(character) < 0xE000]
        if not text or broken:
            with pytest.raises(TextError, match=f"at character {broken[0]:,}," if broken else "empty"):
                alphabet.check_text(text)
        else:
            alphabet.check_text(text)
