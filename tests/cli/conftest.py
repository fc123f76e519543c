"""Running commands as a user does: in this process where that is enough, in one of their own where it is not."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bpe_tui.__main__ import main

ROOT = Path(__file__).resolve().parents[2]

CORPUS = {
    "train": "low low low low low lower lower widest widest widest newest newest newest newest newest newest\n" * 30,
    "val": "lowest newer wider\n" * 5,
    "test": "Low, wide & new\n" * 5,
}


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode("utf-8")

    @property
    def document(self) -> Any:
        return json.loads(self.raw)

    @property
    def error(self) -> str:
        """The one line that says what went wrong."""
        lines = [line for line in self.err.splitlines() if line.startswith(("error: ", "interrupted: "))]
        assert len(lines) == 1, self.err
        assert self.err.rstrip("\n").endswith(lines[0])
        assert "Traceback" not in self.err
        return lines[0]


RunCommand = Callable[..., Result]


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of the test's own, with nothing of the user's in reach."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return work


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> RunCommand:
    """Run `bpe-tui` with these arguments in this process."""

    def run(*arguments: object, stdin: bytes | str = b"") -> Result:
        data = stdin.encode("utf-8") if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        # Streams of their own: pytest's stand-ins are not what a process has.
        out = io.TextIOWrapper(io.FileIO(os.dup(1), "w"), encoding="utf-8", write_through=True)
        err = io.TextIOWrapper(io.FileIO(os.dup(2), "w"), encoding="utf-8", write_through=True)
        with monkeypatch.context() as streams:
            streams.setattr(sys, "stdout", out)
            streams.setattr(sys, "stderr", err)
            code = main([str(argument) for argument in arguments])
        out.close()
        err.close()
        captured = capfdbinary.readouterr()
        return Result(code, captured.out, captured.err.decode("utf-8"))

    return run


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Start `bpe-tui` in a process of its own, by `python -m bpe_tui`."""

    def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("environment", {})}
        return subprocess.Popen(
            [sys.executable, "-m", "bpe_tui", *map(str, arguments)],
            env=environment,
            stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=options.pop("stderr", subprocess.PIPE),
            **options,
        )

    return start


@pytest.fixture
def corpus(at_home: Path) -> Path:
    """A small corpus where `build` looks for it by default."""
    folder = at_home / "data/processed"
    folder.mkdir(parents=True)
    for name, text in CORPUS.items():
        (folder / f"{name}.txt").write_bytes(text.encode("utf-8"))
    return folder


@pytest.fixture
def tokenizer_file(at_home: Path) -> Path:
    """A tokenizer where the commands look for it by default."""
    from bpe_tui import BPETokenizer

    path = at_home / "tokenizer/bpe_tokenizer.json"
    BPETokenizer("\n \x1b[]/elorstw\u202e", [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er")]).save(path)
    return path


def files_below(folder: Path) -> dict[str, bytes]:
    """All files below a folder with their content, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
