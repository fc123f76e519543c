"""Taking a few known files out of a zip archive without trusting it.

Nothing is unpacked by the names the archive gives: the files wanted are looked up and written where the caller says,
so no name can lead elsewhere. Sizes are bounded while unpacking, whatever the archive claims.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO

from bpe_tui.errors import CorpusError
from bpe_tui.progress import Report, silent

CHUNK_BYTES = 1 << 20
MAXIMUM_MEMBER_BYTES = 256 << 20
"""Bound for members whose size is not known."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file wanted from an archive, in whichever folder of it; size and SHA-256 are checked where given."""

    name: str
    bytes: int | None = None
    sha256: str | None = None


def unpack_member(archive: zipfile.ZipFile, member: Member, file: IO[bytes], *, report: Report = silent) -> int:
    """Write one member into `file` and give its size in bytes. `report` hears of bytes.

    Raises CorpusError when the archive does not hold it exactly once, when it is damaged, encrypted, too big or not
    the one expected; Cancelled when `report` does.
    """
    found = [info for info in archive.infolist() if info.filename.rpartition("/")[2] == member.name]
    if len(found) != 1:
        raise CorpusError(f"the archive holds {len(found) or 'no'} {member.name}, one was expected")
    info = found[0]
    limit = MAXIMUM_MEMBER_BYTES if member.bytes is None else member.bytes
    if info.file_size > limit:
        raise CorpusError(f"{member.name} in the archive has {info.file_size:,} bytes, at most {limit:,} were expected")
    digest = hashlib.sha256()
    done = 0
    step = f"unpacking {member.name}"
    try:
        with archive.open(info) as packed:
            report(step, 0, info.file_size)
            while chunk := packed.read(CHUNK_BYTES):
                done += len(chunk)
                if done > limit:
                    raise CorpusError(f"{member.name} in the archive is bigger than the {limit:,} bytes expected")
                digest.update(chunk)
                file.write(chunk)
                report(step, done, info.file_size)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise CorpusError(f"{member.name} in the archive cannot be unpacked: {error}") from error
    if member.sha256 is not None and digest.hexdigest() != member.sha256:
        raise CorpusError(
            f"{member.name} in the archive is not the one expected: its SHA-256 is {digest.hexdigest()}, "
            f"not {member.sha256}"
        )
    return done
