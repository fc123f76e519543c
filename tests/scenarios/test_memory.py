"""A person whose run does not fit into memory is told before it begins, and what would fit is one key away."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_tui.session import free_memory as system
from bpe_tui.session import memory as estimates
from bpe_tui.session.state import RunState
from bpe_tui.tui.dialogs.question import Question

from .conftest import OpenApp


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Have so much memory free."""
    monkeypatch.setattr(estimates, "_KERNELS", 0)
    monkeypatch.setattr(system, "held_memory", lambda: 200_000_000)

    def free(size: int) -> None:
        monkeypatch.setattr(system, "free_memory", lambda: size)

    return free


@pytest.fixture
def long_corpus(make_corpus: Callable[..., Path]) -> Path:
    die = random.Random(5)
    words = ["".join(die.choices("abdegilmnorstu", k=die.randint(2, 9))) for _ in range(2_000)]
    return make_corpus("long", train="".join(" ".join(die.choices(words, k=9)) + ".\n" for _ in range(6_000)))


def estimate(screen: str) -> int:
    """The last figure on the screen for a peak, in MB."""
    return int(re.findall(r"about (\d+) MB at the peak", screen)[-1])


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_estimate_is_seen_before_a_run_and_in_the_settings(
    open_app: OpenApp, machine: Callable[[int], None], long_corpus: Path, size: tuple[int, int]
) -> None:
    machine(5_000_000_000)
    async with open_app(size, corpus=long_corpus) as person:
        await person.press("2")
        await person.until_text("memory", "MB at the peak, 5.00 GB free")
        before = person.text()
        await person.press("comma")
        await person.until_text("Settings", "5.00 GB free")
        # A larger vocabulary takes more, and the line follows what is typed.
        await person.press("tab", "end", "0", "0", "0")
        await person.until_text("500000", "at the peak")
        await person.until(lambda: estimate(person.text()) > estimate(before), "a larger estimate")
        await person.press("escape")
        await person.rest()
        await person.train()
        assert "at the peak" not in person.text()


async def test_a_run_that_does_not_fit_asks_first(
    open_app: OpenApp, machine: Callable[[int], None], long_corpus: Path
) -> None:
    machine(6_000_000)
    async with open_app((80, 24), corpus=long_corpus) as person:
        await person.press("2")
        await person.until_text("does not fit: about", "6.00 MB free")
        await person.press("t")
        await person.until(lambda: isinstance(person.app.screen, Question), "the question")
        await person.until_text("Not enough memory", "6.00 MB are free", "characters take about", "gpt2", "Leave it")
        await person.press("escape")
        await person.rest()
        assert person.snapshot.state is RunState.IDLE

        await person.press("t")
        await person.until(lambda: isinstance(person.app.screen, Question), "the question")
        await person.press("f")
        await person.until(lambda: person.snapshot.state.ended, "the end of training")
        assert person.snapshot.state is RunState.DONE
        assert 10_000 < (person.snapshot.settings.training_characters or 0) < 300_000
        await person.rest()


@pytest.mark.parametrize(("key", "alphabet"), [("b", "bytes"), ("a", "characters")])
async def test_a_splitting_rule_or_beginning_all_the_same(
    open_app: OpenApp, machine: Callable[[int], None], long_corpus: Path, key: str, alphabet: str
) -> None:
    machine(6_000_000)
    async with open_app(corpus=long_corpus) as person:
        await person.press("t")
        await person.until(lambda: isinstance(person.app.screen, Question), "the question")
        await person.until_text("Not enough memory")
        await person.press(key)
        await person.until(lambda: person.snapshot.state.ended, "the end of training")
        assert person.snapshot.state is RunState.DONE
        assert person.snapshot.settings.alphabet == alphabet
        await person.rest()


async def test_where_nothing_fits_nothing_is_offered(
    open_app: OpenApp, machine: Callable[[int], None], long_corpus: Path
) -> None:
    machine(1_000)
    async with open_app((80, 24), corpus=long_corpus) as person:
        await person.press("full_stop")
        await person.until(lambda: isinstance(person.app.screen, Question), "the question")
        await person.until_text("Not enough memory", "stopped by the system", "Anyway", "Leave it")
        assert "Fewer" not in person.text()
        await person.press("escape")
        await person.rest()
        assert person.snapshot.state is RunState.IDLE
