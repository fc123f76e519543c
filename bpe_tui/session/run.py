"""One training run: a state machine around one thread that trains.

Threads. All that a run knows is guarded by one condition, `_changed`; it is held for bookkeeping only, never while a
kernel works, a file is written or anything is waited for, so every public method returns at once. While the run is busy
the training thread alone touches the trainer, with three exceptions that the trainer allows from anywhere: reading its
log (count first), reading its plain figures, and `cancel()`. Commands leave wishes (`_wish`, `_steps`, `_target`) that
the thread honours at the next border between two batches of merges, about 20 ms apart; when no thread is at work, a
command changes the state itself and starts one if there is something to do.

The thread ends whenever the run is not busy (paused, done, stopped, failed), so nothing is left hanging at the end of
the program; it decides to end and says so (`_working`) under the lock, hence a command either finds it still listening
or starts the next one, which first joins its predecessor. It also ends when the main thread is over: the interpreter
waits for it, but only until the next border.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from bpe_tui.bpe.log import MergeLog
from bpe_tui.errors import Cancelled, RunError
from bpe_tui.session.engine import Engine, MakeEngine, make_trainer
from bpe_tui.session.failure import explain
from bpe_tui.session.identity import RunIdentity, identify
from bpe_tui.session.pace import SpeedLimit, Stopwatch
from bpe_tui.session.snapshot import Snapshot
from bpe_tui.session.state import TRANSITIONS, RunState

if TYPE_CHECKING:
    from bpe_tui.bpe.encoder import Encoder
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.bpe.trainer import StopReason
    from bpe_tui.corpus import Splits
    from bpe_tui.session.journal import Journal
    from bpe_tui.session.settings import RunSettings

_LONGEST_WAIT = 0.25
"""Seconds after which a thread that waits looks again whether the program is still there."""


class _Wish(Enum):
    GO = auto()
    PAUSE = auto()
    STOP = auto()


class Run:
    """A training run over the training split of `splits`. Every method returns at once; `snapshot()` says how it is.

    `merges` are replayed before anything is learned: that is how a run is resumed. A `journal` keeps what is learned
    safe from a killed process. Methods raise RunError when the run cannot do what they ask for in its state.
    """

    def __init__(
        self,
        splits: Splits,
        settings: RunSettings,
        merges: Sequence[tuple[str, str]] = (),
        *,
        journal: Journal | None = None,
        make_engine: MakeEngine = make_trainer,
    ) -> None:
        self.splits = splits
        self.journal = journal
        self._make_engine = make_engine
        self._given = tuple(merges)
        self._changed = threading.Condition()
        self._version = 0
        self._settings = settings
        self._state = RunState.IDLE
        self._detail = "ready"
        self._error: str | None = None
        self._wish = _Wish.GO
        self._steps: int | None = None
        self._target: int | None = None
        self._closed = False
        self._engine: Engine | None = None
        self._making: Engine | None = None
        self._reason: StopReason | None = None
        self._thread: threading.Thread | None = None
        self._working = False
        self._watch = Stopwatch()
        self._limit = SpeedLimit()
        self._empty = MergeLog(1)
        self._counted = (0, 0)
        self._base: list[str] | None = None
        self._identity: RunIdentity | None = None

    # Commands

    def start(self) -> None:
        """Begin to train: count the pairs, then learn merges until the end. Raises RunError unless it is idle."""
        with self._changed:
            self._refuse_unless(self._state is RunState.IDLE, "the run has been started already")
            self._begin(RunState.COUNTING, steps=None)

    def pause(self) -> None:
        """Hold at the next border between batches. Nothing happens if the run is not busy (any more)."""
        with self._changed:
            if self._state.busy and self._wish is _Wish.GO:
                self._wish = _Wish.PAUSE
                self._announce()

    def resume(self) -> None:
        """Go on until the end, from a pause, a stop, or in the middle of steps; an idle run starts. Raises RunError."""
        with self._changed:
            if self._state is RunState.IDLE:
                self.start()
                return
            self._refuse_unless(self._state not in {RunState.DONE, RunState.FAILED}, self._why_over())
            self._refuse_unless(self._wish is not _Wish.STOP or not self._working, "the run is stopping; wait for it")
            if self._working:
                self._wish, self._steps = _Wish.GO, None
                self._announce()
            else:
                self._begin(RunState.TRAINING, steps=None)

    def step(self, count: int = 1) -> None:
        """Learn exactly `count` more merges (fewer if the end comes first), then pause. An idle run counts first.

        Steps that are asked for while others are under way add up. Raises RunError while it trains freely or is over.
        """
        if count < 1:
            raise RunError(f"the number of steps must be at least 1, not {count:,}")
        with self._changed:
            self._refuse_unless(self._state not in {RunState.DONE, RunState.FAILED}, self._why_over())
            if self._working:
                self._refuse_unless(self._wish is not _Wish.STOP, "the run is stopping; wait for it")
                self._refuse_unless(self._steps is not None, "the run is training; pause it to go step by step")
                self._wish, self._steps = _Wish.GO, (self._steps or 0) + count
                self._announce()
            else:
                idle = self._state is RunState.IDLE
                self._begin(RunState.COUNTING if idle else RunState.TRAINING, steps=count)

    def stop(self) -> None:
        """End the run as soon as possible, within a batch; what is learned stays. Nothing happens if it is over."""
        with self._changed:
            self._stop()

    def raise_target(self, target_vocab_size: int) -> None:
        """Train to a larger vocabulary: at once if the run is done, otherwise when it goes on.

        Raises RunError if the target is not larger than it was, or if the run ended for want of pairs.
        """
        with self._changed:
            present = self._settings.target_vocab_size
            self._refuse_unless(self._state is not RunState.FAILED, self._why_over())
            self._refuse_unless(
                target_vocab_size > present,
                f"the new target of {target_vocab_size:,} tokens is not larger than the present one of {present:,}",
            )
            settings = replace(self._settings, target_vocab_size=target_vocab_size)
            if self._reason is not None:
                self._refuse_unless(
                    self._reason.value == "target", f"a larger target changes nothing: {self._reason.explain()}"
                )
            self._settings, self._target = settings, target_vocab_size
            if self._state is RunState.DONE:
                self._begin(RunState.TRAINING, steps=None)
            else:
                self._announce()

    def set_speed(self, limit: float | None) -> None:
        """Learn at most `limit` merges per second, for watching; None for full speed. Raises RunError unless above 0."""
        if limit is not None and not 0 < limit < float("inf"):
            raise RunError(f"the speed must be above 0 merges per second, not {limit}")
        with self._changed:
            self._limit = SpeedLimit(limit)
            self._announce()

    def close(self, timeout: float | None = None) -> bool:
        """Stop, wait for the thread to end (at most `timeout` seconds) and take no more commands.

        Gives whether the thread is gone. The journal stays on disk: `journal.discard()` is for those who saved.
        """
        with self._changed:
            self._closed = True
            self._stop()
            thread = self._thread
        if thread is not None:
            thread.join(timeout)
            if thread.is_alive():
                return False
        if self.journal is not None:
            self.journal.close()
        return True

    # Looking at it

    @property
    def training_text(self) -> str:
        """The text that is trained on: the training split, or as much of it as the settings say."""
        return self.splits.train.text[: self.settings.training_characters]

    @property
    def settings(self) -> RunSettings:
        """The settings as they are now; `raise_target` changes them."""
        return self._settings

    def snapshot(self) -> Snapshot:
        """Give the run as it is right now. Cheap; any thread."""
        with self._changed:
            return self._snapshot(time.monotonic())

    def wait_until(self, predicate: Callable[[Snapshot], bool], timeout: float | None = None) -> Snapshot:
        """Wait until `predicate` holds and give the snapshot that it held for; it is asked after every batch.

        Raises TimeoutError after `timeout` seconds.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            with self._changed:
                seen = self._version
                snapshot = self._snapshot(time.monotonic())
            if predicate(snapshot):
                return snapshot
            with self._changed:
                while self._version == seen:
                    remaining = None if end is None else end - time.monotonic()
                    if remaining is not None and remaining <= 0:
                        raise TimeoutError(f"the run is {snapshot.state} with {snapshot.merges:,} merges")
                    self._changed.wait(remaining)

    def merge_strings(self, snapshot: Snapshot | None = None) -> list[tuple[str, str]]:
        """Give the merges of a snapshot (default: of now) as pairs of token strings, in the order learned."""
        snapshot = snapshot or self.snapshot()
        if not snapshot.base_size:  # it has not looked at its text yet, so what was given is all there is
            return list(self._given)
        tokens, count = snapshot.tokens, snapshot.merges
        lefts, rights = snapshot.log.left[:count].tolist(), snapshot.log.right[:count].tolist()
        return [(tokens[left], tokens[right]) for left, right in zip(lefts, rights, strict=True)]

    def base_characters(self) -> list[str]:
        """Give the base tokens: the distinct characters of all splits. Looked up once (15 ms for 10 M characters)."""
        if self._base is None:
            self._base = self.splits.base_characters()
        return self._base

    def tokenizer(self) -> BPETokenizer:
        """Give the tokenizer of the merges so far; any thread."""
        from bpe_tui.bpe.tokenizer import BPETokenizer

        return BPETokenizer(self.base_characters(), self.merge_strings())

    def encoder(self) -> Encoder:
        """Give an encoder for the merges so far; any thread."""
        from bpe_tui.bpe.encoder import Encoder

        snapshot = self.snapshot()
        if not snapshot.base_size:
            return self.tokenizer().encoder()
        log, count = snapshot.log, snapshot.merges
        return Encoder(snapshot.tokens[: snapshot.base_size], log.left[:count], log.right[:count], log.new_id[:count])

    def identity(self) -> RunIdentity:
        """Give what this run trains on, with digests. The first call takes up to 50 ms for 10 M characters."""
        if self._identity is None:
            self._identity = identify(self.splits, self._settings, self.base_characters())
        return self._identity

    # Under the lock, on any thread

    def _refuse_unless(self, condition: bool, why: str) -> None:
        if self._closed:
            raise RunError("the run is closed")
        if not condition:
            raise RunError(why)

    def _why_over(self) -> str:
        if self._state is RunState.FAILED:
            return f"the run failed: {self._error}"
        return "the run is done; raise the target vocabulary to go on"

    def _become(self, state: RunState, detail: str) -> None:
        if state is not self._state:
            if state not in TRANSITIONS[self._state]:
                raise AssertionError(f"no way from {self._state} to {state}")
            self._state = state
        self._detail = detail
        self._announce()

    def _announce(self) -> None:
        self._version += 1
        self._changed.notify_all()

    def _begin(self, state: RunState, *, steps: int | None) -> None:
        """Set the training thread to work."""
        self._wish, self._steps = _Wish.GO, steps
        self._become(state, "counting pairs" if self._engine is None else "learning merges")
        self._working = True
        predecessor = self._thread
        thread = threading.Thread(target=self._work, args=(predecessor,), name="bpe-tui training")
        try:
            thread.start()
        except RuntimeError as error:  # the system has no thread left, or the program is ending
            self._error = f"training could not be started: {error}"
            self._leave(RunState.FAILED, "failed")
            return
        self._thread = thread

    def _stop(self) -> None:
        if self._state.busy:
            self._wish = _Wish.STOP
            # A trainer that was cancelled is spent. One at work comes to a border soon; counting and replaying do not.
            if self._making is not None:
                self._making.cancel()
            self._announce()
        elif self._state is RunState.PAUSED:
            self._become(RunState.STOPPED, "stopped")

    def _snapshot(self, now: float) -> Snapshot:
        engine, state = self._engine, self._state
        log = engine.log if engine is not None else self._empty
        merges = log.count
        base_size = engine.base_size if engine is not None else 0
        vocab_size = self._vocabulary(log, merges, base_size)
        initial = engine.initial_length if engine is not None else 0
        training = state is RunState.TRAINING
        recent = self._watch.recent_rate() if training else None
        rate = recent if recent is not None else self._watch.overall_rate()
        target = self._settings.target_vocab_size
        missing = target - vocab_size
        done = state is RunState.DONE
        return Snapshot(
            state=state,
            settings=self._settings,
            merges=merges,
            log=log,
            tokens=engine.tokens if engine is not None else [],
            vocab_size=vocab_size,
            base_size=base_size,
            token_counts=engine.token_counts[:vocab_size] if engine is not None else None,
            initial_length=initial,
            sequence_length=int(log.length[merges - 1]) if merges else initial,
            pairs_alive=engine.pairs_alive if engine is not None else 0,
            stop_reason=self._reason if done else None,
            error=self._error,
            detail=self._detail,
            seconds=self._watch.seconds(now),
            merges_per_second=rate,
            eta_seconds=missing / recent if recent and missing > 0 and self._steps is None else None,
            progress=1.0 if done else _share(vocab_size - base_size, target - base_size) if engine else 0.0,
            notice=self.journal.problem if self.journal is not None else None,
            closing=state.busy and self._wish is not _Wish.GO,
        )

    def _vocabulary(self, log: MergeLog, merges: int, base_size: int) -> int:
        """Give how many tokens the base and the first `merges` merges define; a merge may repeat an older string."""
        counted, size = self._counted
        if merges > counted:
            size = max(size, int(log.new_id[counted:merges].max()) + 1)
            self._counted = (merges, size)
        return max(size, base_size)

    # On the training thread

    def _work(self, predecessor: threading.Thread | None) -> None:
        if predecessor is not None:
            predecessor.join()
        try:
            engine = self._prepare()
            while self._go_on(engine):
                pass
        except Cancelled:
            self._end(RunState.STOPPED, "stopped before training began")
        except BaseException as error:  # noqa: BLE001 - whatever it is, the run must say so instead of vanishing
            self._end(RunState.FAILED, "failed", explain(error, "training"))

    def _prepare(self) -> Engine:
        """Give the trainer, its pairs counted and the merges of a resumed run replayed.

        Raises Cancelled when it is told to stop meanwhile; the next attempt then begins with a new trainer, since one
        that was cancelled is spent.
        """
        if self._engine is not None:
            with self._changed:
                self._watch.start(time.monotonic())
            return self._engine
        engine = self._make_engine(
            self.training_text, self._settings, self.base_characters(), self._given, self._report
        )
        with self._changed:
            self._making = engine
            self._watch.start(time.monotonic())
        try:
            self._report("counting pairs", 0, 0)
            engine.prepare()
            replayed = 0
            while replayed < len(self._given):
                self._report("replaying merges", replayed, len(self._given))
                replayed += engine.advance(len(self._given) - replayed)
            self._report("learning merges", 0, 0)
        finally:
            with self._changed:
                self._making = None
        with self._changed:
            self._engine = engine
            self._watch.sample(time.monotonic(), engine.log.count)
        return engine

    def _report(self, step: str, done: int, total: int) -> None:
        with self._changed:
            if self._wish is _Wish.STOP or not threading.main_thread().is_alive():
                raise Cancelled("the run was stopped")
            share = f" {done:,} of {total:,}" if total else ""
            if self._detail != step + share:
                self._detail = step + share
                self._announce()

    def _go_on(self, engine: Engine) -> bool:
        """Do what is due at a border, then learn one batch. Gives False when the thread has nothing more to do."""
        if self.journal is not None and self.journal.due(time.monotonic()):
            self._write_journal(engine)
        with self._changed:
            rest = self._decide(engine)
            if rest is not None and (self.journal is None or self.journal.holds(engine.log.count)):
                self._leave(*rest)
                return False
            allowance: int | None = 0
            if rest is None:
                if self._state is not RunState.TRAINING:
                    self._become(RunState.TRAINING, "learning merges")
                allowance = self._allowance()
        if rest is not None:
            # The journal is whole before the state says that the run rests; meanwhile another command may have come.
            self._write_journal(engine)
        if allowance == 0:
            return True
        learned = engine.advance(allowance)
        with self._changed:
            self._limit.spend(learned)
            self._reason = engine.stop_reason
            if self._steps is not None:
                self._steps -= learned
            self._watch.sample(time.monotonic(), engine.log.count)
            self._announce()
        return True

    def _write_journal(self, engine: Engine) -> None:
        if self.journal is not None:
            self.journal.append(self.identity, self._settings, engine.log)

    def _decide(self, engine: Engine) -> tuple[RunState, str] | None:
        """Give the state to rest in and why, or None to go on."""
        if self._target is not None:
            engine.target_vocab_size = self._target
            # The trainer says anew whether it is at an end when it is next asked to learn.
            self._target = self._reason = None
        if self._wish is _Wish.STOP or not threading.main_thread().is_alive():
            return RunState.STOPPED, "stopped"
        if self._reason is not None:
            return RunState.DONE, self._reason.explain()
        if self._wish is _Wish.PAUSE or self._steps == 0:
            return RunState.PAUSED, "paused"
        return None

    def _allowance(self) -> int | None:
        """Give how many merges the next batch may learn, after waiting for the speed limit; None for any number."""
        allowance = self._limit.allowance(time.monotonic())
        if allowance is not None:
            delay = self._limit.delay()
            if delay > 0:
                # Any command wakes it; the border then looks at what was asked for.
                self._changed.wait(min(delay, _LONGEST_WAIT))
                return 0
        if self._steps is None:
            return allowance
        return self._steps if allowance is None else min(self._steps, allowance)

    def _leave(self, state: RunState, detail: str) -> None:
        if state is RunState.DONE and self._state is RunState.COUNTING:
            self._become(RunState.TRAINING, "learning merges")
        self._watch.stop(time.monotonic())
        self._wish, self._steps = _Wish.GO, None
        self._working = False
        self._become(state, detail)

    def _end(self, state: RunState, detail: str, error: str | None = None) -> None:
        if self._engine is not None:
            self._write_journal(self._engine)
        with self._changed:
            self._error = error
            self._leave(state, detail)


def _share(part: int, whole: int) -> float:
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0
