"""Sharing the work on one text among threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

MOST = 8
"""More would wait for each other's memory, and each has tables of its own."""


def thread_count() -> int:
    """Give one thread for each processor that this process may use, MOST at the most."""
    if hasattr(os, "sched_getaffinity"):
        return min(MOST, len(os.sched_getaffinity(0)))
    return min(MOST, os.cpu_count() or 1)


def share(
    count: int, work: Callable[[int], Result], take: Callable[[int, Result], None], give_up: Callable[[], None]
) -> None:
    """Work out `work(0)`, `work(1)` and so on up to `count` on all threads, this one among them.

    `take` gets the numbers and what came of them in this order, on this thread. What either raises is raised here,
    after a call of `give_up`, which is to tell work that is under way to end early.
    """
    numbers = iter(range(count))
    done: dict[int, Result] = {}
    due = 0

    def help_out() -> None:
        for number in numbers:
            done[number] = work(number)

    def take_what_is_due() -> None:
        nonlocal due
        while due in done:
            take(due, done.pop(due))
            due += 1

    # A thread that only waits for the others would get in their way each time that it is woken.
    helpers = min(thread_count(), count) - 1
    with ThreadPoolExecutor(max_workers=max(helpers, 1)) as pool:
        try:
            others = [pool.submit(help_out) for _ in range(helpers)]
            for number in numbers:
                done[number] = work(number)
                take_what_is_due()
            for other in others:
                other.result()
            take_what_is_due()
        except BaseException:
            # Nobody is to begin anything more.
            list(numbers)
            give_up()
            raise
