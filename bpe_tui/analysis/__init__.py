"""Questions about a tokenizer, answered by pure functions: what it learned, how tokens are built, where they occur."""

from bpe_tui.analysis.places import Place, places
from bpe_tui.analysis.summary import TokenizerSummary, longest_tokens, summarise
from bpe_tui.analysis.tree import TokenNode, token_tree

__all__ = [
    "Place",
    "TokenNode",
    "TokenizerSummary",
    "longest_tokens",
    "places",
    "summarise",
    "token_tree",
]
