"""The scanners cut as the published regular expressions do, whoever runs those: `regex`, tiktoken, or tokenizers."""

from __future__ import annotations

import base64
import json
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cuts import ASCII_ONLY, NASTY, byte_offsets, damaged_texts, oracle, soup, texts

from bpe_tui.bpe import character_classes, pretokenize
from bpe_tui.bpe.pretokenize import RULES, SplittingRule
from bpe_tui.errors import Cancelled, SplittingError

ENGLISH = ("gpt2", "cl100k", "o200k", "llama3", "qwen2")
"""The rules that are regular expressions of published tokenizers."""


def cuts(data: str | bytes, rule: SplittingRule) -> list[int]:
    return pretokenize.split(data, rule).tolist()


def assert_equal_cuts(data: bytes, found: list[int], expected: list[int]) -> None:
    if found != expected:
        place = next(place for place, (a, b) in enumerate(zip([*found, -1], [*expected, -1], strict=False)) if a != b)
        start = ([0, *found])[place]
        raise AssertionError(
            f"from byte {start} on, {data[start : start + 60]!r}: {found[place : place + 3]} is not "
            f"{expected[place : place + 3]}"
        )


# What people see


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("none", ["Don't  say 12345!\n\n 中文ABC  "]),
        ("whitespace", ["Don't", "  ", "say", " ", "12345!", "\n\n ", "中文ABC", "  "]),
        ("gpt2", ["Don", "'t", " ", " say", " 12345", "!", "\n\n", " 中文ABC", "  "]),
        ("cl100k", ["Don", "'t", " ", " say", " ", "123", "45", "!\n\n", " 中文ABC", "  "]),
        ("o200k", ["Don't", " ", " say", " ", "123", "45", "!\n\n", " 中文", "ABC", "  "]),
        ("llama3", ["Don", "'t", " ", " say", " ", "123", "45", "!\n\n", " 中文ABC", "  "]),
        ("qwen2", ["Don", "'t", " ", " say", " ", "1", "2", "3", "4", "5", "!\n\n", " 中文ABC", "  "]),
    ],
)
def test_what_each_rule_does_to_a_sentence(name, expected):
    found = pretokenize.pieces("Don't  say 12345!\n\n 中文ABC  ", pretokenize.rule(name))
    assert [piece.decode() for piece in found] == expected


def test_cl100k_and_llama3_differ_only_in_white_space_at_the_end_of_the_text():
    assert pretokenize.pieces("x \n  ", RULES["cl100k"]) == [b"x", b" \n  "]
    assert pretokenize.pieces("x \n  ", RULES["llama3"]) == [b"x", b" \n", b"  "]


@pytest.mark.parametrize("name", RULES)
def test_an_empty_text_has_no_pieces(name):
    assert cuts("", RULES[name]) == []
    assert cuts(b"", RULES[name]) == []


def test_rules_go_by_the_names_of_tiktoken_too():
    assert pretokenize.rule("p50k_base") is pretokenize.rule("r50k") is RULES["gpt2"]
    assert pretokenize.rule("cl100k_base") is RULES["cl100k"]
    assert RULES["gpt2"].unicode_version == "16.0.0"


def test_an_unknown_rule_is_refused_with_the_names_that_there_are():
    with pytest.raises(
        SplittingError, match=r"no splitting rule 'gpt5': use one of none, whitespace, gpt2, .* pattern"
    ):
        pretokenize.rule("gpt5")
    with pytest.raises(SplittingError, match="needs a regular expression"):
        pretokenize.rule("pattern")
    with pytest.raises(SplittingError, match="a pattern of its own"):
        pretokenize.rule("gpt2", r"\w+")


def test_the_numbers_of_the_rules_are_those_of_the_kernels():
    from bpe_tui.bpe.kernels import splitting

    assert {name: getattr(splitting, name.upper()) for name in RULES} == {name: r.number for name, r in RULES.items()}


# Against `regex`


@pytest.mark.parametrize("name", ["whitespace", *ENGLISH])
@settings(max_examples=400, deadline=None)
@given(data=damaged_texts)
def test_the_scanners_cut_as_the_patterns_do(name, data):
    assert cuts(data, RULES[name]) == oracle(data, RULES[name].pattern)


