"""Hugging Face's tokenizer.json: what is ours gives their ids without them, what is not says why and asks them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui import BPETokenizer, TokenizerFileError
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.preparation import AddedToken, Preparation
from bpe_tui.bpe.pretokenize import RULES, rule
from bpe_tui.formats.foreign import ForeignTokenizer
from bpe_tui.formats.patterns import CL100K_FOR_ONIGURUMA
from bpe_tui.formats.sample import SAMPLE

from .conftest import TEXT, hugging_face, saved, tiny

tokenizers = pytest.importorskip("tokenizers")
pre, norm, models = tokenizers.pre_tokenizers, tokenizers.normalizers, tokenizers.models


def pipeline(*steps: Any, normalizer: Any = None) -> Callable[[Any], None]:
    def prepare(tokenizer: Any) -> None:
        tokenizer.pre_tokenizer = steps[0] if len(steps) == 1 else pre.Sequence(list(steps))
        if normalizer is not None:
            tokenizer.normalizer = normalizer

    return prepare


def split(pattern: str, behavior: str = "isolated", **options: Any) -> Any:
    return pre.Split(tokenizers.Regex(pattern), behavior, **options)


BYTES = pre.ByteLevel(add_prefix_space=False, use_regex=False)
OURS = {
    "byte level": pipeline(pre.ByteLevel(add_prefix_space=False)),
    "prefix space": pipeline(pre.ByteLevel(add_prefix_space=True)),
    "no regex": pipeline(BYTES),
    "sequence of one": pipeline(pre.Sequence([pre.ByteLevel(add_prefix_space=False)])),
    "split by qwen's pattern": pipeline(split(RULES["qwen2"].pattern or ""), BYTES),
    "split by llama's pattern": pipeline(split(RULES["llama3"].pattern or ""), BYTES),
    "split by o200k's pattern": pipeline(split(RULES["o200k"].pattern or ""), BYTES),
    "split by cl100k's pattern": pipeline(split(CL100K_FOR_ONIGURUMA), BYTES),
    "split by a pattern of one's own": pipeline(split(r"\p{L}+|\p{N}|[^\p{L}\p{N}]+"), BYTES),
    "split by a string": pipeline(pre.Split("th", "isolated"), BYTES),
    "NFC": pipeline(pre.ByteLevel(add_prefix_space=False), normalizer=norm.Sequence([norm.NFC()])),
}
NOT_OURS = {
    "lowercase": (pipeline(pre.ByteLevel(add_prefix_space=False), normalizer=norm.Lowercase()), "Lowercase"),
    "NFKC": (pipeline(pre.ByteLevel(add_prefix_space=False), normalizer=norm.NFKC()), "NFKC"),
    "digits": (pipeline(pre.Digits(True), pre.ByteLevel(add_prefix_space=False)), "several steps"),
    "two splits": (pipeline(split(r"\p{N}"), split(r"\s+"), BYTES), "several steps"),
    "removed": (pipeline(split(r"\s+", "removed"), BYTES), "behavior 'Removed'"),
    "merged": (pipeline(split(r"\s+", "merged_with_next"), BYTES), "behavior 'MergedWithNext'"),
    "split twice": (pipeline(split(r"\s+"), pre.ByteLevel(add_prefix_space=False)), "and then again"),
    "possessive repeat": (pipeline(split(r"\p{N}{1,3}+|\P{N}+"), BYTES), "may not mean the same"),
    "end of line": (pipeline(split(r"\s+$|\S+|\s"), BYTES), "may not mean the same"),
    "metaspace": (pipeline(pre.Metaspace()), "is Metaspace, not ByteLevel"),
    "white space": (pipeline(pre.Whitespace()), "is Whitespace, not ByteLevel"),
}
TEXTS = [TEXT, SAMPLE, "", " ", "the", "\n\nthe  ", "cafe\u0301 A\u030a", "<|endoftext|>the<|endoftext|>"]


def same_ids(ours: BPETokenizer, theirs: Any, texts: list[str] = TEXTS) -> None:
    for text in texts:
        for special in ("text", "special"):
            theirs.encode_special_tokens = special == "text"
            assert ours.encode(text, special=special) == theirs.encode(text, add_special_tokens=False).ids, text  # type: ignore[call-arg]


@pytest.mark.parametrize("name", OURS)
def test_what_is_ours_needs_no_other_program(name: str, tmp_path: Path) -> None:
    theirs = hugging_face(OURS[name])
    ours = BPETokenizer.from_file(saved(theirs, tmp_path / "t.json"))
    assert isinstance(ours, ByteBPETokenizer)
    same_ids(ours, theirs)
    ours.save(tmp_path / "again" / "tokenizer.json")
    again = BPETokenizer.from_file(tmp_path / "again/tokenizer.json")
    assert again.fingerprint() == ours.fingerprint()
    same_ids(again, tokenizers.Tokenizer.from_file(str(tmp_path / "again/tokenizer.json")))
    ours.save(tmp_path / "own.json")
    same_ids(BPETokenizer.from_file(tmp_path / "own.json"), theirs)


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_is_not_ours_says_why_and_is_left_to_them(name: str, tmp_path: Path) -> None:
    prepare, reason = NOT_OURS[name]
    theirs = hugging_face(prepare)
    ours = BPETokenizer.from_file(saved(theirs, tmp_path / "t.json"))
    assert isinstance(ours, ForeignTokenizer)
    assert reason in ours.reason
    same_ids(ours, theirs)


def model_change(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["model"].update(fields)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (model_change(dropout=0.5), "dropout"),
        (model_change(end_of_word_suffix="Ġ"), "end_of_word_suffix"),
    ],
)
def test_a_model_that_merges_otherwise_is_not_ours(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    ours = BPETokenizer.from_file(saved(hugging_face(), tmp_path / "t.json", change))
    assert isinstance(ours, ForeignTokenizer)
    assert reason in ours.reason


def test_merges_may_be_strings_or_pairs(tmp_path: Path) -> None:
    theirs = hugging_face()

    def as_strings(content: dict[str, Any]) -> None:
        content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]

    pairs = BPETokenizer.from_file(saved(theirs, tmp_path / "pairs.json"))
    strings = BPETokenizer.from_file(saved(theirs, tmp_path / "strings.json", as_strings))
    assert pairs.fingerprint() == strings.fingerprint()


def test_pieces_may_be_taken_whole(tmp_path: Path) -> None:
    def whole(content: dict[str, Any]) -> None:
        content["model"]["ignore_merges"] = True
        # A token that no merge makes, which only a whole piece can be.
        content["model"]["vocab"]["lowest!"] = len(content["model"]["vocab"])
        content["model"]["vocab"]["Ġwhole"] = len(content["model"]["vocab"])
        content["added_tokens"] = []
        content["model"]["vocab"]["<|endoftext|>"] = 0

    path = saved(hugging_face(), tmp_path / "t.json", whole)
    ours = BPETokenizer.from_file(path)
    assert isinstance(ours, ByteBPETokenizer)
    theirs = tokenizers.Tokenizer.from_file(str(path))
    same_ids(ours, theirs, ["the whole", " whole lowest! whole", "whole"])
    ours.save(tmp_path / "again.tokenizer.json")
    same_ids(ours, tokenizers.Tokenizer.from_file(str(tmp_path / "again.tokenizer.json")), ["the whole lowest!"])
    with pytest.raises(TokenizerFileError, match="'Ġwhole'"):
        ours.save(tmp_path / "pair", format="gpt2")


ADDED = [
    {"content": "  ", "special": False, "normalized": True},
    {"content": "    ", "special": False, "normalized": True},
    {"content": "[MASK]", "special": True, "lstrip": True},
    {"content": "<r>", "special": False, "rstrip": True, "normalized": False},
    {"content": "caf\u00e9!", "special": False, "normalized": True},
    {"content": "[M", "special": False, "normalized": False},
    {"content": "the", "special": False, "normalized": False, "single_word": False},
]


def with_added(tokens: list[dict[str, Any]], **flags: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        vocabulary = content["model"]["vocab"]
        number = len(vocabulary)
        for place, token in enumerate(tokens):
            content["added_tokens"].append(
                {"id": number + place, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
                | ({"id": vocabulary[token["content"]]} if token["content"] in vocabulary else {})
                | token
                | flags
            )

    return change


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "  ",
                " ",
                "[MASK]",
                "[M",
                "<r>",
                "cafe\u0301!",
                "café!",
                "a",
                "\n",
                "\u3000",
                "x",
                "\x1c",
                "<|endoftext|>",
            ]
        ),
        max_size=14,
    ).map("".join)
)
def test_added_tokens_of_all_sorts_are_found_as_they_find_them(added: tuple[ByteBPETokenizer, Any], text: str) -> None:
    ours, theirs = added
    same_ids(ours, theirs, [text])


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> tuple[ByteBPETokenizer, Any]:
    folder = tmp_path_factory.mktemp("added")
    theirs = hugging_face(pipeline(pre.ByteLevel(add_prefix_space=False), normalizer=norm.NFC()))
    path = saved(theirs, folder / "t.json", with_added(ADDED[:-1]))
    ours = BPETokenizer.from_file(path)
    assert isinstance(ours, ByteBPETokenizer)
    assert not ours.lossless
    ours.save(folder / "own.json")
    again = BPETokenizer.from_file(folder / "own.json")
    assert again.fingerprint() == ours.fingerprint()
    assert isinstance(again, ByteBPETokenizer)
    return again, tokenizers.Tokenizer.from_file(str(path))


@pytest.mark.parametrize(
    ("tokens", "flags", "reason"),
    [
        (ADDED[3:4], {"single_word": True}, "'<r>' is found as a single word only"),
        (ADDED[6:], {}, "'the' is a part of merges"),
        ([{"content": "<z>", "special": True, "id": 4000}], {}, "'<z>' says id 4000, but tokenizers gives it"),
    ],
)
def test_added_tokens_that_are_not_ours(
    tmp_path: Path, tokens: list[dict[str, Any]], flags: dict[str, Any], reason: str
) -> None:
    path = saved(hugging_face(), tmp_path / "t.json", with_added(tokens, **flags))
    ours = BPETokenizer.from_file(path)
    assert isinstance(ours, ForeignTokenizer)
    assert reason in ours.reason
    same_ids(ours, tokenizers.Tokenizer.from_file(str(path)), ["the <z> the", "x<r>x <r> x"])


def test_special_tokens_keep_ids_with_gaps(tmp_path: Path) -> None:
    ours = tiny(special_tokens={"<a>": 900, "<b>": 300, "  ": 301})
    ours.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    same_ids(ours, theirs, ["the <a><b>  the", "<a>"])
    assert BPETokenizer.from_file(tmp_path / "tokenizer.json").special_tokens == ours.special_tokens


def test_a_file_trained_without_all_bytes_is_left_to_them(tmp_path: Path) -> None:
    theirs = tokenizers.Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre.ByteLevel(add_prefix_space=False)
    theirs.train_from_iterator(["the theory"], tokenizers.trainers.BpeTrainer(vocab_size=40, show_progress=False))
    ours = BPETokenizer.from_file(saved(theirs, tmp_path / "t.json"))
    assert isinstance(ours, ForeignTokenizer)
    assert "cannot encode all bytes" in ours.reason
    assert ours.encode("the xyz theory") == theirs.encode("the xyz theory").ids


def test_bytes_that_no_text_has_may_be_missing(tmp_path: Path) -> None:
    def without(content: dict[str, Any]) -> None:
        vocabulary = content["model"]["vocab"]
        for character in "ÀÁõö÷øùúûüýþÿ":
            del vocabulary[character]
        content["model"]["vocab"] = {token: number for number, token in enumerate(vocabulary)}

    path = saved(hugging_face(), tmp_path / "t.json", without)
    ours = BPETokenizer.from_file(path)
    assert isinstance(ours, ByteBPETokenizer)
    same_ids(ours, tokenizers.Tokenizer.from_file(str(path)))
    with pytest.raises(ValueError, match="byte 1 is 0xFF"):
        ours.encode_bytes(b"a\xff")
    ours.save(tmp_path / "own.json")
    assert BPETokenizer.from_file(tmp_path / "own.json").fingerprint() == ours.fingerprint()


def test_characters_go_there_and_come_back(tmp_path: Path) -> None:
    ours = BPETokenizer.train(TEXT, 80, verbose=False)
    ours.save(tmp_path / "t.json", format="huggingface")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    assert theirs.encode(TEXT).ids == ours.encode(TEXT)
    assert theirs.decode(ours.encode(TEXT)) == TEXT
    again = BPETokenizer.from_file(tmp_path / "t.json")
    assert again.kind == "character_bpe"
    assert again.fingerprint() == ours.fingerprint()
    repeated = BPETokenizer("abc", [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc")])
    with pytest.raises(TokenizerFileError, match="several merges make token 'abc'"):
        repeated.save(tmp_path / "r.json", format="huggingface")


def test_a_pattern_that_they_would_read_otherwise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TokenizerFileError, match=r"the pattern .* in another way"):
        tiny(rule=rule("pattern", r"\S+|\s+$|\s")).save(tmp_path / "tokenizer.json")
    spaced = tiny(rule=RULES["o200k"], preparation=Preparation((AddedToken("<x>", 300),), prefix_space=True))
    with pytest.raises(TokenizerFileError, match="space in front and then cut by the rule o200k"):
        spaced.save(tmp_path / "tokenizer.json")


def set_model(field: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda content: content["model"].__setitem__(field, value)


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        (lambda c: c.update(model=3), "type", "missing"),
        (set_model("type", "Magic"), "model.type", "'Magic'"),
        (set_model("vocab", [1]), "model.vocab", "object of tokens"),
        (set_model("vocab", {"a": "b"}), "model.vocab", "'a' has the id 'b'"),
        (set_model("vocab", {"a": 1, "b": 1}), "model.vocab", "belongs to both"),
        (set_model("merges", 3), "model.merges", "must be a list"),
        (set_model("merges", ["t"]), "model.merges", "entry 0 is 't'"),
        (set_model("merges", ["t h", "t h"]), "model.merges", r"merge 1 \('t', 'h'\) is there already as 0"),
        (set_model("merges", [["t", 3]]), "model.merges", "entry 0"),
        (set_model("merges", ["t €"]), "model.merges", "merge 0 uses '€'"),
        (set_model("merges", ["q q"]), "model.merges", "merge 0 makes 'qq'"),
        (lambda c: c["model"]["vocab"].pop("÷"), "model.vocab", "0xF7|damaged"),
        (lambda c: c["model"]["vocab"].pop("t"), "model.merges", "'t', which is not in the vocabulary"),
        (lambda c: c.update(added_tokens={}), "added_tokens", "must be a list"),
        (lambda c: c.update(added_tokens=[3]), "added_tokens", "entry 0 is 3"),
        (lambda c: c.update(added_tokens=[{"id": 1}]), "added_tokens", "no content"),
        (lambda c: c.update(added_tokens=[{"id": "1", "content": "<y>"}]), "added_tokens", "the id '1'"),
        (lambda c: c["added_tokens"].append(c["added_tokens"][0]), "added_tokens", "is there already"),
        (lambda c: c["added_tokens"][0].update(lstrip="no"), "added_tokens", "lstrip 'no'"),
    ],
)
def test_damage_is_named(tmp_path: Path, change: Callable[[dict[str, Any]], Any], field: str, message: str) -> None:
    path = saved(hugging_face(), tmp_path / "t.json", lambda content: change(content) and None)
    if "÷" in message or "0xF7" in message:
        content = json.loads(path.read_text(encoding="utf-8"))
        assert "÷" not in content["model"]["vocab"]
    with pytest.raises(TokenizerFileError, match=message) as caught:
        BPETokenizer.from_file(path)
    assert caught.value.field == field


def test_a_splitting_rule_is_not_asked_for(tmp_path: Path) -> None:
    path = saved(hugging_face(), tmp_path / "t.json")
    with pytest.raises(TokenizerFileError, match="says itself how text is cut"):
        BPETokenizer.from_file(path, split="gpt2")
