"""Questions about a tokenizer, answered by pure functions: what it learned, how tokens are built, where they occur."""

from bpe_tui.analysis.efficiency import entropy, renyi_efficiency
from bpe_tui.analysis.encoded import EncodedText, encode
from bpe_tui.analysis.places import Place, places, places_in
from bpe_tui.analysis.prefixes import Dial, lengths_by_merge, prefix
from bpe_tui.analysis.replay import Replay, ReplayRow, Stretch, replay
from bpe_tui.analysis.statistics import (
    TextStatistics,
    VocabularyStatistics,
    near_duplicates,
    step_tokens,
    text_statistics,
    unused_tokens,
    vocabulary_statistics,
)
from bpe_tui.analysis.summary import TokenizerSummary, longest_tokens, summarise
from bpe_tui.analysis.tree import TokenNode, token_tree

__all__ = [
    "Dial",
    "EncodedText",
    "Place",
    "Replay",
    "ReplayRow",
    "Stretch",
    "TextStatistics",
    "TokenNode",
    "TokenizerSummary",
    "VocabularyStatistics",
    "encode",
    "entropy",
    "lengths_by_merge",
    "longest_tokens",
    "near_duplicates",
    "places",
    "places_in",
    "prefix",
    "renyi_efficiency",
    "replay",
    "step_tokens",
    "summarise",
    "text_statistics",
    "token_tree",
    "unused_tokens",
    "vocabulary_statistics",
]
