"""Encoding the splits: progress of each while it lasts, then what came of it. It can be cancelled at any moment."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Button

from bpe_tui.errors import DatasetError
from bpe_tui.session.job import JobState
from bpe_tui.terminal import count, fit, percent
from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.dialogs.question import shown_path
from bpe_tui.tui.widgets.styled_lines import Line, Span, StyledLines
from bpe_tui.tui.wording import in_lines, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from textual.widget import Widget

    from bpe_tui.corpus import Splits
    from bpe_tui.dataset import EncodedDataset
    from bpe_tui.session.job import Job, JobSnapshot

_LOOK: float = 0.1
"""Seconds between two looks at the job; only changed lines are drawn."""
_BAR = 28


class EncodeDialog(Dialog["EncodedDataset"]):
    """Encodes the splits into a folder and gives what was written, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,pagedown", "scroll_figures(1)", show=False),
        Binding("up,pageup", "scroll_figures(-1)", show=False),
    ]

    width: ClassVar[int] = 86
    # Whoever presses Enter once too often must not cancel what has just begun: nothing has the focus while it lasts.
    AUTO_FOCUS = ""

    def __init__(self, start: Callable[[bool], Job[EncodedDataset]], splits: Splits, folder: Path) -> None:
        super().__init__(
            "Encode splits",
            [
                Choice("cancel", "Cancel", "c"),
                Choice("overwrite", "Overwrite", "o"),
                Choice("close", "Close"),
            ],
            hint="esc cancels, then leaves",
        )
        self._start = start
        self._splits = splits
        self._folder = folder
        self._job: Job[EncodedDataset] | None = None
        self._result: EncodedDataset | None = None
        self._done: dict[str, tuple[int, int]] = {}

    def body(self) -> Iterable[Widget]:
        """Give the lines."""
        scroll = VerticalScroll(id="encode-scroll")
        scroll.can_focus = False
        with scroll:
            yield StyledLines(id="encode")

    def on_mount(self) -> None:
        """Begin."""
        super().on_mount()
        self._begin(overwrite=False)

    @property
    def running(self) -> bool:
        """Whether the job is at work."""
        return self._job is not None and not self._job.snapshot().state.ended

    def choose(self, choice: str) -> None:
        """Cancel, begin again over what is there, or close."""
        if choice == "cancel":
            self.action_leave()
        elif choice == "overwrite":
            self._begin(overwrite=True)
        else:
            self.dismiss(self._result)

    def action_leave(self) -> None:
        """Cancel the job; with no job at work, leave."""
        if self._job is not None and self.running:
            self._job.cancel()
        else:
            self.dismiss(self._result)

    def action_scroll_figures(self, direction: int) -> None:
        """Show what does not fit."""
        self.query_one("#encode-scroll").scroll_relative(y=4 * direction, animate=False)

    def _begin(self, *, overwrite: bool) -> None:
        self._done = {}
        self._show_buttons("cancel")
        self._job = self._start(overwrite)
        self.run_worker(self._follow(self._job), exclusive=True)

    async def _follow(self, job: Job[EncodedDataset]) -> None:
        while True:
            snapshot = job.snapshot()
            if snapshot.state.ended:
                break
            self._show(self._progress_lines(snapshot))
            await asyncio.sleep(_LOOK)
        self._end(job, snapshot)

    def _end(self, job: Job[EncodedDataset], snapshot: JobSnapshot[EncodedDataset]) -> None:
        width = self._width()
        if snapshot.state is JobState.DONE and snapshot.result is not None:
            self._result = snapshot.result
            self._show(result_lines(snapshot.result, width))
            self._show_buttons("close")
        elif snapshot.state is JobState.CANCELLED:
            self._show([(("cancelled; nothing was written", "warning"),)])
            self._show_buttons("close")
        else:
            self._show([((line, "warning"),) for line in in_lines(snapshot.error or "failed", width)])
            taken = _raised(job, DatasetError) and (self._folder / "manifest.json").exists()
            self._show_buttons("overwrite", "close") if taken else self._show_buttons("close")

    def _progress_lines(self, snapshot: JobSnapshot[EncodedDataset]) -> list[Line]:
        step = snapshot.step
        lines: list[Line] = [(("into  ", "label"), (shown_path(self._folder), "")), ()]
        before = True
        for split in self._splits:
            total = len(split.text)
            if step == f"encoding {split.name}":
                done, before = snapshot.done, False
            else:
                done = total if before and self._past(step) else 0
            share = done / total if total else 1.0
            cells = round(share * _BAR)
            lines.append(
                (
                    (f"{split.name:<6}", "label"),
                    ("━" * cells, "good"),
                    ("─" * (_BAR - cells), "bar-rest"),
                    (f" {100 * share:3.0f}%", "label"),
                    (f"  {count(done):>{len(count(total))}} of {count(total)}", "dim"),
                )
            )
        words = "cancelling…" if snapshot.cancelling else f"{readable(step)}"
        return [*lines, (), ((words, "dim"),)]

    @staticmethod
    def _past(step: str) -> bool:
        return step.startswith(("encoding ", "checking and", "saving"))

    def _show(self, lines: list[Line]) -> None:
        self.query_one("#encode", StyledLines).show_lines(lines)

    def _width(self) -> int:
        return self.query_one("#encode").size.width or 70

    def _show_buttons(self, *shown: str) -> None:
        for button in self.query(Button):
            button.display = button.id in shown
        self.query_one("#dialog").border_subtitle = Content(" esc cancels " if "cancel" in shown else " esc leaves ")
        # The last one, which does no harm.
        self.set_focus(None if "cancel" in shown else self.query_one(f"#{shown[-1]}", Button))


