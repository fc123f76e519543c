"""How much memory a run will take, whether that is free, and what would fit if it is not: before the run begins.

The sum itself is `bpe.memory`'s. Here it gets what it needs to know of a text: for words and bytes, what a sample from
all over the text is cut into.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from bpe_tui.bpe.memory import DistinctPieces, TrainingMemory, TrainingText, training_memory
from bpe_tui.progress import Report, silent
from bpe_tui.session import free_memory as system
from bpe_tui.session.settings import DEFAULT_SPLIT, Alphabet, RunSettings
from bpe_tui.session.text_sample import TextAtHand, TextInFile

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.bpe.word_tokenizer import WordBPETokenizer

_BLOCKS: Final = 256
"""Blocks of a sample; shorter texts are looked at whole."""
_BLOCKS_BY_PATTERN: Final = 64
"""The same for regular expressions of one's own, which are slow."""
_KERNELS: Final = 160_000_000
"""Bytes that Numba and the compiled code take in a process that has not loaded them yet."""
_MARGIN: Final = 0.9
"""Share of the free memory that what is offered instead may take: the estimate is one."""
_FEWEST: Final = 10_000
"""Characters below which learning from fewer is no help any more."""


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """What a run will take."""

    run: int
    """Bytes that it takes at its peak on top of what the process holds."""
    held: int
    """Bytes that the process holds before it, loaded code included."""
    free: int | None
    """Bytes that are free for it: to the process, and what the process will have let go by then; None if not known."""

    @property
    def peak(self) -> int:
        """Bytes of memory that the whole process will have at the peak of the run: what `top` shows as resident."""
        return self.run + self.held

    @property
    def fits(self) -> bool:
        """Whether there is room for the run, as far as is known."""
        return self.free is None or self.run <= self.free


@dataclass(frozen=True, slots=True)
class Fitting:
    """A run that would fit."""

    settings: RunSettings
    run: int
    """Bytes that it takes on top of what the process holds."""


