"""Starting, holding and ending a run, and everything that changes how it goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from bpe_tui.session.state import RunState
from bpe_tui.terminal import count
from bpe_tui.tui.dialogs.number import NumberDialog
from bpe_tui.tui.dialogs.settings import Preferences, SettingsDialog
from bpe_tui.tui.handlers import tokenizers

if TYPE_CHECKING:
    from bpe_tui.session.checkpoint import Checkpoint
    from bpe_tui.tui.app import BpeTuiApp

SPEEDS: Final = (None, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
"""Merges a second to choose from; None is as fast as it goes."""


async def train(app: BpeTuiApp) -> None:
    """Train anew."""
    if await app.memory.may_begin() and await tokenizers.may_drop(app, "training anew"):
        run = app.workspace.new_run()
        run.set_speed(SPEEDS[app.speed])
        run.start()


async def pause(app: BpeTuiApp) -> None:
    """Pause the run, or let it go on."""
    run = app.workspace.run
    if run is None:
        return
    snapshot = run.snapshot()
    if snapshot.state.busy and not snapshot.ending:
        run.pause()
    else:
        run.resume()


async def step(app: BpeTuiApp, merges: int = 1) -> None:
    """Learn some merges, then pause."""
    run = app.workspace.run
    if run is None or run.snapshot().state in {RunState.IDLE, RunState.FAILED}:
        if not await app.memory.may_begin():
            return
        run = app.workspace.new_run()
        run.set_speed(SPEEDS[app.speed])
    run.step(merges)


async def steps(app: BpeTuiApp) -> None:
    """Ask how many merges to learn, then learn them."""
    dialog = NumberDialog(
        "Several merges", "How many merges before the run pauses again?", app.steps, 1, "Learn them", "the number"
    )
    merges = await app.push_screen_wait(dialog)
    if merges is not None:
        app.steps = merges
        await step(app, merges)


async def stop(app: BpeTuiApp) -> None:
    """Stop the run; its merges stay."""
    if app.workspace.run is not None:
        app.workspace.run.stop()


async def raise_target(app: BpeTuiApp) -> None:
    """Ask for a higher target and go on."""
    run = app.workspace.run
    if run is None:
        return
    present = run.settings.target_vocab_size
    target = await app.push_screen_wait(
        NumberDialog(
            "Raise the target",
            f"The target vocabulary is {count(present)} tokens. Go on to how many?",
            present * 2,
            present + 1,
            "Go on",
            "the target",
        )
    )
    if target is None:
        return
    run.raise_target(target)
    if run.snapshot().state in {RunState.PAUSED, RunState.STOPPED}:
        run.resume()


async def slower(app: BpeTuiApp) -> None:
    """Hold the run back, to watch it."""
    _set_speed(app, min(app.speed + 1, len(SPEEDS) - 1))


async def faster(app: BpeTuiApp) -> None:
    """Hold the run back less."""
    _set_speed(app, max(app.speed - 1, 0))


def _set_speed(app: BpeTuiApp, speed: int) -> None:
    app.speed = speed
    limit = SPEEDS[speed]
    if app.workspace.run is not None and not app.workspace.run.snapshot().state.ended:
        app.workspace.run.set_speed(limit)
    app.clear_notifications()
    app.tell("full speed" if limit is None else f"at most {limit:g} merges a second; V is faster", title="Speed")


async def settings(app: BpeTuiApp) -> None:
    """Edit the settings."""
    workspace = app.workspace
    corpus = workspace.corpus
    chosen = await app.push_screen_wait(
        SettingsDialog(
            Preferences(workspace.settings, app.rate, app.theme),
            corpus.splits.name if corpus is not None else "none is open",
            app.theme_names(),
            workspace.base_tokens,
            len(corpus.splits.train.text) if corpus is not None else 0,
            app.memory.tell,
        )
    )
    if chosen is None:
        return
    if chosen.open_corpus:
        app.perform("open")
        return
    workspace.set_settings(chosen.run)
    app.memory.follow()
    app.theme = chosen.theme
    app.set_rate(chosen.refresh_rate)


async def resume(app: BpeTuiApp) -> None:
    """Go on with the run that was interrupted."""
    checkpoint = app.workspace.interrupted
    if checkpoint is not None and await tokenizers.may_drop(app, "resuming the other run"):
        await resume_from(app, checkpoint)


async def resume_from(app: BpeTuiApp, checkpoint: Checkpoint) -> None:
    """Read the corpus of a checkpoint and go on with its run."""
    sources = {name: Path(source) for name, source in checkpoint.identity.sources.items()}
    if len(set(sources.values())) == 1:
        corpus = await app.read(next(iter(sources.values())))
    else:
        corpus = await app.read(None, **sources)
    if corpus is None:
        return
    app.workspace.open(corpus)
    app.show_corpus()
    app.workspace.set_settings(checkpoint.settings)
    if not await app.memory.may_begin(fixed=True):
        return
    run = app.workspace.new_run(checkpoint)
    app.workspace.interrupted = None
    run.set_speed(SPEEDS[app.speed])
    run.start()


async def interrupt(app: BpeTuiApp) -> None:
    """Stop whatever is at work."""
    job = app.job
    snapshot = app.workspace.snapshot()
    if app.lab is not None and app.lab.cancel():
        app.tell("stopping what the Lab is at")
    elif job is not None and not job.snapshot().state.ended:
        job.cancel()
        app.tell(f"stopping: {job.name}")
    elif snapshot.state.busy and app.workspace.run is not None:
        app.workspace.run.stop()
        app.tell("stopped; the merges learned so far stay. q quits")
    elif snapshot.state is RunState.PAUSED:
        app.tell("the run is paused already: x stops it, q quits")
    elif app.models is not None and (training := app.models.training) is not None:
        training.stop()
        app.models.follow()
        app.tell("the language model keeps a checkpoint and stops")
    else:
        app.tell("nothing is at work. q quits")
