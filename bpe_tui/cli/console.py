"""What a command says and where: lines for people, one JSON document for programs, progress beside both."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from bpe_tui.terminal import visible

_KEPT = re.compile(r"([ _]+)")


def readable(text: str, *, ascii_only: bool = False) -> str:
    """Give a message or path for people: spaces stay, everything that could harm or hide is made visible."""
    return "".join(
        part if _KEPT.fullmatch(part) else visible(part, ascii_only=ascii_only) for part in _KEPT.split(text) if part
    )


def drop_output() -> None:
    """Let nothing more be written to standard output, whose reader is gone."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


class ShowProgress(Protocol):
    """Takes how far the job is."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show it."""


class Console:
    """Where a command's words go.

    Lines for people go to standard output, or to standard error when `--json` wants standard output for the document.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.json: bool = getattr(arguments, "json", False)
        self.quiet: bool = getattr(arguments, "quiet", False)
        self.ascii_only: bool = getattr(arguments, "ascii", False) or not _can_print("·⏎→…", sys.stdout)
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")

    @property
    def arrow(self) -> str:
        """What stands between parts and whole."""
        return "->" if self.ascii_only else "→"

    def shown(self, text: str) -> str:
        """Give text from outside, such as a token, with its blanks made visible."""
        return visible(text, ascii_only=self.ascii_only)

    def message(self, text: object) -> str:
        """Give a message or path from outside with its spaces left alone."""
        return readable(str(text), ascii_only=self.ascii_only)

    def say(self, line: str = "") -> None:
        """Print a line for people; with `--quiet`, or when the reader is gone, nothing."""
        if not self.quiet:
            self._print(line, to_error=self.json)

    def answer(self, line: str) -> None:
        """Print what the command was called for: `--quiet` does not silence it, `--json` replaces it."""
        if not self.json:
            self._print(line, to_error=False)

    def note(self, line: str) -> None:
        """Print a remark on standard error."""
        if not self.quiet:
            self._print(line, to_error=True)

    def document(self, content: Any) -> None:
        """Print the JSON document, if `--json` asked for it. ASCII only, hence harmless to any terminal."""
        if self.json:
            self._print(json.dumps(content, indent=2), to_error=False)

    @contextlib.contextmanager
    def progress(self) -> Iterator[ShowProgress]:
        """Give a function that shows how far a job is: a bar on a terminal, a line a step otherwise."""
        if self.quiet:
            yield lambda step, done, total: None
        elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            with _bar(self.message, ascii_only=self.ascii_only) as show:
                yield show
        else:
            yield _PlainProgress(self.note, self.message)

    def _print(self, line: str, *, to_error: bool) -> None:
        stream = sys.stderr if to_error else sys.stdout
        try:
            print(line, file=stream, flush=True)
        except BrokenPipeError:
            # The job goes on: what it saves is worth more than what it prints.
            if not to_error:
                drop_output()


class _PlainProgress:
    """A line when a step begins that did not before, and one every ten seconds while it lasts."""

    interval = 10.0

    def __init__(self, say: Callable[[str], None], message: Callable[[object], str]) -> None:
        self._say = say
        self._message = message
        self._step = ""
        self._said = 0.0

    def __call__(self, step: str, done: int, total: int) -> None:
        now = time.monotonic()
        if step and (step != self._step or now - self._said >= self.interval):
            how_far = f": {done:,} of {total:,}" if total and step == self._step else ""
            self._say(f"{self._message(step)}{how_far}")
            self._step, self._said = step, now


@contextlib.contextmanager
def _bar(message: Callable[[object], str], *, ascii_only: bool) -> Iterator[ShowProgress]:
    from rich.console import Console as RichConsole
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = RichConsole(stderr=True, legacy_windows=False, safe_box=ascii_only)
    description = TextColumn("{task.description}", markup=False)
    # Human lines may go to the same terminal while the bar lives; rich moves it out of their way.
    with Progress(
        description, BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), console=console, transient=True
    ) as progress:
        task = progress.add_task("", total=None)

        def show(step: str, done: int, total: int) -> None:
            progress.update(task, description=message(step), completed=done, total=total or None)

        yield show


def _can_print(text: str, stream: Any) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
