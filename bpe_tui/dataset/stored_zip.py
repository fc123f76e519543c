"""Writing a zip archive without compression whose files come in parts and may be of any size.

Python's `zipfile` can do so, too, but wants to write to its file once more when it is thrown away, even if that file is
not wanted any longer or the disk is full. Everything is written in the format's 64-bit form ("zip64").
Source: PKWARE's APPNOTE.TXT, 4.3 and 4.5.3.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import IO

_LOCAL = struct.Struct("<4s5H3I2H")
_LOCAL_SIZES = struct.Struct("<2H2Q")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_ENTRY_SIZES = struct.Struct("<2H3Q")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR = struct.Struct("<4sIQI")
_END = struct.Struct("<4s4H2IH")
_PADDING = struct.Struct("<2sH")

_VERSION = 45
"""Of the format: the first that has zip64."""
_DATE = 0x21
"""1 January 1980, the first day that can be written: equal content gives equal archives."""
_ELSEWHERE_16, _ELSEWHERE = 0xFFFF, 0xFFFFFFFF
"""Stand where a number is to be looked for among those of 64 bits."""


@dataclass(slots=True)
class _Member:
    name: bytes
    offset: int
    padding: bytes
    checksum: int = 0
    size: int = 0

    def header(self) -> bytes:
        """What stands before the content."""
        sizes = _LOCAL_SIZES.pack(1, _LOCAL_SIZES.size - 4, self.size, self.size)
        lengths = len(self.name), len(sizes) + len(self.padding)
        start = _LOCAL.pack(
            b"PK\3\4", _VERSION, 0, 0, 0, _DATE, self.checksum, _ELSEWHERE, _ELSEWHERE, *lengths
        )  # fmt: skip
        return start + self.name + sizes + self.padding

    def entry(self) -> bytes:
        """What stands in the directory at the end of the archive."""
        sizes = _ENTRY_SIZES.pack(1, _ENTRY_SIZES.size - 4, self.size, self.size, self.offset)
        lengths = len(self.name), len(sizes), 0
        start = _ENTRY.pack(
            b"PK\1\2", _VERSION, _VERSION, 0, 0, 0, _DATE, self.checksum, _ELSEWHERE, _ELSEWHERE, *lengths,
            0, 0, 0, _ELSEWHERE,
        )  # fmt: skip
        return start + self.name + sizes


class StoredZip:
    """An archive in an empty binary file that can seek. Whatever writes may raise OSError."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._members: list[_Member] = []

    def begin(self, name: str, alignment: int = 1) -> None:
        """Begin a file of that name in the archive; its content begins at a multiple of `alignment`."""
        member = _Member(name.encode("ascii"), self._file.tell(), b"")
        if alignment > 1:
            # "FB" is the mark of torch's own padding.
            size = -(member.offset + len(member.header()) + _PADDING.size) % alignment
            member.padding = _PADDING.pack(b"FB", size) + bytes(size)
        self._members.append(member)
        self._file.write(member.header())

    def write(self, content: bytes | memoryview) -> None:
        """Write the next bytes of the file that was begun last."""
        member = self._members[-1]
        self._file.write(content)
        member.checksum = zlib.crc32(content, member.checksum)
        member.size += len(content)

    def end(self) -> None:
        """End that file."""
        member = self._members[-1]
        self._file.seek(member.offset)
        self._file.write(member.header())
        self._file.seek(0, 2)

    def add(self, name: str, content: bytes) -> None:
        """Add a whole file."""
        self.begin(name)
        self.write(content)
        self.end()

    def finish(self) -> None:
        """Write the directory of the archive."""
        start = self._file.tell()
        for member in self._members:
            self._file.write(member.entry())
        stop = self._file.tell()
        count = len(self._members)
        self._file.write(
            _END_64.pack(b"PK\6\6", _END_64.size - 12, _VERSION, _VERSION, 0, 0, count, count, stop - start, start)
        )
        self._file.write(_LOCATOR.pack(b"PK\6\7", 0, stop, 1))
        self._file.write(_END.pack(b"PK\5\6", 0, 0, _ELSEWHERE_16, _ELSEWHERE_16, _ELSEWHERE, _ELSEWHERE, 0))
