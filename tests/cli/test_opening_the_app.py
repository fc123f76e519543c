"""Without a command the app opens, with what was said about it; what keeps it from opening is one line."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bpe_tui.errors import CorpusError

from .conftest import RunCommand


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the app was opened with; it opens only in name here."""
    calls: list[dict[str, Any]] = []

    def launch(**options: Any) -> int:
        calls.append(options)
        if options["corpus"] == Path("missing"):
            raise CorpusError("missing does not exist\x1b[2J")
        return 0

    module = ModuleType("bpe_tui.tui.launch")
    module.launch = launch  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bpe_tui.tui", ModuleType("bpe_tui.tui"))
    monkeypatch.setitem(sys.modules, "bpe_tui.tui.launch", module)
    return calls


def test_it_opens_with_what_was_said(command: RunCommand, launched: list[dict[str, Any]]) -> None:
    assert command().code == 0
    assert command("--corpus", "a b", "--tokenizer", "t.json", "--resume", "run.json", "--ascii").code == 0
    assert launched == [
        {"corpus": None, "tokenizer": None, "ascii_only": False, "resume": None},
        {"corpus": Path("a b"), "tokenizer": Path("t.json"), "ascii_only": True, "resume": Path("run.json")},
    ]


def test_what_keeps_it_from_opening_is_one_line(command: RunCommand, launched: list[dict[str, Any]]) -> None:
    result = command("--corpus", "missing")
    assert result.code == 1
    assert result.error == r"error: missing does not exist\x1b[2J"