class MemoryEstimator:
    """Estimates for runs on one text. Any thread; a splitting rule is tried on the sample once, in up to a second.

    A text that is a file is one that is read while it is trained on, and never held. `base_size` gives the number of
    base tokens of a run with some settings. `after` are bytes that are taken after the
    training while its trainer is still there, `beside` bytes that are taken meanwhile by others.
    """

    def __init__(
        self, text: str | Path, base_size: Callable[[RunSettings], int], *, after: int = 0, beside: int = 0
    ) -> None:
        self._text = TextAtHand(text) if isinstance(text, str) else TextInFile(text)
        self._base_size = base_size
        self._after = after
        self._beside = beside
        self._pieces: dict[tuple[object, ...], tuple[DistinctPieces, DistinctPieces, int]] = {}
        self._utf8_share: float | None = None
        self._lock = threading.Lock()

    def knows(self, settings: RunSettings) -> bool:
        """Whether an estimate is given at once, without a look at the text."""
        return self._utf8_share is not None and (not _is_cut(settings) or _cut(settings) in self._pieces)

    def run_memory(self, settings: RunSettings, report: Report = silent) -> int:
        """Give the bytes that a run takes at its peak on top of what the process holds before.

        Raises SplittingError for a pattern that takes too long, KernelError; `report` may raise Cancelled.
        """
        training = self._training(settings, report)
        return max(training.peak, training.kept + self._after) + self._beside

    def _training(self, settings: RunSettings, report: Report) -> TrainingMemory:
        with self._lock:
            share = self._utf8_share
            if share is None:
                share = self._utf8_share = self._measure_utf8()
            pieces = self._pieces_for(settings, report) if _is_cut(settings) else None
        text = self._text
        characters = min(settings.training_characters or text.characters, text.characters)
        known = None
        if pieces is not None:
            half, sample, sampled = pieces
            known = DistinctPieces.extrapolated(half, sample, characters / max(1, sampled))
        return training_memory(
            str(settings.alphabet),
            TrainingText(characters, round(share * characters), text.width, text.held and characters < text.characters),
            self._base_size(settings),
            settings.target_vocab_size - len(settings.special_tokens),
            settings.minimum_pair_frequency,
            known,
            settings.split == "pattern",
        )

    def estimate(self, settings: RunSettings, report: Report = silent, held: int | None = None) -> MemoryEstimate:
        """Give what a run takes and what is free right now. Raises what `run_memory` raises.

        `held` is what the process holds before a run, if it holds more now: a run that the next one takes the place of.
        """
        run = self.run_memory(settings, report)
        before = held_before_run() if held is None else held
        free = system.free_memory()
        if free is not None:
            free = max(0, free + system.held_memory() - before)
        return MemoryEstimate(run, before, free)

    def what_fits(
        self, settings: RunSettings, free: int, *, other_kinds: bool = True, report: Report = silent
    ) -> tuple[Fitting, ...]:
        """Give runs that would fit into `free` bytes: on the most characters that do, and on bytes that a rule cuts.

        The second only where `other_kinds` may be trained. Raises what `run_memory` raises.
        """
        room = _MARGIN * free
        found = []
        fewer = self._most_characters(settings, room, report)
        if fewer >= _FEWEST:
            smaller = replace(settings, training_characters=fewer)
            found.append(Fitting(smaller, self.run_memory(smaller, report)))
        cut = _cut_in_pieces(settings)
        if other_kinds and cut is not None and not _is_cut(settings):
            run = self.run_memory(cut, report)
            if run <= room:
                found.append(Fitting(cut, run))
        return tuple(found)

    def _most_characters(self, settings: RunSettings, room: float, report: Report) -> int:
        fits, too_many = 0, min(settings.training_characters or self._text.characters, self._text.characters)
        while too_many - fits > max(1, fits // 200):
            middle = (fits + too_many) // 2
            if self.run_memory(replace(settings, training_characters=max(1, middle)), report) <= room:
                fits = middle
            else:
                too_many = middle
        # A number that is easily typed.
        step = int(10 ** max(0, len(str(fits)) - 2))
        return fits // step * step

    def _measure_utf8(self) -> float:
        sample = self._text.blocks(_BLOCKS)
        return sum(len(block.encode("utf-8", "surrogatepass")) for block in sample) / max(1, sum(map(len, sample)))

    def _pieces_for(self, settings: RunSettings, report: Report) -> tuple[DistinctPieces, DistinctPieces, int]:
        if not self._text:
            # The run itself will say that there is nothing to learn from.
            nothing = DistinctPieces(0, 0, 0)
            return nothing, nothing, 0
        key = _cut(settings)
        if key not in self._pieces:
            blocks = self._text.blocks(_BLOCKS_BY_PATTERN if settings.split == "pattern" else _BLOCKS)
            count = _count_words if settings.alphabet is Alphabet.WORDS else _count_bytes
            # Every other block first: that shows how the number of distinct pieces grows.
            half, sample = count([*blocks[::2], *blocks[1::2]], len(blocks[::2]), settings, report)
            self._pieces[key] = (half, sample, sum(map(len, blocks)))
        return self._pieces[key]


def extending_settings(
    tokenizer: BPETokenizer, training_characters: int | None, target_vocab_size: int, minimum_pair_frequency: int
) -> RunSettings:
    """Give the settings of a run that takes what learning further merges for a tokenizer takes."""
    kind: dict[str, str] = {}
    if tokenizer.kind == "byte_bpe":
        rule = cast("ByteBPETokenizer", tokenizer).rule
        kind = {"alphabet": "bytes", **({"split": rule.name} if rule.number >= 0 else {"pattern": rule.pattern or ""})}
    elif tokenizer.kind == "word_bpe":
        kind = {"alphabet": "words", "punctuation": str(cast("WordBPETokenizer", tokenizer).punctuation)}
    return RunSettings(training_characters, target_vocab_size, minimum_pair_frequency, **kind)  # type: ignore[arg-type]


def held_before_run() -> int:
    """Give the bytes that this process holds, and will hold before a run because compiled code is loaded for it."""
    return system.held_memory() + (0 if "bpe_tui.bpe.kernels.training" in sys.modules else _KERNELS)


def _is_cut(settings: RunSettings) -> bool:
    return settings.alphabet is Alphabet.WORDS or (settings.alphabet is Alphabet.BYTES and settings.split != "none")


def _cut(settings: RunSettings) -> tuple[object, ...]:
    """Give what decides how a text is cut."""
    if settings.alphabet is Alphabet.WORDS:
        return (settings.alphabet, settings.punctuation)
    return (settings.alphabet, settings.split or DEFAULT_SPLIT, settings.pattern)


def _cut_in_pieces(settings: RunSettings) -> RunSettings | None:
    """Give the same run on bytes that the default rule cuts; None if its target is too small for them."""
    if settings.target_vocab_size < 256 + len(settings.special_tokens):
        return None
    return RunSettings(
        training_characters=settings.training_characters,
        target_vocab_size=settings.target_vocab_size,
        minimum_pair_frequency=settings.minimum_pair_frequency,
        alphabet=Alphabet.BYTES,
        split=DEFAULT_SPLIT,
        special_tokens=settings.special_tokens,
    )


def _count_words(
    blocks: list[str], half: int, settings: RunSettings, report: Report
) -> tuple[DistinctPieces, DistinctPieces]:
    from bpe_tui.bpe.words import Punctuation, words_of

    words: Counter[str] = Counter()
    found = []
    for number, block in enumerate(blocks, 1):
        words.update(words_of(block, Punctuation(settings.punctuation)))
        report("estimating memory", number, len(blocks))
        if number in (half, len(blocks)):
            # With the end of each word.
            found.append(DistinctPieces(len(words), sum(map(len, words)) + len(words), words.total()))
    return found[0], found[-1]


def _count_bytes(
    blocks: list[str], half: int, settings: RunSettings, report: Report
) -> tuple[DistinctPieces, DistinctPieces]:
    from bpe_tui.bpe.byte_alphabet import byte_array
    from bpe_tui.bpe.pieces import PieceCounter
    from bpe_tui.bpe.pretokenize import split
    from bpe_tui.session import kernels

    modules = kernels.modules_for("bytes")
    kernels.ensure_compiled(report, modules)
    kernels.load(report, modules)
    rule = settings.splitting_rule()
    counter = PieceCounter()
    found = []
    for number, block in enumerate(blocks, 1):
        data: npt.NDArray[np.uint8] = byte_array(block.encode("utf-8", "surrogatepass"))
        counter.add(data, 0, split(data, rule))
        report("estimating memory", number, len(blocks))
        if number in (half, len(blocks)):
            content, lengths, counts = counter.counted()
            found.append(DistinctPieces(len(lengths), len(content), int(counts.sum())))
    return found[0], found[-1]
