"""Being told to go calls the callback, once, and afterwards everything is as it was."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from bpe_tui.session.signals import ENDING, on_ending_signal, on_signals

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent by process id")


@pytest.mark.parametrize("number", ENDING)
def test_the_callback_hears_of_it_and_the_old_handler_comes_back(number) -> None:
    heard: list[signal.Signals] = []
    before: list[int] = []
    old = signal.signal(number, lambda got, _frame: before.append(got))
    try:
        with on_ending_signal(heard.append):
            signal.raise_signal(number)
            assert heard == [number]
        signal.raise_signal(number)
        assert (heard, before) == ([number], [number])
    finally:
        signal.signal(number, old)


def test_a_program_under_nohup_stays_deaf_to_the_hang_up() -> None:
    heard: list[signal.Signals] = []
    old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with on_signals(ENDING, heard.append):
            signal.raise_signal(signal.SIGHUP)
        assert heard == []
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, old)


def test_a_program_on_a_terminal_hears_of_its_end_all_the_same() -> None:
    heard: list[signal.Signals] = []
    old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with on_ending_signal(heard.append):
            signal.raise_signal(signal.SIGHUP)
        assert heard == [signal.SIGHUP]
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, old)


def test_an_error_in_the_block_brings_the_old_handlers_back_too() -> None:
    old = signal.getsignal(signal.SIGTERM)
    with pytest.raises(ZeroDivisionError), on_ending_signal(lambda _number: None):
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGTERM) is old


def test_in_another_thread_the_block_simply_runs() -> None:
    ran = threading.Event()

    def block() -> None:
        with on_ending_signal(lambda _number: None):
            ran.set()

    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    assert ran.is_set()
