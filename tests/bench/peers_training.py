"""How each package trains: from a file to a finished tokenizer, and the tokens that it learned.

Left out: tokenizers on characters, line by line, which takes 26 s of one core on WikiText-2. bpeasy, rustbpe and
tokenizers get a whole file as one text (line by line, no piece could hold a line end with what follows it); gigabpe
reads the file itself, line by line.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Work = Callable[[Path, int, bool], Any]


@dataclass(frozen=True, slots=True)
class Peer:
    """One way to train."""

    package: str
    load: Callable[[], Work]
    """Import what it needs; gives work(file, target, more), see `child.train`."""
    learned: Callable[[Any], list[str] | None]
    """Give the learned tokens, of bytes in the byte alphabet, in the order of merges; None where they say nothing."""
    note: str = ""
    exact: bool = False
    """Whether it must learn what bpe-tui learns."""


def _finish(trainer: Any) -> Any:
    while trainer.stop_reason is None:
        trainer.advance()
    return trainer


def _ours_bytes() -> Work:
    from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
    from bpe_tui.corpus import read_blocks

    def train(text: Any, target: int) -> Any:
        # With ties as Hugging Face's tokenizers settle them.
        return ByteBPETokenizer.train(text, target, verbose=False, rule="gpt2", ties="lowest-id")

    train(read_blocks(Path(__file__)), 260)  # loads the compiled code
    return lambda file, target, more: train(read_blocks(file), target + 256 * more)


def _ours_characters() -> Work:
    from bpe_tui import Trainer
    from bpe_tui.corpus import read_text

    def train(text: str, target: int, more: bool) -> Any:
        trainer = Trainer(text, 1 << 30 if more else target)
        if more:
            trainer.target_vocab_size = trainer.base_size + target
        return _finish(trainer).tokenizer()

    train("low lower lowest", 12, False)
    return lambda file, target, more: train(read_text(file).text, target, more)


def _gigabpe() -> Work:
    import gigabpe

    def work(file: Path, target: int, more: bool) -> Any:
        return gigabpe.train_bpe([str(file)], target, special_tokens=[], min_frequency=2, pretokenizer="bytelevel")

    return work


def _gigatoken() -> Work:
    import gigatoken
    from measuring import silence

    def work(file: Path, target: int, more: bool) -> Any:
        with silence():
            return gigatoken.train_bpe(str(file), target, [])

    return work


def _rustbpe() -> Work:
    import rustbpe

    from bpe_tui.bpe.pretokenize import RULES

    def work(file: Path, target: int, more: bool) -> Any:
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator(iter([file.read_bytes().decode()]), target, pattern=RULES["gpt2"].pattern)
        return tokenizer

    return work


def _bpeasy() -> Work:
    import bpeasy

    from bpe_tui.bpe.pretokenize import RULES

    def work(file: Path, target: int, more: bool) -> Any:
        # 512: longer than any token here, so that its limit takes nothing away.
        return bpeasy.train_bpe(iter([file.read_bytes().decode()]), RULES["gpt2"].pattern, 512, target)

    return work


def _tokenizers() -> Work:
    import tokenizers

    def work(file: Path, target: int, more: bool) -> Any:
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=target, min_frequency=2, show_progress=False, initial_alphabet=alphabet
        )
        tokenizer.train_from_iterator([file.read_bytes().decode()], trainer)
        return tokenizer

    return work


def _sentencepiece(**options: Any) -> Callable[[], Work]:
    def load() -> Work:
        import sentencepiece

        def work(file: Path, target: int, more: bool) -> None:
            sentencepiece.SentencePieceTrainer.train(
                input=str(file), model_writer=io.BytesIO(), vocab_size=target, model_type="bpe", minloglevel=2,
                num_threads=2, **options,
            )  # fmt: skip

        return work

    return load


def _joined(merges: Any) -> list[str]:
    return [left + right for left, right in merges]


def _of_bytes(tokens: Any) -> list[str]:
    from bpe_tui.bpe.byte_alphabet import to_characters

    return [to_characters(bytes(token)) for token in tokens]


def _of_ranks(ranks: Any) -> list[str]:
    return _of_bytes(token for token, _ in sorted(ranks, key=lambda entry: entry[1]) if len(token) > 1)


def _nothing(_: Any) -> None:
    return None


BYTES: dict[str, Peer] = {
    "bpe-tui": Peer("bpe_tui", _ours_bytes, lambda tokenizer: _joined(tokenizer.merges), exact=True),
    "gigabpe": Peer("gigabpe", _gigabpe, lambda result: _joined(result[1]), "line by line"),
    "gigatoken": Peer(
        "gigatoken", _gigatoken, lambda result: _of_bytes(left + right for left, right in result[1]), exact=True
    ),
    "rustbpe": Peer("rustbpe", _rustbpe, lambda tokenizer: _of_ranks(tokenizer.get_mergeable_ranks())),
    "bpeasy": Peer("bpeasy", _bpeasy, lambda ranks: _of_ranks(ranks.items())),
    "tokenizers": Peer(
        "tokenizers",
        _tokenizers,
        lambda tokenizer: _joined(json.loads(tokenizer.to_str())["model"]["merges"]),
        exact=True,
    ),
    "sentencepiece": Peer(
        "sentencepiece", _sentencepiece(byte_fallback=True), _nothing, "characters, its own splitting"
    ),
}  # fmt: skip
"""Bytes with GPT-2's splitting."""
CHARACTERS: dict[str, Peer] = {
    "bpe-tui": Peer("bpe_tui", _ours_characters, lambda tokenizer: _joined(tokenizer.merges), exact=True),
    "sentencepiece": Peer(
        "sentencepiece",
        _sentencepiece(
            split_by_whitespace=False, split_by_number=False, split_by_unicode_script=False, add_dummy_prefix=False,
            normalization_rule_name="identity", remove_extra_whitespaces=False, character_coverage=1.0,
            max_sentencepiece_length=512, max_sentence_length=1_000_000,
        ),
        _nothing,
        "sentence by sentence",
    ),
}  # fmt: skip
"""Characters without splitting; sentencepiece goes sentence by sentence, which is less work."""
PEERS = {"bytes": BYTES, "characters": CHARACTERS}
