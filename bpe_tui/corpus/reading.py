"""From the bytes of a file to its text, exactly: no newline is translated, nothing is dropped without a note.

Files are decoded piece by piece, so that reading shows progress, can be cancelled, and never holds the bytes of a whole
file beside its text. Who can work on pieces need not hold the text either.
"""

from __future__ import annotations

import codecs
import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bpe_tui.bpe.checking import check_utf8
from bpe_tui.corpus.looks import SAMPLE_BYTES, known_format, wide_encoding
from bpe_tui.corpus.model import DecodedText, Invalid
from bpe_tui.corpus.opening import open_regular, unreadable
from bpe_tui.errors import CorpusError
from bpe_tui.progress import Report, silent

CHUNK_BYTES = 1 << 20
"""Bytes read at a time: a report comes every few milliseconds, and a piece is still in the cache when it is joined."""
PIECE_BYTES = 1 << 18
"""Bytes read at a time for who works on pieces: small enough that their memory is used again and again."""

_Decode = Callable[[memoryview, str, bool], tuple[str, int]]


class _Source(Protocol):
    def readinto(self, buffer: memoryview, /) -> int | None: ...


@dataclass(frozen=True, slots=True)
class _Encoding:
    name: str
    codec: str
    mark: bytes
    decode: _Decode
    note: str


# The mark of UTF-32 little-endian begins with that of UTF-16 little-endian, so the longer ones are tried first.
_MARKED = (
    _Encoding("UTF-32", "utf-32-le", codecs.BOM_UTF32_LE, codecs.utf_32_le_decode, "decoded as UTF-32 little-endian"),
    _Encoding("UTF-32", "utf-32-be", codecs.BOM_UTF32_BE, codecs.utf_32_be_decode, "decoded as UTF-32 big-endian"),
    _Encoding("UTF-8", "utf-8", codecs.BOM_UTF8, codecs.utf_8_decode, "byte order mark dropped"),
    _Encoding("UTF-16", "utf-16-le", codecs.BOM_UTF16_LE, codecs.utf_16_le_decode, "decoded as UTF-16 little-endian"),
    _Encoding("UTF-16", "utf-16-be", codecs.BOM_UTF16_BE, codecs.utf_16_be_decode, "decoded as UTF-16 big-endian"),
)
_UTF_8 = _Encoding("UTF-8", "utf-8", b"", codecs.utf_8_decode, "")


def read_text(path: Path | str, *, invalid: Invalid = "error", report: Report = silent) -> DecodedText:
    """Read one text file.

    UTF-8, or UTF-16 or UTF-32 when a byte order mark says so. The mark is dropped; line ends and all other
    characters stay as they are. `report` hears of bytes. With `invalid="replace"`, bytes that are no text become
    U+FFFD and are counted in the notes.

    Raises CorpusError for a file that is missing, unreadable, not a file or not text; Cancelled when `report` does.
    """
    path = Path(path)
    with _opened(path) as (file, size):
        return decode(file, size, path, invalid=invalid, report=report)


def decode(
    file: _Source,
    size: int,
    path: Path,
    *,
    invalid: Invalid = "error",
    report: Report = silent,
    chunk_bytes: int = CHUNK_BYTES,
) -> DecodedText:
    """Decode all that `file` gives; `size` is how many bytes that is thought to be, `path` what errors name.

    The text does not depend on `chunk_bytes` (at least 8). Raises CorpusError, and whatever `file` and `report` raise.
    """
    reading = Reading(path, invalid)
    text = ""
    for piece, _ in reading.pieces(file, size, report, chunk_bytes):
        # Python extends a string in place when nobody else holds it: gathering pieces to join them would need the
        # memory twice.
        text += piece
    return DecodedText(text=text, source=path, bytes=reading.bytes, notes=reading.notes)


