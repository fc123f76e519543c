"""Numbers for strings that keep their order while more strings come: what lets kernels compare strings they never see.

Each string has a number between those of its neighbours in the order of code points. A new string takes the middle of
the gap that it falls into; when a gap is used up, all strings are numbered anew, evenly.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import numpy.typing as npt

HIGHEST = 2**31 - 1
"""Numbers are below this: two of them fit into 64 bits."""


class StringOrder:
    """The order of strings that have ids 0, 1, … to begin with, and come one at a time after that."""

    def __init__(self, strings: list[str]) -> None:
        self._ids = sorted(range(len(strings)), key=strings.__getitem__)
        self._strings = [strings[number] for number in self._ids]

    def number(self, order: npt.NDArray[np.int32]) -> None:
        """Write evenly spaced numbers for all strings into `order`, by id."""
        step = HIGHEST // (len(self._ids) + 1)
        order[np.array(self._ids, np.int64)] = np.arange(1, len(self._ids) + 1, dtype=np.int64) * step

    def insert(self, string: str, new_id: int, order: npt.NDArray[np.int32]) -> bool:
        """Number one more string. Gives False if all numbers changed over it."""
        place = bisect_right(self._strings, string)
        below = int(order[self._ids[place - 1]]) if place else 0
        above = int(order[self._ids[place]]) if place < len(self._ids) else HIGHEST
        self._strings.insert(place, string)
        self._ids.insert(place, new_id)
        if above - below < 2:
            self.number(order)
            return False
        order[new_id] = (below + above) // 2
        return True
