"""How often the screen is drawn."""

from __future__ import annotations

import math
from queue import Queue
from types import SimpleNamespace

import pytest

from bpe_tui.tui.pacing import tick_interval, ticks_per_second, writer_is_behind


def test_ten_times_a_second_locally_four_times_over_ssh() -> None:
    assert ticks_per_second({}) == 10
    assert ticks_per_second({"SSH_TTY": ""}) == 10
    for variable in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"):
        assert ticks_per_second({variable: "10.0.0.1 22"}) == 4
    assert tick_interval({}) == pytest.approx(0.1)


@pytest.mark.parametrize(("chosen", "rate"), [(2, 2), (0, 0.5), (-3, 0.5), (500, 30), (math.nan, 4), (math.inf, 4)])
def test_the_user_chooses_within_reason(chosen: float, rate: float) -> None:
    assert ticks_per_second({"SSH_TTY": "/dev/pts/1"}, chosen) == rate


def test_a_tick_is_skipped_while_output_waits() -> None:
    queue: Queue[str] = Queue()
    app = SimpleNamespace(_driver=SimpleNamespace(_writer_thread=SimpleNamespace(_queue=queue)))
    assert not writer_is_behind(app)
    queue.put("much output")
    assert writer_is_behind(app)


@pytest.mark.parametrize(
    "app",
    [
        object(),
        SimpleNamespace(_driver=None),
        SimpleNamespace(_driver=SimpleNamespace(_writer_thread=None)),
        SimpleNamespace(_driver=SimpleNamespace(_writer_thread=SimpleNamespace(_queue=object()))),
    ],
)
def test_without_a_writer_thread_nothing_is_behind(app: object) -> None:
    assert not writer_is_behind(app)


def test_textual_still_has_what_is_looked_at() -> None:
    from textual.drivers._writer_thread import WriterThread

    assert WriterThread.__init__.__code__.co_names.count("_queue") == 1
