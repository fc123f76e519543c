"""A folder is filled whole or not at all, and never over another tokenizer's work unasked."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Any

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.corpus import Splits
from bpe_tui.dataset import encode_splits, encoding, read_manifest
from bpe_tui.errors import Cancelled, DatasetError

from .conftest import MakeSplits

OTHER = BPETokenizer(" \nelorstw", [("l", "o")])


def content(folder: Path) -> dict[str, bytes]:
    """All that is below a folder, hidden files too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_tokenizer_may_encode_again(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    first = encode_splits(tokenizer, splits, tmp_path)
    before = content(tmp_path)
    assert encode_splits(tokenizer, splits, tmp_path) == first
    assert content(tmp_path) == before


def test_another_tokenizer_is_refused(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    encode_splits(tokenizer, splits, tmp_path)
    before = content(tmp_path)
    with pytest.raises(DatasetError, match=r"another tokenizer.*--overwrite"):
        encode_splits(OTHER, splits, tmp_path)
    assert content(tmp_path) == before
    encode_splits(OTHER, splits, tmp_path, overwrite=True)
    assert read_manifest(tmp_path).fingerprint == OTHER.fingerprint()


def test_tensors_that_nobody_answers_for_are_refused(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    (tmp_path / "val_ids.pt").write_bytes(b"somebody's")
    with pytest.raises(DatasetError, match=r"val_ids\.pt but no manifest"):
        encode_splits(tokenizer, splits, tmp_path)
    assert content(tmp_path) == {"val_ids.pt": b"somebody's"}
    encode_splits(tokenizer, splits, tmp_path, overwrite=True)
    assert read_manifest(tmp_path).fingerprint == tokenizer.fingerprint()


def test_a_manifest_that_cannot_be_read_is_refused(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(DatasetError, match=r"manifest\.json is damaged.*--overwrite"):
        encode_splits(tokenizer, splits, tmp_path)
    encode_splits(tokenizer, splits, tmp_path, overwrite=True)
    assert len(read_manifest(tmp_path).splits) == 3


def test_other_files_in_the_folder_are_left_alone(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    encode_splits(tokenizer, splits, tmp_path)
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_a_file_in_place_of_the_folder(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    for folder in (tmp_path / "out", tmp_path / "out" / "below"):
        with pytest.raises(DatasetError, match=r"out.*file, not a folder; move it away or name another"):
            encode_splits(tokenizer, splits, folder)
    assert content(tmp_path) == {"out": b"a file"}


def test_a_folder_in_place_of_a_file(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    (tmp_path / "train_ids.pt").mkdir()
    with pytest.raises(DatasetError, match=r"train_ids\.pt is a folder where a file should go"):
        encode_splits(tokenizer, splits, tmp_path, overwrite=True)
    assert content(tmp_path) == {}


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc, in which nobody may make folders")
def test_a_folder_that_cannot_be_made(tokenizer: BPETokenizer, splits: Splits) -> None:
    with pytest.raises(DatasetError, match=r"cannot write /proc/bpe-tui: no such file or folder; check the path"):
        encode_splits(tokenizer, splits, Path("/proc/bpe-tui/encoded"))


class FullDisk(io.FileIO):
    """A file on a disk that has room for so many more bytes, over all files."""

    room = 0

    def write(self, data: Any, /) -> int:
        size = memoryview(data).nbytes
        if size > FullDisk.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        FullDisk.room -= size
        return super().write(data)


# The tensors of `splits` take about 1 to 3 kB each: the disk fills in the first file, in later ones, in the manifest.
@pytest.mark.parametrize("room", [0, 10, 1_500, 3_000, 4_500, 5_500, 6_000])
@pytest.mark.parametrize("existing", [False, True])
def test_a_full_disk_leaves_everything_as_it_was(
    room: int,
    existing: bool,
    tokenizer: BPETokenizer,
    splits: Splits,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "made" / "for it"
    if existing:
        encode_splits(OTHER, splits, folder)
    before = content(tmp_path)

    def open_on_full_disk(descriptor: int, mode: str) -> io.BufferedWriter:
        return io.BufferedWriter(FullDisk(descriptor, mode))

    FullDisk.room = room
    monkeypatch.setattr("bpe_tui.atomic.os.fdopen", open_on_full_disk)
    with pytest.raises(DatasetError, match="the disk is full; free some space"):
        encode_splits(tokenizer, splits, folder, overwrite=True)
    assert content(tmp_path) == before
    assert (tmp_path / "made").exists() is existing


@pytest.mark.parametrize("which", range(1, 5))
def test_a_disk_that_notices_only_at_the_end_that_it_is_full(
    which: int, tokenizer: BPETokenizer, splits: Splits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode_splits(OTHER, splits, tmp_path)
    before = content(tmp_path)
    calls = 0

    def fsync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == which:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", fsync)
    with pytest.raises(DatasetError, match="the disk is full"):
        encode_splits(tokenizer, splits, tmp_path, overwrite=True)
    assert content(tmp_path) == before


def test_a_disk_that_tells_only_once_that_it_is_full(
    tokenizer: BPETokenizer, splits: Splits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some systems forget a failure when they have told it, and here it is told before the end."""
    calls = 0

    def fsync(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", fsync)
    monkeypatch.setattr(encoding, "_STORED", 1)
    with pytest.raises(DatasetError, match="the disk is full"):
        encode_splits(tokenizer, splits, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_cancelling_at_any_report_leaves_nothing(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    """Cancel at the first report, the second, and so on until one run goes through."""
    folder = tmp_path / "out"
    for allowed in range(1000):
        reports = 0

        def report(step: str, done: int, total: int, allowed: int = allowed) -> None:
            nonlocal reports
            reports += 1
            if reports > allowed:
                raise Cancelled("by the test")

        try:
            encode_splits(tokenizer, splits, folder, report=report)
        except Cancelled:
            assert list(tmp_path.iterdir()) == []
        else:
            break
    else:
        pytest.fail("it never came to an end")
    assert allowed >= 7
    assert len(content(folder)) == 4


def test_cancelling_while_the_helpers_work_ends_them(
    tokenizer: BPETokenizer,
    make_splits: MakeSplits,
    tmp_path: Path,
) -> None:
    """Long enough that hashing and decoding are still going on when the word comes."""

    def report(step: str, done: int, total: int) -> None:
        if step == "checking and writing":
            raise Cancelled("by the test")

    with pytest.raises(Cancelled):
        encode_splits(tokenizer, make_splits("low lower lowest\n" * 200_000), tmp_path / "out", report=report)
    assert list(tmp_path.iterdir()) == []


def test_there_is_never_a_wrong_manifest_beside_new_tensors(
    tokenizer: BPETokenizer, splits: Splits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between two renames: the old manifest is gone already, the new one is not there yet."""
    encode_splits(OTHER, splits, tmp_path)
    renamed: list[str] = []
    replace = Path.replace

    def crash_at_the_second(self: Path, target: Path) -> Path:
        if len(renamed) == 1:
            raise KeyboardInterrupt
        renamed.append(Path(target).name)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", crash_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        encode_splits(tokenizer, splits, tmp_path, overwrite=True)
    assert renamed == ["train_ids.pt"]
    with pytest.raises(DatasetError, match=r"no manifest\.json"):
        read_manifest(tmp_path)
    assert sorted(content(tmp_path)) == ["test_ids.pt", "train_ids.pt", "val_ids.pt"]


def test_new_files_get_the_usual_permissions(tokenizer: BPETokenizer, splits: Splits, tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    encode_splits(tokenizer, splits, tmp_path)
    assert (tmp_path / "train_ids.pt").stat().st_mode == (tmp_path / "plain").stat().st_mode
