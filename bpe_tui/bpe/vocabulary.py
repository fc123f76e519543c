"""From base tokens and merges to token ids: the one place where ids are given out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]


def base_token_list(base_tokens: Iterable[str]) -> list[str]:
    """Give base tokens sorted and without repeats. Raises ValueError if one is not a single character."""
    characters = sorted(set(base_tokens))
    check_base_tokens(characters)
    return characters


def check_base_tokens(base_tokens: Sequence[str]) -> None:
    """Raise ValueError unless all are single characters, none a lone surrogate, none twice."""
    for token in base_tokens:
        if len(token) != 1:
            raise ValueError(f"base token {token!r} is not a single character")
        if "\ud800" <= token <= "\udfff":
            raise ValueError(f"base token {token!r} is a lone surrogate, which is no character and cannot be stored")
    if len(set(base_tokens)) != len(base_tokens):
        twice = next(token for number, token in enumerate(base_tokens) if token in base_tokens[:number])
        raise ValueError(f"base token {twice!r} is listed twice")


class UndefinedTokenError(ValueError):
    """A merge uses a token that neither the base tokens nor an earlier merge make. `rank` says which merge."""

    def __init__(self, rank: int, part: str) -> None:
        self.rank = rank
        super().__init__(f"merge {rank} uses {part!r}, which is neither a base token nor made by an earlier merge")


def merge_ids(base_tokens: Sequence[str], merges: Iterable[tuple[str, str]]) -> tuple[Ids, Ids, Ids, list[str]]:
    """Give (left, right, new) ids of each merge, int32, and all tokens in the order of their ids.

    Ids are given to the base tokens in order, then to each merged string when it is made for the first time.
    Raises UndefinedTokenError.
    """
    tokens = list(base_tokens)
    ids = {token: number for number, token in enumerate(tokens)}
    left_ids: list[int] = []
    right_ids: list[int] = []
    new_ids: list[int] = []
    for rank, (left, right) in enumerate(merges):
        left_id, right_id = ids.get(left), ids.get(right)
        if left_id is None or right_id is None:
            raise UndefinedTokenError(rank, left if left_id is None else right)
        joined = left + right
        new_id = ids.get(joined)
        if new_id is None:
            new_id = ids[joined] = len(tokens)
            tokens.append(joined)
        left_ids.append(left_id)
        right_ids.append(right_id)
        new_ids.append(new_id)
    return np.array(left_ids, np.int32), np.array(right_ids, np.int32), np.array(new_ids, np.int32), tokens
