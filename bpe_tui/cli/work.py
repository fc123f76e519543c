"""Running the jobs of a session from a command: progress shown meanwhile, cancelled cleanly by a signal.

The work is done in threads of the session. The main thread only waits, so that a signal always finds it where raising
does no harm, and then tells the job to stop and waits until it has cleaned up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from bpe_tui.cli.console import Console
from bpe_tui.cli.interrupts import raise_if_interrupted
from bpe_tui.errors import BPEError

if TYPE_CHECKING:
    from bpe_tui.progress import Report
    from bpe_tui.session.run import Run
    from bpe_tui.session.snapshot import Snapshot

T = TypeVar("T")

_LOOK = 0.1
"""Seconds between two looks at a job that lasts."""


class JobFailedError(BPEError):
    """A job of the session failed in a way that nobody expected; the message is the session's own."""


def run_job(console: Console, name: str, function: Callable[[Report], T], look: Callable[[], None] = lambda: None) -> T:
    """Run one job of the session to its end and give its result.

    `look` is called about ten times a second and once at the end, to print what the job has left for people to read.

    Raises what the job raised, JobFailedError for a defect, and Interrupted, once it has cleaned up, after a signal.
    """
    from bpe_tui.session.job import Job

    job = Job(name, function)
    try:
        with console.progress() as show:
            job.start()
            while not job.wait(_LOOK):
                raise_if_interrupted()
                now = job.snapshot()
                look()
                show(now.step, now.done, now.total)
            look()
        raise_if_interrupted()
    except BaseException:
        job.cancel()
        # Starting is idempotent, and a job that was cancelled before it started ends at once: waiting cannot hang.
        job.start().wait()
        raise
    try:
        return job.outcome()
    except (BPEError, OSError, MemoryError):
        raise
    except Exception as error:
        raise JobFailedError(str(job.snapshot().error)) from error


def compile_kernels(console: Console, *units: str) -> None:
    """Make sure that the compiled code is there before anything waits for it: the first run on a machine says so.

    `units` are what the tokens in play are made of: "characters", "words" or "bytes".
    """
    from bpe_tui.session.kernels import ensure_compiled, load, modules_for

    def prepare(report: Report) -> None:
        for unit in units:
            ensure_compiled(report, modules_for(unit))
            load(report, modules_for(unit))

    run_job(console, "compiling", prepare)


def train(console: Console, run: Run, on_progress: Callable[[Snapshot], None]) -> Snapshot:
    """Train until the run ends and give its last snapshot; `on_progress` sees it about ten times a second.

    Raises JobFailedError when the run fails, and Interrupted after a signal; the run then rests and keeps its merges.
    """
    from bpe_tui.session.state import RunState

    try:
        with console.progress() as show:
            run.start()
            while True:
                raise_if_interrupted()
                try:
                    snapshot = run.wait_until(lambda seen: seen.state.ended, _LOOK)
                except TimeoutError:
                    snapshot = run.snapshot()
                on_progress(snapshot)
                if snapshot.state.ended:
                    break
                if snapshot.state is RunState.TRAINING:
                    done, total = snapshot.vocab_size - snapshot.base_size, snapshot.settings.target_vocab_size
                    show("training", done, total - snapshot.base_size)
                else:
                    show(snapshot.detail, 0, 0)
    finally:
        # Stops it if it is still at work, and waits: nothing of it runs on behind the summary.
        run.close()
    if snapshot.error is not None:
        raise JobFailedError(snapshot.error)
    return snapshot