class Reading:
    """One reading of a text file from its beginning to its end, piece by piece.

    Args:
        path: the file to read, or what errors name.
        invalid: what to do with bytes that are no text.

    Raises ValueError for another `invalid`.

    """

    def __init__(self, path: Path, invalid: Invalid = "error") -> None:
        if invalid not in ("error", "replace"):
            raise ValueError(f'invalid must be "error" or "replace", not {invalid!r}')
        self._path = path
        self._invalid = invalid
        self.bytes = 0
        """Bytes read so far."""
        self.characters = 0
        """Characters that they made."""
        self.notes: tuple[str, ...] = ()
        """What a reader should know, in words; known at the end."""

    def texts(self, report: Report = silent) -> Iterator[str]:
        """Give the text of the file, about PIECE_BYTES bytes at a time.

        Raises CorpusError as `read_text` does, where the reading meets the reason. `report` hears of bytes.
        """
        with _opened(self._path) as (file, size):
            for text, _ in self.pieces(file, size, report, PIECE_BYTES):
                yield text

    def utf8(self, report: Report = silent) -> Iterator[bytes]:
        """Give the same text as UTF-8, cut between characters."""
        with _opened(self._path) as (file, size):
            for text, same in self.pieces(file, size, report, PIECE_BYTES, as_text=False):
                yield text.encode() if same is None else same.tobytes()

    def pieces(
        self,
        file: _Source,
        size: int,
        report: Report = silent,
        chunk_bytes: int = CHUNK_BYTES,
        *,
        as_text: bool = True,
    ) -> Iterator[tuple[str, memoryview | None]]:
        """Decode all that `file` gives, as `decode` does; give each piece with its UTF-8, if the file held just that.

        Those bytes are written over when the next piece is asked for. Unless it is wanted `as_text`, a piece of which
        there are bytes has no text.
        """
        path = self._path
        step = f"reading {path.name}"
        # One byte more than the file, so that a small one is seen to end with its first piece.
        buffer = bytearray(max(8, min(chunk_bytes, size + 1 if size else chunk_bytes)))
        view = memoryview(buffer)
        report(step, 0, size)
        filled = _fill(file, view, 0)
        encoding = next((marked for marked in _MARKED if buffer.startswith(marked.mark, 0, filled)), _UTF_8)
        sample = bytes(view[: min(filled, SAMPLE_BYTES)])
        if encoding is _UTF_8:
            _refuse_disguised(sample, path, self._invalid)
        decoder = _Decoder(encoding, path, self._invalid, sample)
        start = self.bytes = len(encoding.mark)
        while True:
            at_end = filled < len(buffer)
            replaced = decoder.replaced
            checked = None if as_text else decoder.check(view[start:filled], at_end)
            if checked:
                piece, (characters, used) = "", checked
            else:
                piece, used = decoder.piece(view[start:filled], self.bytes, at_end)
                characters = len(piece)
            self.bytes += used
            self.characters += characters
            as_it_was = encoding.name == "UTF-8" and decoder.replaced == replaced
            yield piece, view[start : start + used] if as_it_was else None
            left = filled - start - used
            buffer[:left] = view[start + used : filled].tobytes()
            report(step, self.bytes, max(size, self.bytes))
            if at_end:
                break
            start = 0
            filled = _fill(file, view, left)
        self.notes = decoder.notes(empty=not self.characters)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[_Source, int]]:
    """Open a text file and give it with its size; turn what the system says while it is read into CorpusError.

    A file that was changed meanwhile is one, too.
    """
    with open_regular(path) as file:
        try:
            before = os.fstat(file.fileno())
            yield file, before.st_size
            # Half of the old text and half of the new one would be no text that anybody has ever had.
            after = os.fstat(file.fileno())
            if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
                raise CorpusError(
                    f"{path} was written to while it was read: begin again when it is finished", file=path
                )
        except CorpusError:
            raise
        except OSError as error:
            raise unreadable(path, error) from error
        except MemoryError as error:
            raise CorpusError(f"{path} is too big for the memory of this machine", file=path) from error


def _fill(file: _Source, view: memoryview, filled: int) -> int:
    while filled < len(view):
        count = file.readinto(view[filled:])
        if not count:
            break
        filled += count
    return filled


def _refuse_disguised(sample: bytes, path: Path, invalid: Invalid) -> None:
    """Stop at bytes that are valid UTF-8 by accident only."""
    nuls = sample.count(0)
    if not nuls:
        return
    share = f"{nuls:,} of its first {len(sample):,} bytes are NUL"
    known = known_format(sample)
    wide = None if known else wide_encoding(sample)
    if wide:
        name, codec = wide
        why = f"looks like {name} without a byte order mark ({share}); convert it first: iconv -f {codec} -t UTF-8"
    elif invalid == "error" and known:
        why = f"is not text: {known}"
    elif invalid == "error" and nuls * 10 >= len(sample) * 3:
        why = f"is not text: {share}; it is damaged, or binary data"
    else:
        return
    place = sample.index(0)
    raise CorpusError(f"{path} {why}", file=path, byte_offset=place, line=1 + sample.count(b"\n", 0, place))


