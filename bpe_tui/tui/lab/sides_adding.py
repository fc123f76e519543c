"""Setting tokenizers side by side: the questions, and loading or training what is added; the tab tells troubles."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bpe_tui.analysis.baselines import BASELINES
from bpe_tui.analysis.comparison import MOST
from bpe_tui.analysis.encoded import token_count
from bpe_tui.analysis.families import FAMILIES
from bpe_tui.analysis.word_lists import WORD_LISTS
from bpe_tui.corpus import read_text
from bpe_tui.session.job import Job, JobState
from bpe_tui.terminal import count
from bpe_tui.tui.dialogs.choosing import ChoosingDialog, Offer
from bpe_tui.tui.dialogs.line import LineDialog
from bpe_tui.tui.dialogs.number import NumberDialog
from bpe_tui.tui.dialogs.path import PathDialog
from bpe_tui.tui.handlers.tokenizers import ask_for_rule, choose_file
from bpe_tui.tui.lab import sides_work
from bpe_tui.tui.lab.sides import AT_HAND, Side
from bpe_tui.tui.lab.sides_keeper import ALL_LISTS, said_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from bpe_tui.progress import Report
    from bpe_tui.tui.lab.screen import LabScreen

T = TypeVar("T")

_FAMILY_SIZE = 8_000
"""Tokens of WordPiece or Unigram, where no tokenizer at hand tells how many would be fair."""

_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d*)?")
"""A number with commas where they belong."""

_ABOUT = {
    "characters": "every character a token: learned nothing",
    "bytes": "every byte a token: learned nothing",
    "wordpiece": "BERT's kind, trained on the training text",
    "unigram": "sentencepiece's kind, trained on the training text",
}


def begin(lab: LabScreen, flow: Coroutine[Any, Any, None]) -> None:
    """Begin to ask for something, unless something is being asked for or added."""
    keeper = lab.sides
    if keeper.asking:
        flow.close()
        if keeper.adding is not None:
            lab.bench.tell(f"{keeper.adding.name}: ctrl+c stops that", severity="warning")
        return
    keeper.asking = True
    keeper.sides.said = ""
    lab.run_worker(_ask(lab, flow), group="lab-sides-asking")


async def _ask(lab: LabScreen, flow: Coroutine[Any, Any, None]) -> None:
    try:
        await flow
    finally:
        lab.sides.asking = False
        lab.bench.wake()


def progress(lab: LabScreen) -> str:
    """Say how far what is being added is; empty if nothing is."""
    adding = lab.sides.adding
    return f"{adding.name}: {said_of(adding.snapshot())}" if adding is not None else ""


async def add(lab: LabScreen) -> None:
    """Ask which tokenizer to set beside, and do it."""
    sides = lab.sides.sides
    if len(sides.added) >= MOST - 1:
        sides.said = f"{MOST} stand side by side already: d takes one away"
        return
    there = {side.baseline for side in sides.added}
    offers = [Offer("file", "from a file", "bpe-tui's, GPT-2's, Hugging Face's, tiktoken's, …")]
    offers += [Offer(name, name, _ABOUT[name], "stands here already" if name in there else "") for name in BASELINES]
    why_not = sides_work.why_no_families()
    if not why_not and not lab.bench.workspace.training_text():
        why_not = "no corpus is open: o opens one"
    offers += [Offer(name, name, _ABOUT[name], why_not) for name in FAMILIES]
    chosen = await lab.bench.push_screen_wait(
        ChoosingDialog("Set a tokenizer beside", f"Up to {MOST} stand side by side on the same text.", offers)
    )
    if chosen == "file":
        path = await choose_file(lab.bench, "Set a tokenizer beside", "Add")
        if path is not None:
            await add_file(lab, path)
    elif chosen in BASELINES:
        sides.added.append(Side(sides.name_for(chosen), None, baseline=chosen))
    elif chosen is not None:
        await _add_family(lab, chosen)


async def add_file(lab: LabScreen, path: Path) -> None:
    """Load a tokenizer file and set it beside; what is wrong with it is told in the tab."""
    goes_on, split = await ask_for_rule(lab.bench, path)
    if goes_on:
        tokenizer = await _work(lab, f"loading {path.name}", lambda report: sides_work.load_side(path, split, report))
        if tokenizer is not None:
            lab.sides.sides.added.append(Side(lab.sides.sides.name_for(short_name(path)), tokenizer))


def remove(lab: LabScreen, name: str) -> None:
    """Take a tokenizer away."""
    lab.sides.sides.said = ""
    if name == AT_HAND:
        lab.sides.sides.said = "the tokenizer at hand stays: l loads another one, t trains one"
    else:
        lab.sides.remove(name)
    lab.redraw()


async def price(lab: LabScreen) -> None:
    """Ask for the price of a million tokens."""
    sides = lab.sides.sides
    present = f"{sides.price:g}" if sides.price is not None else ""
    answer = await lab.bench.push_screen_wait(
        LineDialog(
            "Cost", "What does a million tokens cost, in whatever currency? Empty: no costs.", present, "Show costs",
            _wrong_price,
        )
    )  # fmt: skip
    if answer is not None:
        sides.price = _price(answer)


async def go_to_line(lab: LabScreen) -> None:
    """Ask for a line of the text."""
    sides = lab.sides.sides
    passage = sides.passage
    if passage is None or not passage.lines:
        sides.said = "the text has no lines"
        return
    number, last = passage.lines[min(sides.line, len(passage.lines) - 1)][0], passage.lines[-1][0]
    wanted = await lab.bench.push_screen_wait(
        NumberDialog("Go to a line", f"Which line, from 1 to {count(last)}?", number, 1, "Go", "it")
    )
    if wanted is not None and sides.passage is passage:
        # Blank lines are passed over.
        behind = (place for place, (found, _) in enumerate(passage.lines) if found >= wanted)
        sides.line = next(behind, len(passage.lines) - 1)


async def choose_words(lab: LabScreen) -> None:
    """Ask which words to probe."""
    sides = lab.sides.sides
    offers = [
        Offer("typed", "type words", "blanks between them"),
        Offer("file", "from a file", "words, one a line"),
        Offer(ALL_LISTS, ALL_LISTS, f"{count(sum(map(len, WORD_LISTS.values())))} words and sentences"),
        *(Offer(name, name, f"{len(words)}: {words[0]}, {words[1]}, …") for name, words in WORD_LISTS.items()),
    ]
    chosen = await lab.bench.push_screen_wait(ChoosingDialog("Words to probe", "Which words?", offers))
    if chosen == "typed":
        present = " ".join(sides.words) if sides.probe_list == "typed" else ""
        text = await lab.bench.push_screen_wait(
            LineDialog("Words to probe", "Words, with blanks between them.", present, "Probe", _no_words)
        )
        if text is not None:
            sides.probe_list, sides.words = "typed", tuple(dict.fromkeys(text.split()))
    elif chosen == "file":
        path = await lab.bench.push_screen_wait(
            PathDialog("Words to probe", "A text file with words, one a line.", "Probe", must_exist=True)
        )
        if path is not None:
            await words_from(lab, path)
    elif chosen is not None:
        sides.probe_list, sides.words = chosen, ()


async def words_from(lab: LabScreen, path: Path) -> None:
    """Take the lines of a file as words to probe; what is wrong with it is told in the tab."""
    text = await _work(lab, f"reading {path.name}", lambda report: read_text(path, report=report).text)
    if text is None:
        return
    words = tuple(dict.fromkeys(line for line in text.splitlines() if line))
    if words:
        lab.sides.sides.probe_list, lab.sides.sides.words = path.name, words
    else:
        lab.sides.sides.said = f"{path.name}: there are no words in it"


def short_name(path: Path) -> str:
    """Give a short name for a tokenizer file: without endings; that of its folder where the file's own says nothing."""
    name = path.name
    for ending in (".json", ".tokenizer", ".tiktoken", ".model", ".bpe"):
        name = name.removesuffix(ending)
    if name in {"tokenizer", "merges", "merges.txt", "vocab", "encoder", "bpe_tokenizer"}:
        folder = path.absolute().parent.name
        return f"{folder}/{name}" if folder else name
    return name or path.name


