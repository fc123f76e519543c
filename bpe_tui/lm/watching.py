"""Following a training from another process: what is new in its folder, and where it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bpe_tui.lm.run_folder import METRICS_NAME, RESULT_NAME, RUN_NAME, Status, read_json, read_status


class RunWatcher:
    """The reader's side of the folder of a training. Reads only what is new; any thread, one at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.generation = 0
        """Grows when the metrics were replaced: whoever kept lines of theirs throws them away."""
        self._offset = 0
        self._last_line = b""

    def poll(self) -> list[dict[str, Any]]:
        """Give the lines of metrics that came since the last call; all of them after a change of `generation`.

        A line that is still being written waits for the next call. A folder without metrics gives none.
        """
        try:
            with (self.folder / METRICS_NAME).open("rb") as file:
                file.seek(self._offset - len(self._last_line))
                content = file.read()
        except OSError:
            return []
        if not content.startswith(self._last_line):
            # The training went on from an earlier point, or began anew.
            self.generation += 1
            self._offset, self._last_line = 0, b""
            return self.poll()
        new = content[len(self._last_line) : content.rfind(b"\n") + 1]
        lines = new.splitlines(keepends=True)
        if lines:
            self._offset += len(new)
            self._last_line = lines[-1]
        return [entry for line in lines if (entry := _entry(line)) is not None]

    def status(self) -> Status | None:
        """Give where the training is; None while nobody knows."""
        return read_status(self.folder)

    def description(self) -> dict[str, Any] | None:
        """Give what is trained on what; None while nobody knows."""
        return read_json(self.folder / RUN_NAME)

    def result(self) -> dict[str, Any] | None:
        """Give the figures of the finished training; None while there are none."""
        return read_json(self.folder / RESULT_NAME)


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """Give all lines of metrics that the training in `folder` has written."""
    return RunWatcher(folder).poll()


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        # A process that was killed may have left half a line, to which the next one wrote on.
        return None
    return entry if isinstance(entry, dict) else None
