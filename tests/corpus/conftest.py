"""What the tests of the corpus share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def shared() -> Path:
    root = Path(__file__).resolve().parents[2]
    folder = Path(os.environ.get("BPE_TUI_SHARED", root.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"needs the shared test data at {folder}")
    return folder
