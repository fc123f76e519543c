"""Working on a text portion by portion gives what working on the whole of it gives."""

from __future__ import annotations

from collections.abc import Callable
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hard import hard_texts

from bpe_tui.bpe import alphabet
from bpe_tui.errors import TextError


def outcome(decode: Callable[[], str]) -> object:
    """The text, or where and why there is none."""
    try:
        return decode()
    except UnicodeDecodeError as error:
        return error.start, error.end, error.reason


@given(hard_texts(), st.integers(1, 7))
def test_utf8_there_and_back(text: str, portion: int) -> None:
    with mock.patch.object(alphabet, "PORTION", portion):
        content = alphabet.utf8(text)
    assert content == text.encode("utf-8", "surrogatepass")
    with mock.patch.object(alphabet, "PORTION", portion + 3):
        assert alphabet.from_utf8(np.frombuffer(content, np.uint8), "replace") == content.decode("utf-8", "replace")


@given(st.binary(max_size=40), st.integers(4, 9))
def test_bytes_that_are_no_text_are_told_as_python_tells_them(content: bytes, portion: int) -> None:
    data = np.frombuffer(content, np.uint8)
    with mock.patch.object(alphabet, "PORTION", portion):
        assert alphabet.from_utf8(data, "replace") == content.decode("utf-8", "replace")
        assert outcome(lambda: alphabet.from_utf8(data)) == outcome(lambda: content.decode("utf-8"))


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