@pytest.mark.parametrize("name", ["whitespace", *ENGLISH])
@pytest.mark.parametrize("ingredients", [ASCII_ONLY, NASTY, [*ASCII_ONLY * 5, *NASTY]], ids=["ascii", "nasty", "both"])
def test_long_soups_are_cut_as_the_patterns_do(name, ingredients):
    for seed in range(4):
        data = soup(ingredients, 50_000, seed).encode()
        assert_equal_cuts(data, cuts(data, RULES[name]), oracle(data, RULES[name].pattern))


@settings(max_examples=200, deadline=None)
@given(text=texts)
def test_other_spellings_of_a_pattern_cut_alike(text):
    for pattern, name in pretokenize.OTHER_SPELLINGS.items():
        assert pretokenize.named_rule(pattern) is RULES[name]
        assert oracle(text, pattern) == cuts(text, RULES[name])


def test_known_patterns_are_recognised_and_others_are_not():
    assert all(pretokenize.named_rule(RULES[name].pattern) is RULES[name] for name in ENGLISH)
    assert pretokenize.named_rule(r"\w+|\W+") is None


def test_the_pattern_of_qwen_is_the_one_in_its_file(shared):
    stored = json.loads((shared / "data/tokenizers/qwen3.tokenizer.json").read_text("utf-8"))
    assert stored["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] == pretokenize.QWEN2


def tiktoken_pattern(name: str) -> str:
    """What tiktoken itself would run, without the ranks that it would fetch."""
    published = pytest.importorskip("tiktoken_ext.openai_public")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(published, "load_tiktoken_bpe", lambda *_, **__: {})
        patch.setattr(published, "data_gym_to_mergeable_bpe_ranks", lambda *_, **__: {})
        return published.ENCODING_CONSTRUCTORS[{"gpt2": "gpt2"}.get(name, f"{name}_base")]()["pat_str"]


def test_the_patterns_of_tiktoken_are_those_in_its_source():
    assert tiktoken_pattern("gpt2") == tiktoken_pattern("p50k") == pretokenize.GPT2_TIKTOKEN
    assert tiktoken_pattern("cl100k") == pretokenize.CL100K
    assert tiktoken_pattern("o200k") == pretokenize.O200K


def real_files(shared: Path) -> list[Path]:
    return sorted([*(shared / "data/text").iterdir(), *(shared / "data/edge").iterdir()])


@pytest.mark.parametrize("name", ["whitespace", *ENGLISH])
def test_real_and_hostile_files_are_cut_as_by_regex(shared, name):
    for path in real_files(shared):
        data = path.read_bytes()
        assert_equal_cuts(data, cuts(data, RULES[name]), oracle(data, RULES[name].pattern))


# Against tiktoken


def tiktoken_ids(name: str, documents: list[str], reach: int) -> list[tuple[list[int], list[int]]]:
    """Encode with a vocabulary that shows where tiktoken cuts: its ids and those that our cuts would give.

    Each of our pieces is a token, and so are up to `reach` pieces in a row: a piece of tiktoken's that was longer than
    ours would become one token, and a shorter one would end inside of ours.
    """
    tiktoken = pytest.importorskip("tiktoken")
    pattern = RULES[name].pattern if name in ("llama3", "qwen2") else tiktoken_pattern(name)
    ranks = {bytes([byte]): byte for byte in range(256)}
    cut = [pretokenize.pieces(document, RULES[name]) for document in documents]
    for pieces in cut:
        for piece in pieces:
            ranks.setdefault(piece, len(ranks))
    for pieces in cut:
        for length in range(2, reach + 1):
            for start in range(len(pieces) - length + 1):
                ranks.setdefault(b"".join(pieces[start : start + length]), len(ranks))
    encoding = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return [
        (encoding.encode_ordinary(document), [ranks[piece] for piece in pieces])
        for document, pieces in zip(documents, cut, strict=True)
    ]


@pytest.mark.parametrize("name", ENGLISH)
@settings(max_examples=60, deadline=None)
@given(documents=st.lists(texts, min_size=1, max_size=8))
def test_the_scanners_cut_as_tiktoken_does(name, documents):
    for theirs, expected in tiktoken_ids(name, documents, 40):
        assert theirs == expected


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
def test_real_and_hostile_files_are_cut_as_by_tiktoken(shared, name):
    for path in real_files(shared):
        text = path.read_bytes().decode("utf-8", "replace")
        [(theirs, expected)] = tiktoken_ids(name, [text], 2)
        assert theirs == expected, path.name


# Against tokenizers


def hugging_face_cuts(name: str, text: str) -> list[int]:
    tokenizers = pytest.importorskip("tokenizers")
    if name == "gpt2":
        splitter = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    else:
        splitter = tokenizers.pre_tokenizers.Split(tokenizers.Regex(RULES[name].pattern), "isolated")
    return [end for _, (_, end) in splitter.pre_tokenize_str(text)]


# Its engine reads `{1,3}+` in tiktoken's pattern of cl100k as a repeat of a repeat, so files for it spell it as llama3.
HUGGING_FACE = ("gpt2", "o200k", "llama3", "qwen2")


def character_cuts(text: str, name: str) -> list[int]:
    return np.searchsorted(byte_offsets(text), pretokenize.split(text, RULES[name])).tolist()


@pytest.mark.parametrize("name", HUGGING_FACE)
@settings(max_examples=300, deadline=None)
@given(text=texts)
def test_the_scanners_cut_as_hugging_face_does(name, text):
    assert hugging_face_cuts(name, text) == character_cuts(text, name)


@pytest.mark.parametrize("name", HUGGING_FACE)
def test_real_and_hostile_files_are_cut_as_by_hugging_face(shared, name):
    for path in real_files(shared):
        text = path.read_bytes().decode("utf-8", "replace")
        assert_equal_cuts(text.encode("utf-32-le"), hugging_face_cuts(name, text), character_cuts(text, name))


# In parts


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=200, deadline=None)
@given(data=damaged_texts, block=st.integers(1, 50))
def test_block_by_block_gives_what_the_whole_gives(name, data, block):
    array = np.frombuffer(data, np.uint8)
    parts = [end for part in pretokenize.scan(array, RULES[name], block=block) for end in part.tolist()]
    assert parts == cuts(data, RULES[name])


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=200, deadline=None)
@given(data=damaged_texts, where=st.floats(0, 1))
def test_from_a_safe_place_on_all_is_as_in_the_whole(name, data, where):
    array = np.frombuffer(data, np.uint8)
    start = int(where * len(data))
    place = pretokenize.safe_place(array, RULES[name], start)
    assert start <= place <= len(data)
    whole = cuts(data, RULES[name])
    rest = [end for part in pretokenize.scan(array, RULES[name], place) for end in part.tolist()]
    assert place in {0, *whole}
    assert rest == [end for end in whole if end > place]


