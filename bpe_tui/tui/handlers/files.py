"""Corpora, encoded splits and pictures, and leaving: where files are read and written, and work could be lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui import atomic
from bpe_tui.session import jobs
from bpe_tui.terminal import count
from bpe_tui.tui.dialogs.encode import EncodeDialog
from bpe_tui.tui.dialogs.path import PathDialog
from bpe_tui.tui.dialogs.question import leave_busy, overwrite, shown_path
from bpe_tui.tui.handlers import models
from bpe_tui.tui.handlers.tokenizers import may_drop
from bpe_tui.tui.widgets.path_picker import Suggestion

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.dataset import EncodedDataset
    from bpe_tui.session.job import Job
    from bpe_tui.tui.app import BpeTuiApp


async def open_corpus(app: BpeTuiApp) -> None:
    """Ask for a corpus and open it."""
    from bpe_tui import corpus
    from bpe_tui.errors import CorpusError

    try:
        shipped = [Suggestion(entry.name, entry.path, entry.description) for entry in corpus.shipped()]
    except CorpusError:
        shipped = []
    path = await app.push_screen_wait(
        PathDialog(
            "Open corpus",
            "A folder with train, val and test texts, or one file to be cut in three; or one that comes with bpe-tui:",
            "Open", suggestions=shipped, must_exist=True,
        )
    )  # fmt: skip
    if path is None or not await may_drop(app, "opening another corpus"):
        return
    opened = await app.read(path)
    if opened is not None:
        app.workspace.open(opened)
        app.show_corpus()


async def encode(app: BpeTuiApp) -> None:
    """Encode the splits into the usual folder."""
    await _encode_into(app, app.encoded_folder)


async def encode_to(app: BpeTuiApp) -> None:
    """Ask for a folder and encode the splits into it."""
    folder = await app.push_screen_wait(
        PathDialog(
            "Encode splits into", "A folder for train_ids.pt, val_ids.pt, test_ids.pt and manifest.json.", "Encode",
            value=str(app.encoded_folder),
        )
    )  # fmt: skip
    if folder is not None:
        app.encoded_folder = folder
        await _encode_into(app, folder)


async def _encode_into(app: BpeTuiApp, folder: Path) -> None:
    corpus = app.workspace.corpus
    if corpus is None:
        return
    tokenizer: BPETokenizer = app.workspace.tokenizer()
    splits = corpus.splits

    def start(replace: bool) -> Job[EncodedDataset]:
        return app.begin(
            "encoding the splits",
            lambda report: jobs.encode(tokenizer, splits, folder, overwrite=replace, report=report),
        )

    encoded = await app.push_screen_wait(EncodeDialog(start, splits, folder))
    if encoded is not None:
        app.workspace.summary.add_encoded(encoded)


async def screenshot(app: BpeTuiApp) -> None:
    """Write what is on the screen to an SVG file."""
    picture = app.export_screenshot(title="bpe-tui")
    path = await app.push_screen_wait(
        PathDialog("Export screenshot", "An SVG file.", "Write", value="bpe-tui.svg", endings=(".svg",))
    )
    if path is None or (path.exists() and await app.push_screen_wait(overwrite(path)) != "overwrite"):
        return
    await asyncio.to_thread(atomic.write_text, path, picture)
    app.tell(shown_path(path), title="Screenshot written")


async def leave(app: BpeTuiApp) -> None:
    """Leave; ask first if something would be lost."""
    if app.models is not None and not await models.may_leave(app, app.models):
        return
    workspace = app.workspace
    job = app.job
    if job is not None and not job.snapshot().state.ended:
        if await app.push_screen_wait(leave_busy(f"bpe-tui is {job.name}", checkpoint=False)) != "discard":
            return
        job.cancel()
        await asyncio.to_thread(job.wait, 5.0)
    snapshot = workspace.snapshot()
    run = workspace.run
    if run is not None and (snapshot.state.busy or snapshot.state.value == "paused"):
        learned = f"{count(snapshot.merges)} merges" if snapshot.merges else "no merge yet"
        answer = await app.push_screen_wait(
            leave_busy(f"The run is {snapshot.state.value} with {learned}", checkpoint=True)
        )
        if answer not in {"keep", "discard"}:
            return
        if answer == "keep":
            await asyncio.to_thread(app.keep_checkpoint)
    elif not await may_drop(app, "leaving"):
        return
    app.leave()
