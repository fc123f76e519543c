"""Saving and loading tokenizers, in any of the formats: the places where a learned one could be lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.bpe.garbage import no_collection
from bpe_tui.session import jobs
from bpe_tui.terminal import count
from bpe_tui.tui import loaded as loading
from bpe_tui.tui.dialogs.fingerprint import FingerprintCard
from bpe_tui.tui.dialogs.path import PathDialog
from bpe_tui.tui.dialogs.question import leave_unsaved, overwrite, shown_path
from bpe_tui.tui.dialogs.rule import RuleDialog
from bpe_tui.tui.dialogs.save import OWN, SaveDialog
from bpe_tui.tui.widgets.path_picker import Suggestion
from bpe_tui.tui.workspace import TOKENIZER_FILE

if TYPE_CHECKING:
    from bpe_tui.progress import Report
    from bpe_tui.tui.app import BpeTuiApp
    from bpe_tui.tui.loaded import Loaded

ENDINGS = (".json", ".tiktoken", ".model", "merges.txt", ".bpe")
"""Of names of tokenizer files."""

_OWN_TEXT = 20_000
"""Characters of the open corpus on which an exported tokenizer is held against the original."""


async def may_drop(app: BpeTuiApp, doing: str) -> bool:
    """Whether the tokenizer at hand may be dropped: nothing would be lost, or the user said so."""
    snapshot = app.workspace.snapshot()
    if not app.workspace.unsaved(snapshot):
        return True
    answer = await app.push_screen_wait(leave_unsaved(snapshot.merges, doing))
    if answer == "save":
        return await save(app)
    return answer == "discard"


async def save(app: BpeTuiApp) -> bool:
    """Write the tokenizer to its file; gives whether that was done. One that came in another format asks for a name."""
    workspace = app.workspace
    if workspace.saved_as is None and workspace.loaded is not None:
        return await save_as(app)
    return await _save_to(app, workspace.saved_as or TOKENIZER_FILE, OWN)


async def save_as(app: BpeTuiApp) -> bool:
    """Ask for a file and a format and write the tokenizer to it."""
    workspace = app.workspace
    present = workspace.saved_as or TOKENIZER_FILE
    if workspace.saved_as is None and workspace.loaded is not None:
        name = workspace.loaded.path.name.removesuffix(".tiktoken").removesuffix(".json").replace(".", "_")
        present = TOKENIZER_FILE.parent / f"{name or 'tokenizer'}.bpe.json"
    wanted = await app.push_screen_wait(SaveDialog(present, workspace.tokenizer().kind))
    return wanted is not None and await _save_to(app, wanted.path, wanted.format, ask=True)


async def _save_to(app: BpeTuiApp, path: Path, wanted: str, *, ask: bool = False) -> bool:
    from bpe_tui.formats import conversion, detection

    workspace = app.workspace
    own = wanted == OWN
    if path.is_dir() and own:
        path = path / TOKENIZER_FILE.name
    known = path == workspace.saved_as and not ask
    there = [file for file in conversion.files_for(path, detection.named(wanted, path)) if file.exists()]
    if there and not known and await app.push_screen_wait(overwrite(there[0])) != "overwrite":
        return False
    key = workspace.key(workspace.snapshot())
    tokenizer = workspace.tokenizer()
    sample = workspace.corpus.splits.val.text[:_OWN_TEXT] if workspace.corpus is not None else ""

    def function(report: Report) -> jobs.SavedTokenizer:
        if own:
            return jobs.save_tokenizer(tokenizer, path, format=OWN, report=report)
        return jobs.export_tokenizer(tokenizer, path, wanted, sample, report)

    saved = await app.work("saving the tokenizer", function)
    if saved is None:
        return False
    workspace.note_saved(saved, key, own_format=own)
    app.tell(
        f"{shown_path(path)}: {count(saved.vocab_size)} tokens" + ("" if own else f", format {wanted}"), title="Saved"
    )
    return True


async def load(app: BpeTuiApp) -> None:
    """Ask for a tokenizer file and load it."""
    path = await choose_file(app, "Load tokenizer", "Load")
    if path is not None and await may_drop(app, "loading another one"):
        await load_from(app, path)


async def choose_file(app: BpeTuiApp, title: str, accept: str) -> Path | None:
    """Ask for a tokenizer file."""
    here = [path for path in sorted(Path().iterdir()) if path.name.endswith(ENDINGS) and path.is_file()]
    suggestions = [
        Suggestion(str(path), path, "where the app saves") for path in (TOKENIZER_FILE,) if path.is_file()
    ] + [Suggestion(str(path), path) for path in here[:20]]
    return await app.push_screen_wait(
        PathDialog(
            title,
            "A file of bpe-tui, GPT-2, Hugging Face, tiktoken, minbpe or sentencepiece, or a folder that holds one.",
            accept, suggestions=suggestions, endings=ENDINGS, must_exist=True,
        )
    )  # fmt: skip


async def ask_for_rule(app: BpeTuiApp, path: Path) -> tuple[bool, str | None]:
    """Ask for the splitting rule if a file does not say it; gives whether to go on, and the rule."""
    missing = await asyncio.to_thread(loading.missing_rule, path)
    if missing is None:
        return True, None
    split = await app.push_screen_wait(RuleDialog(shown_path(path), missing))
    return split is not None, split


async def load_from(app: BpeTuiApp, path: Path) -> None:
    """Load a tokenizer file; one that does not say how text is cut asks for the splitting rule."""
    goes_on, split = await ask_for_rule(app, path)
    if not goes_on:
        return

    def function(report: Report) -> Loaded:
        from bpe_tui.session import kernels

        loaded = jobs.load_tokenizer(path, report, split)
        modules = kernels.modules_for(loaded.tokenizer.unit)
        kernels.ensure_compiled(report, modules)
        kernels.load(report, modules)
        with no_collection():
            return loading.make_ready(loaded, loading.is_own(path), report)

    loaded = await app.work("loading the tokenizer", function, abandon=True)
    if loaded is not None:
        app.workspace.load(loaded)
        app.tell(f"{shown_path(path)}: {count(loaded.tokenizer.vocab_size)} tokens", title="Loaded")


async def fingerprint(app: BpeTuiApp) -> None:
    """Show the fingerprint card."""
    workspace = app.workspace
    snapshot = workspace.snapshot()
    await app.push_screen_wait(
        FingerprintCard(workspace.fingerprint(snapshot), snapshot.merges, snapshot.vocab_size, workspace.saved_as)
    )