class _Decoder:
    """Decodes piece after piece and keeps count of what people should be told."""

    def __init__(self, encoding: _Encoding, path: Path, invalid: Invalid, sample: bytes) -> None:
        self._encoding = encoding
        self._path = path
        self._invalid = invalid
        self._sample = sample
        self._lines = 0
        self._nuls = 0
        self._returns = 0
        self.replaced = 0
        self._first_replaced = ""

    def piece(self, view: memoryview, offset: int, at_end: bool) -> tuple[str, int]:
        """Decode `view`, which stands at byte `offset` of the file; gives the text and how many bytes it took."""
        try:
            text, used = self._encoding.decode(view, "strict", at_end)
        except UnicodeDecodeError as error:
            if self._invalid == "error":
                raise self._invalid_byte(error, offset) from None
            text, used = self._replace(view, offset, at_end, error)
        self._lines += text.count("\n")
        if "\0" in text:
            self._nuls += text.count("\0")
        if "\r" in text:
            self._returns += text.count("\r")
        return text, used

    def check(self, view: memoryview, at_end: bool) -> tuple[int, int] | None:
        """Give how many characters of UTF-8 `view` holds and how many bytes they take; None if it is to be decoded."""
        if self._encoding.name != "UTF-8":
            return None
        found = check_utf8(view)
        if len(view) - found.bytes > 3:
            return None
        try:
            # It may be the beginning of a character.
            self._encoding.decode(view[found.bytes :], "strict", at_end)
        except UnicodeDecodeError:
            return None
        self._lines += found.line_ends
        self._nuls += found.nuls
        self._returns += found.returns
        return found.characters, found.bytes

    def notes(self, *, empty: bool) -> tuple[str, ...]:
        """Say what was noticed, most important first."""
        notes = []
        if self._encoding.note:
            notes.append(self._encoding.note)
        if self.replaced:
            bytes_ = "1 invalid byte" if self.replaced == 1 else f"{self.replaced:,} invalid bytes"
            notes.append(f"{bytes_} replaced by U+FFFD, the first {self._first_replaced}")
        if empty:
            notes.append("the file is empty")
        if self._nuls:
            notes.append(f"{_times(self._nuls, 'NUL character')} (U+0000) kept")
        if self._returns:
            notes.append(f"{_times(self._returns, 'carriage return')} (U+000D) kept")
        return tuple(notes)

    def _place(self, error: UnicodeDecodeError, offset: int) -> tuple[int, int]:
        """Give the byte offset and the line (from 1) of the invalid byte."""
        before = self._encoding.decode(memoryview(error.object)[: error.start], "ignore", False)[0]
        return offset + error.start, self._lines + before.count("\n") + 1

    def _invalid_byte(self, error: UnicodeDecodeError, offset: int) -> CorpusError:
        place, line = self._place(error, offset)
        value = error.object[error.start]
        likely = known_format(self._sample)
        if likely is None and 0 in self._sample and self._encoding is _UTF_8:
            likely = "it holds NUL bytes too and looks like binary data"
        if likely is None and self._encoding.name != "UTF-8":
            likely = "the file has its byte order mark, but is damaged or cut off"
        if likely is None:
            likely = "it may be in another encoding (Latin-1, Windows-1252, GBK, …)"
        return CorpusError(
            f"{self._path}: byte 0x{value:02X} at byte offset {place}, line {line}, is not {self._encoding.name}: "
            f"{likely}; convert it to UTF-8, or put U+FFFD in place of such bytes with --invalid replace",
            file=self._path,
            byte_offset=place,
            line=line,
        )

    def _replace(self, view: memoryview, offset: int, at_end: bool, error: UnicodeDecodeError) -> tuple[str, int]:
        if not self.replaced:
            place, line = self._place(error, offset)
            self._first_replaced = f"at byte offset {place}, line {line}"
        text, used = self._encoding.decode(view, "replace", at_end)
        # What valid bytes make, made bytes again, is as long as the valid bytes: the rest was replaced.
        valid, _ = self._encoding.decode(view[:used], "ignore", at_end)
        self.replaced += used - len(valid.encode(self._encoding.codec))
        return text, used


def _times(count: int, thing: str) -> str:
    return f"1 {thing}" if count == 1 else f"{count:,} {thing}s"
