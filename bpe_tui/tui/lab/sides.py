"""What the user set side by side: tokenizers, a text, a price. The app holds it: leaving the Lab keeps it all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bpe_tui.analysis.comparison import Column, Parting, Shared
    from bpe_tui.analysis.probe import Probed
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.tui.workspace import Workspace

AT_HAND: Final = "at hand"
"""The name of the tokenizer that was trained or loaded."""

TEXTS: Final = (
    "the line",
    "the first 100,000 characters of the training text",
    "the training text",
    "the validation split",
    "the test split",
)
"""Texts to compare on, in the order that a key goes through."""
WHOLE: Final = 2
"""Which of them is the whole training text."""
PASSAGE: Final = 100_000
"""Characters of the passage, the text before it."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One tokenizer of those set side by side. Two are the same if they are the same object."""

    name: str
    """Short, as people write it: not made visible yet."""
    tokenizer: BPETokenizer | None
    """None for a baseline, which is made for each text."""
    baseline: str = ""
    """Which of the built-in tokenizers that learned nothing it is; empty for all others."""
    state: object = None
    """Of the tokenizer at hand: which of its states it is."""

    def same(self, other: Side) -> bool:
        """Whether it is the same, or the same state of the tokenizer at hand."""
        return self is other or (self.state is not None and self.state == other.state)


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A text to compare on."""

    key: object
    text: str
    lines: tuple[tuple[int, str], ...]
    """Number and text of each line that is not blank."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one side makes of a passage."""

    side: Side
    passage: Passage
    tokenizer: BPETokenizer | None
    """The side's own, or that of the baseline."""
    column: Column | None
    tokens: frozenset[bytes] = frozenset()
    """Its vocabulary, tokens taken as bytes."""
    error: str = ""
    """Why there are no figures."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """What the vocabulary of the tokenizer at hand has in common with another."""

    first: Found
    second: Found
    shared: Shared
    parting: Parting | None
    """None where one of them has no merges."""


@dataclass(frozen=True, slots=True, eq=False)
class ProbedWords:
    """Words and what each side makes of them."""

    sides: tuple[Side, ...]
    words: tuple[str, ...]
    probed: tuple[Probed, ...] = ()
    """In the order of the words."""
    worst_first: tuple[Probed, ...] = ()
    error: str = ""


@dataclass
class Sides:
    """Everything about tokenizers side by side that outlives the Lab. Only the app's own thread touches it."""

    added: list[Side] = field(default_factory=list)
    text: int = 1
    """Which of TEXTS."""
    line: int = 0
    """Which of the passage's lines is cut."""
    price: float | None = None
    """Of a million tokens."""
    passage: Passage | None = None
    found: dict[str, Found] = field(default_factory=dict)
    """By name of the side: what was found last."""
    pairs: dict[str, Pair] = field(default_factory=dict)
    said: str = ""
    """What went wrong when something was to be added; not made visible yet."""
    probe_list: str = "words"
    """Name of the word list, or where the words came from."""
    words: tuple[str, ...] = ()
    """Words to probe; none means those of the list."""
    worst_first: bool = True
    probed: ProbedWords | None = None

    def name_for(self, wanted: str) -> str:
        """Give a name for another side: `wanted`, or with a number behind it if that name is taken."""
        taken = {AT_HAND, *(side.name for side in self.added)}
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted} ({number})", number + 1
        return name

    def remove(self, name: str) -> None:
        """Take away a side and what was found of it."""
        self.added = [side for side in self.added if side.name != name]
        self.found.pop(name, None)
        self.pairs.pop(name, None)

    def forget_at_hand(self) -> None:
        """Forget what was found of a tokenizer that is no longer at hand."""
        self.found.pop(AT_HAND, None)
        self.pairs.clear()


def text_of(workspace: Workspace, number: int, line: str) -> tuple[object, str]:
    """Give one of TEXTS and a key that is another when the text is; an empty one where no corpus is open."""
    if number == 0:
        return (number, line), line
    corpus = workspace.corpus
    if corpus is None:
        return (number, None), ""
    splits = corpus.splits
    text = {3: splits.val.text, 4: splits.test.text}.get(number)
    if text is None:
        text = workspace.training_text()[: PASSAGE if number < WHOLE else None]
    return (number, splits.name, str(splits.train.source), id(splits), len(text)), text
