"""Learning more merges on top of a tokenizer: every id and every merge that it has stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.sequence import TrainingSequence, character_sequence
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.bpe.words import show
from bpe_tui.errors import BPEError, VocabularySizeError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.trainer import Trainer


class ExtendingError(BPEError, ValueError):
    """A tokenizer that no merges can be learned for."""


def extending_trainer(
    tokenizer: BPETokenizer,
    text: str,
    target_vocab_size: int,
    minimum_pair_frequency: int = 2,
    ties: str | None = None,
    report: Report = silent,
) -> Trainer:
    """Give a trainer on `text` that replays the merges of `tokenizer` and then goes on to the target.

    Ties are broken as they were when the tokenizer was trained, unless `ties` says otherwise. On the same text, the
    result is what training to the target in one go gives. The target counts tokens, special ones included.

    Raises ExtendingError, VocabularySizeError, TextError, MissingCharactersError; `report` may raise Cancelled.
    """
    from bpe_tui.bpe.trainer import Ties, Trainer

    sequence, merges, rule = _sequence(tokenizer, text, ties, report)
    present = len(tokenizer.itos)
    if target_vocab_size < present:
        raise VocabularySizeError(
            f"a target vocabulary of {target_vocab_size:,} is smaller than the tokenizer, which has {present:,} tokens"
        )
    learned = len(sequence.tokens) + len({left + right for left, right in merges}.difference(sequence.tokens))
    return Trainer.on_sequence(
        sequence, target_vocab_size, minimum_pair_frequency, merges, Ties(rule), present - learned
    )


def _sequence(
    tokenizer: BPETokenizer, text: str, ties: str | None, report: Report
) -> tuple[TrainingSequence, list[tuple[str, str]], str]:
    """Give what to train on, the merges as a trainer takes them, and the tie rule."""
    specials = list(tokenizer.special_tokens)
    if isinstance(tokenizer, ByteBPETokenizer):
        if tokenizer.by_rank or tokenizer.whole_pieces or tokenizer.text_only or not tokenizer.lossless:
            raise ExtendingError(
                "this tokenizer does not simply merge pairs in learned order (tiktoken's ranks, whole pieces, prepared "
                "text), so it cannot be extended"
            )
        from bpe_tui.bpe.byte_training import byte_sequence

        rule = ties or tokenizer.ties or "lowest-id"
        specials += tokenizer.added_tokens
        sequence = byte_sequence(text, tokenizer.rule, specials, rule, tokenizer.base_tokens, report)
        return sequence, tokenizer.merges, rule
    if isinstance(tokenizer, WordBPETokenizer):
        from bpe_tui.bpe.word_training import word_sequence

        base = tokenizer.base_tokens
        sequence = word_sequence(text, base, tokenizer.punctuation, specials, tokenizer.marker, report)
        return sequence, tokenizer.raw_merges(), ties or tokenizer.ties or "first"
    if tokenizer.kind != "character_bpe":
        raise ExtendingError("only tokenizers that bpe-tui encodes for can be extended, and this is none")
    if tokenizer.base_tokens != sorted(tokenizer.base_tokens):
        raise ExtendingError(
            "the base tokens of this tokenizer are not in order, so its ids would not stay as they are"
        )
    return character_sequence(text, tokenizer.base_tokens), tokenizer.merges, ties or "first"


def extended(tokenizer: BPETokenizer, trainer: Trainer) -> BPETokenizer:
    """Give the tokenizer with what an `extending_trainer` has learned. New tokens get the ids behind all others."""
    pairs = trainer.pairs()
    if isinstance(tokenizer, ByteBPETokenizer):
        vocabulary = dict(tokenizer.vocabulary)
        for left, right in pairs:
            vocabulary.setdefault(left + right, len(tokenizer.tokens) + len(vocabulary) - len(tokenizer.vocabulary))
        return tokenizer.with_changes(vocabulary=vocabulary, merges=pairs, ties=str(trainer.ties))
    if isinstance(tokenizer, WordBPETokenizer):
        return WordBPETokenizer(
            tokenizer.base_tokens,
            [(show(left), show(right)) for left, right in pairs],
            tokenizer.special_tokens,
            punctuation=tokenizer.punctuation,
            marker=tokenizer.marker,
            ties=str(trainer.ties),
            unused_ids=tokenizer.unused_ids,
            corpus_sha256=tokenizer.corpus_sha256,
        )
    return BPETokenizer(tokenizer.base_tokens, pairs)
