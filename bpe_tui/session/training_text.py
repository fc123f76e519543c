"""What a run trains on: the training split of a corpus, at hand or as a file, as far as the settings say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bpe_tui.bpe.alphabet import portions
from bpe_tui.corpus.model import Splits
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.piece_counting import Text
    from bpe_tui.corpus import SplitFiles


def training_text(splits: Splits | SplitFiles, characters: int | None, report: Report = silent) -> Text:
    """Give the text, or of a split that is only a file the blocks of its UTF-8, read when they are asked for.

    Only the first `characters` of it; None for all. The blocks raise CorpusError; `report` hears of bytes read.
    """
    if isinstance(splits, Splits):
        return splits.train.text[:characters]
    return _blocks(splits, characters, report)


def identity_of_text(splits: Splits | SplitFiles, characters: int | None) -> tuple[int, str]:
    """Give how many characters are trained on, and the SHA-256 of them in UTF-8. A file is read for that."""
    found = hashlib.sha256()
    if isinstance(splits, Splits):
        text = splits.train.text[:characters]
        for portion in portions(text):
            found.update(portion.encode("utf-8", "surrogatepass"))
        return len(text), found.hexdigest()
    count = 0
    for block in _first(splits.train.blocks(), characters):
        count += len(block)
        found.update(block.encode("utf-8"))
    return count, found.hexdigest()


def _blocks(splits: SplitFiles, characters: int | None, report: Report) -> Iterator[bytes]:
    if characters is None or characters >= splits.train.bytes:
        yield from splits.train.utf8_blocks(report)
        return
    for block in _first(splits.train.blocks(report), characters):
        yield block.encode("utf-8")


def _first(blocks: Iterator[str], characters: int | None) -> Iterator[str]:
    """Give the first characters of blocks, and ask for no block behind them."""
    left = characters
    for block in blocks:
        if left is None:
            yield block
            continue
        yield block[:left]
        left -= len(block)
        if left <= 0:
            return
