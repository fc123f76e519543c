"""The same figures as JSON values and as lines, for the commands that report them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpe_tui.terminal import count, percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bpe_tui.bpe.log import MergeEntry
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console
    from bpe_tui.corpus import Split, SplitFiles, Splits
    from bpe_tui.dataset import EncodedDataset
    from bpe_tui.session.snapshot import Snapshot


def merge_is_told(rank: int) -> bool:
    """Whether the merge of this rank gets a line of its own: the first 20, then every hundredth."""
    return rank < 20 or (rank + 1) % 100 == 0


def merge_line(entry: MergeEntry, tokens: list[str], kind: str, console: Console) -> str:
    """Give one merge as a line; its number counts from 1 as people do."""
    left, right, new = (console.token(tokens[token], kind) for token in (entry.left, entry.right, entry.new_id))
    return (
        f"merge {entry.rank + 1:>5,}  frequency {entry.frequency:>9,}  length {entry.length:>11,}  "
        f"{left} + {right} {console.arrow} {new}"
    )


class MergeLines:
    """Prints the merges that are told as a run learns them."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._seen = 0

    def __call__(self, snapshot: Snapshot) -> None:
        """Print the lines that are new in `snapshot`."""
        for rank in range(self._seen, snapshot.merges):
            if merge_is_told(rank):
                self._console.say(merge_line(snapshot.log[rank], snapshot.tokens, snapshot.kind, self._console))
        self._seen = snapshot.merges


def say_splits(splits: Splits, console: Console) -> None:
    """Print what was read."""
    for note in splits.notes:
        console.say(f"note: {console.message(note)}")
    for split in splits:
        console.say(f"{split.name + ':':<6} {len(split.text):>12,} characters  {console.message(split.source)}")
        for note in split.notes:
            console.say(f"       note: {console.message(note)}")


def say_found(splits: SplitFiles | Splits, console: Console) -> None:
    """Print what is going to be read."""
    for note in splits.notes:
        console.say(f"note: {console.message(note)}")
    for split in splits:
        console.say(f"{split.name + ':':<6} {split.bytes:>12,} bytes  {console.message(split.source)}")


def splits_figures(splits: Iterable[Split]) -> list[dict[str, Any]]:
    """Give what was read as JSON values."""
    return [
        {
            "name": split.name,
            "source": str(split.source),
            "bytes": facts.bytes,
            "characters": facts.characters,
            "notes": list(facts.notes),
        }
        for split, facts in ((split, split.facts()) for split in splits)
    ]


def say_training(end: Snapshot, console: Console) -> None:
    """Print how training ended."""
    reason = end.stop_reason.explain() if end.stop_reason is not None else "stopped"
    console.say(f"training ended after {count(end.merges)} merges in {end.seconds:.2f} s: {reason}")
    # With words, the end of each is a symbol as well.
    symbols = {"character_bpe": "characters", "byte_bpe": "bytes"}.get(end.kind, "symbols")
    console.say(
        f"training sequence: {count(end.initial_length)} {symbols} became {count(end.sequence_length)} tokens, "
        f"{end.compression_factor:.3f} {symbols} per token, {percent(end.token_reduction)} fewer"
    )


def training_figures(end: Snapshot) -> dict[str, Any]:
    """Give the training as JSON values, with the merges that are told."""
    settings = end.settings
    kind: dict[str, Any] = {"training_characters": end.initial_length}
    if settings.kind != "character_bpe":
        kind = {
            "training_symbols": end.initial_length,
            "split": settings.splitting_rule().name if settings.kind == "byte_bpe" else None,
            "pattern": settings.pattern,
            "punctuation": settings.punctuation if settings.kind == "word_bpe" else None,
            "marker": settings.word_marker if settings.kind == "word_bpe" else None,
            "special_tokens": list(settings.special_tokens),
        }
    return {
        **kind,
        "alphabet": str(settings.alphabet),
        "ties": settings.tie_rule,
        "target_vocab_size": end.settings.target_vocab_size,
        "minimum_pair_frequency": end.settings.minimum_pair_frequency,
        "base_tokens": end.base_size,
        "merges": end.merges,
        "vocab_size": end.total_vocab_size,
        "stop_reason": end.stop_reason.value if end.stop_reason is not None else None,
        "explanation": end.stop_reason.explain() if end.stop_reason is not None else None,
        "sequence_length": end.sequence_length,
        "compression_factor": end.compression_factor,
        "token_reduction_percent": end.token_reduction,
        "seconds": end.seconds,
        "log": [
            merge_figures(end.log[rank], end.tokens, end.kind) for rank in range(end.merges) if merge_is_told(rank)
        ],
    }


