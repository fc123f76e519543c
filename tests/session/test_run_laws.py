"""The laws of a run, held against a trainer whose batches happen only when the test lets them."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bpe_tui.bpe.log import MergeLog
from bpe_tui.bpe.trainer import StopReason
from bpe_tui.errors import Cancelled, RunError, VocabularySizeError
from bpe_tui.session.run import Run
from bpe_tui.session.settings import RunSettings
from bpe_tui.session.state import TRANSITIONS, RunState

BASE = ["a", "b", "c"]
WAIT = 30.0


class GatedEngine:
    """Learns a made-up list of merges, at most `batch` at a time, and waits for a permit before each batch.

    Merge number n joins the newest token with a base token. Every fourth merge spells a string that exists already.
    """

    def __init__(self, target_vocab_size: int, pairs: int, batch: int) -> None:
        self.target_vocab_size = target_vocab_size
        self.base_size = len(BASE)
        self.initial_length = 10_000
        self.tokens = list(BASE)
        self.log = MergeLog(4)
        self.stop_reason: StopReason | None = None
        self.pairs_alive = 3
        self.at_gate: Callable[[], object] = lambda: None
        """Called when a batch waits for a permit."""
        self.waits = False
        self._gate = threading.Condition()
        self._permits = 0
        self._free = False
        self.cancelled = threading.Event()
        self._pairs = pairs
        self._batch = batch

    @property
    def token_counts(self) -> npt.NDArray[np.int64]:
        return np.ones(len(self.tokens), np.int64)

    def prepare(self) -> None:
        if self.cancelled.is_set():
            raise Cancelled("cancelled")

    def open_gate(self) -> None:
        """Let all batches happen."""
        with self._gate:
            self._free = True
            self._gate.notify_all()

    def close_gate(self) -> None:
        with self._gate:
            self._free, self._permits = False, 0

    def permit(self, batches: int) -> None:
        with self._gate:
            self._permits += batches
            self.waits = False
            self._gate.notify_all()

    def _pass_gate(self) -> None:
        with self._gate:
            open_already = self._free or self._permits > 0
            self.waits = not open_already
        if not open_already:
            self.at_gate()
        with self._gate:
            while not self._free and not self._permits:
                self._gate.wait()
            self._permits = max(0, self._permits - 1)
            self.waits = False

    def advance(self, max_merges: int | None = None, _max_work: int = 0) -> int:
        self._pass_gate()
        most = self._batch if max_merges is None else min(self._batch, max_merges)
        learned = 0
        self.stop_reason = None
        while learned < most:
            if len(self.tokens) >= self.target_vocab_size:
                self.stop_reason = StopReason.TARGET
                break
            if self.log.count == self._pairs:
                self.stop_reason = StopReason.NO_PAIRS
                break
            self._learn()
            learned += 1
        return learned

    def _learn(self) -> None:
        log, row = self.log, self.log.count
        log.reserve(row + 1)
        left, right = len(self.tokens) - 1, row % len(BASE)
        repeats = row % 4 == 3
        log.left[row], log.right[row] = left, right
        log.new_id[row] = len(BASE) if repeats else len(self.tokens)
        log.length[row] = self.initial_length - row - 1
        if not repeats:
            self.tokens.append(self.tokens[left] + self.tokens[right])
        log.count = row + 1

    def cancel(self) -> None:
        self.cancelled.set()


def full_run(merges: int) -> list[tuple[int, int]]:
    """What the gated engine learns when nobody interferes."""
    engine = GatedEngine(10**6, merges, merges)
    engine.open_gate()
    engine.advance()
    return list(zip(engine.log.left[:merges].tolist(), engine.log.right[:merges].tolist(), strict=True))


class RunLaws(RuleBasedStateMachine):
    @initialize(vocabulary=st.integers(4, 40), pairs=st.integers(0, 60), batch=st.integers(1, 5))
    def a_new_run(self, vocabulary: int, pairs: int, batch: int) -> None:
        self.engine = GatedEngine(vocabulary, pairs, batch)
        self.batch = batch
        self.everything = full_run(pairs)
        self.seen_merges = 0
        self.seen_state = RunState.IDLE
        self.run = Run(_splits(), RunSettings(None, vocabulary), make_engine=lambda *_arguments: self.engine)
        # Setting the speed is a command that changes nothing here, but wakes those who wait for the run.
        self.engine.at_gate = lambda: self.run.set_speed(None)

    def teardown(self) -> None:
        if hasattr(self, "run"):
            self.engine.open_gate()
            assert self.run.close(WAIT)

    def _busy(self) -> bool:
        return self.run.snapshot().state.busy

    def _rests(self) -> bool:
        return hasattr(self, "run") and not self._busy()

    def _works(self) -> bool:
        return hasattr(self, "run") and self._busy()

    def _settle(self) -> None:
        """Wait until nothing more happens by itself: the run rests, or its next batch waits at the gate."""
        self.run.wait_until(lambda seen: not seen.state.busy or self.engine.waits, WAIT)

    def _to_rest(self) -> None:
        """Let everything happen that is under way."""
        self.engine.open_gate()
        self.run.wait_until(lambda seen: not seen.state.busy, WAIT)
        self.engine.close_gate()

    @precondition(_rests)
    @rule(by_resume=st.booleans())
    def go(self, by_resume: bool) -> None:
        state = self.run.snapshot().state
        if state is RunState.DONE or (not by_resume and state is not RunState.IDLE):
            with pytest.raises(RunError):
                self.run.resume() if by_resume else self.run.start()
            assert self.run.snapshot().state is state
        else:
            self.run.resume() if by_resume else self.run.start()
            self._settle()

    @precondition(_rests)
    @rule(count=st.integers(1, 12))
    def step(self, count: int) -> None:
        before = self.run.snapshot()
        if before.state is RunState.DONE:
            with pytest.raises(RunError):
                self.run.step(count)
            return
        self.run.step(count)
        self._to_rest()
        after = self.run.snapshot()
        if after.state is RunState.PAUSED:
            assert after.merges == before.merges + count
        else:
            assert after.state is RunState.DONE
            assert after.merges <= before.merges + count

    @precondition(_rests)
    @rule(first=st.integers(1, 6), second=st.integers(1, 6))
    def steps_add_up(self, first: int, second: int) -> None:
        before = self.run.snapshot()
        assume(before.state is not RunState.DONE)
        self.run.step(first)
        self.run.step(second)
        self._to_rest()
        after = self.run.snapshot()
        assert after.state is RunState.DONE or after.merges == before.merges + first + second

    @precondition(_works)
    @rule(count=st.integers(1, 8))
    def some_batches_happen(self, count: int) -> None:
        self.engine.permit(count)
        self._settle()
        self.engine.close_gate()

    @precondition(_works)
    @rule()
    def pause(self) -> None:
        before = self.run.snapshot()
        self.run.pause()
        self._to_rest()
        after = self.run.snapshot()
        assert after.state in {RunState.PAUSED, RunState.DONE}
        # Only the batch that was under way.
        assert after.merges <= before.merges + self.batch

    @precondition(_works)
    @rule()
    def pause_is_taken_back(self) -> None:
        self.run.pause()
        self.run.resume()
        self._to_rest()
        assert self.run.snapshot().state is RunState.DONE

    @precondition(_works)
    @rule()
    def stop(self) -> None:
        before = self.run.snapshot()
        self.run.stop()
        with pytest.raises(RunError):
            self.run.resume()
        self._to_rest()
        after = self.run.snapshot()
        assert after.state is RunState.STOPPED
        assert after.merges <= before.merges + self.batch

    @precondition(_rests)
    @rule()
    def stop_at_rest(self) -> None:
        before = self.run.snapshot().state
        self.run.stop()
        after = self.run.snapshot().state
        assert after is (RunState.STOPPED if before is RunState.PAUSED else before)

    @precondition(_works)
    @rule()
    def steps_are_refused_while_it_trains_freely(self) -> None:
        with pytest.raises(RunError, match="pause"):
            self.run.step()

    @precondition(lambda self: hasattr(self, "run"))
    @rule(more=st.integers(-3, 20))
    def raise_target(self, more: int) -> None:
        before = self.run.snapshot()
        target = before.settings.target_vocab_size + more
        try:
            self.run.raise_target(target)
        except RunError:
            assert self.run.snapshot().settings == before.settings
            assert more <= 0 or before.merges == len(self.everything)
            return
        assert more > 0
        self._settle()
        after = self.run.snapshot()
        assert after.settings.target_vocab_size == target
        assert after.state is (RunState.TRAINING if before.state is RunState.DONE else before.state)

    @invariant()
    def what_is_seen_is_lawful(self) -> None:
        if not hasattr(self, "run"):
            return
        seen = self.run.snapshot()
        assert seen.state is not RunState.FAILED, seen.error
        assert _reachable(self.seen_state, seen.state)
        assert seen.merges >= self.seen_merges
        self.seen_state, self.seen_merges = seen.state, seen.merges
        learned = list(zip(seen.log.left[: seen.merges].tolist(), seen.log.right[: seen.merges].tolist(), strict=True))
        assert learned == self.everything[: seen.merges]
        new_ids = {int(number) for number in seen.log.new_id[: seen.merges]}
        if seen.base_size:
            assert seen.vocab_size == max([len(BASE) - 1, *new_ids]) + 1
            assert seen.sequence_length == seen.initial_length - seen.merges
        assert (seen.stop_reason is not None) == (seen.state is RunState.DONE)
        assert 0 <= seen.progress <= 1
        if seen.state is RunState.DONE:
            complete = seen.merges == len(self.everything) or seen.vocab_size >= seen.settings.target_vocab_size
            assert complete


TestRunLaws = RunLaws.TestCase
TestRunLaws.settings = settings(
    max_examples=150, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def _splits() -> object:
    class Train:
        text = "abc"

    class Splits:
        train = Train()

        def base_characters(self) -> list[str]:
            return list(BASE)

    return Splits()


def _reachable(before: RunState, after: RunState) -> bool:
    """Whether the state machine has a way from one state to the other."""
    known, frontier = {before}, [before]
    while frontier:
        for state in TRANSITIONS[frontier.pop()] - known:
            known.add(state)
            frontier.append(state)
    return after in known


def test_a_refused_text_fails_the_run_with_the_words_of_the_error() -> None:
    def refuse(*_arguments: object) -> GatedEngine:
        raise VocabularySizeError("the least possible target is 3")

    run = Run(_splits(), RunSettings(None, 2), make_engine=refuse)
    run.start()
    seen = run.wait_until(lambda snapshot: snapshot.state.ended, WAIT)
    assert (seen.state, seen.error) == (RunState.FAILED, "the least possible target is 3")
    with pytest.raises(RunError, match="least possible"):
        run.resume()
    assert run.close(WAIT)


def test_an_unexpected_error_is_told_in_a_sentence_and_its_traceback_goes_to_a_file(state_folder) -> None:
    def broken(*_arguments: object) -> GatedEngine:
        raise ZeroDivisionError("a defect")

    run = Run(_splits(), RunSettings(), make_engine=broken)
    run.start()
    seen = run.wait_until(lambda snapshot: snapshot.state.ended, WAIT)
    log = state_folder / "log" / "errors.log"
    assert seen.error is not None
    assert "unexpected ZeroDivisionError: a defect" in seen.error
    assert str(log) in seen.error
    assert "\n" not in seen.error
    assert "Traceback" in log.read_text(encoding="utf-8")
    assert run.close(WAIT)


def test_memory_that_runs_out_says_what_to_do() -> None:
    def greedy(*_arguments: object) -> GatedEngine:
        raise MemoryError

    run = Run(_splits(), RunSettings(), make_engine=greedy)
    run.start()
    seen = run.wait_until(lambda snapshot: snapshot.state.ended, WAIT)
    assert seen.error is not None
    assert "not enough memory; use fewer training characters" in seen.error
    assert run.close(WAIT)


def test_a_stop_while_the_pairs_are_counted_cancels_the_work_and_the_run_can_begin_again() -> None:
    made: list[GatedEngine] = []
    counting = threading.Event()

    class SlowToCount(GatedEngine):
        def prepare(self) -> None:
            counting.set()
            if len(made) == 1:
                assert self.cancelled.wait(WAIT)
            super().prepare()

    def make(*_arguments: object) -> GatedEngine:
        made.append(SlowToCount(10, 50, 3))
        made[-1].open_gate()
        return made[-1]

    run = Run(_splits(), RunSettings(None, 10), make_engine=make)
    run.start()
    assert counting.wait(WAIT)
    run.stop()
    assert run.wait_until(lambda seen: seen.state.ended, WAIT).state is RunState.STOPPED
    run.resume()
    seen = run.wait_until(lambda snapshot: snapshot.state.ended, WAIT)
    assert (seen.state, seen.vocab_size, len(made)) == (RunState.DONE, 10, 2)
    assert run.close(WAIT)


class Meddling(threading.Condition):
    """The lock of a run, which has somebody stop the run right after the training thread let go of it the nth time."""

    def __init__(self, run: Run, releases: int) -> None:
        super().__init__()
        self._run = run
        self._releases = releases

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if threading.current_thread().name == "bpe-tui training":
            self._releases -= 1
            if self._releases == 0:
                self._run.stop()


@pytest.mark.parametrize("releases", range(1, 16))
def test_a_run_stopped_between_any_two_looks_at_its_wishes_can_go_on(releases: int) -> None:
    class SpentOnceCancelled(GatedEngine):
        def advance(self, max_merges: int | None = None, _max_work: int = 0) -> int:
            if self.cancelled.is_set():
                raise Cancelled("cancelled")
            return super().advance(max_merges)

    def make(*_arguments: object) -> GatedEngine:
        engine = SpentOnceCancelled(10, 50, 3)
        engine.open_gate()
        return engine

    run = Run(_splits(), RunSettings(None, 10), make_engine=make)
    run._worker.changed = Meddling(run, releases)
    run.start()
    seen = run.wait_until(lambda snapshot: snapshot.state.ended, WAIT)
    if seen.state is RunState.STOPPED:
        run.resume()
        seen = run.wait_until(lambda snapshot: snapshot.state.ended, WAIT)
    assert (seen.state, seen.vocab_size) == (RunState.DONE, 10)
    assert run.close(WAIT)


def test_a_closed_run_takes_no_more_commands() -> None:
    run = Run(_splits(), RunSettings())
    assert run.close()
    for command in (run.start, run.resume, run.step):
        with pytest.raises(RunError, match="closed"):
            command()
    run.pause()
    run.stop()
    assert run.snapshot().state is RunState.IDLE


def test_a_limited_run_learns_all_the_same_merges() -> None:
    engine = GatedEngine(40, 60, 5)
    engine.open_gate()
    run = Run(_splits(), RunSettings(None, 40), make_engine=lambda *_arguments: engine)
    run.set_speed(500)
    run.start()
    seen = run.wait_until(lambda snapshot: snapshot.state.ended, WAIT)
    learned = list(zip(seen.log.left[: seen.merges].tolist(), seen.log.right[: seen.merges].tolist(), strict=True))
    assert learned == full_run(60)[: seen.merges]
    assert seen.vocab_size == 40
    assert run.close(WAIT)


def test_a_run_slowed_to_a_crawl_obeys_at_once() -> None:
    engine = GatedEngine(40, 60, 5)
    engine.open_gate()
    run = Run(_splits(), RunSettings(None, 40), make_engine=lambda *_arguments: engine)
    run.set_speed(0.001)
    run.start()
    run.wait_until(lambda snapshot: snapshot.merges == 1, WAIT)
    run.pause()
    assert run.wait_until(lambda snapshot: not snapshot.state.busy, WAIT).merges == 1
    run.resume()
    run.set_speed(None)
    assert run.wait_until(lambda snapshot: snapshot.state.ended, WAIT).vocab_size == 40
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(RunError, match="above 0"):
            run.set_speed(wrong)
    assert run.close(WAIT)


def test_waiting_for_what_does_not_happen_ends() -> None:
    run = Run(_splits(), RunSettings())
    with pytest.raises(TimeoutError, match="idle with 0 merges"):
        run.wait_until(lambda _seen: False, 0.01)
    assert run.close()
