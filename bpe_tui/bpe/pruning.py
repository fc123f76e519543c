"""Taking tokens out of a tokenizer that a text hardly uses, so that all that stays still works.

A learned token can go only when no merge that stays is made of it; that is looked at from the last merge to the first,
so that a token whose only wholes go can go with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.errors import BPEError
from bpe_tui.progress import Report, silent


class PruningError(BPEError, ValueError):
    """A tokenizer that cannot be pruned in the way that was asked for."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A token that is used too little but had to stay."""

    id: int
    token: str
    uses: int
    needed_by: tuple[str, ...]
    """Tokens that stay and are made of it, in the order of their merges."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """A tokenizer with fewer tokens."""

    tokenizer: BPETokenizer
    removed: tuple[tuple[int, str, int], ...]
    """(old id, token, uses) of what went, by id."""
    kept: tuple[Kept, ...]
    """What was used too little but had to stay, by old id."""
    ids: dict[int, int]
    """Old id to new id of all tokens that stay."""


def count_uses(tokenizer: BPETokenizer, text: str, report: Report = silent) -> npt.NDArray[np.int64]:
    """Give how often each token occurs in the encoded text, by id. Special tokens count as such.

    Raises MissingCharactersError.
    """
    ids = tokenizer.encode_array(text, report, "special")
    return np.bincount(ids, minlength=tokenizer.vocab_size).astype(np.int64)


def prune(
    tokenizer: BPETokenizer, uses: npt.NDArray[np.int64] | Sequence[int], minimum_use: int, *, keep_ids: bool = False
) -> Pruned:
    """Take out learned tokens that are used fewer than `minimum_use` times and that nothing else needs.

    Ids close up, in the old order, unless `keep_ids`: then those of the tokens that went stay unused. Raises
    PruningError for a kind of tokenizer that cannot be pruned, or whose file cannot have unused ids.
    """
    if tokenizer.kind not in ("character_bpe", "word_bpe", "byte_bpe"):
        raise PruningError("only tokenizers that bpe-tui encodes for can be pruned, and this is none")
    if keep_ids and tokenizer.kind == "character_bpe":
        raise PruningError("the file of a character tokenizer cannot have unused ids: prune without keeping ids")
    counts = [int(count) for count in uses]
    columns = (column.tolist() for column in tokenizer.merge_ids())
    merges = list(zip(*columns, strict=True))
    base = {tokenizer.stoi[token] for token in tokenizer.base_tokens}
    makers: dict[int, list[int]] = {}
    for rank, (_, _, new) in enumerate(merges):
        if new not in base:
            makers.setdefault(new, []).append(rank)
    # A token of which all wholes were looked at before it, since wholes are longer.
    lengths = tokenizer.token_lengths().tolist()
    wholes: dict[int, list[int]] = {}
    gone: set[int] = set()
    kept: list[Kept] = []
    for token in sorted(makers, key=lambda number: (-lengths[number], number)):
        # A merge that makes a token a second time is not worth keeping another token for, but it is there.
        needed = wholes.get(token, [])
        if counts[token] < minimum_use and not needed:
            gone.add(token)
            continue
        if counts[token] < minimum_use:
            names = tuple(dict.fromkeys(tokenizer.tokens[merges[rank][2]] for rank in sorted(needed)))
            kept.append(Kept(token, tokenizer.tokens[token], counts[token], names))
        for rank in makers[token]:
            for part in set(merges[rank][:2]):
                wholes.setdefault(part, []).append(rank)
    pairs = [pair for pair, (_, _, new) in zip(tokenizer.merges, merges, strict=True) if new not in gone]
    made = _without(tokenizer, gone, pairs, keep_ids=keep_ids)
    staying = {number: token for number, token in tokenizer.itos.items() if number not in gone}
    return Pruned(
        made,
        tuple((number, tokenizer.tokens[number], counts[number]) for number in sorted(gone)),
        tuple(sorted(kept, key=lambda entry: entry.id)),
        {number: made.stoi[token] for number, token in sorted(staying.items())},
    )


def _without(tokenizer: BPETokenizer, gone: set[int], merges: list[tuple[str, str]], *, keep_ids: bool) -> BPETokenizer:
    present = sorted(number for number in tokenizer.itos if number not in gone)
    place = {number: number if keep_ids else new for new, number in enumerate(present)}
    specials = {token: place[number] for token, number in tokenizer.special_tokens.items()}
    if isinstance(tokenizer, ByteBPETokenizer):
        if tokenizer.added_tokens and not keep_ids:
            raise PruningError("this tokenizer has added tokens, whose ids cannot change: prune with the ids kept")
        vocabulary = {token: place[number] for token, number in tokenizer.vocabulary.items() if number in place}
        return tokenizer.with_changes(
            vocabulary=vocabulary, merges=[] if tokenizer.by_rank else merges, special_tokens=specials
        )
    if isinstance(tokenizer, WordBPETokenizer):
        return WordBPETokenizer(
            tokenizer.base_tokens,
            merges,
            specials,
            punctuation=tokenizer.punctuation,
            marker=tokenizer.marker,
            ties=tokenizer.ties,
            unused_ids={*tokenizer.unused_ids, *gone} if keep_ids else (),
            corpus_sha256=tokenizer.corpus_sha256,
        )
    return BPETokenizer(tokenizer.base_tokens, merges)