def merge_figures(entry: MergeEntry, tokens: list[str], kind: str) -> dict[str, Any]:
    """Give one merge as JSON values, as in the tokenizer file: the rank counts from 0."""
    pair = [tokens[entry.left], tokens[entry.right]]
    if kind == "word_bpe":
        from bpe_tui.bpe.words import show

        pair = [show(token) for token in pair]
    return {
        "rank": entry.rank,
        "pair": pair,
        "new_id": entry.new_id,
        "frequency": entry.frequency,
        "length": entry.length,
    }


def say_dataset(dataset: EncodedDataset, console: Console) -> None:
    """Print what was encoded."""
    exact = "round trip exact" if dataset.lossless else "round trip exact but for white space"
    for split in dataset.splits:
        console.say(
            f"{split.name + ':':<6} {count(split.tokens)} tokens of {count(split.characters)} characters, "
            f"{split.compression_factor:.3f} characters per token, {percent(split.token_reduction)} fewer"
        )
        console.say(
            f"       {exact}; ids {count(split.minimum_id)} to {count(split.maximum_id)} "
            f"of {count(dataset.vocab_size)}, SHA-256 {split.ids_sha256}"
        )
        console.say(f"       saved {console.message(split.path)}: {split.dtype}, shape ({split.tokens},)")


def dataset_figures(dataset: EncodedDataset) -> dict[str, Any]:
    """Give what was encoded as JSON values."""
    return {
        "folder": str(dataset.folder),
        "fingerprint": dataset.fingerprint,
        "vocab_size": dataset.vocab_size,
        "kind": dataset.kind,
        "lossless": dataset.lossless,
        "splits": [
            {
                "name": split.name,
                "file": str(split.path),
                "characters": split.characters,
                "tokens": split.tokens,
                "shape": [split.tokens],
                "dtype": split.dtype,
                "minimum_id": split.minimum_id,
                "maximum_id": split.maximum_id,
                "compression_factor": split.compression_factor,
                "token_reduction_percent": split.token_reduction,
                # Encoding fails when it is not what it must be.
                "round_trip_exact": dataset.lossless,
                "text_sha256": split.text_sha256,
                "ids_sha256": split.ids_sha256,
            }
            for split in dataset.splits
        ],
    }


def say_longest(longest: list[tuple[int, str]], tokenizer: BPETokenizer, console: Console) -> None:
    """Print the longest learned tokens."""
    console.say(f"the {len(longest)} longest learned tokens:")
    for line in longest_lines(longest, tokenizer, console):
        console.say(line)


def longest_lines(longest: list[tuple[int, str]], tokenizer: BPETokenizer, console: Console) -> list[str]:
    """Give the longest learned tokens, one a line."""
    lengths = tokenizer.token_lengths()
    return [
        f"{number:>8,}  {int(lengths[number]):>4} {tokenizer.unit}  {console.token(token, tokenizer.kind)}"
        for number, token in longest
    ]


def longest_figures(longest: list[tuple[int, str]], tokenizer: BPETokenizer) -> list[dict[str, Any]]:
    """Give the longest learned tokens as JSON values."""
    lengths = tokenizer.token_lengths()
    return [{"id": number, tokenizer.unit: int(lengths[number]), "token": token} for number, token in longest]


def tokens_of(tokenizer: BPETokenizer, ids: list[int]) -> list[dict[str, Any]]:
    """Give tokens with their ids as JSON values."""
    tokens = tokenizer.tokens
    return [{"id": token_id, "token": tokens[token_id]} for token_id in ids]
