"""What differs between runs on characters, on words and on bytes: base tokens, trainer, tokenizer, encoder.

Tokens here are as a trainer handles them; `terminal.token_text` says how people read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bpe_tui.corpus.split_files import SplitFiles
from bpe_tui.errors import TextError
from bpe_tui.session.settings import Alphabet, RunSettings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bpe_tui.bpe.encoder import TextEncoder
    from bpe_tui.bpe.piece_counting import Text
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.bpe.trainer import Trainer
    from bpe_tui.corpus import Splits
    from bpe_tui.progress import Report

    Column = npt.NDArray[np.int32]


def base_tokens(settings: RunSettings, splits: Splits | SplitFiles) -> list[str]:
    """Give the base tokens of a run by id: enough for every split to be encoded.

    Raises TextError for splits that are only files, unless it is a run on bytes.
    """
    if settings.alphabet is Alphabet.BYTES:
        from bpe_tui.bpe.byte_training import byte_order

        return byte_order(settings.tie_rule)
    if isinstance(splits, SplitFiles):
        raise TextError("characters and words are learned from texts that are at hand: read the splits first")
    characters = splits.base_characters()
    if settings.alphabet is Alphabet.WORDS:
        from bpe_tui.bpe.words import Marker, WordSymbols

        return WordSymbols.of_characters(characters, Marker(settings.word_marker)).tokens
    return characters


def trainer(
    text: Text, settings: RunSettings, base: Sequence[str], merges: Sequence[tuple[str, str]], report: Report
) -> Trainer:
    """Give a trainer on `text`; words and pieces are counted here.

    Raises TextError, MissingCharactersError, VocabularySizeError, SplittingError, SpecialTokenError; `report` may raise
    Cancelled.
    """
    from bpe_tui.bpe.sequence import character_sequence
    from bpe_tui.bpe.special import check_special_tokens
    from bpe_tui.bpe.trainer import Ties, Trainer

    check_special_tokens(
        dict.fromkeys(settings.special_tokens, 0), {token: number for number, token in enumerate(base)}
    )
    if settings.alphabet is Alphabet.BYTES:
        from bpe_tui.bpe.byte_training import byte_sequence

        sequence = byte_sequence(
            text, settings.splitting_rule(), settings.special_tokens, settings.tie_rule, base, report
        )
    elif not isinstance(text, str):
        raise TextError("characters and words are learned from a text that is at hand: read it first")
    elif settings.alphabet is Alphabet.WORDS:
        from bpe_tui.bpe.word_training import word_sequence
        from bpe_tui.bpe.words import show

        sequence = word_sequence(
            text,
            [show(token) for token in base],
            settings.punctuation,
            settings.special_tokens,
            settings.word_marker,
            report,
        )
    else:
        sequence = character_sequence(text, base)
    return Trainer.on_sequence(
        sequence,
        settings.target_vocab_size,
        settings.minimum_pair_frequency,
        merges,
        Ties(settings.tie_rule),
        len(settings.special_tokens),
    )


def tokenizer(
    settings: RunSettings, base: Sequence[str], merges: Sequence[tuple[str, str]], corpus_sha256: str | None
) -> BPETokenizer:
    """Give the tokenizer of what was learned. Raises SpecialTokenError for one that is equal to a learned token."""
    if settings.alphabet is Alphabet.WORDS:
        from bpe_tui.bpe.word_tokenizer import word_tokenizer

        return word_tokenizer(
            base,
            merges,
            settings.special_tokens,
            punctuation=settings.punctuation,
            marker=settings.word_marker,
            ties=settings.tie_rule,
            corpus_sha256=corpus_sha256,
        )
    if settings.alphabet is Alphabet.BYTES:
        from bpe_tui.bpe.byte_training import byte_tokenizer

        return byte_tokenizer(
            base, merges, settings.splitting_rule(), settings.tie_rule, settings.special_tokens, corpus_sha256
        )
    from bpe_tui.bpe.tokenizer import BPETokenizer

    return BPETokenizer(base, merges)


def encoder(settings: RunSettings, base: Sequence[str], left: Column, right: Column, new: Column) -> TextEncoder:
    """Give an encoder of what was learned, which knows no special tokens."""
    if settings.alphabet is Alphabet.WORDS:
        from bpe_tui.bpe.word_tokenizer import WordEncoder
        from bpe_tui.bpe.words import Marker, Punctuation, WordSymbols

        symbols = WordSymbols(list(base), Marker(settings.word_marker))
        return WordEncoder(symbols, left, right, new, Punctuation(settings.punctuation))
    if settings.alphabet is Alphabet.BYTES:
        import numpy as np

        from bpe_tui.bpe.byte_alphabet import CHARACTERS
        from bpe_tui.bpe.byte_encoder import ByteEncoder

        ids = {token: number for number, token in enumerate(base)}
        pairs = left.astype(np.int64) << 32 | right
        merges = np.arange(len(left), dtype=np.int64) << 32 | new
        byte_ids = np.array([ids[character] for character in CHARACTERS], np.int64)
        return ByteEncoder(byte_ids, pairs, merges, settings.splitting_rule(), [], whole_pieces=False)
    from bpe_tui.bpe.encoder import Encoder

    return Encoder(base, left, right, new)
