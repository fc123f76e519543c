"""What the Lab hands to its tabs: one frozen look at everything that they draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from bpe_tui.session.snapshot import Snapshot
    from bpe_tui.tui.lab.ground import Ground, Measured
    from bpe_tui.tui.panes.vocabulary_columns import VocabularyColumns

NO_TOKENIZER: Final = "no tokenizer yet: t trains one, l loads one, ] trains one on a small sample"


@dataclass(frozen=True, slots=True)
class LabView:
    """The tokenizer at hand as the Lab sees it."""

    snapshot: Snapshot
    columns: VocabularyColumns
    ground: Ground | None
    """None while there is no tokenizer, or while it is made ready."""
    measured: Measured | None
    """None where the tokens of the training text are not known."""
    waiting: str
    """What to say while there is no ground."""
    at: int | None = None
    """Where the dial stands; None at the end, which moves on with what is learned."""
    unmeasured: str = ""
    """Why the training text is not measured, if that went wrong."""

    @property
    def total(self) -> int:
        """Where the dial ends."""
        return self.ground.merges if self.ground is not None else 0

    @property
    def merges(self) -> int:
        """The merge as of which everything is shown."""
        return self.total if self.at is None else min(self.at, self.total)


class Tab(Protocol):
    """One tab of the Lab."""

    def show(self, view: LabView) -> None:
        """Draw a view; cheap when nothing changed."""
