"""Characters as UTF-8 and back: what the kernels say of them is what Python says."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bpe_tui.bpe.checking import check_utf8
from bpe_tui.bpe.kernels import texts

RUNS = st.sampled_from(["", "a" * 31, "b" * 32, "c\n" * 40, "\0\r\n" * 30])
TEXTS = st.builds(
    "".join, st.lists(st.one_of(st.text(st.characters(exclude_categories=())), RUNS, st.text("é–\U0001f600 ")))
)
"""Characters of every width, lone surrogates among them, and runs that are longer than what is looked at together."""
BROKEN = st.builds(
    b"".join,
    st.lists(
        st.one_of(
            st.binary(max_size=6),
            TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")),
            st.sampled_from([b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xf0\x9f\x98"]),
        )
    ),
)
"""Bytes that are text in parts: overlong, surrogates, too high, cut off."""


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.data())
def test_characters_are_written_as_python_writes_them(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    room = np.empty(4 * len(text), np.uint8)
    size = texts.write_utf8(text, start, stop, room)
    assert room[:size].tobytes() == text[start:stop].encode("utf-8", "surrogatepass")


@settings(max_examples=500, deadline=None)
@given(BROKEN)
@example(b"a" * 63 + b"\xe2\x82\xac" + b"\n" * 70)
@example(b"\xf0\x9f\x98")
def test_bytes_are_text_as_far_as_python_says(content: bytes) -> None:
    try:
        content.decode()
        valid = len(content)
    except UnicodeDecodeError as error:
        valid = error.start
    text = content[:valid].decode()
    assert check_utf8(content) == (valid, len(text), text.count("\n"), text.count("\0"), text.count("\r"))
