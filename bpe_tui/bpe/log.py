"""The merge log: what was learned, one row a merge, in growing numpy columns.

One thread appends, any thread may read: a row never changes once it is written, growing replaces the arrays but keeps
the rows, and `count` is raised last. A reader therefore takes `count` first and then looks only at rows below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class MergeEntry:
    """One learned merge."""

    rank: int
    """Its place in the merge list, from 0."""
    left: int
    """Token id of the left part."""
    right: int
    """Token id of the right part."""
    new_id: int
    """Token id of what they became; an older id if that string was a token already."""
    frequency: int
    """How often the pair stood in the sequence when it was chosen, overlaps counted."""
    length: int
    """Tokens in the sequence after the merge."""


class MergeLog:
    """Growing columns `left`, `right`, `new_id` (int32) and `frequency`, `length` (int64); rows below `count` count."""

    def __init__(self, capacity: int = 1024) -> None:
        self.count = 0
        self.left: npt.NDArray[np.int32] = np.zeros(capacity, np.int32)
        self.right: npt.NDArray[np.int32] = np.zeros(capacity, np.int32)
        self.new_id: npt.NDArray[np.int32] = np.zeros(capacity, np.int32)
        self.frequency: npt.NDArray[np.int64] = np.zeros(capacity, np.int64)
        self.length: npt.NDArray[np.int64] = np.zeros(capacity, np.int64)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, rank: int) -> MergeEntry:
        if not 0 <= rank < self.count:
            raise IndexError(f"merge {rank} of {self.count}")
        return MergeEntry(
            rank=rank,
            left=int(self.left[rank]),
            right=int(self.right[rank]),
            new_id=int(self.new_id[rank]),
            frequency=int(self.frequency[rank]),
            length=int(self.length[rank]),
        )

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in all, at least doubling when the columns must grow."""
        capacity = len(self.left)
        if rows <= capacity:
            return
        extra = max(rows, 2 * capacity) - capacity
        self.left = np.concatenate([self.left, np.zeros(extra, np.int32)])
        self.right = np.concatenate([self.right, np.zeros(extra, np.int32)])
        self.new_id = np.concatenate([self.new_id, np.zeros(extra, np.int32)])
        self.frequency = np.concatenate([self.frequency, np.zeros(extra, np.int64)])
        self.length = np.concatenate([self.length, np.zeros(extra, np.int64)])
