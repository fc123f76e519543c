"""What every face of bpe-tui shares when it shows things in a terminal.

`visible` is the gate for text from outside: nothing of a corpus, a tokenizer file or a path reaches a terminal except
through it. `cell_width`, `fit` and `pad` measure and cut by terminal cells; the rest write figures for people.
"""

from bpe_tui.terminal.cells import cell_width, fit, pad, runs_that_fit
from bpe_tui.terminal.numbers import UNKNOWN, bytes_size, count, duration, percent, rate, short_count
from bpe_tui.terminal.text import raw_query, visible
from bpe_tui.terminal.tokens import shown_bytes, shown_token, token_text

__all__ = [
    "UNKNOWN",
    "bytes_size",
    "cell_width",
    "count",
    "duration",
    "fit",
    "pad",
    "percent",
    "rate",
    "raw_query",
    "runs_that_fit",
    "short_count",
    "shown_bytes",
    "shown_token",
    "token_text",
    "visible",
]
