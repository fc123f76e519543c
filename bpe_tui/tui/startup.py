"""What happens once the first picture is on the screen: the corpus, interrupted runs, warming up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.errors import BPEError
from bpe_tui.session.job import Job
from bpe_tui.terminal import count
from bpe_tui.tui.handlers import load_all
from bpe_tui.tui.workspace import OpenCorpus

if TYPE_CHECKING:
    from bpe_tui.corpus import Splits
    from bpe_tui.progress import Report
    from bpe_tui.session.checkpoint import Checkpoint
    from bpe_tui.session.run import Run
    from bpe_tui.session.settings import RunSettings
    from bpe_tui.tui.app import BpeTuiApp

MakeRun = Callable[["Splits", "RunSettings", "Checkpoint | None"], "Run"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks the app to open."""

    corpus: Path | None = None
    tokenizer: Path | None = None
    resume: Path | None = None


def make_run(splits: Splits, settings: RunSettings, checkpoint: Checkpoint | None) -> Run:
    """Give an idle run with a journal; one that goes on from a checkpoint if there is one. Raises BPEError."""
    from bpe_tui.session.checkpoint import resume
    from bpe_tui.session.journal import Journal
    from bpe_tui.session.run import Run

    journal = Journal()
    return Run(splits, settings, journal=journal) if checkpoint is None else resume(checkpoint, splits, journal=journal)


def read(path: Path | None, sources: dict[str, Path], report: Report) -> OpenCorpus:
    """Read a corpus and count its characters. Without a path or sources, the first that comes with bpe-tui."""
    from bpe_tui import corpus
    from bpe_tui.session import jobs

    if path is None and not sources:
        path = corpus.shipped()[0].path
    splits = jobs.read_corpus(
        path, train=sources.get("train"), val=sources.get("val"), test=sources.get("test"), report=report
    )
    for split in splits:
        report("counting characters", 0, 0)
        split.characters()
    return OpenCorpus(splits, tuple(len(split.characters()) for split in splits), len(splits.base_characters()))


async def begin(app: BpeTuiApp) -> None:
    """Open what was asked for, then offer an interrupted run, then warm up."""
    opened = await app.read(app.wanted.corpus)
    if opened is not None:
        app.workspace.open(opened)
        app.show_corpus()
    await asyncio.to_thread(load_all)
    from bpe_tui.tui.handlers import tokenizers, training

    if app.wanted.tokenizer is not None:
        await tokenizers.load_from(app, app.wanted.tokenizer)
    try:
        if app.wanted.resume is not None:
            from bpe_tui.session.checkpoint import read_checkpoint

            await training.resume_from(app, read_checkpoint(app.wanted.resume))
    except BPEError as error:
        app.tell(str(error), severity="error")
    app.background = Job("warming up", warm_up)
    app.background.start()
    app.run_worker(_offer_interrupted(app))
    app.wake()


def warm_up(report: Report) -> object:
    """Compile the kernels if this machine has not yet, and load them. Raises BPEError."""
    from bpe_tui.session import kernels

    kernels.ensure_compiled(report)
    kernels.load(report)
    return None


async def _offer_interrupted(app: BpeTuiApp) -> None:
    """Find a run that an earlier session did not finish, and say so without standing in the way."""
    outcome = await app.ended(Job("looking for interrupted runs", _find_interrupted).start())
    if outcome.error is not None:
        app.tell(outcome.error, severity="warning")
    if outcome.result is None:
        return
    problems, checkpoint = outcome.result
    for problem in problems:
        app.tell(problem, severity="warning")
    if checkpoint is not None and app.workspace.run is None:
        app.workspace.interrupted = checkpoint
        app.tell(
            f"{count(len(checkpoint.merges))} merges on {checkpoint.identity.name}: R resumes it",
            title="An interrupted run is at hand",
        )
        app.wake()


def _find_interrupted(report: Report) -> tuple[list[str], Checkpoint | None]:
    from bpe_tui.session.checkpoint import latest
    from bpe_tui.session.journal import recover

    report("looking for interrupted runs", 0, 0)
    problems = [found.problem for found in recover() if found.problem is not None]
    return problems, latest()
