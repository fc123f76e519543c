"""Fixtures for all tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure(config: pytest.Config) -> None:
    """Take signals as at a terminal, and compile the kernels once, before several workers would each do it."""
    # Behind `nohup` or `&` a shell has these ignored, and the programs that the tests start would inherit that.
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-m", "bpe_tui.bpe.kernels"], env=environment, check=True)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with large test data beside the project, or the one that BPE_TUI_SHARED names."""
    folder = Path(os.environ.get("BPE_TUI_SHARED", ROOT.parent / "shared"))
    if not (folder / "expected/seed_reference.json").is_file():
        pytest.skip(f"needs the shared test data, which is not at {folder}")
    return folder


@pytest.fixture(scope="session")
def bible() -> str:
    """The training split of the corpus that ships with the project."""
    return (ROOT / "corpora/king-james-bible/train.txt").read_bytes().decode("utf-8")
