"""What the Lab stands on: one state of the tokenizer with the tables that make every later question quick.

Making one takes from milliseconds to a second or two, in a thread; after that nobody waits.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from bpe_tui.analysis import Dial, lengths_by_merge, replay
from bpe_tui.analysis.curves import lengths_of_log
from bpe_tui.analysis.rules import Rules
from bpe_tui.errors import AnalysisError, BPEError

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.progress import Report
    from bpe_tui.session.snapshot import Snapshot

Ints = npt.NDArray[np.int64]

_WARM_UP: Final = 200
"""Characters that the tables are first used on."""


@dataclass(frozen=True, slots=True)
class Ground:
    """One state of the tokenizer."""

    key: object
    tokenizer: BPETokenizer
    dial: Dial | None
    """The dial without a text; None where the tokenizer is not made of merges that can be replayed."""
    rules: Rules | None = None
    why_no_dial: str = ""

    @property
    def merges(self) -> int:
        """Where the dial ends."""
        return self.dial.merges if self.dial is not None else 0


def make_ground(key: object, make: Callable[[], BPETokenizer], sample: str, report: Report) -> Ground:
    """Make a ground; `sample` is some text that the tables are made ready with. `report` may raise Cancelled."""
    report("preparing the tokenizer", 0, 0)
    tokenizer = make()
    report("preparing the tokenizer", 0, 0)
    try:
        dial = Dial(tokenizer)
    except AnalysisError as error:
        return Ground(key, tokenizer, None, None, str(error))
    dial.longest(dial.merges, 1)
    report("preparing the tokenizer", 0, 0)
    with contextlib.suppress(BPEError):
        Dial(tokenizer, sample[:_WARM_UP]).count(0)
        report("preparing the tokenizer", 0, 0)
        story = replay(tokenizer, sample[:_WARM_UP])
        if len(story):
            story.row(len(story) - 1)
            story.ids(len(story))
    rules = Rules(tokenizer)
    rules.built_on(0)
    return Ground(key, tokenizer, dial, rules)


@dataclass(frozen=True, slots=True)
class Measured:
    """How many tokens the training text has after each number of merges."""

    lengths: Ints
    characters: int

    def per_token(self, merges: int) -> float | None:
        """Give characters per token after so many merges; None where that is not known."""
        if not 0 <= merges < len(self.lengths) or self.lengths[merges] <= 0:
            return None
        return self.characters / int(self.lengths[merges])


def measured_by_run(snapshot: Snapshot, characters: int) -> Measured | None:
    """Give what the log of a run tells for nothing; None before its pairs are counted."""
    if not snapshot.initial_length:
        return None
    return Measured(lengths_of_log(snapshot.log, snapshot.initial_length)[: snapshot.merges + 1], characters)


def measure(tokenizer: BPETokenizer, text: str, report: Report) -> Measured:
    """Measure a text with a tokenizer whose run is not at hand. `report` may raise Cancelled. Raises BPEError."""
    return Measured(lengths_by_merge(tokenizer, text, report), len(text))
