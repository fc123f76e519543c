"""Ids from files that torch wrote, and nothing else."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import torch

from bpe_tui.dataset.tensors import read_tensor
from bpe_tui.errors import DatasetError


def test_any_whole_numbers_become_int64(tmp_path: Path) -> None:
    for dtype in (torch.int64, torch.int32, torch.uint8):
        torch.save(torch.tensor([3, 1, 2], dtype=dtype), tmp_path / "ids.pt")
        ids = read_tensor(tmp_path / "ids.pt")
        assert ids.dtype == "int64"
        assert ids.tolist() == [3, 1, 2]


@pytest.mark.parametrize("value", [torch.tensor([1.5]), torch.tensor([[1]]), torch.tensor(1), {"a": 1}, [1, 2]])
def test_other_content_is_refused(tmp_path: Path, value: Any) -> None:
    torch.save(value, tmp_path / "other.pt")
    with pytest.raises(DatasetError, match=r"other\.pt does not hold a one-dimensional tensor"):
        read_tensor(tmp_path / "other.pt")


@pytest.mark.parametrize("content", [b"", b"no tensor", b"PK\x03\x04 cut off"])
def test_damaged_files_are_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.pt").write_bytes(content)
    with pytest.raises(DatasetError, match=r"bad\.pt is not a tensor file"):
        read_tensor(tmp_path / "bad.pt")


class Attack:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return eval, ("1/0",)


def test_pickled_code_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "attack.pt").write_bytes(pickle.dumps(Attack()))
    with pytest.raises(DatasetError, match=r"attack\.pt is not a tensor file"):
        read_tensor(tmp_path / "attack.pt")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"none\.pt does not exist"):
        read_tensor(tmp_path / "none.pt")