async def _add_family(lab: LabScreen, family: str) -> None:
    at_hand = lab.sides.all_sides()[:1]
    tokenizer = at_hand[0].tokenizer if at_hand else None
    size = token_count(tokenizer) if tokenizer is not None else _FAMILY_SIZE
    text = lab.bench.workspace.training_text()
    wanted = await lab.bench.push_screen_wait(
        NumberDialog(
            f"Train {family}", f"How many tokens, trained on the training text ({count(len(text))} characters)?",
            size, 1, "Train", "the vocabulary",
        )
    )  # fmt: skip
    if wanted is not None:
        train = partial(sides_work.train_side, family, text, wanted)
        tokenizer = await _work(lab, f"training {family}", train)
        if tokenizer is not None:
            lab.sides.sides.added.append(Side(lab.sides.sides.name_for(family), tokenizer))


async def _work(lab: LabScreen, name: str, function: Callable[[Report], T]) -> T | None:
    """Do something in a thread; gives None after saying why it came to nothing."""
    keeper = lab.sides
    job = Job(name, function)
    keeper.adding = job
    lab.keeper.start(job)
    try:
        outcome = await keeper.watch(job)
    finally:
        keeper.adding = None
    if outcome.cancelling or outcome.state is JobState.CANCELLED:
        keeper.sides.said = f"{name}: stopped"
        return None
    if outcome.error is not None:
        keeper.sides.said = outcome.error
    return outcome.result


def _price(text: str) -> float | None:
    number = text.strip()
    if "," in number and not _THOUSANDS.fullmatch(number):
        # Taken for one between thousands, the comma of `2,5` would make it ten times as much.
        raise ValueError(number)
    return float(number.replace(",", "")) if number else None


def _wrong_price(text: str) -> str:
    try:
        found = _price(text)
    except ValueError:
        return "that is no number: 2.5 is one"
    return "a price is a number from 0 on" if found is not None and not 0 <= found < math.inf else ""


def _no_words(text: str) -> str:
    return "" if text.split() else "type at least one word"