def _raised(job: Job[EncodedDataset], kind: type[Exception]) -> bool:
    try:
        job.outcome()
    except kind:
        return True
    except Exception:
        return False
    return False


def result_lines(dataset: EncodedDataset, width: int) -> list[Line]:
    """Give the figures of an encoded data set, a table of splits first, digests below."""
    lines: list[Line] = [(("into  ", "label"), (shown_path(dataset.folder), "")), ()]
    head = f"{'split':<6}{'characters':>12}{'tokens':>12}{'chars/token':>13}{'reduction':>11}{'ids':>12}"
    lines.append(((fit(head, width), "dim"),))
    for split in dataset.splits:
        ids = "–" if split.minimum_id is None else f"{split.minimum_id}–{split.maximum_id}"
        figures = (
            f"{count(split.characters):>12}{count(split.tokens):>12}{split.compression_factor:>13.3f}"
            f"{percent(split.token_reduction):>11}{ids:>12}"
        )
        lines.append(((f"{split.name:<6}", "label"), (fit(figures, max(width - 6, 10)), "figure")))
    told = "every split decodes to its text again"
    if not dataset.lossless:
        told = "every split decodes again, but for white space and what is normalised"
    proven: tuple[Span, ...] = (("✓ ", "good"), (fit(told, max(width - 2, 10)), ""))
    ranged: tuple[Span, ...] = (
        ("✓ ", "good"),
        (f"every id is below the vocabulary of {count(dataset.vocab_size)}", ""),
    )
    lines += [(), proven, ranged, (), (("SHA-256 of the ids", "dim"),)]
    for split in dataset.splits:
        lines.append(((f"{split.name:<6}", "label"), (fit(split.ids_sha256, max(width - 6, 10)), "")))
    lines += [(), (("tokenizer", "dim"),), ((fit(dataset.fingerprint, width), ""),)]
    lines += [(), (("files  ", "dim"), (fit(_files(dataset), width - 7), ""))]
    return lines


def _files(dataset: EncodedDataset) -> str:
    return readable(", ".join([*(split.path.name for split in dataset.splits), "manifest.json"]))
