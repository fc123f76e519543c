"""The benchmark of the Lab: what a screen asks on 4 MB of text and a byte-level tokenizer of up to 50,000 tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bpe_tui.analysis import Dial, encode, lengths_by_merge, places_in, replay, text_statistics, vocabulary_statistics
from bpe_tui.analysis.curves import compression_curve, decimate, gain, knee
from bpe_tui.analysis.rules import Rules
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.terminal.braille import line_chart


def lab(corpus: Any, measure: Callable[[Callable[[], Any]], float]) -> Iterator[tuple[str, float, None, str]]:
    """Time each question; "once" is what a screen has done when a tokenizer or a corpus is chosen."""
    text, paragraph = corpus.train[:4_000_000], corpus.train[:2_000]
    tokenizer = ByteBPETokenizer.train(text, 50_000, verbose=False)
    merges = len(tokenizer.merges)
    encoded, dial, rules = encode(tokenizer, text), Dial(tokenizer, text), Rules(tokenizer)
    story = replay(tokenizer, paragraph)
    token = int(tokenizer.merge_ids()[2][merges // 10])
    curve = compression_curve(dial.lengths, len(text))
    if not dial.count(merges) == encoded.tokens == len(tokenizer.encode(text)):
        raise SystemExit("lab: the dial and the encoder differ")

    def as_of(count: int) -> None:
        dial.vocab_size(count), dial.compression(count), dial.longest(count, 30), dial.count(count)

    def draw() -> None:
        thin = decimate(curve, 400)
        line_chart(thin.x.tolist(), thin.y.tolist(), 200, 20)

    questions: dict[str, Callable[[], Any]] = {
        "encode 4 MB, once": lambda: encode(tokenizer, text),
        "lengths for every number of merges, 4 MB, once": lambda: lengths_by_merge(tokenizer, text),
        "figures of the vocabulary, once": lambda: vocabulary_statistics(tokenizer),
        "figures of 4 MB, once": lambda: text_statistics(tokenizer, encoded),
        "figures of 2,000 characters": lambda: text_statistics(tokenizer, paragraph),
        "all figures as of a merge": lambda: as_of(merges // 2),
        "a dial for 2,000 characters, and their tokens": lambda: Dial(tokenizer, paragraph).tokens(merges // 2),
        "replay of 2,000 characters": lambda: replay(tokenizer, paragraph),
        "one row of it with its surroundings": lambda: story.stretch(len(story) // 2),
        "50 places of a token in 4 MB": lambda: places_in(encoded, token, 50),
        "search the merges": lambda: list(rules.find(lambda spelled: "ing" in spelled)),
        "what is built on a token": lambda: rules.built_on(token),
        "thin out and draw a curve": draw,
        "knee and gain": lambda: (knee(dial.lengths), gain(dial.lengths, merges // 2)),
    }
    for what, question in questions.items():
        yield what, measure(question), None, f"{merges:,} merges"
