"""Counting tokens: of texts one after another, and cutting a text so that it has no more than so many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_tui.analysis.encoded import encode, utf8_size
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer


@dataclass(frozen=True, slots=True)
class Count:
    """How much a text is."""

    characters: int
    bytes: int
    """In UTF-8."""
    words: int
    """Runs of characters that are no white space."""
    lines: int
    """Line ends in it, plus one if the last line has none."""
    tokens: int

    def __add__(self, other: Count) -> Count:
        return Count(
            self.characters + other.characters,
            self.bytes + other.bytes,
            self.words + other.words,
            self.lines + other.lines,
            self.tokens + other.tokens,
        )


NOTHING = Count(0, 0, 0, 0, 0)


def count(tokenizer: BPETokenizer, text: str, report: Report = silent) -> Count:
    """Count a text. Raises MissingCharactersError; `report` may raise Cancelled."""
    return Count(
        characters=len(text),
        bytes=utf8_size(text),
        words=len(text.split()),
        lines=text.count("\n") + (not text.endswith("\n") and bool(text)),
        tokens=len(tokenizer.encode_array(text, report)),
    )


def cut(tokenizer: BPETokenizer, text: str, tokens: int, report: Report = silent) -> tuple[str, int]:
    """Give the longest beginning of `text` that ends where a token does and has at most `tokens`, and how many it has.

    It ends between two characters, even if tokens are bytes. Encoding it again gives no more than `tokens`: where the
    text is split otherwise once its rest is gone, it is cut one token earlier. Where it is not known where tokens lie,
    it is the longest beginning found by halving that has no more than `tokens`.
    Raises MissingCharactersError; `report` may raise Cancelled.
    """
    encoded = encode(tokenizer, text, report)
    if encoded.tokens <= tokens:
        return text, encoded.tokens
    if encoded.ends is None:
        return _cut_by_halving(tokenizer, text, tokens)
    content = text.encode("utf-8", "surrogatepass")
    for kept in range(tokens, 0, -1):
        end = int(encoded.ends[kept - 1])
        if end < len(content) and content[end] & 0xC0 == 0x80:
            continue
        beginning = content[:end].decode("utf-8", "surrogatepass")
        found = len(tokenizer.encode_array(beginning))
        if found <= tokens:
            return beginning, found
    return "", 0


def _cut_by_halving(tokenizer: BPETokenizer, text: str, tokens: int) -> tuple[str, int]:
    least, most = 0, len(text)
    while least < most:
        middle = (least + most + 1) // 2
        if len(tokenizer.encode_array(text[:middle])) <= tokens:
            least = middle
        else:
            most = middle - 1
    return text[:least], len(tokenizer.encode_array(text[:least]))
