"""What is not needed is not loaded: the command line answers at once, and a library user gets no user interface."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT

HEAVY = ("textual", "torch", "numba", "llvmlite", "numpy", "rich.progress")


def loaded_by(code: str) -> set[str]:
    """The heavy modules that are loaded after `code` has run in a fresh interpreter."""
    check = f"import json, sys; print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"import contextlib\nwith contextlib.suppress(SystemExit):\n    {code}\n{check}"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "code", ["import bpe_tui", "import bpe_tui.bpe", "import bpe_tui.__main__", "import bpe_tui.cli"]
)
def test_importing_loads_nothing_heavy(code: str) -> None:
    assert loaded_by(code) == set()


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["build", "--help"], ["corpus", "--help"], ["train", "--wrong"], ["nonsense"]],
)
def test_help_and_complaints_load_nothing_heavy(arguments: list[str]) -> None:
    assert loaded_by(f"import bpe_tui.__main__ as program; program.main({arguments!r})") == set()


def test_commands_that_encode_nothing_load_no_torch_and_no_app() -> None:
    loaded = loaded_by("import bpe_tui.__main__ as program; program.main(['inspect', 'no such file'])")
    assert not loaded & {"textual", "torch", "numba"}


def test_encoding_a_corpus_loads_no_torch_and_no_app(tmp_path: Path) -> None:
    from bpe_tui import BPETokenizer

    BPETokenizer("abc", [("a", "b")]).save(tmp_path / "abc.json")
    for name in ("train", "val", "test"):
        (tmp_path / f"{name}.txt").write_text("abcab")
    arguments = ["encode", "--splits", f"{tmp_path}", "--output-dir", f"{tmp_path}/out"]
    arguments += ["--tokenizer", f"{tmp_path}/abc.json"]
    loaded = loaded_by(f"import bpe_tui.__main__ as program; program.main({arguments!r})")
    assert not loaded & {"textual", "torch"}
    assert (tmp_path / "out/train_ids.pt").exists()


def test_the_same_program_under_both_names() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bpe_tui", "--version"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("bpe-tui ")
