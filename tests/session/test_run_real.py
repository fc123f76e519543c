"""Runs with the real trainer: whatever the order of pauses and steps, they learn what the reference learns."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_tui
from bpe_tui.bpe import reference
from bpe_tui.bpe.trainer import StopReason
from bpe_tui.errors import RunError
from bpe_tui.session.run import Run
from bpe_tui.session.settings import RunSettings
from bpe_tui.session.state import RunState

WAIT = 120.0

texts = st.one_of(
    st.text("ab", min_size=1, max_size=120),
    st.text("abc \n", min_size=1, max_size=200),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60),
    st.lists(st.sampled_from(["low ", "lower ", "newest ", "widest "]), min_size=1, max_size=40).map("".join),
)
commands = st.lists(
    st.one_of(
        st.tuples(st.just("step"), st.integers(1, 7)),
        st.tuples(st.just("go and pause"), st.just(0)),
        st.tuples(st.just("go and stop"), st.just(0)),
        st.tuples(st.just("raise"), st.integers(1, 15)),
    ),
    max_size=12,
)


def rest(run: Run):
    return run.wait_until(lambda seen: not seen.state.busy and seen.state is not RunState.IDLE, WAIT)


def test_an_encoder_of_a_snapshot_knows_no_token_that_came_later(make_splits) -> None:
    text = "low lower lowest newest widest " * 20
    run = Run(make_splits(text), RunSettings(None, 30))
    run.step(3)
    early = rest(run)
    run.resume()
    late = rest(run)
    assert late.vocab_size > early.vocab_size
    assert run.encoder(early).encode(text).max() < early.vocab_size
    assert run.encoder().encode(text).max() >= early.vocab_size
    run.close()


@settings(max_examples=200, deadline=None)
@given(texts, st.integers(0, 30), st.integers(1, 3), commands)
def test_any_order_of_commands_learns_what_the_reference_learns(make_splits, text, extra, minimum, orders) -> None:
    base = len(set(text))
    run = Run(make_splits(text), RunSettings(None, base + extra, minimum))
    seen_merges = 0
    for order, number in orders:
        state = run.snapshot().state
        if order == "raise":
            if run.snapshot().stop_reason in {None, StopReason.TARGET}:
                # A run that was stopped just when no pair was left worth merging knows that a target changes nothing.
                with contextlib.suppress(RunError):
                    run.raise_target(run.settings.target_vocab_size + number)
                run.wait_until(lambda seen: not seen.state.busy, WAIT)
        elif state is RunState.DONE:
            continue
        elif order == "step":
            run.step(number)
            rest(run)
        else:
            run.resume()
            run.pause() if order == "go and pause" else run.stop()
            rest(run)
        assert run.snapshot().merges >= seen_merges
        seen_merges = run.snapshot().merges
    if run.snapshot().state is not RunState.DONE:
        run.resume()
    seen = run.wait_until(lambda snapshot: snapshot.state is RunState.DONE, WAIT)

    expected, reason = reference.train(text, run.settings.target_vocab_size, minimum)
    assert run.merge_strings(seen) == [merge.pair for merge in expected]
    assert seen.log.frequency[: seen.merges].tolist() == [merge.frequency for merge in expected]
    assert seen.log.length[: seen.merges].tolist() == [merge.length for merge in expected]
    assert seen.stop_reason == reason
    assert run.tokenizer().tokens == seen.tokens[: seen.vocab_size]
    assert seen.token_counts is not None
    ids = run.encoder().encode(text)
    assert len(ids) == seen.sequence_length
    assert [int(count) for count in seen.token_counts] == [
        int((ids == number).sum()) for number in range(seen.vocab_size)
    ]
    assert seen.compression_factor == pytest.approx(len(text) / len(ids))
    assert seen.token_reduction == pytest.approx(100 * (1 - len(ids) / len(text)))
    assert run.close(WAIT)


def test_the_first_steps_of_somebody_curious(make_splits) -> None:
    run = Run(make_splits("low lower lowest", "slow", "x"), RunSettings(None, 20))
    assert run.snapshot().state is RunState.IDLE
    assert run.tokenizer().tokens == list(" elorstwx")
    run.step()
    seen = rest(run)
    assert (seen.state, seen.merges, seen.base_size, seen.vocab_size) == (RunState.PAUSED, 1, 9, 10)
    assert seen.tokens[9] == "lo"
    assert seen.sequence_length == 13
    run.step(2)
    assert rest(run).merges == 3
    run.resume()
    done = rest(run)
    assert done.state is RunState.DONE
    assert done.stop_reason is StopReason.MINIMUM_FREQUENCY
    assert done.progress == 1
    assert done.eta_seconds is None
    assert run.close(WAIT)


def test_a_training_text_no_longer_than_asked_for(make_splits) -> None:
    run = Run(make_splits("abab" * 10), RunSettings(8, 10))
    assert run.training_text == "abababab"
    run.start()
    assert rest(run).initial_length == 8
    assert run.close(WAIT)


def test_an_impossible_target_fails_and_says_the_least_possible(make_splits) -> None:
    run = Run(make_splits("abcdef"), RunSettings(None, 3))
    run.start()
    seen = rest(run)
    assert seen.state is RunState.FAILED
    assert seen.error is not None
    assert "least possible target is 6" in seen.error
    assert run.close(WAIT)


def test_going_on_with_a_larger_target_after_the_end(make_splits) -> None:
    text = "the quick brown fox jumps over the lazy dog; the lazy dog sleeps; " * 5
    base = len(set(text))
    run = Run(make_splits(text), RunSettings(None, base + 5))
    run.start()
    assert rest(run).vocab_size == base + 5
    run.raise_target(base + 9)
    seen = run.wait_until(lambda snapshot: snapshot.vocab_size == base + 9 and not snapshot.state.busy, WAIT)
    assert seen.stop_reason is StopReason.TARGET
    assert run.merge_strings() == [merge.pair for merge in reference.train(text, base + 9)[0]]
    assert run.close(WAIT)


def test_a_program_that_ends_takes_its_run_along(tmp_path) -> None:
    code = """
import sys
from pathlib import Path
from bpe_tui import corpus
from bpe_tui.session.run import Run
from bpe_tui.session.settings import RunSettings
Path(sys.argv[1]).write_text("to be or not to be, that is the question\\n" * 100, encoding="utf-8")
run = Run(corpus.read_splits(Path(sys.argv[1])), RunSettings(None, 100))
run.set_speed(0.001)
run.start()
run.wait_until(lambda seen: seen.merges == 1)
loaded = [name for name in ("textual", "torch") if name in sys.modules]
print("the end", loaded)
"""
    place = Path(bpe_tui.__file__).parents[1]
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "text.txt")],
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("the end []\n", "", 0)
