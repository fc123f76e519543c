"""The encoder that keeps up with a run."""

from __future__ import annotations

import threading

from bpe_tui import BPETokenizer
from bpe_tui.tui.live_encoder import LiveEncoder


class SlowEncoder:
    """An encoder whose tables are ready when the test says so."""

    def __init__(self, ready: threading.Event) -> None:
        self._ready = ready

    def prepare(self) -> None:
        assert self._ready.wait(60)


def test_nothing_to_encode_with_is_an_answer() -> None:
    live = LiveEncoder()
    assert live.follow("empty", lambda: None, busy=False)
    assert live.encoder is None


def test_a_small_encoder_is_there_at_once() -> None:
    live = LiveEncoder()
    tokenizer = BPETokenizer(["a", "b"], [("a", "b")])
    assert live.follow("one", tokenizer.encoder, busy=True)
    assert live.encoder is not None
    assert live.encoder.encode("abab").tolist() == [2, 2]
    assert live.follow("one", lambda: 1 / 0, busy=True), "what is there is not made again"


def test_a_large_one_comes_later_and_the_old_one_serves_on() -> None:
    live = LiveEncoder()
    old = BPETokenizer(["a"], []).encoder()
    live.follow("old", lambda: old, busy=False)
    live._cost = 1.0
    ready = threading.Event()
    new = SlowEncoder(ready)
    assert not live.follow("new", lambda: new, busy=False)  # type: ignore[arg-type, return-value]
    assert live.encoder is old
    assert not live.follow("newer", lambda: 1 / 0, busy=False), "one at a time"
    ready.set()
    assert live._thread is not None
    live._thread.join(60)
    assert live.encoder is new
    assert live.follow("new", lambda: None, busy=False)
