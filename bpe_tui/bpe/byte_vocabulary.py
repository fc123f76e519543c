"""What must hold of the vocabulary of a byte-level tokenizer, and the ids that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.byte_alphabet import BYTES, CHARACTERS, NEVER_IN_TEXT

MergeIds = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]
"""Ids of the left part, the right part and the result of each merge."""


def single_bytes(vocabulary: Mapping[str, int], *, text_only: bool) -> list[str]:
    """Give the tokens of single bytes by id. If `text_only`, those that no text has may be missing.

    Raises ValueError that names missing bytes.
    """
    missing = [character for character in CHARACTERS if character not in vocabulary]
    if missing and not (text_only and NEVER_IN_TEXT.issuperset(missing)):
        named = ", ".join(f"0x{BYTES[character]:02X}" for character in missing[:8])
        raise ValueError(f"{len(missing)} of the 256 single bytes have no token: {named}; the vocabulary is damaged")
    return sorted(set(CHARACTERS).difference(missing), key=vocabulary.__getitem__)


def tokens_by_id(*vocabularies: Mapping[str, int]) -> list[str]:
    """Give all tokens by id, "" for ids that are not used. Raises ValueError for ids that cannot be, naming tokens."""
    owners: dict[int, str] = {}
    for token, number in (entry for tokens in vocabularies for entry in tokens.items()):
        if number < 0:
            raise ValueError(f"token {token!r} has the id {number}, ids start at 0")
        if number in owners:
            raise ValueError(f"id {number} belongs to both {owners[number]!r} and {token!r}")
        owners[number] = token
    highest = max(owners)
    if highest >= 2 * len(owners) + 100_000:
        raise ValueError(f"the highest id is {highest:,}, but there are only {len(owners):,} tokens")
    return [owners.get(number, "") for number in range(highest + 1)]


def merge_ids(vocabulary: Mapping[str, int], merges: Sequence[tuple[str, str]]) -> MergeIds:
    """Give the merges in ids. Raises ValueError that names the first merge with a token not in the vocabulary."""
    number_of = vocabulary.__getitem__
    try:
        parts = [(number_of(left), number_of(right), number_of(left + right)) for left, right in merges]
    except KeyError as error:
        wrong = error.args[0]
        rank = next(rank for rank, (left, right) in enumerate(merges) if wrong in (left, right, left + right))
        raise ValueError(f"merge {rank} uses {wrong!r}, which is not in the vocabulary") from None
    rows = np.array(parts, np.int32).reshape(-1, 3).T
    return rows[0].copy(), rows[1].copy(), rows[2].copy()
