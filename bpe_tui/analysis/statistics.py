"""Figures of a text under a tokenizer, and of a vocabulary by itself. Each says in words what is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_tui.analysis.efficiency import ALPHA, entropy, renyi_efficiency
from bpe_tui.analysis.encoded import EncodedText, encode, learned_ids, token_count, token_text, unit_of
from bpe_tui.analysis.scripts import script_counts, token_scripts
from bpe_tui.analysis.words import tokens_per_word, words
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """What a tokenizer makes of one text. Ratios are None where their divisor is 0 or the places are not known."""

    characters: int
    """Code points."""
    bytes: int
    """Bytes in UTF-8."""
    words: int
    """Runs of characters that are no white space."""
    tokens: int
    tokens_per_word: float | None
    """Fertility: tokens of the text, those of white space included, by its words.

    Source: Ács 2019, "Exploring BERT's vocabulary"; Rust et al. 2021, "How good is your tokenizer?" (ACL), who call the
    average number of subwords a word is split into by this name.
    """
    pieces_per_word: float | None
    """Tokens that hold a part of a word, averaged over words: fertility without the tokens of white space alone."""
    continued_words: float | None
    """Share of words that are cut into two or more tokens (Rust et al. 2021: proportion of continued words)."""
    one_token_share: float | None
    """Share of the text in one-token words: bytes of words that lie within one token, by the bytes of all words."""
    characters_per_token: float | None
    bytes_per_token: float | None
    used_tokens: int
    """Different tokens in the text."""
    unused: Ints
    """Ids of the tokens that do not occur in the text, ascending."""
    steps: Ints
    """Ids of learned tokens that do not occur, but on which a token that occurs is built: they are only steps."""
    entropy: float
    """Shannon entropy of the tokens, in bits a token."""
    renyi_efficiency: float | None
    """Rényi efficiency of order `alpha` over the whole vocabulary; see `efficiency.renyi_efficiency`."""
    renyi_efficiency_used: float | None
    """The same over the tokens that occur, which is what `tokenization-scorer` gives by default."""
    alpha: float
    lengths: tuple[tuple[int, int], ...]
    """(length, tokens of the text that are so long), shortest first, in `unit`."""
    unit: str
    """What token lengths are counted in: characters or bytes."""
    scripts: dict[str, int]
    """Characters of each script; see `scripts.script_counts`."""


@dataclass(frozen=True, slots=True)
class VocabularyStatistics:
    """What there is to say about a vocabulary without a text."""

    base_tokens: int
    merges: int
    vocab_size: int
    learned_tokens: int
    lengths: tuple[tuple[int, int], ...]
    """(length, tokens of the vocabulary that are so long), shortest first, in `unit`."""
    unit: str
    mean_length: float
    """Length of a learned token on average; 0 when nothing was learned."""
    scripts: dict[str, int]
    """Tokens of each script; see `scripts.token_scripts`."""
    near_duplicates: tuple[tuple[int, ...], ...]
    """Groups of tokens that differ in case or in leading white space only; see `near_duplicates`."""


def text_statistics(
    tokenizer: BPETokenizer, text: str | EncodedText, report: Report = silent, *, alpha: float = ALPHA
) -> TextStatistics:
    """Work out the figures of a text. Give it encoded if you have it, then it takes no second encoding.

    Raises MissingCharactersError. `report` may raise Cancelled.
    """
    encoded = encode(tokenizer, text, report) if isinstance(text, str) else text
    found = words(encoded.text)
    report("measuring words", 1, 3)
    counts = np.bincount(encoded.ids, minlength=tokenizer.vocab_size)
    pieces = tokens_per_word(encoded, found) if encoded.ends is not None and len(found) else None
    inside = found.ends - found.starts
    tokens = encoded.tokens
    report("measuring scripts", 2, 3)
    unused = unused_tokens(tokenizer, counts)
    statistics = TextStatistics(
        characters=encoded.characters,
        bytes=encoded.bytes,
        words=len(found),
        tokens=tokens,
        tokens_per_word=tokens / len(found) if len(found) else None,
        pieces_per_word=float(pieces.mean()) if pieces is not None else None,
        continued_words=float(np.mean(pieces > 1)) if pieces is not None else None,
        one_token_share=float(inside[pieces == 1].sum() / inside.sum()) if pieces is not None else None,
        characters_per_token=encoded.characters / tokens if tokens else None,
        bytes_per_token=encoded.bytes / tokens if tokens else None,
        used_tokens=int(np.count_nonzero(counts)),
        unused=unused,
        steps=step_tokens(tokenizer, counts),
        entropy=entropy(counts),
        renyi_efficiency=renyi_efficiency(counts, alpha, token_count(tokenizer)),
        renyi_efficiency_used=renyi_efficiency(counts, alpha),
        alpha=alpha,
        lengths=_histogram(np.repeat(tokenizer.token_lengths(), counts)),
        unit=unit_of(tokenizer),
        scripts=script_counts(encoded.text),
    )
    report("measuring scripts", 3, 3)
    return statistics


def vocabulary_statistics(tokenizer: BPETokenizer, report: Report = silent) -> VocabularyStatistics:
    """Work out the figures of a vocabulary: some tenths of a second for 50,000 tokens. `report` may raise Cancelled."""
    scripts = token_scripts(tokenizer)
    report("looking through the vocabulary", 1, 2)
    duplicates = near_duplicates(tokenizer)
    report("looking through the vocabulary", 2, 2)
    lengths = tokenizer.token_lengths()
    learned = learned_ids(tokenizer)
    return VocabularyStatistics(
        base_tokens=len(tokenizer.base_tokens),
        merges=len(tokenizer.merges),
        vocab_size=token_count(tokenizer),
        learned_tokens=len(learned),
        lengths=_histogram(lengths[lengths > 0]),
        unit=unit_of(tokenizer),
        mean_length=float(lengths[learned].mean()) if len(learned) else 0.0,
        scripts=scripts,
        near_duplicates=duplicates,
    )


def unused_tokens(tokenizer: BPETokenizer, counts: Ints) -> Ints:
    """Give the ids of tokens that never occur, ascending, from how often each does."""
    lengths = tokenizer.token_lengths()
    return np.flatnonzero((counts[: len(lengths)] == 0) & (lengths > 0))


def step_tokens(tokenizer: BPETokenizer, counts: Ints) -> Ints:
    """Give the ids of learned tokens that never occur themselves, but are part of a token that does, ascending.

    Lian et al. 2024 ("Scaffold-BPE") call such tokens scaffolds. They cost a place in the vocabulary and are needed all
    the same: without them the longer token would never come about. A token that several merges make is built as the
    first of them made it.
    """
    left, right, new = tokenizer.merge_ids()
    made, first = np.unique(new, return_index=True)
    order = np.argsort(-first)
    needed = (counts > 0).tolist()
    # The first merge of a token uses older tokens only: from the last to the first, wholes come before their parts.
    ways = zip(made[order].tolist(), left[first[order]].tolist(), right[first[order]].tolist(), strict=True)
    for whole, left_part, right_part in ways:
        if needed[whole]:
            needed[left_part] = True
            needed[right_part] = True
    learned = learned_ids(tokenizer)
    return learned[np.array(needed, np.bool_)[learned] & (counts[learned] == 0)] if len(learned) else learned


def near_duplicates(tokenizer: BPETokenizer) -> tuple[tuple[int, ...], ...]:
    """Give groups of tokens that differ in case or in leading white space only, the largest group first.

    Two tokens belong together if they are equal after `str.lstrip` and `str.casefold`. Tokens of white space alone,
    tokens that are no text by themselves and unused ids are left out. Within a group ids ascend.
    Source: Stollenwerk 2023 ("Training and evaluation of a multilingual tokenizer for GPT-SW3") counts these kinds.
    """
    groups: dict[str, list[int]] = {}
    for number in range(tokenizer.vocab_size):
        text = token_text(tokenizer, number)
        key = text.lstrip().casefold() if text else ""
        if key:
            groups.setdefault(key, []).append(number)
    several = [tuple(group) for group in groups.values() if len(group) > 1]
    return tuple(sorted(several, key=lambda group: (-len(group), group)))


def _histogram(lengths: Ints) -> tuple[tuple[int, int], ...]:
    found, counts = np.unique(lengths, return_counts=True)
    return tuple(zip(found.tolist(), counts.tolist(), strict=True))
