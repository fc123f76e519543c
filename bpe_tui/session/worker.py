"""The thread that trains, and all that is known about its run. `Run` says what may be asked of it and when.

Threads. All that is known is guarded by one condition, `changed`; it is held for bookkeeping only, never while a kernel
works, a file is written or anything but the condition itself is waited for, so whoever takes it has it at once. While
the run is busy the training thread alone touches the trainer, with three exceptions that the trainer allows from
anywhere: reading its log (count first), reading its plain figures, and `cancel()`. Commands leave wishes (`wish`,
`steps`, `target`) that the thread honours at the next border between two batches of merges, about 20 ms apart; when no
thread is at work, a command changes the state itself and has one begin if there is something to do.

The thread ends whenever the run is not busy (paused, done, stopped, failed), so nothing is left hanging at the end of
the program; it decides to end and says so (`working`) under the lock, hence a command either finds it still listening
or begins the next one, which first joins its predecessor. It also ends when the main thread is over: the interpreter
waits for it, but only until the next border.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING

from bpe_tui.bpe.log import MergeLog
from bpe_tui.errors import Cancelled
from bpe_tui.session.failure import explain
from bpe_tui.session.pace import SpeedLimit, Stopwatch, Trace
from bpe_tui.session.snapshot import Snapshot
from bpe_tui.session.state import TRANSITIONS, RunState

if TYPE_CHECKING:
    from bpe_tui.bpe.trainer import StopReason
    from bpe_tui.progress import Report
    from bpe_tui.session.engine import Engine
    from bpe_tui.session.identity import RunIdentity
    from bpe_tui.session.journal import Journal
    from bpe_tui.session.settings import RunSettings

_WORK = 250_000
"""Occurrences that a batch of merges visits: about 20 ms, which is how fast commands take effect."""
_FIRST_WORK = 10_000
"""The same for the first second, to which it doubles from 1: a border costs microseconds, and a run that ends at once
has a curve of its speed."""
_FIRST_SECONDS = 1.0
_LONGEST_WAIT = 0.25
"""Seconds after which a thread that waits looks again whether the program is still there."""


class Wish(Enum):
    """What the thread is asked to do at the next border."""

    GO = auto()
    PAUSE = auto()
    STOP = auto()


class Worker:
    """The guarded state of one run and its thread. Methods without a note want `changed` to be held."""

    def __init__(
        self,
        settings: RunSettings,
        make_engine: Callable[[RunSettings, Report], Engine],
        given: int,
        journal: Journal | None,
        identity: Callable[[], RunIdentity],
    ) -> None:
        self.changed = threading.Condition()
        self.version = 0
        self.settings = settings
        self.state = RunState.IDLE
        self.wish = Wish.GO
        self.steps: int | None = None
        """Merges still to be learned before a pause; None for no end of them."""
        self.target: int | None = None
        """A target that the trainer has not been told yet."""
        self.reason: StopReason | None = None
        """Why the trainer came to its end, as long as that holds."""
        self.error: str | None = None
        self.working = False
        self.thread: threading.Thread | None = None
        self.limit = SpeedLimit()
        self._make_engine = make_engine
        self._given = given
        self._journal = journal
        self._identity = identity
        self._detail = "ready"
        self._engine: Engine | None = None
        self._making: Engine | None = None
        self._watch = Stopwatch()
        self._trace = Trace()
        self._batch = 1
        """Occurrences that the last batch was to visit."""
        self._empty = MergeLog(1)
        self._counted = (0, 0)

    def announce(self) -> None:
        """Tell all who wait that something changed."""
        self.version += 1
        self.changed.notify_all()

    def begin(self, state: RunState, *, steps: int | None) -> None:
        """Set a thread to work, in the busy state `state`."""
        self.wish, self.steps = Wish.GO, steps
        if self._journal is not None:
            self._journal.begin()
        self._become(state, "counting pairs" if self._engine is None else "learning merges")
        self.working = True
        thread = threading.Thread(target=self._work, args=(self.thread,), name="bpe-tui training")
        try:
            thread.start()
        except RuntimeError as error:  # the system has no thread left, or the program is ending
            self.error = f"training could not be started: {error}"
            self._leave(RunState.FAILED, "failed")
            return
        self.thread = thread

    def stop(self) -> None:
        """End the run as soon as possible; nothing happens if it is over or was never begun."""
        if self.state.busy:
            self.wish = Wish.STOP
            # A trainer that was cancelled is spent. One at work comes to a border soon; counting and replaying do not.
            if self._making is not None:
                self._making.cancel()
            self.announce()
        elif self.state is RunState.PAUSED:
            self._become(RunState.STOPPED, "stopped")

    def snapshot(self) -> Snapshot:
        """Give the run as it is. The number of merges is taken first, everything else is clipped to it."""
        engine, state = self._engine, self.state
        log = engine.log if engine is not None else self._empty
        merges = log.count
        base_size = engine.base_size if engine is not None else 0
        vocab_size = self._vocabulary(log, merges, base_size)
        initial = engine.initial_length if engine is not None else 0
        recent = self._watch.recent_rate() if state is RunState.TRAINING else None
        target = self.settings.target_vocab_size - len(self.settings.special_tokens)
        missing = target - vocab_size
        done = state is RunState.DONE
        return Snapshot(
            state=state,
            settings=self.settings,
            merges=merges,
            log=log,
            tokens=engine.tokens if engine is not None else [],
            vocab_size=vocab_size,
            base_size=base_size,
            token_counts=engine.token_counts[:vocab_size] if engine is not None else None,
            initial_length=initial,
            sequence_length=int(log.length[merges - 1]) if merges else initial,
            pairs_alive=engine.pairs_alive if engine is not None else 0,
            stop_reason=self.reason if done else None,
            error=self.error,
            detail=self._detail,
            seconds=self._watch.seconds(time.monotonic()),
            merges_per_second=recent if recent is not None else self._watch.overall_rate(),
            eta_seconds=missing / recent if recent and missing > 0 and self.steps is None else None,
            progress=1.0 if done else _share(vocab_size - base_size, target - base_size) if engine else 0.0,
            trace=self._trace.points,
            notice=self._journal.problem if self._journal is not None else None,
            ending=state.busy and self.wish is not Wish.GO,
        )

    def _vocabulary(self, log: MergeLog, merges: int, base_size: int) -> int:
        """Give how many tokens the base and the first `merges` merges define; a merge may repeat an older string."""
        counted, size = self._counted
        if merges > counted:
            size = max(size, int(log.new_id[counted:merges].max()) + 1)
            self._counted = (merges, size)
        return max(size, base_size)

    def _become(self, state: RunState, detail: str) -> None:
        if state is not self.state:
            if state not in TRANSITIONS[self.state]:
                raise AssertionError(f"no way from {self.state} to {state}")
            self.state = state
        self._detail = detail
        self.announce()

    def _leave(self, state: RunState, detail: str) -> None:
        """Let the run rest in `state`; the thread must not touch the trainer after this."""
        if state is RunState.DONE and self.state is RunState.COUNTING:
            self._become(RunState.TRAINING, "learning merges")
        self._watch.stop(time.monotonic())
        self.wish, self.steps = Wish.GO, None
        self.working = False
        self._become(state, detail)

    def _decide(self, engine: Engine) -> tuple[RunState, str] | None:
        """Give the state to rest in and why, or None to go on."""
        if self.target is not None:
            engine.target_vocab_size = self.target
            # The trainer says anew whether it is at an end when it is next asked to learn.
            self.target = self.reason = None
        if self.wish is Wish.STOP or not threading.main_thread().is_alive():
            return RunState.STOPPED, "stopped"
        if self.reason is not None:
            return RunState.DONE, self.reason.explain()
        if self.wish is Wish.PAUSE or self.steps == 0:
            return RunState.PAUSED, "paused"
        return None

    def _raise_if_stopped(self) -> None:
        if self.wish is Wish.STOP or not threading.main_thread().is_alive():
            raise Cancelled("the run was stopped")

    def _allowance(self) -> int | None:
        """Give how many merges the next batch may learn, after waiting for the speed limit; None for any number."""
        allowance = self.limit.allowance(time.monotonic())
        delay = self.limit.delay()
        if delay > 0:
            # Any command wakes it; the border then looks at what was asked for.
            self.changed.wait(min(delay, _LONGEST_WAIT))
            return 0
        if self.steps is None:
            return allowance
        return self.steps if allowance is None else min(self.steps, allowance)

    # On the training thread, which takes `changed` itself

    def _work(self, predecessor: threading.Thread | None) -> None:
        if predecessor is not None:
            predecessor.join()
        try:
            engine = self._prepare()
            while self._go_on(engine):
                pass
        except Cancelled:
            self._end(RunState.STOPPED, "stopped")
        except BaseException as error:  # whatever it is, the run must say so instead of vanishing
            self._end(RunState.FAILED, "failed", explain(error, "training"))

    def _prepare(self) -> Engine:
        """Give the trainer, its pairs counted and the merges of a resumed run replayed.

        Raises Cancelled when it is told to stop meanwhile; the next attempt then begins with a new trainer, since one
        that was cancelled is spent.
        """
        if self._engine is not None:
            with self.changed:
                self._watch.start(time.monotonic())
            return self._engine
        engine = self._make_engine(self.settings, self._report)
        with self.changed:
            self._making = engine
            self._watch.start(time.monotonic())
        try:
            self._report("counting pairs", 0, 0)
            engine.prepare()
            replayed = 0
            while replayed < self._given:
                self._report("replaying merges", replayed, self._given)
                replayed += engine.advance(self._given - replayed, _WORK)
                if engine.stop_reason is not None:
                    break
            with self.changed:
                # In one hold: a stop before it has cancelled this trainer, which is then spent and must not be kept;
                # one after it leaves the trainer alone.
                self._raise_if_stopped()
                self._making, self._engine = None, engine
                self._sample(engine)
        finally:
            with self.changed:
                self._making = None
        return engine

    def _report(self, step: str, done: int, total: int) -> None:
        with self.changed:
            self._raise_if_stopped()
            detail = f"{step} {done:,} of {total:,}" if total else step
            if self._detail != detail:
                self._detail = detail
                self.announce()

    def _go_on(self, engine: Engine) -> bool:
        """Do what is due at a border, then learn one batch. Gives False when the thread has nothing more to do."""
        if self._journal is not None and self._journal.due(time.monotonic()):
            self._write_journal(engine)
        with self.changed:
            rest = self._decide(engine)
            if rest is not None and (self._journal is None or self._journal.holds(engine.log.count)):
                self._leave(*rest)
                return False
            allowance: int | None = 0
            early = self._watch.seconds(time.monotonic()) < _FIRST_SECONDS
            work = self._batch = min(2 * self._batch, _FIRST_WORK if early else _WORK)
            if rest is None:
                if self.state is not RunState.TRAINING:
                    self._become(RunState.TRAINING, "learning merges")
                allowance = self._allowance()
        if rest is not None:
            # The journal is whole before the state says that the run rests; meanwhile another command may have come.
            self._write_journal(engine)
        if allowance == 0:
            return True
        learned = engine.advance(allowance, work)
        with self.changed:
            self.limit.spend(learned)
            self.reason = engine.stop_reason
            if self.steps is not None:
                self.steps -= learned
            self._sample(engine)
            self.announce()
        return True

    def _sample(self, engine: Engine) -> None:
        now, merges = time.monotonic(), engine.log.count
        self._watch.sample(now, merges)
        self._trace.note(self._watch.seconds(now), merges)

    def _write_journal(self, engine: Engine) -> None:
        if self._journal is not None:
            self._journal.append(self._identity, self.settings, engine.log)

    def _end(self, state: RunState, detail: str, error: str | None = None) -> None:
        if self._engine is not None:
            self._write_journal(self._engine)
        with self.changed:
            self.error = error
            self._leave(state, detail)


def _share(part: int, whole: int) -> float:
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0
