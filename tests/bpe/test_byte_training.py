"""Byte BPE is trained to the same merges as by Hugging Face's tokenizers and by rustbpe."""

from __future__ import annotations

import base64
import itertools
import json
import random
import weakref
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.hard import hard_texts

from bpe_tui.bpe import cuts, piece_counting, reference, sequence
from bpe_tui.bpe.byte_alphabet import SORTED_BYTES, to_characters
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.byte_training import byte_order, byte_sequence
from bpe_tui.bpe.piece_counting import count_pieces
from bpe_tui.bpe.pretokenize import GPT2, pieces, rule
from bpe_tui.bpe.special import SpecialTokenError, cut_at, special_pattern
from bpe_tui.bpe.trainer import Trainer
from bpe_tui.errors import Cancelled, TextError, VocabularySizeError

GPT2_RULE = rule("gpt2")


def trained(text: str | bytes, size: int, minimum: int = 2, **options: object) -> ByteBPETokenizer:
    return ByteBPETokenizer.train(text, size, minimum, verbose=False, **options)  # type: ignore[arg-type]


def hugging_face(text: str, size: int) -> tuple[list[tuple[str, ...]], dict[str, int]]:
    """The merges and the vocabulary of a ByteLevel BPE tokenizer that Hugging Face's tokenizers trained."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    byte_level = tokenizers.pre_tokenizers.ByteLevel
    tokenizer.pre_tokenizer = byte_level(add_prefix_space=False, use_regex=True)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size, min_frequency=2, initial_alphabet=byte_level.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return [tuple(pair) for pair in model["merges"]], model["vocab"]


def rustbpe_tokens(text: str, size: int) -> list[str]:
    """The tokens by id that rustbpe learns, in the byte alphabet."""
    rustbpe = pytest.importorskip("rustbpe")
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator([text], size, pattern=GPT2)
    ranks = sorted(tokenizer.get_mergeable_ranks(), key=lambda entry: entry[1])
    assert [number for _, number in ranks] == list(range(len(ranks)))
    return [to_characters(bytes(token)) for token, _ in ranks]


def compare_with_others(text: str, size: int) -> None:
    ours = trained(text, size)
    merges, vocabulary = hugging_face(text, size)
    assert ours.merges == merges
    assert ours.vocabulary == vocabulary
    # rustbpe merges pairs that occur once, too, and gives no merges but the tokens that they made, in order.
    assert trained(text, size, 1, ties="bytes").tokens == rustbpe_tokens(text, size)


SPECIALS = ("<|end|>", "<|end|>of", "t t", "\n")


@settings(deadline=None, max_examples=300)
@given(
    hard_texts(),
    st.sampled_from(["none", "whitespace", "gpt2", "cl100k", "o200k", "llama3", "qwen2"]),
    st.lists(st.sampled_from(SPECIALS), unique=True),
    st.lists(st.integers(1, 40), min_size=1),
    st.integers(1, 50),
)
def test_stretches_on_many_threads_count_what_the_whole_text_has(
    text: str, name: str, specials: list[str], sizes: list[int], stretch: int
) -> None:
    text = (text + " and so on<|end|>of it'll \n") * 3
    expected: dict[bytes, int] = {}
    for ordinary, _ in cut_at(text, special_pattern(dict.fromkeys(specials, 0))):
        for piece in pieces(ordinary, rule(name)):
            expected[piece] = expected.get(piece, 0) + 1
    blocks, start = [], 0
    for size in itertools.cycle(sizes):
        if start >= len(text):
            break
        blocks.append(text[start : start + size].encode())
        start += size
    with mock.patch.object(piece_counting, "STRETCH", stretch), mock.patch.object(cuts, "WINDOW", 5):
        for given in (text, iter(blocks)):
            content, lengths, counts = count_pieces(given, rule(name), specials).counted()
            starts = np.cumsum(lengths) - lengths
            found = [content[at : at + length].tobytes() for at, length in zip(starts, lengths, strict=True)]
            assert list(zip(found, counts.tolist(), strict=True)) == list(expected.items())


@settings(max_examples=100, deadline=None)
@given(hard_texts(), st.integers(1, 5))
def test_a_stretch_that_is_too_heavy_is_laid_out_several_times(text: str, heaviest: int) -> None:
    def learned() -> list[tuple[int, int, int, int]]:
        trainer = Trainer.on_sequence(byte_sequence(text, rule("whitespace")), 300)
        trainer.run()
        log, count = trainer.log, trainer.log.count
        return [
            *zip(*(column[:count].tolist() for column in (log.left, log.right, log.frequency, log.length)), strict=True)
        ]

    text = (text + " a b of of of ") * 3
    expected = learned()
    with mock.patch.object(sequence, "HEAVIEST", heaviest):
        assert learned() == expected


def test_blocks_are_never_held_as_a_whole(bible: str) -> None:
    """Of a text that goes on, only a few stretches are ever waiting to be counted."""
    block = bible[: 1 << 18].encode()
    held: list[weakref.ref[np.ndarray]] = []
    most = 0

    def blocks() -> Iterator[bytes]:
        nonlocal most
        for _ in range(100):
            most = max(most, sum(reference() is not None for reference in held))
            yield block

    with mock.patch.object(piece_counting, "STRETCH", 1 << 18):
        for stretch, _ in piece_counting.stretches(blocks(), GPT2_RULE):
            held.append(weakref.ref(stretch))
            del stretch
    assert len(held) > 20
    assert most <= 3


def test_counting_on_threads_tells_how_far_it_is() -> None:
    told: list[tuple[int, int]] = []
    content = b"a text of some words " * 1000
    with mock.patch.object(piece_counting, "STRETCH", 500):
        count_pieces(content, GPT2_RULE, report=lambda _, done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (len(content), len(content))


def test_counting_on_threads_can_be_cancelled() -> None:
    def refuse(step: str, done: int, total: int) -> None:
        raise Cancelled("enough")

    with mock.patch.object(piece_counting, "STRETCH", 1000), pytest.raises(Cancelled, match="enough"):
        count_pieces("a text of some words " * 1000, GPT2_RULE, report=refuse)


def test_more_pieces_than_there_was_room_for_at_first() -> None:
    text = "".join(f" {number:x}" for number in range(400_000)) + " 7" * 5
    content, lengths, counts = count_pieces(text, rule("whitespace")).counted()
    assert len(content) == int(lengths.sum())
    assert int(counts.sum()) == 2 * 400_005
    assert counts[0] == 400_005  # the space
    assert counts[8] == 6


@settings(deadline=None)
@given(hard_texts())
def test_the_same_merges_as_others_on_hard_texts(text: str) -> None:
    compare_with_others(text, 300)


def test_the_same_merges_as_others_on_prose_and_code(bible: str) -> None:
    source = Path(__file__).read_text("utf-8") + Path(reference.__file__).read_text("utf-8")
    for text in (bible[:200_000], source, "語る人々は、語る人々に語る。مرحبا بالعالم مرحبا " * 50):
        compare_with_others(text, 1024)


@pytest.mark.parametrize("size", [4096, 16384])
def test_the_same_merges_as_others_on_wikitext(shared: Path, size: int) -> None:
    compare_with_others((shared / "data/wikitext-2/train.txt").read_text("utf-8"), size)


@pytest.mark.parametrize("language", ["zh-CN", "ja-JP", "ar-MA"])
def test_the_same_merges_as_others_in_other_scripts(shared: Path, language: str) -> None:
    compare_with_others((shared / f"data/text/handbook_{language}.txt").read_text("utf-8"), 4096)


def test_base_tokens_are_all_bytes_in_the_order_of_the_rule() -> None:
    assert byte_order("lowest-id") == [to_characters(bytes([byte])) for byte in SORTED_BYTES]
    assert byte_order("bytes") == [to_characters(bytes([byte])) for byte in range(256)]
    tokenizer = trained("aaaa", 300, ties="bytes")
    assert tokenizer.vocabulary["a"] == 97
    assert trained("aaaa", 300, base_tokens=byte_order("bytes")).vocabulary["a"] == 97


def test_any_bytes_can_be_trained_on() -> None:
    content = bytes(range(256)) * 3
    tokenizer = trained(content, 300)
    assert tokenizer.decode_bytes(tokenizer.encode_bytes(content)) == content


def test_no_merge_contains_a_part_of_a_special_token() -> None:
    text = "tale<|endoftext|>tale<|endoftext|>" * 20 + "[CLS]"
    tokenizer = trained(text, 300, special_tokens=["<|endoftext|>", "[CLS]"])
    assert tokenizer.merges
    assert not any(set("<|>[") & set(token) for token in tokenizer.vocabulary if len(token) > 1)
    assert tokenizer.special_tokens["<|endoftext|>"] == len(tokenizer.vocabulary)
    ids = tokenizer.encode("tale<|endoftext|>", special="special")
    assert ids[-1] == tokenizer.special_tokens["<|endoftext|>"]
    assert len(ids) == 2
    assert tokenizer.decode(ids) == "tale<|endoftext|>"


def test_the_target_counts_special_tokens(bible: str) -> None:
    assert trained(bible[:20_000], 300, special_tokens=["<s>", "</s>"]).token_count == 300
    with pytest.raises(VocabularySizeError, match="256 base tokens and 2 special tokens"):
        trained("text", 257, special_tokens=["<s>", "</s>"])


def test_a_special_token_equal_to_another_is_refused() -> None:
    with pytest.raises(SpecialTokenError, match="'a' is equal to the token with id"):
        trained("banana", 300, special_tokens=["a"])


@pytest.mark.parametrize("tokens", [["<x>", "<y>", "<x>"], ["\ud800"], ["<x>", ""]])
def test_special_tokens_that_cannot_be_are_refused_before_training(tokens: list[str]) -> None:
    with pytest.raises(SpecialTokenError, match=r"is given twice|is no text|at least one character"):
        trained("low lower lowest", 270, special_tokens=tokens)


def test_bytes_of_any_type_are_a_text_and_text_is_no_block() -> None:
    content = b"low lower lowest " * 3
    expected = trained(content, 270).fingerprint()
    for text in (bytearray(content), memoryview(content), [bytearray(content[:9]), memoryview(content[9:])]):
        assert trained(text, 270).fingerprint() == expected  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must come as bytes in UTF-8, not as str"):
        trained(["low", "lower"], 270)  # type: ignore[arg-type]


def test_texts_that_nothing_can_be_learned_from_are_refused() -> None:
    for text, special in (("", []), ("<s><s>", ["<s>"]), ("\ud800", [])):
        with pytest.raises(TextError):
            byte_sequence(text, GPT2_RULE, special)


def test_counting_can_be_cancelled() -> None:
    def report(step: str, done: int, total: int) -> None:
        raise Cancelled(step)

    with pytest.raises(Cancelled):
        byte_sequence("some text", GPT2_RULE, report=report)


@pytest.mark.parametrize("kind", ["spaces", "letters", "newlines", "base64", "json"])
@pytest.mark.parametrize("name", ["gpt2", "none"])
def test_enormous_pieces_are_no_trouble(kind: str, name: str) -> None:
    numbers = random.Random(1)
    text = {
        "spaces": " " * 1_000_000,
        "letters": "a" * 1_000_000,
        "newlines": "\n" * 1_000_000,
        "base64": base64.b64encode(numbers.randbytes(750_000)).decode(),
        "json": json.dumps([{"id": number, "name": f"n{number % 997}"} for number in range(100_000)]),
    }[kind]
    tokenizer = trained(text, 400, rule=name)
    ids = tokenizer.encode_array(text)
    assert tokenizer.decode(ids) == text
    assert len(ids) < len(text)
