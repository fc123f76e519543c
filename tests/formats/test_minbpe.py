"""minbpe's models: read as minbpe would, written so that minbpe would read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui import BPETokenizer, TokenizerFileError
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import RULES, pieces

from .conftest import TEXT, tiny

GPT4 = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"""
)
"""The pattern that minbpe's RegexTokenizer has by default."""


def model(pattern: str = "", specials: str = "0\n", merges: str = "116 104\n256 101\n32 257\n") -> bytes:
    return f"minbpe v1\n{pattern}\n{specials}{merges}".encode()


def minbpe_encode(content: bytes, text: str, cut: list[bytes]) -> list[int]:
    """What minbpe does with a model: in each piece, the pair with the lowest id is merged, everywhere, again and again."""
    lines = content.decode().split("\n")
    start = 3 + int(lines[2])
    merges = {tuple(map(int, line.split())): 256 + rank for rank, line in enumerate(filter(None, lines[start:]))}
    ids: list[int] = []
    for piece in cut:
        parts = list(piece)
        while len(parts) > 1:
            pair = min(zip(parts, parts[1:]), key=lambda pair: merges.get(pair, 1 << 30))
            if pair not in merges:
                break
            merged, place = [], 0
            while place < len(parts):
                if tuple(parts[place : place + 2]) == pair:
                    merged.append(merges[pair])
                    place += 2
                else:
                    merged.append(parts[place])
                    place += 1
            parts = merged
        ids += parts
    return ids


def test_a_model_without_pattern_is_the_basic_one(tmp_path: Path) -> None:
    (tmp_path / "basic.model").write_bytes(model())
    read = BPETokenizer.from_file(tmp_path / "basic.model")
    assert isinstance(read, ByteBPETokenizer)
    assert read.rule == RULES["none"]
    assert read.merges == [("t", "h"), ("th", "e"), ("Ġ", "the")]
    assert read.encode("the the") == minbpe_encode(model(), "the the", [b"the the"]) == [257, 258]


def test_a_model_with_pattern_and_special_tokens(tmp_path: Path) -> None:
    (tmp_path / "regex.model").write_bytes(model(GPT4, "2\n<|endoftext|> 100257\n<|fim|> 100258\n"))
    read = BPETokenizer.from_file(tmp_path / "regex.model")
    assert read.rule.name == "llama3"  # type: ignore[attr-defined]
    assert read.special_tokens == {"<|endoftext|>": 100257, "<|fim|>": 100258}


def test_what_is_written_is_what_minbpe_would_read(small: ByteBPETokenizer, tmp_path: Path) -> None:
    size = small.vocab_size
    small.save(tmp_path / "small.model")
    content = (tmp_path / "small.model").read_bytes()
    assert content.decode().split("\n")[2:5] == ["2", f"<|endoftext|> {size - 2}", f"[MASK] {size - 1}"]
    assert minbpe_encode(content, TEXT, pieces(TEXT, small.rule)) == small.encode(TEXT)
    again = BPETokenizer.from_file(tmp_path / "small.model")
    assert again.fingerprint() == small.fingerprint()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"minbpe v2\n\n0\n", "line 1: says 'minbpe v2'"),
        (b"minbpe v1\n", "ends too early"),
        (b"minbpe v1\n\n", "ends too early"),
        (model("("), "line 2: .*no regular expression"),
        (model(specials="x\n"), "line 3: 'x' is not the number"),
        (model(specials="9\n"), "line 3: promises 9 special tokens"),
        (model(specials="1\n<a> b\n"), "line 4: '<a> b' is not a special token and its id"),
        (model(specials="1\n<a> 256\n"), "id 256 belongs to both"),
        (model(merges="116 104\n116 104\n"), "line 5: makes 'th', which id 256 is already"),
        (model(merges="116 104\n300 1\n"), "line 5: id 300 is not known yet"),
        (model(merges="116 104 1\n"), "line 4: '116 104 1' is not a pair of ids"),
        (model(merges="116 -4\n"), "line 4: '116 -4' is not a pair of ids"),
        (b"minbpe v1\n\n0\n" + b"".join(b"%d %d\n" % (max(97, i), max(97, i)) for i in range(255, 300)), "line"),
        (b"minbpe v1\n\xff\n0\n", "not UTF-8"),
    ],
)
def test_damage_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "damaged.model").write_bytes(content)
    with pytest.raises(TokenizerFileError, match=message):
        BPETokenizer.from_file(tmp_path / "damaged.model")


def test_what_a_model_cannot_hold_is_named(small: ByteBPETokenizer, tmp_path: Path) -> None:
    with pytest.raises(TokenizerFileError, match=r"special token 'two words' \(id 300\): it has white space"):
        tiny(special_tokens={"two words": 300}).save(tmp_path / "x.model")
    swapped = {**small.vocabulary, "a": small.vocabulary["b"], "b": small.vocabulary["a"]}
    with pytest.raises(TokenizerFileError, match="byte 0x61 has the id 98"):
        small.with_changes(vocabulary=swapped).save(tmp_path / "x.model")
    shifted = {token: number + (number >= 256) for token, number in small.vocabulary.items()}
    with pytest.raises(TokenizerFileError, match="merge 0 the id 256, but .* has the id 257"):
        small.with_changes(vocabulary=shifted, special_tokens={}).save(tmp_path / "x.model")
    assert list(tmp_path.iterdir()) == []
