"""Files of ids that are written as the ids come, when nobody knows yet how many there will be.

A `.pt` file is a zip archive that is not compressed: the numbers as they lie in memory, and a pickle that says what
they are. It is written here without torch, which takes longer to start than most texts take to encode, and which needs
all ids at once. The pickle, which says how many ids there are, comes behind them: readers go by the directory at the
end.
A `.npy` file has the count in its header, which has room for the longest and is written again at the end.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from typing import IO, Literal, Protocol

import numpy as np
import numpy.typing as npt

from bpe_tui.dataset.stored_zip import StoredZip
from bpe_tui.progress import nothing

FileFormat = Literal["pt", "npy"]
FORMATS: tuple[FileFormat, ...] = ("pt", "npy")

PIECE = 1 << 20
"""Bytes written between two looks at whether the job was cancelled."""
ALIGNMENT = 64
"""The numbers of a `.pt` file begin at a multiple of so many bytes, as in torch's own files, for who maps them."""

Ids = npt.NDArray[np.int64]


class IdWriter(Protocol):
    """Writes ids to a file, part after part."""

    def write(self, ids: Ids) -> None:
        """Write the next ids. Raises OSError."""

    def finish(self) -> None:
        """Write what makes the file whole. Raises OSError."""


def id_writer(file: IO[bytes], file_format: FileFormat, check: Callable[[], None] = nothing) -> IdWriter:
    """Begin a file of ids, int64 in one dimension, in an empty binary file that can seek.

    `check` is called between pieces; what it raises ends the writing. Raises OSError.
    """
    return (_TensorFile if file_format == "pt" else _ArrayFile)(file, check)


def _pieces(ids: Ids) -> list[memoryview]:
    content = np.ascontiguousarray(ids, "<i8").view(np.uint8).data
    return [content[start : start + PIECE] for start in range(0, len(content), PIECE)]


class _ArrayFile:
    """NumPy's format."""

    def __init__(self, file: IO[bytes], check: Callable[[], None]) -> None:
        self._file = file
        self._check = check
        self._count = 0
        self._write_header()
        self._begin = file.tell()

    def _write_header(self) -> None:
        # NumPy leaves room behind its header for the longest count, so that it can be written over.
        header = {"descr": "<i8", "fortran_order": False, "shape": (self._count,)}
        np.lib.format.write_array_header_1_0(self._file, header)

    def write(self, ids: Ids) -> None:
        for piece in _pieces(ids):
            self._check()
            self._file.write(piece)
        self._count += len(ids)

    def finish(self) -> None:
        self._file.seek(0)
        self._write_header()
        if self._file.tell() != self._begin:
            raise AssertionError("the header of an array has another length than before")
        self._file.seek(0, 2)


class _TensorFile:
    """torch's format, as `torch.save` has written it since 1.6: what `torch.load` needs of it."""

    def __init__(self, file: IO[bytes], check: Callable[[], None]) -> None:
        self._archive = StoredZip(file)
        self._check = check
        self._count = 0
        self._archive.begin("archive/data/0", ALIGNMENT)

    def write(self, ids: Ids) -> None:
        for piece in _pieces(ids):
            self._check()
            self._archive.write(piece)
        self._count += len(ids)

    def finish(self) -> None:
        self._archive.end()
        self._archive.add("archive/data.pkl", _pickled(self._count))
        self._archive.add("archive/byteorder", b"little")
        self._archive.add("archive/version", b"3\n")
        self._archive.finish()


def _pickled(count: int) -> bytes:
    """Give the pickle of a tensor of `count` numbers, one after another, in the storage `0`.

    It is what `torch.save` writes of `_rebuild_tensor_v2(storage, 0, (count,), (1,), False, OrderedDict())`, in the
    words of pickle protocol 2, of which `torch.load` with `weights_only` knows these.
    """
    # A whole number without the two bytes that open a pickle and the one that ends it.
    number = pickle.dumps(count, protocol=2)[2:-1]
    text = [b"X" + struct.pack("<I", len(word)) + word for word in (b"storage", b"0", b"cpu")]
    storage = b"(" + text[0] + b"ctorch\nLongStorage\n" + text[1] + text[2] + number + b"tQ"
    hooks = b"ccollections\nOrderedDict\n)R"
    arguments = b"(" + storage + b"K\x00" + number + b"\x85" + b"K\x01\x85" + b"\x89" + hooks + b"t"
    return b"\x80\x02" + b"ctorch._utils\n_rebuild_tensor_v2\n" + arguments + b"R."
