"""Files of ids are what torch and NumPy take for their own."""

from __future__ import annotations

import io
import pickletools
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bpe_tui.dataset.id_files import ALIGNMENT, FileFormat, _pickled, id_writer
from bpe_tui.dataset.tensors import read_ids
from bpe_tui.errors import Cancelled, DatasetError

SIZES = [0, 1, 2, 255, 256, 65_535, 65_536, 300_001]


def write(path: Path, ids: list[np.ndarray]) -> Path:
    with path.open("wb") as file:
        writer = id_writer(file, path.suffix[1:])  # type: ignore[arg-type]
        for part in ids:
            writer.write(part)
        writer.finish()
    return path


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("size", SIZES)
def test_torch_loads_what_it_would_have_saved(size: int, weights_only: bool, mmap: bool, tmp_path: Path) -> None:
    ids = np.arange(size, dtype=np.int64) * 7
    path = write(tmp_path / "ids.pt", [ids[: size // 3], ids[size // 3 :]])
    tensor = torch.load(path, weights_only=weights_only, mmap=mmap)
    torch.save(torch.from_numpy(ids), tmp_path / "own.pt")
    own = torch.load(tmp_path / "own.pt", weights_only=True)
    assert (tensor.dtype, tensor.shape, tensor.stride()) == (own.dtype, own.shape, (1,))
    assert (tensor.requires_grad, tensor.storage_offset(), tensor.device) == (False, 0, own.device)
    assert torch.equal(tensor, own)
    assert len(tensor.untyped_storage()) == 8 * size


def test_the_archive_is_sound_and_its_numbers_are_aligned(tmp_path: Path) -> None:
    ids = np.arange(1000, dtype=np.int64) + 2**40
    path = write(tmp_path / "ids.pt", [ids])
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["archive/data/0", "archive/data.pkl", "archive/byteorder", "archive/version"]
        assert archive.read("archive/data/0") == ids.astype("<i8").tobytes()
    assert path.read_bytes().index(ids.astype("<i8").tobytes()) % ALIGNMENT == 0


@pytest.mark.parametrize("count", [0, 255, 256, 2**16, 2**31 - 1, 2**31, 2**40])
def test_the_pickle_says_how_many(count: int) -> None:
    arguments = [argument for _, argument, _ in pickletools.genops(_pickled(count))]
    assert [found for found in arguments if isinstance(found, int)] == [2, count, 0, count, 1]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(st.lists(st.integers(0, 2**62), max_size=9), max_size=9), file_format=st.sampled_from(["pt", "npy"])
)
def test_the_parts_do_not_matter(parts: list[list[int]], file_format: FileFormat, tmp_path: Path) -> None:
    ids = [np.array(part, np.int64) for part in parts]
    path = write(tmp_path / f"ids.{file_format}", ids)
    content = path.read_bytes()
    assert read_ids(path).tolist() == [number for part in parts for number in part]
    write(path, [np.concatenate([np.zeros(0, np.int64), *ids])])
    assert path.read_bytes() == content


@pytest.mark.parametrize("size", SIZES)
def test_numpy_loads_and_maps_an_array(size: int, tmp_path: Path) -> None:
    ids = np.arange(size, dtype=np.int64)
    path = write(tmp_path / "ids.npy", [ids[: size // 3], ids[size // 3 :]])
    loaded = np.load(path)
    assert (loaded.dtype, loaded.shape) == (np.int64, (size,))
    assert np.array_equal(loaded, ids)
    assert np.array_equal(read_ids(path), ids)
    np.save(tmp_path / "own.npy", ids)
    assert path.read_bytes() == (tmp_path / "own.npy").read_bytes()


@pytest.mark.parametrize("file_format", ["pt", "npy"])
def test_writing_can_be_ended(file_format: FileFormat) -> None:
    def check() -> None:
        raise Cancelled("by the test")

    writer = id_writer(io.BytesIO(), file_format, check)
    with pytest.raises(Cancelled):
        writer.write(np.arange(3))


@pytest.mark.parametrize("value", [np.array([1.5]), np.array([[1]]), np.array(1), np.array(["a"])])
def test_other_arrays_are_refused(tmp_path: Path, value: np.ndarray) -> None:
    np.save(tmp_path / "other.npy", value)
    with pytest.raises(DatasetError, match=r"other\.npy does not hold a one-dimensional array"):
        read_ids(tmp_path / "other.npy")


@pytest.mark.parametrize("content", [b"", b"no array", b"\x93NUMPY\x01\x00\x76\x00 cut off"])
def test_damaged_arrays_are_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.npy").write_bytes(content)
    with pytest.raises(DatasetError, match=r"bad\.npy is not a NumPy file"):
        read_ids(tmp_path / "bad.npy")


def test_pickled_objects_are_not_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "attack.npy", np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(DatasetError, match=r"attack\.npy"):
        read_ids(tmp_path / "attack.npy")


def test_small_numbers_become_int64(tmp_path: Path) -> None:
    np.save(tmp_path / "small.npy", np.array([3, 1, 2], np.uint16))
    assert read_ids(tmp_path / "small.npy").dtype == np.int64


def test_a_missing_array(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"none\.npy does not exist"):
        read_ids(tmp_path / "none.npy")
