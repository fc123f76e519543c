"""Getting WikiText-2, the corpus of the tutorial, from where its author publishes it.

WikiText (Merity, Xiong, Bradbury, Socher: "Pointer Sentinel Mixture Models", 2016) is text of Wikipedia under
CC BY-SA. The archive was first published in the bucket research.metamind.io, which no longer answers; its author keeps
the same archive at wikitext.smerity.com. Both addresses are tried. The archive's SHA-256 is the one that several
package managers of public data sets pin; those of the three files are of the files as published.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bpe_tui.atomic import atomic_writer
from bpe_tui.corpus.cleaning import refuse_existing, writing
from bpe_tui.corpus.download import DownloadError, download
from bpe_tui.corpus.opening import open_regular, unreadable
from bpe_tui.errors import CorpusError
from bpe_tui.progress import Report, silent

WIKITEXT2_URLS = (
    "https://wikitext.smerity.com/wikitext-2-v1.zip",
    "https://s3.amazonaws.com/research.metamind.io/wikitext/wikitext-2-v1.zip",
)
WIKITEXT2_SHA256 = "92675f1d63015c1c8b51f1656a52d5bdbc33aafa60cc47a218a66e7ee817488c"
WIKITEXT2_FILES = {
    "wiki.train.tokens": (10_797_148, "9e9fa1ad55b1c2c95b08e37dd8e653f638fac2c6de904b79e813611eefbc985f"),
    "wiki.valid.tokens": (1_121_681, "f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8"),
    "wiki.test.tokens": (1_256_449, "d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0"),
}
"""Size in bytes and SHA-256 of each file."""

MAXIMUM_ARCHIVE_BYTES = 64 << 20
_COPY_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FetchedCorpus:
    """The files of a corpus that was got, and from where (None when they were all there already)."""

    folder: Path
    files: tuple[Path, ...]
    source: str | None


def get_wikitext2(
    destination: Path | str,
    *,
    url: str | None = None,
    sha256: str | None = None,
    archive: Path | str | None = None,
    overwrite: bool = False,
    timeout: float = 30.0,
    report: Report = silent,
) -> FetchedCorpus:
    """Put `wiki.{train,valid,test}.tokens` of WikiText-2 into the folder `destination`.

    The archive comes from `url`, else from the known addresses in turn, or from the file `archive` where there is no
    network. Its SHA-256 must be `sha256` (as published if not given) before anything is unpacked; unless another one
    is asked for, the three files must have their published sizes and SHA-256 too. `timeout` is in seconds without a
    byte. Files that are there already and right are left alone, without a download.

    Raises CorpusError when it cannot be had (it says what to place where), when other files are in the way and not
    `overwrite`, or when the folder cannot be written; Cancelled when `report` does. Nothing is left half-written.
    """
    destination = Path(destination)
    targets = {name: destination / name for name in WIKITEXT2_FILES}
    published = sha256 is None or sha256.lower() == WIKITEXT2_SHA256
    if published and all(_is_published(path) for path in targets.values()):
        return FetchedCorpus(destination, tuple(targets.values()), None)
    refuse_existing(targets.values(), overwrite)
    with contextlib.ExitStack() as stack:
        if archive is not None:
            source = str(archive)
            packed = stack.enter_context(_open_checked(Path(archive), sha256 or WIKITEXT2_SHA256, report))
        else:
            # The file has no name, so that nothing can be left behind.
            packed = stack.enter_context(tempfile.TemporaryFile(prefix="bpe-tui-"))
            urls = WIKITEXT2_URLS if url is None else (url,)
            source = _download_any(urls, packed, destination, sha256 or WIKITEXT2_SHA256, timeout, report)
        _unpack(packed, source, targets, published, report)
    return FetchedCorpus(destination, tuple(targets.values()), source)


def _download_any(
    urls: tuple[str, ...], file: IO[bytes], destination: Path, sha256: str, timeout: float, report: Report
) -> str:
    failures = []
    for url in urls:
        file.seek(0)
        file.truncate()
        try:
            download(url, file, sha256=sha256, maximum_bytes=MAXIMUM_ARCHIVE_BYTES, timeout=timeout, report=report)
        except DownloadError as error:
            failures.append(str(error))
        except OSError as error:
            raise CorpusError(f"the download cannot be stored: {error.strerror or error}") from error
        else:
            return url
    names = ", ".join(WIKITEXT2_FILES)
    raise CorpusError(
        f"WikiText-2 could not be downloaded; nothing was changed. {'; '.join(failures)}. Without a network: fetch "
        f"{urls[0]} elsewhere and name the file with --archive FILE, or place {names} in {destination}"
    )


def _open_checked(path: Path, sha256: str, report: Report) -> IO[bytes]:
    """Open an archive that the user has, once its SHA-256 is proven. Raises CorpusError."""
    file = open_regular(path)
    try:
        digest = hashlib.sha256()
        total = os.fstat(file.fileno()).st_size
        while chunk := file.read(_COPY_BYTES):
            digest.update(chunk)
            report(f"checking {path.name}", file.tell(), total)
        if digest.hexdigest() != sha256.lower():
            raise CorpusError(
                f"{path} is not the archive expected: its SHA-256 is {digest.hexdigest()}, not {sha256.lower()}; "
                f"fetch it again from {WIKITEXT2_URLS[0]}",
                file=path,
            )
        file.seek(0)
    except OSError as error:
        file.close()
        raise unreadable(path, error) from error
    except BaseException:
        file.close()
        raise
    return file


def _unpack(packed: IO[bytes], source: str, targets: dict[str, Path], published: bool, report: Report) -> None:
    """Unpack the three files, all written out before the first takes its name."""
    import zipfile

    from bpe_tui.corpus.unpacking import Member, unpack_member

    folder = next(iter(targets.values())).parent
    packed.seek(0)
    try:
        archive = zipfile.ZipFile(packed)
    except zipfile.BadZipFile as error:
        raise CorpusError(f"{source} is not a zip archive: {error}") from error
    with archive, writing(folder), contextlib.ExitStack() as stack:
        for name, path in targets.items():
            size, digest = WIKITEXT2_FILES[name] if published else (None, None)
            file = stack.enter_context(atomic_writer(path))
            unpack_member(archive, Member(name, size, digest), file, report=report)
            file.flush()
            os.fsync(file.fileno())


def _is_published(path: Path) -> bool:
    """Whether a file is, byte for byte, the one published under its name."""
    size, expected = WIKITEXT2_FILES[path.name]
    try:
        if not path.is_file() or path.stat().st_size != size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == expected
    except OSError:
        return False
