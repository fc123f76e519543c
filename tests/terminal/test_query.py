"""The language of filters: what people type, what it means, and what they are told when it means nothing."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.terminal.query import UNBOUNDED, Bound, QueryError, parse

FIELDS = ("id", "len", "count")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("the", "the"),
        (" the", " the"),
        ("·the", " the"),
        ("a⏎", "a\n"),
        ("[/x]", "[/x]"),
        ("and/or", "and/or"),
        ("foo:3", "foo:3"),
        ("grid:3", "grid:3"),
    ],
)
def test_a_text_is_looked_for_as_it_is(text: str, meant: str) -> None:
    query = parse(text, FIELDS)
    assert (query.text, query.pattern, query.bounds) == (meant, None, ())
    assert query.matches_text(f"x{meant}y")
    assert not query.matches_text("zzz")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("len:8", 8, 8),
        ("len:=8", 8, 8),
        ("len:>8", 9, UNBOUNDED),
        ("len:>=8", 8, UNBOUNDED),
        ("len:<8", -UNBOUNDED, 7),
        ("len:<=8", -UNBOUNDED, 8),
        ("len:3..5", 3, 5),
        ("len:3..", 3, UNBOUNDED),
        ("len:..5", -UNBOUNDED, 5),
        ("len:1,234", 1234, 1234),
        ("len:0008", 8, 8),
        ("len:" + "9" * 5000, UNBOUNDED - 1, UNBOUNDED - 1),
    ],
)
def test_numbers(text: str, low: int, high: int) -> None:
    assert parse(text, FIELDS).bounds == (Bound("len", low, high),)


def test_numbers_come_together_and_on_either_side_of_a_text() -> None:
    query = parse("len:>3 id:10.. ing count:<5", FIELDS)
    assert [bound.field for bound in query.bounds] == ["len", "id", "count"]
    assert query.text == "ing"
    assert query.matches_numbers(len=4, id=10, count=4)
    assert not query.matches_numbers(len=4, id=10, count=5)


def test_spaces_beyond_the_parting_one_belong_to_the_text() -> None:
    assert parse("len:3  a", FIELDS).text == " a"
    assert parse("a  len:3", FIELDS).text == "a "


def test_regular_expressions() -> None:
    assert parse("/ing$/", FIELDS).matches_text("king")
    assert not parse("/ing$/", FIELDS).matches_text("kings")
    assert parse("/^THE/i len:3", FIELDS).matches_text("the")
    assert parse("/^·t/", FIELDS).matches_text(" the")
    assert parse("/[[a]/", FIELDS).matches_text("[")
    assert parse("/a/b/", FIELDS).matches_text("a/b")


def test_a_regular_expression_works_while_it_is_typed() -> None:
    assert parse("/", FIELDS).is_empty
    assert parse("/ing$", FIELDS).matches_text("king")
    assert parse("//", FIELDS).matches_text("and/or")
    assert not parse("//", FIELDS).matches_text("and")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/(/", "no regular expression"),
        ("/a{99999999999}/", "no regular expression"),
        ("len:", "takes a number"),
        ("len:x", "takes a number"),
        ("len:..", "takes a number"),
        ("len:>>3", "takes a number"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, told: str) -> None:
    with pytest.raises(QueryError, match=told):
        parse(text, FIELDS)


def test_nothing_matches_everything() -> None:
    assert parse("", FIELDS).is_empty
    assert parse("", FIELDS).matches_text("anything")


@given(st.text(alphabet="/a(len:id>.<=35 [)*+?{}\\i", max_size=20))
def test_whatever_is_typed_is_read_or_told(text: str) -> None:
    with contextlib.suppress(QueryError):
        assert parse(text, FIELDS).matches_text("len:35") in {True, False}
