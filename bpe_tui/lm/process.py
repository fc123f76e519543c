"""A training in a process of its own, so that whoever shows it stays quick, and may go without ending it."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bpe_tui.lm.errors import RunFolderError
from bpe_tui.system_errors import explain

LOG_NAME = "train.log"
"""What the process said on standard error, in the folder of the training."""


_TOO_LITTLE = 100_000
"""Bytes in which no training can be kept."""


class TrainingProcess:
    """`bpe-tui lm train --out folder` with more arguments, running by itself. Follow it with `RunWatcher`.

    It has its own session: neither ctrl+c nor a lost terminal reaches it, and it outlives this process.
    Raises RunFolderError when it cannot be started.
    """

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self.folder = folder
        command = [sys.executable, "-P", "-m", "bpe_tui", "lm", "train", "--out", str(folder), *arguments, "--quiet"]
        # It shall find the modules where this process does.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / LOG_NAME).open("wb") as log:
                self._child = subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    start_new_session=os.name == "posix",
                )
        except OSError as error:
            raise RunFolderError(explain(error, "start a training in", folder)) from error

    @property
    def running(self) -> bool:
        """Whether it is at work."""
        return self._child.poll() is None

    @property
    def pid(self) -> int:
        """Its number."""
        return self._child.pid

    @property
    def exit_code(self) -> int | None:
        """0 done, 1 failed, 143 stopped; None while it is at work."""
        return self._child.poll()

    @property
    def error(self) -> str | None:
        """What it said last, when it failed; None otherwise."""
        if self._child.poll() in (None, 0):
            return None
        if not self.folder.is_dir():
            return f"the folder {self.folder} was removed while the training wrote in it; begin anew"
        with contextlib.suppress(OSError):
            lines = (self.folder / LOG_NAME).read_text(encoding="utf-8", errors="replace").splitlines()
            if lines:
                return lines[-1].removeprefix("error: ")
            if shutil.disk_usage(self.folder).free < _TOO_LITTLE:
                # That keeps it from saying so, too.
                return explain(OSError(errno.ENOSPC, ""), "write in", self.folder)
        return None

    def stop(self) -> None:
        """Tell it to keep a checkpoint and end. It goes on by a new process with `--resume`."""
        if self.running:
            self._child.terminate()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it has ended, at most `timeout` seconds, and give whether it has."""
        try:
            self._child.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True
