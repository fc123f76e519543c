"""A manifest is believed field by field or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.corpus import Splits
from bpe_tui.dataset import encode_splits, read_manifest
from bpe_tui.errors import DatasetError


@pytest.fixture
def folder(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> Path:
    encode_splits(tokenizer, splits, tmp_path)
    return tmp_path


def change(folder: Path, path: str, value: Any) -> None:
    file = folder / "manifest.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    place = document
    *way, last = path.split(".")
    for key in way:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    file.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("type", "something else"),
        ("version", 2),
        ("fingerprint", "abc"),
        ("fingerprint", ...),
        ("vocab_size", "500"),
        ("vocab_size", True),
        ("splits", []),
        ("splits", {}),
        ("splits.train", 5),
        ("splits.train.file", "../../etc/passwd"),
        ("splits.train.dtype", "float32"),
        ("splits.train.characters", -1),
        ("splits.train.tokens", 10**9),
        ("splits.train.tokens", 1.5),
        ("splits.val.minimum_id", None),
        ("splits.val.maximum_id", 13),
        ("splits.test.ids_sha256", "g" * 64),
        ("splits.test.text_sha256", ...),
    ],
)
def test_a_wrong_field_is_named(folder: Path, field: str, value: Any) -> None:
    change(folder, field, value)
    with pytest.raises(DatasetError) as caught:
        read_manifest(folder)
    message = str(caught.value)
    assert str(folder / "manifest.json") in message
    assert field.rsplit(".", 1)[-1] in message
    assert "encode the splits again" in message


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_file_is_named(folder: Path, content: bytes) -> None:
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(DatasetError, match=r"manifest\.json is damaged"):
        read_manifest(folder)


def test_a_folder_without_one(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"holds no manifest\.json; encode the splits into it first"):
        read_manifest(tmp_path)


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DatasetError, match="file"):
        read_manifest(tmp_path / "file")