@pytest.mark.parametrize("name", ["whitespace", *ENGLISH])
def test_a_book_has_a_safe_place_in_every_kilobyte(name, bible):
    data = np.frombuffer(bible[:200_000].encode(), np.uint8)
    places = [pretokenize.safe_place(data, RULES[name], start) for start in range(0, len(data) - 1000, 1000)]
    assert all(place - start < 1000 for place, start in zip(places, range(0, len(data), 1000), strict=False))


@pytest.mark.parametrize("name", RULES)
def test_room_for_few_pieces_is_no_obstacle(name, bible):
    from bpe_tui.bpe.kernels import splitting

    data = np.frombuffer(bible[:2_000].encode(), np.uint8)
    ends, start, room = [], 0, np.empty(7, np.int64)
    while start < len(data):
        pieces, start = splitting.split(
            RULES[name].number, data, start, len(data), True, room, character_classes.table()
        )
        ends += room[:pieces].tolist()
    assert ends == cuts(data.tobytes(), RULES[name])


# Long and dull


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(
    "piece", [" ", "a", "\n", "A", "1", "!", "'", "'s", "中", "\u0301", "中A", " \n", "\n ", "a'", "\xff"]
)
def test_a_million_times_the_same(name, piece):
    short, long = piece * 60, piece * 1_000_000
    found = pretokenize.split(long, RULES[name])
    assert found[-1] == len(long.encode())
    # What a short repeat does at its start, the long one does, too.
    expected = oracle(short, RULES[name].pattern)[:-6] if name != "none" else []
    assert found[: len(expected)].tolist() == expected


def long_line_of_json() -> bytes:
    draw = random.Random(1)
    rows = [{"id": n, "name": "".join(draw.choices("abc déÉ中", k=20)), "x": draw.random()} for n in range(80_000)]
    return json.dumps(rows, ensure_ascii=False).encode()


