"""One training run: what may be asked of it, and what it looks like.

Every public method may be called from any thread and returns at once. Commands are carried out by the run's own thread
at the next border between two batches of merges; how, and why nothing can get between, is told in `worker.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bpe_tui.errors import RunError
from bpe_tui.session import kinds
from bpe_tui.session.engine import Engine, MakeEngine, make_trainer
from bpe_tui.session.identity import RunIdentity, identify
from bpe_tui.session.pace import SpeedLimit
from bpe_tui.session.settings import Alphabet
from bpe_tui.session.snapshot import Snapshot
from bpe_tui.session.state import RunState
from bpe_tui.session.training_text import training_text
from bpe_tui.session.worker import Wish, Worker

if TYPE_CHECKING:
    from bpe_tui.bpe.encoder import TextEncoder
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.corpus import SplitFiles, Splits
    from bpe_tui.progress import Report
    from bpe_tui.session.journal import Journal
    from bpe_tui.session.settings import RunSettings


class Run:
    """A training run over the training split of `splits`; `snapshot()` says how it is.

    Splits that are only files do for a run on bytes, which never holds their text.

    `merges` are replayed before anything is learned: that is how a run is resumed. A `journal` keeps what is learned
    safe from a killed process. Commands raise RunError when the run cannot do what they ask for in its state.

    A run that was started must be closed, or come to rest by itself, before the program can end.
    """

    def __init__(
        self,
        splits: Splits | SplitFiles,
        settings: RunSettings,
        merges: Sequence[tuple[str, str]] = (),
        *,
        journal: Journal | None = None,
        make_engine: MakeEngine = make_trainer,
    ) -> None:
        self.splits = splits
        self.journal = journal
        self._given = tuple(merges)
        self._make_engine = make_engine
        self._base: list[str] | None = None
        self._identity: RunIdentity | None = None
        self._closed = False
        self._worker = Worker(settings, self._make, len(self._given), journal, self.identity)

    def _make(self, settings: RunSettings, report: Report) -> Engine:
        text = training_text(self.splits, settings.training_characters, report)
        return self._make_engine(text, settings, self.base_tokens(), self._given, report)

    # Commands

    def start(self) -> None:
        """Begin to train: count the pairs, then learn merges until the end. Raises RunError unless it is idle."""
        with self._worker.changed:
            self._refuse_unless(self._worker.state is RunState.IDLE, "the run has been started already")
            self._worker.begin(RunState.COUNTING, steps=None)

    def pause(self) -> None:
        """Hold at the next border between batches. Nothing happens if the run is not busy (any more)."""
        worker = self._worker
        with worker.changed:
            if worker.state.busy and worker.wish is Wish.GO:
                worker.wish = Wish.PAUSE
                worker.announce()

    def resume(self) -> None:
        """Go on until the end, from a pause, a stop, or in the middle of steps; an idle run starts. Raises RunError."""
        worker = self._worker
        with worker.changed:
            self._refuse_if_over()
            if worker.working:
                self._refuse_unless(worker.wish is not Wish.STOP, "the run is stopping; wait for it")
                worker.wish, worker.steps = Wish.GO, None
                worker.announce()
            else:
                idle = worker.state is RunState.IDLE
                worker.begin(RunState.COUNTING if idle else RunState.TRAINING, steps=None)

    def step(self, count: int = 1) -> None:
        """Learn exactly `count` more merges (fewer if the end comes first), then pause. An idle run counts first.

        Steps that are asked for while others are under way add up. Raises RunError while it trains freely or is over.
        """
        if count < 1:
            raise RunError(f"the number of steps must be at least 1, not {count:,}")
        worker = self._worker
        with worker.changed:
            self._refuse_if_over()
            if worker.working:
                self._refuse_unless(worker.wish is not Wish.STOP, "the run is stopping; wait for it")
                self._refuse_unless(worker.steps is not None, "the run is training; pause it to go step by step")
                worker.wish, worker.steps = Wish.GO, (worker.steps or 0) + count
                worker.announce()
            else:
                idle = worker.state is RunState.IDLE
                worker.begin(RunState.COUNTING if idle else RunState.TRAINING, steps=count)

    def stop(self) -> None:
        """End the run as soon as possible, within a batch; what is learned stays. Nothing happens if it is over."""
        with self._worker.changed:
            self._worker.stop()

    def raise_target(self, target_vocab_size: int) -> None:
        """Train to a larger vocabulary: at once if the run is done, otherwise when it goes on.

        Raises RunError if the target is not larger than it was, or if the run ended for want of pairs.
        """
        worker = self._worker
        with worker.changed:
            present = worker.settings.target_vocab_size
            self._refuse_unless(worker.state is not RunState.FAILED, f"the run failed: {worker.error}")
            self._refuse_unless(
                target_vocab_size > present,
                f"the new target of {target_vocab_size:,} tokens is not larger than the present one of {present:,}",
            )
            reason = worker.reason
            if reason is not None:
                self._refuse_unless(reason.value == "target", f"a larger target changes nothing: {reason.explain()}")
            worker.settings = replace(worker.settings, target_vocab_size=target_vocab_size)
            worker.target = target_vocab_size
            if worker.state is RunState.DONE:
                worker.begin(RunState.TRAINING, steps=None)
            else:
                worker.announce()

    def set_speed(self, limit: float | None) -> None:
        """Learn at most `limit` merges per second, for watching; None for full speed.

        Raises RunError for a limit that is not above 0.
        """
        if limit is not None and not 0 < limit < float("inf"):
            raise RunError(f"the speed must be above 0 merges per second, not {limit}")
        with self._worker.changed:
            self._worker.limit = SpeedLimit(limit)
            self._worker.announce()

    def close(self, timeout: float | None = None) -> bool:
        """Stop, wait for the thread to end (at most `timeout` seconds) and take no more commands.

        Gives whether the thread is gone. The journal stays on disk: `journal.discard()` is for those who saved.
        """
        with self._worker.changed:
            self._closed = True
            self._worker.stop()
            thread = self._worker.thread
        if thread is not None:
            thread.join(timeout)
            if thread.is_alive():
                return False
        if self.journal is not None:
            self.journal.close()
        return True

    def _refuse_unless(self, condition: bool, why: str) -> None:
        if self._closed:
            raise RunError("the run is closed")
        if not condition:
            raise RunError(why)

    def _refuse_if_over(self) -> None:
        state = self._worker.state
        self._refuse_unless(state is not RunState.FAILED, f"the run failed: {self._worker.error}")
        done = "the run is done"
        if self._worker.reason is not None:
            done += f": {self._worker.reason.explain()}"
            if self._worker.reason.value == "target":
                done += "; raise the target to go on"
        self._refuse_unless(state is not RunState.DONE, done)

    # Looking at it

    @property
    def training_text(self) -> str:
        """The text that is trained on: the training split, or as much of it as the settings say.

        Raises RunError if it is only a file.
        """
        text = training_text(self.splits, self.settings.training_characters)
        if not isinstance(text, str):
            raise RunError(f"the text of {self.splits.train.source} is not at hand: it is read while it is trained on")
        return text

    @property
    def settings(self) -> RunSettings:
        """The settings as they are now; `raise_target` changes them."""
        return self._worker.settings

    @property
    def given_merges(self) -> tuple[tuple[str, str], ...]:
        """The merges that the run was resumed with."""
        return self._given

    def snapshot(self) -> Snapshot:
        """Give the run as it is right now. Cheap; any thread."""
        with self._worker.changed:
            return self._worker.snapshot()

    def wait_until(self, predicate: Callable[[Snapshot], bool], timeout: float | None = None) -> Snapshot:
        """Wait until `predicate` holds and give the snapshot that it held for; it is asked after every batch.

        Raises TimeoutError after `timeout` seconds.
        """
        worker = self._worker
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            with worker.changed:
                seen = worker.version
                snapshot = worker.snapshot()
            # Outside the lock: what the caller does in it must not hold up the training.
            if predicate(snapshot):
                return snapshot
            with worker.changed:
                while worker.version == seen:
                    remaining = None if end is None else end - time.monotonic()
                    if remaining is not None and remaining <= 0:
                        raise TimeoutError(f"the run is {snapshot.state} with {snapshot.merges:,} merges")
                    worker.changed.wait(remaining)

    def merge_strings(self, snapshot: Snapshot | None = None) -> list[tuple[str, str]]:
        """Give the merges of a snapshot (default: of now) as pairs of token strings, in the order learned."""
        snapshot = snapshot or self.snapshot()
        if not snapshot.base_size:  # it has not looked at its text yet, so what was given is all there is
            return list(self._given)
        tokens, count = snapshot.tokens, snapshot.merges
        lefts, rights = snapshot.log.left[:count].tolist(), snapshot.log.right[:count].tolist()
        return [(tokens[left], tokens[right]) for left, right in zip(lefts, rights, strict=True)]

    def base_tokens(self) -> list[str]:
        """Give the base tokens by id. For characters and words they are those of all splits, looked up once (15 ms for
        10 M characters).
        """
        if self._base is None:
            self._base = kinds.base_tokens(self.settings, self.splits)
        return self._base

    def tokenizer(self) -> BPETokenizer:
        """Give the tokenizer of the merges so far; any thread."""
        settings = self.settings
        # The file of character tokenizers has no place for the digest, which takes its time.
        digest = None if settings.alphabet is Alphabet.CHARACTERS else self.identity().text_sha256
        return kinds.tokenizer(settings, self.base_tokens(), self.merge_strings(), digest)

    def encoder(self, snapshot: Snapshot | None = None) -> TextEncoder:
        """Give an encoder for the merges of a snapshot (default: of now), which takes special tokens for ordinary text;
        any thread.
        """
        snapshot = snapshot or self.snapshot()
        if not snapshot.base_size:
            return self.tokenizer().encoder()
        log, count = snapshot.log, snapshot.merges
        columns = (log.left[:count], log.right[:count], log.new_id[:count])
        return kinds.encoder(self.settings, snapshot.tokens[: snapshot.base_size], *columns)

    def identity(self) -> RunIdentity:
        """Give what this run trains on, with digests. The first call takes up to 50 ms for 10 M characters."""
        if self._identity is None:
            self._identity = identify(self.splits, self.settings, self.base_tokens())
        return self._identity
