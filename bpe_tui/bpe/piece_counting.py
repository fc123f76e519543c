"""Counting the pieces of a text that may be larger than the memory: in stretches, which threads share."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from bpe_tui.bpe.alphabet import portions
from bpe_tui.bpe.cuts import cut_blocks, cutter
from bpe_tui.bpe.pieces import Bytes, PieceCounter
from bpe_tui.bpe.pretokenize import SplittingRule, safe_place, split
from bpe_tui.bpe.threads import thread_count
from bpe_tui.progress import Report, silent

Text = str | bytes | Iterable[bytes]
"""A text, its bytes, or its UTF-8 block by block, cut between characters."""

AHEAD = 2
"""Stretches that wait for each thread beside the one that reads."""
STRETCH = 1 << 19
"""Bytes that one thread counts at a time, at least, if a piece ends there."""


def count_pieces(
    text: Text, rule: SplittingRule, special_tokens: Sequence[str] = (), report: Report = silent
) -> PieceCounter:
    """Count the pieces of a text. It is cut at special tokens first, which are no pieces themselves.

    In bytes no special token is looked for: they need not be text. `report` hears how much of a text that is at hand is
    done; of blocks, those who give them report. Raises what they raise, and TypeError for blocks that are no bytes.
    """
    total = 0
    if isinstance(text, bytearray | memoryview):
        # Bytes, too; taken for blocks, they would give numbers.
        text = bytes(text)
    if isinstance(text, bytes):
        special_tokens = ()
        total = len(text)
    elif isinstance(text, str):
        text = _in_utf8(text, report)
    control = np.zeros(1, np.int64)
    counters: deque[PieceCounter] = deque()

    def count(stretch: Bytes, before: int, counter: PieceCounter) -> int:
        if rule.number < 0:
            counter.add(stretch, 0, split(stretch, rule), before)
        else:
            counter.add_stretch(stretch, rule, before, control)
        return len(stretch)

    def help_out(stretch: Bytes, before: int) -> int:
        try:
            counter = counters.pop()
        except IndexError:
            counter = PieceCounter()
        size = count(stretch, before, counter)
        counters.append(counter)
        return size

    done = 0

    def say(size: int) -> None:
        nonlocal done
        done += size
        if total:
            report("splitting", done, total)

    # Each counter must meet stretches in their order, so the thread that reads has one of its own.
    own = PieceCounter()
    # That thread counts, too, when the others have enough to do: one more would only get in their way.
    helpers = thread_count() - 1
    waiting: deque[Future[int]] = deque()
    with ThreadPoolExecutor(max_workers=max(helpers, 1)) as pool:
        try:
            for stretch, before in stretches(text, rule, special_tokens):
                while waiting and waiting[0].done():
                    say(waiting.popleft().result())
                if len(waiting) < AHEAD * helpers:
                    waiting.append(pool.submit(help_out, stretch, before))
                else:
                    say(count(stretch, before, own))
            while waiting:
                say(waiting.popleft().result())
        except BaseException:
            control[0] = 1
            raise
    return _together([own, *counters])


def _in_utf8(text: str, report: Report) -> Iterator[bytes]:
    done = 0
    for portion in portions(text):
        yield portion.encode("utf-8", "surrogatepass")
        done += len(portion)
        report("splitting", done, len(text))


def _together(counters: Iterable[PieceCounter]) -> PieceCounter:
    """Give one counter of what all have counted."""
    largest, *others = sorted(counters, key=len, reverse=True)
    for other in others:
        largest.absorb(other)
    return largest


def stretches(
    text: bytes | Iterable[bytes], rule: SplittingRule, special_tokens: Sequence[str] = ()
) -> Iterator[tuple[Bytes, int]]:
    """Give a text in stretches, each with how many bytes come before it. No piece is in two of them.

    What lies between special tokens is never in one stretch with what lies beyond. A stretch is STRETCH bytes long, or
    a few times that; where the rule knows no place to cut, all that lies between two special tokens.
    """
    spelled = sorted((token.encode("utf-8") for token in special_tokens), key=len, reverse=True)
    special = re.compile(b"|".join(map(re.escape, spelled))) if spelled else None
    contents = [text] if isinstance(text, bytes) else cut_blocks(_checked(text), cutter(rule, spelled), 2 * STRETCH)
    before = 0
    for content in contents:
        spans = [found.span() for found in special.finditer(content)] if special else []
        yield from _between(content, spans, rule, before)
        before += len(content)


def _checked(blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:
        if not isinstance(block, bytes | bytearray | memoryview):
            raise TypeError(f"a text in blocks must come as bytes in UTF-8, not as {type(block).__name__}")
        yield bytes(block)


def _between(
    content: bytes, spans: Sequence[tuple[int, int]], rule: SplittingRule, before: int
) -> Iterator[tuple[Bytes, int]]:
    """Give what lies between special tokens, which stand at `spans`, in stretches."""
    data = np.frombuffer(content, np.uint8)
    start = 0
    for first, last in (*spans, (len(content), len(content))):
        while start < first:
            end = first
            if first - start > 2 * STRETCH:
                end = min(safe_place(data[:first], rule, start + STRETCH), first)
            yield data[start:end], before + start
            start = end
        start = last