@pytest.mark.parametrize("name", ENGLISH)
def test_base64_and_json_in_one_line(name):
    noise = base64.b64encode(random.Random(0).randbytes(750_000))
    assert_equal_cuts(noise, cuts(noise, RULES[name]), oracle(noise, RULES[name].pattern))
    line = long_line_of_json()
    found = cuts(line, RULES[name])
    assert found[-1] == len(line) > 5_000_000
    start = next(end for end in found if end > 4_900_000)
    assert_equal_cuts(
        line[start:], [end - start for end in found if end > start], oracle(line[start:], RULES[name].pattern)
    )


# Patterns of one's own


def test_text_between_matches_becomes_pieces_too():
    rule = pretokenize.rule("pattern", r"[a-z]+|\d")
    assert pretokenize.pieces("ab, 12 é\n", rule) == [b"ab", b", ", b"1", b"2", " é\n".encode()]
    assert rule.name == "pattern"
    assert rule.unicode_version.startswith("regex ")


@pytest.mark.parametrize("pattern", [r"x*", r"\b", r"(?=a)", r"", r"$", r"\p{L}+", r".", r"(?s:.)"])
@settings(max_examples=60, deadline=None)
@given(data=damaged_texts)
def test_the_pieces_of_any_pattern_give_the_text_back(pattern, data):
    found = pretokenize.pieces(data, pretokenize.rule("pattern", pattern))
    assert b"".join(found) == data
    assert all(found)


@settings(max_examples=100, deadline=None)
@given(data=damaged_texts)
def test_a_published_pattern_as_ones_own_cuts_as_the_rule(data):
    for name in ("gpt2", "o200k"):
        assert cuts(data, pretokenize.rule("pattern", RULES[name].pattern)) == cuts(data, RULES[name])


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(), max_size=20))
def test_lone_surrogates_in_a_str_are_three_stray_bytes(text):
    data = text.encode("utf-8", "surrogatepass")
    for rule in (RULES["gpt2"], pretokenize.rule("pattern", r"\p{L}+|\s")):
        assert cuts(text, rule) == cuts(data, rule)
        assert b"".join(pretokenize.pieces(text, rule)) == data


@pytest.mark.parametrize(
    ("pattern", "what"),
    [("(ab", "at position 3"), ("[a", "at position 2"), (r"\p{Foo}", "unknown property"), ("*", "at position 0")],
)
def test_a_bad_pattern_is_refused_with_the_place(pattern, what):
    with pytest.raises(SplittingError, match="is no regular expression: .*" + what):
        pretokenize.rule("pattern", pattern)


def test_a_pattern_nested_too_deeply_is_refused():
    with pytest.raises(SplittingError, match="nested too deeply"):
        pretokenize.rule("pattern", "(" * 100_000 + ")" * 100_000)


def test_a_pattern_that_never_ends_is_found_out(monkeypatch):
    monkeypatch.setattr(pretokenize, "PATTERN_SECONDS", 0.15)
    with pytest.raises(SplittingError, match=r"from character 3 on: rewrite it"):
        pretokenize.split("xy " + "a" * 5_000 + "b", pretokenize.rule("pattern", r"x|y|\ |(a+)+$"))


def test_a_pattern_may_take_long_if_it_finds_something(monkeypatch):
    monkeypatch.setattr(pretokenize, "PATTERN_SECONDS", 0.01)
    monkeypatch.setattr(pretokenize, "PATTERN_SECONDS_A_CHARACTER", 0.0)
    text = "word " * 100_000
    assert len(pretokenize.split(text, pretokenize.rule("pattern", r"\w+|\s"))) == 200_000


@pytest.mark.parametrize("rule", [RULES["gpt2"], pretokenize.rule("pattern", r"x|(a+)+$")], ids=["gpt2", "pattern"])
def test_splitting_reports_and_can_be_cancelled(rule):
    seen = []

    def report(step: str, done: int, total: int) -> None:
        seen.append((step, done, total))
        raise Cancelled

    with pytest.raises(Cancelled):
        pretokenize.split("x" + "a" * 3_000_000 + "b", rule, report)
    assert seen[0][0] == "splitting"
    assert seen[0][2] == 3_000_002


def test_pairs_of_ends_are_never_empty_pieces(bible):
    for name in ENGLISH:
        assert all(end > start for start, end in pairwise([0, *cuts(bible[:100_000], RULES[name])]))
