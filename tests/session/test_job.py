"""A long job: it tells how far it is, ends when told to, and its failure is a sentence."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from bpe_tui.errors import Cancelled, CorpusError
from bpe_tui.progress import Report
from bpe_tui.session.job import Job, JobState

WAIT = 30.0


def test_a_job_tells_how_far_it_is_and_what_it_gave() -> None:
    reached, go_on = threading.Event(), threading.Event()

    def count_to_four(report: Report) -> str:
        report("counting", 3, 4)
        reached.set()
        assert go_on.wait(WAIT)
        report("counting", 4, 4)
        return "four"

    job = Job("count", count_to_four).start()
    assert reached.wait(WAIT)
    halfway = job.snapshot()
    assert (halfway.state, halfway.step, halfway.done, halfway.total) == (JobState.RUNNING, "counting", 3, 4)
    assert halfway.progress == 0.75
    assert halfway.result is None
    go_on.set()
    assert job.wait(WAIT)
    end = job.snapshot()
    assert (end.state, end.result, end.error, end.progress) == (JobState.DONE, "four", None, 1.0)
    assert job.snapshot().seconds == end.seconds
    assert job.outcome() == "four"


def forever(report: Report) -> None:
    pause = threading.Event()
    while True:
        report("waiting", 0, 0)
        pause.wait(0.001)


def test_a_job_ends_when_it_is_told_to() -> None:
    job = Job("wait", forever).start()
    job.cancel()
    assert job.wait(WAIT)
    assert job.snapshot().state is JobState.CANCELLED
    assert job.snapshot().error is None
    with pytest.raises(Cancelled):
        job.outcome()


def test_a_job_cancelled_before_it_starts_does_nothing() -> None:
    done = []
    job = Job("append", lambda _report: done.append(1))
    job.cancel()
    job.start()
    assert job.wait(WAIT)
    assert job.snapshot().state is JobState.CANCELLED
    assert not done


def raiser(error: BaseException) -> Callable[[Report], None]:
    def fail(report: Report) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (CorpusError("train.txt is empty; put text in it"), "train.txt is empty; put text in it"),
        (OSError(28, "No space left on device", "/full/ids.pt"), "/full/ids.pt"),
        (MemoryError(), "not enough memory"),
        (KeyError("x"), "unexpected KeyError"),
    ],
)
def test_a_failure_is_a_sentence_and_the_very_error_for_those_who_ask(error, words) -> None:
    job = Job("fail", raiser(error)).start()
    assert job.wait(WAIT)
    end = job.snapshot()
    assert end.state is JobState.FAILED
    assert end.error is not None
    assert words in end.error
    assert "\n" not in end.error
    with pytest.raises(type(error)) as caught:
        job.outcome()
    assert caught.value is error


def test_starting_twice_does_the_work_once() -> None:
    done = []
    job = Job("append", lambda _report: done.append(1))
    assert job.start() is job.start()
    assert job.wait(WAIT)
    assert done == [1]


def test_waiting_for_a_job_that_lasts_gives_up_in_time() -> None:
    job = Job("wait", forever).start()
    assert not job.wait(0.01)
    assert job.snapshot().state is JobState.RUNNING
    job.cancel()
    assert job.wait(WAIT)
