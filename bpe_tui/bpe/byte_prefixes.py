"""How many tokens a text has with the first merges of a byte-level tokenizer, for every number of merges at once.

Unlike `Joins`, this asks only how many, not where: so each distinct piece is merged once, however often it comes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe.byte_alphabet import byte_array
from bpe_tui.bpe.pieces import PieceCounter
from bpe_tui.bpe.pretokenize import scan, split
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer


def weighted_ranks(
    tokenizer: ByteBPETokenizer, text: str, report: Report = silent
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Give ranks as in `Joins.ranks`, and how often each stands for a place of the text, added tokens included.

    `report` may raise Cancelled.
    """
    rule = tokenizer.rule
    counter = PieceCounter()
    added = 0
    stretches = [text] if tokenizer.preparation is None else tokenizer.preparation.cut(text, special=False)
    for stretch in stretches:
        if isinstance(stretch, int):
            added += 1
            continue
        data = byte_array(stretch.encode("utf-8", "surrogatepass"))
        if rule.number < 0:
            counter.add(data, 0, split(data, rule, report))
            continue
        start = 0
        for ends in scan(data, rule, report=report):
            counter.add(data, start, ends)
            start = int(ends[-1])
    content, lengths, counts = counter.counted()
    places = tokenizer.merge_places
    joins, _ = tokenizer.encoder().join_pieces(content, np.cumsum(lengths), *places, report, told=False)
    never = np.iinfo(np.int32).max
    return np.append(joins.ranks, np.int32(never)), np.append(np.repeat(counts, lengths), added)
