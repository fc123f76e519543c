"""Probing tokenizers with words: into which pieces each falls, and which fare worst."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_tui.analysis.encoded import encode
from bpe_tui.errors import MissingCharactersError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer


@dataclass(frozen=True, slots=True)
class Cut:
    """One word under one tokenizer."""

    ids: tuple[int, ...]
    pieces: tuple[bytes, ...]
    """What each token covers of the word; what it stands for, where a tokenizer does not keep the text as it is."""
    missing: tuple[str, ...]
    """Characters that the tokenizer does not know; then there are no pieces."""


@dataclass(frozen=True, slots=True)
class Probed:
    """One word under all tokenizers."""

    word: str
    cuts: tuple[Cut, ...]

    @property
    def badness(self) -> float:
        """Tokens per character under the tokenizer that cuts it most; infinite if one cannot encode it."""
        if not self.word:
            return 0.0
        return max((float("inf") if cut.missing else len(cut.ids) / len(self.word) for cut in self.cuts), default=0.0)


def probe(
    tokenizers: Sequence[tuple[str, BPETokenizer]], words: Iterable[str], report: Report = silent
) -> list[Probed]:
    """Cut each word with each tokenizer, each word by itself; words that stand twice are probed once.

    `report` may raise Cancelled.
    """
    distinct = list(dict.fromkeys(words))
    found = []
    for number, word in enumerate(distinct):
        if number % 256 == 0:
            report("probing", number, len(distinct))
        found.append(Probed(word, tuple(_cut(tokenizer, word) for _, tokenizer in tokenizers)))
    return found


def worst_first(probed: Iterable[Probed]) -> list[Probed]:
    """Sort words: those that cannot be encoded, then by tokens per character, then by tokens, most first."""
    return sorted(
        probed, key=lambda entry: (-entry.badness, -max((len(cut.ids) for cut in entry.cuts), default=0), entry.word)
    )


def _cut(tokenizer: BPETokenizer, word: str) -> Cut:
    try:
        encoded = encode(tokenizer, word)
    except MissingCharactersError as error:
        return Cut((), (), tuple(entry.character for entry in error.missing))
    ids = tuple(encoded.ids.tolist())
    if encoded.ends is None:
        return Cut(ids, tuple(tokenizer.tokens[number].encode("utf-8", "surrogatepass") for number in ids), ())
    content = word.encode("utf-8", "surrogatepass")
    starts = [0, *encoded.ends.tolist()]
    return Cut(ids, tuple(content[starts[i] : starts[i + 1]] for i in range(len(ids))), ())
