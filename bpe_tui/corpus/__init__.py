"""Text in: finding and reading the three splits of a corpus, cleaning WikiText, getting and shipping corpora.

`read_splits` takes a folder, a single file or three files and gives `Splits`; `find_splits` leaves their texts unread;
`read_text` reads one file, `read_blocks` gives it without ever holding it.
`clean_splits` and `get_wikitext2` make files; `shipped` names the corpora that are there from the start.
"""

from bpe_tui.corpus.cleaning import CleanedSplit, CleanedSplits, clean, clean_splits
from bpe_tui.corpus.cutting import cut_text
from bpe_tui.corpus.model import SPLIT_NAMES, DecodedText, Invalid, Split, SplitFacts, SplitName, Splits, SplitText
from bpe_tui.corpus.reading import read_text
from bpe_tui.corpus.shipping import ShippedCorpus, by_name, shipped, shipped_folder
from bpe_tui.corpus.split_files import SplitFile, SplitFiles, read_blocks
from bpe_tui.corpus.splits import find_splits, read_splits
from bpe_tui.corpus.wikitext2 import FetchedCorpus, get_wikitext2

__all__ = [
    "SPLIT_NAMES",
    "CleanedSplit",
    "CleanedSplits",
    "DecodedText",
    "FetchedCorpus",
    "Invalid",
    "ShippedCorpus",
    "Split",
    "SplitFacts",
    "SplitFile",
    "SplitFiles",
    "SplitName",
    "SplitText",
    "Splits",
    "by_name",
    "clean",
    "clean_splits",
    "cut_text",
    "find_splits",
    "get_wikitext2",
    "read_blocks",
    "read_splits",
    "read_text",
    "shipped",
    "shipped_folder",
]
