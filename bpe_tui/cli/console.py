"""What a command says and where: lines for people, one JSON document for programs, progress beside both."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from bpe_tui.errors import BPEError
from bpe_tui.terminal import shown_bytes, shown_token, token_text, visible

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.progress import ShowProgress

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


def repair_streams() -> None:
    """Give the program streams to write to when it was started without (`>&-`), and let none refuse a character."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for good
        reconfigure = getattr(getattr(sys, name), "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def warn(line: str) -> None:
    """Print a line on standard error if that is possible at all."""
    with contextlib.suppress(OSError):
        write_line(readable(line), sys.stderr)


class StandardOutputError(BPEError):
    """Standard output goes to where nothing more can be written."""


def write_line(line: str, stream: TextIO) -> None:
    """Write a whole line at once: `print` writes the newline apart, and an interrupt can come in between."""
    stream.write(f"{line}\n")
    stream.flush()


class Console:
    """Where a command's words go.

    Lines for people go to standard output, or to standard error when `--json` wants standard output for the document.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.json: bool = getattr(arguments, "json", False)
        self.quiet: bool = getattr(arguments, "quiet", False)
        self.ascii_only: bool = getattr(arguments, "ascii", False) or not _can_print("·⏎→", sys.stdout)
        self._progress: ShowProgress | None = None

    @property
    def arrow(self) -> str:
        """What stands between a pair and the token that it becomes."""
        return "->" if self.ascii_only else "→"

    def shown(self, text: str) -> str:
        """Give text from outside, such as a token, with its blanks made visible."""
        return visible(text, ascii_only=self.ascii_only)

    def token(self, token: str, kind: str) -> str:
        """Give a token of a tokenizer of this kind, with its blanks made visible."""
        return token_text(token, kind, ascii_only=self.ascii_only)

    def token_of(self, tokenizer: BPETokenizer, token_id: int) -> str:
        """Give a token as a person can read it, be it of characters or of bytes."""
        return shown_token(tokenizer, token_id, ascii_only=self.ascii_only)

    def piece(self, content: bytes) -> str:
        """Give bytes of a text as a person can read them."""
        return shown_bytes(content, ascii_only=self.ascii_only)

    def message(self, text: object) -> str:
        """Give a message or path from outside with its spaces left alone."""
        return readable(str(text), ascii_only=self.ascii_only)

    def say(self, line: str = "") -> None:
        """Print a line for people; with `--quiet`, or when the reader is gone, nothing."""
        if not self.quiet:
            self._print(line, sys.stderr if self.json else sys.stdout)

    def answer(self, line: str) -> None:
        """Print what the command was called for: `--quiet` does not silence it, `--json` replaces it."""
        if not self.json:
            self._print(line, sys.stdout)

    def note(self, line: str) -> None:
        """Print a remark on standard error."""
        if not self.quiet:
            self._print(line, sys.stderr)

    def document(self, content: Any) -> None:
        """Print the JSON document, if `--json` asked for it. ASCII only, hence harmless to any terminal."""
        if self.json:
            self._print(json.dumps(content, indent=2), sys.stdout)

    @contextlib.contextmanager
    def progress(self) -> Iterator[ShowProgress]:
        """Give a function that shows how far a job is: a bar on a terminal, a line a step otherwise."""
        from bpe_tui.cli.progress import Bar, PlainLines, ShowNothing

        if self.quiet:
            self._progress = ShowNothing()
        elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            self._progress = Bar(self.message, ascii_only=self.ascii_only)
        else:
            self._progress = PlainLines(self.note, self.message)
        try:
            yield self._progress
        finally:
            self._progress.clear()
            self._progress = None

    def exactly(self, content: bytes) -> None:
        """Write bytes to standard output as they are."""

        def write() -> None:
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()

        self._output(write, sys.stdout)

    def _print(self, line: str, stream: TextIO) -> None:
        if self._progress is not None:
            self._progress.clear()
        self._output(lambda: write_line(line, stream), stream)

    def _output(self, write: Callable[[], None], stream: TextIO) -> None:
        try:
            write()
        except BrokenPipeError:
            # The job goes on: what it saves is worth more than what it prints.
            if stream is sys.stdout:
                drop_output()
        except OSError as error:
            # Remarks may get lost; results may not.
            if stream is sys.stdout:
                drop_output()
                raise StandardOutputError(
                    f"standard output cannot be written: {error.strerror or error}; send it somewhere else"
                ) from error


def _can_print(text: str, stream: Any) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
