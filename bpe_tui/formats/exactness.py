"""Whether a tokenizer that merges by a list gives the same ids when it merges by rank, or the other way round.

Formats differ in this: tiktoken's files know ranks only, Hugging Face's, GPT-2's and minbpe's lists of merges only.
Why the tests here are enough is told in `bpe.ranks`.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.ranks import derive_merges
from bpe_tui.formats.files import refuse, short


def refuse_unless_by_rank(tokenizer: ByteBPETokenizer, path: Path, what: str) -> None:
    """Raise TokenizerFileError, naming a token, if merging by rank would not be what this tokenizer does."""
    if tokenizer.by_rank and tokenizer.whole_pieces:
        return
    derived = derive_merges(tokenizer.vocabulary)
    made = {left + right: rank for rank, (left, right) in enumerate(tokenizer.merges)}
    for token in derived.underivable:
        number = tokenizer.vocabulary[token]
        refuse(path, f"{what} would encode text as token {short(token)} (id {number}), which no merges make here")
    if tokenizer.merges == derived.merges:
        return
    for (left, right), number in zip(derived.merges, derived.made.tolist(), strict=True):
        token = left + right
        place = made.get(token)
        if place is None or tokenizer.merges[place] != (left, right):
            refuse(path, f"{what} would make token {short(token)} (id {number}) of other parts than here")
    ids = [(tokenizer.vocabulary[left + right], left + right) for left, right in tokenizer.merges]
    number, token = next((after for before, after in pairwise(ids) if after[0] <= before[0]), ids[-1])
    refuse(path, f"{what} merges in the order of the ids, but token {short(token)} (id {number}) comes later here")


def refuse_unless_by_merges(tokenizer: ByteBPETokenizer, path: Path, what: str, *, whole_pieces: bool) -> None:
    """Raise TokenizerFileError, naming a token, if a list of merges would not be what this tokenizer does.

    `whole_pieces` says whether the format can have pieces that are tokens taken as they are.
    """
    derived = derive_merges(tokenizer.vocabulary)
    if tokenizer.by_rank and derived.underivable:
        token = derived.underivable[0]
        refuse(
            path,
            f"{what} lists merges, and no two tokens of lower rank make {short(token)} "
            f"(id {tokenizer.vocabulary[token]})",
        )
    if tokenizer.whole_pieces and not whole_pieces and not tokenizer.by_rank:
        # A token that is no piece, because the rule cuts it, is not looked up whole either.
        broken = set(tokenizer.with_changes(whole_pieces=False).broken_tokens())
        for number in sorted(broken.difference(tokenizer.broken_tokens())):
            refuse(
                path,
                f"{what} cannot say that pieces are looked up whole, without which token "
                f"{short(tokenizer.tokens[number])} (id {number}) would fall apart",
            )
