"""`bpe-tui stats`: the figures of a text under a tokenizer, and of its vocabulary."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import (
    add_alpha,
    add_console,
    add_invalid,
    add_merges,
    add_texts,
    add_tokenizer,
    natural_number,
)

if TYPE_CHECKING:
    from bpe_tui.analysis import TextStatistics, VocabularyStatistics
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console
    from bpe_tui.progress import Report


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "stats",
        help="figures of a text and a vocabulary",
        description="Print figures of a tokenizer's vocabulary and of a text: tokens per word, characters and bytes "
        "per token, one-token words, unused tokens, scripts, Renyi efficiency.",
    )
    add_texts(parser)
    add_merges(parser)
    add_alpha(parser)
    parser.add_argument(
        "--show",
        type=natural_number,
        default=10,
        metavar="N",
        help="name the first N unused tokens, steps and near duplicates (default: 10; --json names all)",
    )
    add_tokenizer(parser)
    add_invalid(parser)
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.analysis import vocabulary_statistics
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.inputs import as_of, load_tokenizer, read_texts
    from bpe_tui.cli.work import compile_kernels, run_job

    console = Console(arguments)
    tokenizer = as_of(load_tokenizer(arguments.tokenizer, console), arguments)
    texts = read_texts(arguments, console)
    compile_kernels(console, tokenizer.unit)
    vocabulary = run_job(console, "measuring", lambda report: vocabulary_statistics(tokenizer, report))
    _answer_vocabulary(tokenizer, vocabulary, arguments.show, console)
    documents = []
    for given in texts:
        figures = run_job(console, "measuring", partial(_measure, tokenizer, given.text, arguments.alpha))
        _answer_text(tokenizer, given.source, figures, arguments.show, console)
        documents.append({"source": given.source, **text_figures(figures, tokenizer)})
    console.document(
        {
            "fingerprint": tokenizer.fingerprint(),
            "vocabulary": _vocabulary_figures(vocabulary, tokenizer),
            "texts": documents,
        }
    )
    return 0


def _measure(tokenizer: BPETokenizer, text: str, alpha: float, report: Report) -> TextStatistics:
    from bpe_tui.analysis import text_statistics

    return text_statistics(tokenizer, text, report, alpha=alpha)


def _answer_vocabulary(tokenizer: BPETokenizer, found: VocabularyStatistics, show: int, console: Console) -> None:
    console.answer(
        f"vocabulary          {found.vocab_size:,} tokens: {found.base_tokens:,} base, {found.merges:,} merges"
    )
    console.answer(f"learned tokens      {found.learned_tokens:,}, {found.mean_length:.2f} {found.unit} on average")
    console.answer(f"tokens by length    {_histogram(found.lengths, found.unit)}")
    console.answer(f"tokens by script    {_mix(found.scripts)}")
    extra = sum(len(group) - 1 for group in found.near_duplicates)
    console.answer(
        f"near duplicates     {len(found.near_duplicates):,} groups; {extra:,} tokens beside the first of each"
    )
    for group in found.near_duplicates[:show]:
        console.answer(f"                    {' '.join(console.token_of(tokenizer, number) for number in group)}")


def _answer_text(tokenizer: BPETokenizer, source: str, found: TextStatistics, show: int, console: Console) -> None:
    from bpe_tui.cli.tables import figure, share

    def named(ids: Any) -> str:
        more = " ..." if len(ids) > show else ""
        return " ".join(console.token_of(tokenizer, number) for number in ids[:show].tolist()) + more

    console.answer("")
    console.answer(f"text                {console.message(source)}")
    console.answer(f"characters          {found.characters:,} ({found.bytes:,} bytes, {found.words:,} words)")
    console.answer(f"tokens              {found.tokens:,} ({found.used_tokens:,} different)")
    console.answer(f"tokens per word     {figure(found.tokens_per_word)}")
    console.answer(
        f"pieces per word     {figure(found.pieces_per_word)} ({share(found.continued_words)} of words are cut)"
    )
    console.answer(f"one-token words     {share(found.one_token_share)} of the text in words")
    console.answer(f"characters/token    {figure(found.characters_per_token)}")
    console.answer(f"bytes/token         {figure(found.bytes_per_token)}")
    console.answer(
        f"Renyi efficiency    {figure(found.renyi_efficiency)} at alpha {found.alpha:g} "
        f"({figure(found.renyi_efficiency_used)} over the tokens used); entropy {found.entropy:.3f} bits"
    )
    console.answer(f"tokens by length    {_histogram(found.lengths, found.unit)}")
    console.answer(f"scripts             {_mix(found.scripts)}")
    console.answer(f"unused tokens       {len(found.unused):,}  {named(found.unused)}".rstrip())
    console.answer(f"only steps          {len(found.steps):,}  {named(found.steps)}".rstrip())


def _histogram(lengths: tuple[tuple[int, int], ...], unit: str, most: int = 12) -> str:
    shown = ", ".join(f"{length}: {tokens:,}" for length, tokens in lengths[:most])
    rest = sum(tokens for _, tokens in lengths[most:])
    return f"{shown}{f', longer: {rest:,}' if rest else ''} ({unit})"


def _mix(scripts: dict[str, int], most: int = 8) -> str:
    total = sum(scripts.values())
    shown = ", ".join(f"{script} {count / total:.1%}" for script, count in list(scripts.items())[:most])
    return shown + (f" and {len(scripts) - most} more" if len(scripts) > most else "")


def text_figures(found: TextStatistics, tokenizer: BPETokenizer | None = None) -> dict[str, Any]:
    """Give the figures of a text as JSON values; with a tokenizer, its unused tokens, too."""
    figures: dict[str, Any] = {
        "characters": found.characters,
        "bytes": found.bytes,
        "words": found.words,
        "tokens": found.tokens,
        "tokens_per_word": found.tokens_per_word,
        "pieces_per_word": found.pieces_per_word,
        "continued_words": found.continued_words,
        "one_token_share": found.one_token_share,
        "characters_per_token": found.characters_per_token,
        "bytes_per_token": found.bytes_per_token,
        "used_tokens": found.used_tokens,
        "unused_tokens": len(found.unused),
        "step_tokens": len(found.steps),
        "entropy_bits": found.entropy,
        "renyi_alpha": found.alpha,
        "renyi_efficiency": found.renyi_efficiency,
        "renyi_efficiency_used": found.renyi_efficiency_used,
        "token_lengths": {str(length): tokens for length, tokens in found.lengths},
        "length_unit": found.unit,
        "scripts": found.scripts,
    }
    if tokenizer is not None:
        figures["unused"] = [{"id": number, "token": tokenizer.tokens[number]} for number in found.unused.tolist()]
        figures["steps"] = [{"id": number, "token": tokenizer.tokens[number]} for number in found.steps.tolist()]
    return figures


def _vocabulary_figures(found: VocabularyStatistics, tokenizer: BPETokenizer) -> dict[str, Any]:
    return {
        "vocab_size": found.vocab_size,
        "base_tokens": found.base_tokens,
        "merges": found.merges,
        "learned_tokens": found.learned_tokens,
        "mean_length": found.mean_length,
        "length_unit": found.unit,
        "tokens_by_length": {str(length): tokens for length, tokens in found.lengths},
        "scripts": found.scripts,
        "near_duplicates": [[tokenizer.tokens[number] for number in group] for group in found.near_duplicates],
    }
