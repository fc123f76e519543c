"""Encoding the splits: ids, proof of the round trip, hashes and files of ids, with both hands and block by block.

The calling thread reads and encodes one block after another and is the only one that reports. Two helpers do the rest
beside it, each its own part of every block, in order: one hashes the text and proves the round trip, the other hashes
the ids and writes them. All of that releases Python's lock. Only a few blocks are under way at a time, so that the
memory needed does not depend on the length of the text.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from bpe_tui.dataset.coding import Coder, coder_for
from bpe_tui.dataset.folder import check_folder, new_files
from bpe_tui.dataset.id_files import FORMATS, FileFormat, IdWriter, id_writer
from bpe_tui.dataset.manifest import MANIFEST_NAME, ids_name, manifest_json
from bpe_tui.dataset.model import EncodedDataset, EncodedSplit
from bpe_tui.errors import Cancelled, DatasetError, MissingCharacter, MissingCharactersError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.corpus import Split

AHEAD = 3
"""Blocks that are encoded before the helpers are done with the first of them."""

_PIECE = 32 << 20
"""Bytes hashed between two looks at whether the job was cancelled: about 20 ms."""
_STORED = 32 << 20
"""Bytes of ids from which on the disk is set to work."""
_LOOK = 0.05
"""Seconds between two reports while the helpers are waited for."""

Ids = npt.NDArray[np.int64]


def encode_splits(
    tokenizer: BPETokenizer,
    splits: Iterable[Split],
    folder: Path,
    *,
    overwrite: bool = False,
    special: str = "text",
    file_format: FileFormat = "pt",
    report: Report = silent,
) -> EncodedDataset:
    """Encode every split into `folder` as `{train,val,test}_ids.pt` (int64, one dimension) with a `manifest.json`.

    Before anything is written in its place, each split's ids are decoded again and held against the text, with white
    space normalised where the tokenizer does not keep it. The files appear together or not at all. `special` says what
    special tokens in the text are (`bpe.special.SpecialPolicy`). With the `file_format` "npy", the ids are arrays of
    NumPy's, `{train,val,test}_ids.npy`.
    The text is taken and encoded block by block, unless the tokenizer knows no place where it may be cut.
    `report` counts characters or bytes of the split in work; what it raises cancels the job.

    Raises MissingCharactersError when a split holds characters that the tokenizer lacks, CorpusError when its file
    cannot be read, and DatasetError when the folder holds another tokenizer's output (unless `overwrite`) or cannot be
    written.
    """
    splits = list(splits)
    fingerprint = tokenizer.fingerprint()
    check_folder(folder, fingerprint, overwrite=overwrite)
    coder: Coder[Any] = coder_for(tokenizer, special)
    if not tokenizer.covers_all:
        # The first one, which is the largest, is checked by being encoded.
        for split in splits[1:]:
            _check_characters(coder, split, report)
    names = (*(ids_name(split.name, file_format) for split in splits), MANIFEST_NAME)
    others = [other for other in FORMATS if other != file_format]
    replaced = tuple(ids_name(split.name, other) for split in splits for other in others)
    with new_files(folder, names, replaced) as files, _Helpers() as helpers:
        works: list[_Work] = []
        for split in splits:
            file = files[ids_name(split.name, file_format)]
            writer = id_writer(file, file_format, helpers.check)
            works.append(_Work(split, tokenizer.vocab_size, coder, writer, helpers.check, helpers.storing(file)))
            _encode(works[-1], coder, helpers, report)
        helpers.finish(lambda done, total: report("checking and writing", done, total))
        encoded = tuple(work.figures(folder / ids_name(work.split.name, file_format)) for work in works)
        dataset = EncodedDataset(
            folder, fingerprint, tokenizer.vocab_size, encoded, kind=tokenizer.kind, lossless=tokenizer.lossless
        )
        files[MANIFEST_NAME].write(manifest_json(dataset).encode("utf-8"))
        # The last chance to cancel: what follows only gives the finished files their names.
        report("saving", 1, 1)
    return dataset


def _check_characters(coder: Coder[Any], split: Split, report: Report) -> None:
    """Raise MissingCharactersError, which names all that are missing in the whole split, if it cannot be encoded."""
    missing: dict[str, MissingCharacter] = {}
    start = 0
    for block in coder.blocks(split, lambda _, done, total: report(f"checking {split.name}", done, total)):
        for entry in coder.missing(block):
            known = missing.get(entry.character)
            first = known.first_position if known else start + entry.first_position
            count = entry.count + (known.count if known else 0)
            missing[entry.character] = MissingCharacter(entry.character, count, first)
        start += len(block)
    if missing:
        # Entered in the order of their blocks and of their places in them.
        raise MissingCharactersError(tuple(missing.values()), purpose=_purpose(split))


def _purpose(split: Split) -> str:
    return f"encoded (the {split.name} split, {split.source})"


def _encode(work: _Work, coder: Coder[Any], helpers: _Helpers, report: Report) -> None:
    """Encode a split block by block and give the blocks to the helpers."""
    step = f"encoding {work.split.name}"
    seen = (0, 0)
    start = 0

    def read(_: str, done: int, total: int) -> None:
        nonlocal seen
        seen = done, total
        report(step, done, total)

    def look(*_: object) -> None:
        report(step, *seen)

    read("", 0, 0)
    for block in coder.blocks(work.split, read):
        try:
            ids = coder.encode(block, start, look)
        except MissingCharactersError as error:
            # Other blocks may lack more of them.
            _check_characters(coder, work.split, report)
            raise MissingCharactersError(error.missing, purpose=_purpose(work.split)) from None
        start += len(block)
        helpers.give(partial(work.prove, block, ids), partial(work.write, ids), look)
    helpers.give(None, work.writer.finish, look)


class _Work:
    """What the helpers work out for one split. `prove` is called by one of them, `write` by the other."""

    def __init__(
        self,
        split: Split,
        vocab_size: int,
        coder: Coder[Any],
        writer: IdWriter,
        check: Callable[[], None],
        store: Callable[[int], None],
    ) -> None:
        self.split = split
        self.writer = writer
        self._vocab_size = vocab_size
        self._coder = coder
        self._check = check
        self._store = store
        self._text_hash = hashlib.sha256()
        self._ids_hash = hashlib.sha256()
        self._specials = 0
        self._tokens = 0
        self._minimum: int | None = None
        self._maximum: int | None = None

    def prove(self, block: Any, ids: Ids) -> None:
        """Take in the text of a block, and hold against it what its ids decode to."""
        self._hash(self._text_hash, memoryview(self._coder.utf8(block)))
        self._specials += self._coder.specials(block)
        if not self._coder.survived(block, ids, self._check_report):
            raise DatasetError(
                f"the {self.split.name} split did not survive encoding and decoding; nothing was written"
            )

    def write(self, ids: Ids) -> None:
        """Take in the ids of a block and write them."""
        if not len(ids):
            return
        minimum, maximum = int(ids.min()), int(ids.max())
        if minimum < 0 or maximum >= self._vocab_size:
            raise DatasetError(
                f"the {self.split.name} split was encoded to ids outside the vocabulary; nothing was written"
            )
        self._minimum = minimum if self._minimum is None else min(minimum, self._minimum)
        self._maximum = maximum if self._maximum is None else max(maximum, self._maximum)
        self._tokens += len(ids)
        self._hash(self._ids_hash, np.ascontiguousarray(ids, "<i8").view(np.uint8).data)
        self.writer.write(ids)
        self._store(ids.nbytes)

    def _hash(self, digest: hashlib._Hash, content: memoryview) -> None:
        for start in range(0, len(content), _PIECE):
            self._check()
            digest.update(content[start : start + _PIECE])

    def _check_report(self, *_: object) -> None:
        self._check()

    def figures(self, path: Path) -> EncodedSplit:
        """Give what there is to say when all is done."""
        return EncodedSplit(
            name=self.split.name,
            path=path,
            characters=self.split.facts().characters,
            tokens=self._tokens,
            minimum_id=self._minimum,
            maximum_id=self._maximum,
            dtype="int64",
            text_sha256=self._text_hash.hexdigest(),
            ids_sha256=self._ids_hash.hexdigest(),
            special_tokens=self._specials,
        )


class _Helpers:
    """Two helper threads, which do in order what they are given, and the word that ends their work early.

    A third one has nothing to do but wait for the disk.
    """

    def __init__(self) -> None:
        self._given_up = threading.Event()
        parts = ("prove", "write", "store")
        self._proving, self._writing, self._storing = (ThreadPoolExecutor(1, f"encode {part}") for part in parts)
        self._pending: deque[Future[None]] = deque()
        self._stored: list[Future[None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._given_up.set()
        for pool in (self._proving, self._writing, self._storing):
            pool.shutdown(cancel_futures=True)

    def storing(self, file: IO[bytes]) -> Callable[[int], None]:
        """Give what is told how many bytes were written to a file, so that the disk begins with them at once.

        Otherwise all of a large file would wait for the end, when nothing is left to do meanwhile.
        """
        waiting = 0

        def store(written: int) -> None:
            nonlocal waiting
            waiting += written
            if waiting >= _STORED and all(one.done() for one in self._stored):
                file.flush()
                waiting = 0
                self._stored.append(self._storing.submit(os.fsync, file.fileno()))

        return store

    def check(self) -> None:
        """Raise Cancelled if the work has ended early."""
        if self._given_up.is_set():
            raise Cancelled("encoding was cancelled")

    def give(self, prove: Callable[[], None] | None, write: Callable[[], None], look: Callable[[], None]) -> None:
        """Give both helpers work, once they are not too far behind; `look` is called while that lasts.

        Raises what a helper raised.
        """
        while len(self._pending) > 2 * AHEAD:
            self._wait_for_first(look)
        if prove is not None:
            self._pending.append(self._proving.submit(prove))
        self._pending.append(self._writing.submit(write))

    def finish(self, look: Callable[[int, int], None]) -> None:
        """Wait until all is done; `look` hears how many parts of it are. Raises what a helper raised."""
        total = len(self._pending)
        while self._pending:
            self._wait_for_first(lambda: look(total - len(self._pending), total))
        # A system may tell only once that something could not be written.
        for stored in self._stored:
            stored.result()

    def _wait_for_first(self, look: Callable[[], None]) -> None:
        first = self._pending[0]
        while not first.done():
            look()
            wait([first], timeout=_LOOK)
        first.result()
        self._pending.popleft()
