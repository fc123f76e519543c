"""Tokenizers that are known by the ranks of their tokens alone, as tiktoken's are: any two neighbours that make a token
merge, the lowest rank first.

If the bytes of every token, merged by lower ranks only, end as two tokens, then these pairs are the only ones that ever
merge: whatever stands around a token's bytes, they take the same steps as by themselves. The list of these pairs is
then a list of merges like any other and gives the same ids for every text; and a token's bytes, standing alone, become
that token, so that it makes no difference whether whole pieces are looked up first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.byte_alphabet import CHARACTERS, spell


@dataclass(frozen=True, slots=True)
class DerivedMerges:
    """How the tokens of a vocabulary come about by rank."""

    merges: list[tuple[str, str]]
    """Pairs of tokens, by the rank of what they make."""
    pairs: npt.NDArray[np.int64]
    """left id << 32 | right id of each."""
    made: npt.NDArray[np.int64]
    """The id of what each makes."""
    underivable: list[str]
    """Tokens that lower ranks do not make; while there are any, `merges` do not tell all."""


def derive_merges(vocabulary: Mapping[str, int]) -> DerivedMerges:
    """Find how each token comes about. `vocabulary` is token in the byte alphabet to rank, single bytes included."""
    from bpe_tui.bpe.kernels import rank_merges as kernel

    tokens = sorted((token for token in vocabulary if len(token) > 1), key=vocabulary.__getitem__)
    ids = np.array([vocabulary[token] for token in tokens], np.int64)
    byte_ids = np.array([vocabulary.get(character, -1) for character in CHARACTERS], np.int64)
    content, offsets = spell(tokens)
    lefts, rights = np.empty(len(tokens), np.int64), np.empty(len(tokens), np.int64)
    failed = kernel.derive(content, offsets[1:], ids, byte_ids, lefts, rights)
    known = {number: token for token, number in vocabulary.items()}
    good = lefts >= 0
    pairs = zip(lefts[good].tolist(), rights[good].tolist(), strict=True)
    merges = [(known[left], known[right]) for left, right in pairs]
    underivable = [tokens[place] for place in np.flatnonzero(~good)] if failed else []
    return DerivedMerges(merges, (lefts << 32 | rights)[good], ids[good], underivable)


def all_pairs(vocabulary: Mapping[str, int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Give every pair of tokens whose joined string is a token, with its rank (that token's id) and the token's id."""
    pairs: list[int] = []
    merges: list[int] = []
    get = vocabulary.get
    for token, number in vocabulary.items():
        for cut in range(1, len(token)):
            left, right = get(token[:cut]), get(token[cut:])
            if left is not None and right is not None:
                pairs.append(left << 32 | right)
                merges.append(number << 32 | number)
    return np.array(pairs, np.int64), np.array(merges, np.int64)
