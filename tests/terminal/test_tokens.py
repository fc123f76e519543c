"""Tokens as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.bpe.byte_alphabet import to_characters
from bpe_tui.terminal import token_text, visible


@pytest.mark.parametrize(
    ("token", "kind", "text"),
    [
        ("a b", "character_bpe", "a·b"),
        ("Ġthe", "character_bpe", "Ġthe"),
        ("Ġthe", "byte_bpe", "·the"),
        ("ĊĊ", "byte_bpe", "⏎⏎"),
        (to_characters("日本".encode()), "byte_bpe", "日本"),
        (to_characters("日本".encode()[:4]), "byte_bpe", r"日\xe6"),
        (to_characters("日本".encode()[1:]), "byte_bpe", r"\x97\xa5本"),
        (to_characters(b"\xff\x00"), "byte_bpe", r"\xff\x00"),
        ("<|end of text|>", "byte_bpe", "<|end·of·text|>"),
        ("est ", "word_bpe", "est</w>"),
        ("est</w>", "word_bpe", "est</w>"),
        (" ", "word_bpe", "</w>"),
        ("es", "word_bpe", "es"),
    ],
)
def test_each_kind(token: str, kind: str, text: str) -> None:
    assert token_text(token, kind) == text


@given(st.text(max_size=8))
def test_text_in_bytes_is_shown_as_that_text(text: str) -> None:
    spelled = to_characters(text.encode("utf-8", "replace"))
    assert token_text(spelled, "byte_bpe") == visible(text.encode("utf-8", "replace").decode())


@given(st.binary(max_size=8))
def test_any_bytes_can_be_shown_and_are_told_apart(content: bytes) -> None:
    shown = token_text(to_characters(content), "byte_bpe", ascii_only=True)
    assert shown.isascii()
    assert shown.isprintable()
