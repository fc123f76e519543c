"""What a run trains on: the training split of a corpus, at hand or as a file, as far as the settings say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bpe_tui.bpe.alphabet import portions
from bpe_tui.corpus.split_files import SplitFiles
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.piece_counting import Text
    from bpe_tui.corpus import Splits


def training_text(splits: Splits | SplitFiles, characters: int | None, report: Report = silent) -> Text:
    """Give the text, or of a split that is only a file the blocks of its UTF-8, read when they are asked for.

    Only the first `characters` of it; None for all. The blocks raise CorpusError; `report` hears of bytes read.
    """
    if isinstance(splits, SplitFiles):
        return _blocks(splits, characters, report)
    return splits.train.text[:characters]


def identity_of_text(splits: Splits | SplitFiles, characters: int | None) -> tuple[int, str]:
    """Give how many characters are trained on, and the SHA-256 of them in UTF-8. A file is read for that."""
    found = hashlib.sha256()
    count = 0
    if isinstance(splits, SplitFiles):
        parts = _first(splits.train.blocks(), characters)
    else:
        parts = portions(splits.train.text[:characters])
    for part in parts:
        count += len(part)
        found.update(part.encode("utf-8", "surrogatepass"))
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
