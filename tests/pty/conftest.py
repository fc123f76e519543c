"""The app in a real pseudo-terminal: bytes in, bytes out, and a terminal emulator that says what a person would see."""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

DEADLINE = 90.0
"""Seconds after which a wait is given up; the very first run on a machine compiles for some of them."""

_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=?][0-9;$]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p|\x1b[_P][^\x1b]*\x1b\\")


class Terminal:
    """One process on a terminal of its own."""

    def __init__(self, arguments: list[str], here: Path, size: tuple[int, int] = (100, 30)) -> None:
        columns, rows = size
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SSH_")}
        environment.update(
            TERM="xterm-256color",
            COLORTERM="truecolor",
            XDG_STATE_HOME=str(here.parent / "state"),
            PYTHONPATH=str(Path(__file__).resolve().parents[2]),
            PYTHONWARNINGS="default",
        )
        # The pseudo-terminal alone says how large it is.
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            environment.pop(name, None)
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", "bpe_tui", *arguments],
            env=environment,
            cwd=str(here),
            dimensions=(rows, columns),
            timeout=DEADLINE,
        )
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.written = bytearray()

    def read(self, seconds: float = 0.05) -> int:
        """Take what the process writes within `seconds`; gives the number of bytes."""
        ready, _, _ = select.select([self.process.child_fd], [], [], seconds)
        if not ready:
            return 0
        try:
            data = os.read(self.process.child_fd, 1 << 16)
        except OSError:
            return 0
        self.written += data
        self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", data))
        return len(data)

    def until(self, predicate: Callable[[], object], what: str) -> None:
        end = time.monotonic() + DEADLINE
        while not predicate():
            if time.monotonic() > end:
                raise TimeoutError(f"waited for {what}; on screen:\n{self.text()}")
            self.read()

    def see(self, *words: str) -> None:
        self.until(lambda: all(word in self.text() for word in words), f"the words {words}")

    def press(self, keys: str) -> None:
        self.process.send(keys)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def quiet(self, seconds: float) -> int:
        """Give the bytes that the process writes while nobody touches it for `seconds`."""
        end = time.monotonic() + seconds
        total = 0
        while (rest := end - time.monotonic()) > 0:
            total += self.read(rest)
        return total

    def settle(self) -> None:
        """Read until the process has nothing more to say for a moment."""
        while self.read(1.0):
            pass

    def ends(self) -> int:
        """Read until the process is gone; gives its exit code, or minus the signal that killed it."""
        end = time.monotonic() + DEADLINE
        while self.process.isalive():
            if time.monotonic() > end:
                raise TimeoutError(f"the process does not end; on screen:\n{self.text()}")
            self.read()
        while self.read(0):
            pass
        code = self.process.exitstatus
        return code if code is not None else -int(self.process.signalstatus or 0)

    def left_clean(self) -> bool:
        """Whether the alternate screen was left, the cursor shown and the mouse let go, in that order of importance."""
        written = bytes(self.written)
        return all(
            written.rfind(off) > written.rfind(on)
            for on, off in [
                (b"\x1b[?1049h", b"\x1b[?1049l"),
                (b"\x1b[?25l", b"\x1b[?25h"),
                (b"\x1b[?1000h", b"\x1b[?1000l"),
                (b"\x1b[?2004h", b"\x1b[?2004l"),
            ]
        )

    def after_the_app(self) -> str:
        """What stands on the normal screen once the app has left."""
        rest = bytes(self.written).rsplit(b"\x1b[?1049l", 1)[-1]
        return re.sub(r"\x1b\[[0-9;?<>=]*[a-zA-Z]", "", rest.decode("utf-8", "replace"))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


@pytest.fixture
def open_terminal(here: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_one(*arguments: str, size: tuple[int, int] = (100, 30)) -> Terminal:
        terminal = Terminal(list(arguments), here, size)
        opened.append(terminal)
        return terminal

    yield open_one
    for terminal in opened:
        with contextlib.suppress(OSError, pexpect.ExceptionPexpect):
            terminal.process.close(force=True)
