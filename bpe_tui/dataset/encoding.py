"""Encoding the splits: ids, proof of the round trip, hashes and tensor files, with both hands.

The calling thread encodes one split after another and is the only one that reports. Two helpers do the rest beside
it: hashing, decoding and writing all release Python's lock.
"""

from __future__ import annotations

import hashlib
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bpe_tui.dataset.folder import check_folder, new_files
from bpe_tui.dataset.manifest import MANIFEST_NAME, manifest_json, tensor_name
from bpe_tui.dataset.model import EncodedDataset, EncodedSplit
from bpe_tui.dataset.tensors import write_tensor
from bpe_tui.errors import Cancelled, DatasetError, MissingCharactersError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.corpus import Splits, SplitText

_PIECE = 32 << 20
"""Bytes hashed between two looks at whether the job was cancelled: about 20 ms."""


def encode_splits(
    tokenizer: BPETokenizer,
    splits: Splits,
    folder: Path,
    *,
    overwrite: bool = False,
    special: str = "text",
    report: Report = silent,
) -> EncodedDataset:
    """Encode every split into `folder` as `{train,val,test}_ids.pt` (int64, one dimension) with a `manifest.json`.

    Before anything is written in its place, each split's ids are decoded again and held against the text, with white
    space normalised where the tokenizer does not keep it. The files appear together or not at all. `special` says what
    special tokens in the text are (`bpe.special.SpecialPolicy`).
    `report` counts characters of the split in work; what it raises cancels the job.

    Raises MissingCharactersError before any work when a split holds characters that the tokenizer lacks, and
    DatasetError when the folder holds another tokenizer's output (unless `overwrite`) or cannot be written.
    """
    fingerprint = tokenizer.fingerprint()
    check_folder(folder, fingerprint, overwrite=overwrite)
    _check_characters(tokenizer, splits, report)
    names = (*(tensor_name(split.name) for split in splits), MANIFEST_NAME)
    with new_files(folder, names) as files:
        encoded = _Helpers(tokenizer, special, report).encode(list(splits), folder, files)
        dataset = EncodedDataset(
            folder, fingerprint, tokenizer.vocab_size, encoded, kind=tokenizer.kind, lossless=tokenizer.lossless
        )
        files[MANIFEST_NAME].write(manifest_json(dataset).encode("utf-8"))
        # The last chance to cancel: what follows only gives the finished files their names.
        report("saving", 1, 1)
    return dataset


def _check_characters(tokenizer: BPETokenizer, splits: Splits, report: Report) -> None:
    """Raise MissingCharactersError if a split that is encoded later could not be."""
    # The first one, which is the largest, is checked by its own encoding before anything is encoded.
    for split in list(splits)[1:]:
        report(f"checking {split.name}", 0, len(split.text))
        if not tokenizer.covers(split.text):
            _encode(tokenizer, split, "text", silent)


def _encode(tokenizer: BPETokenizer, split: SplitText, special: str, report: Report) -> npt.NDArray[np.int64]:
    try:
        return tokenizer.encode_array(split.text, report, special)
    except MissingCharactersError as error:
        purpose = f"encoded (the {split.name} split, {split.source})"
        raise MissingCharactersError(error.missing, purpose=purpose) from None


@dataclass(frozen=True, slots=True)
class _Pending:
    """What the helpers are working out for one split."""

    split: SplitText
    ids: npt.NDArray[np.int64]
    text_hash: Future[str]
    ids_hash: Future[str]
    written: Future[None]
    round_trip: Future[None]

    def futures(self) -> tuple[Future[str] | Future[None], ...]:
        return (self.text_hash, self.ids_hash, self.written, self.round_trip)


class _Helpers:
    """Two helper threads and the word that ends their work early."""

    def __init__(self, tokenizer: BPETokenizer, special: str, report: Report) -> None:
        self._tokenizer = tokenizer
        self._special = special
        self._report = report
        self._given_up = threading.Event()

    def encode(
        self, splits: Sequence[SplitText], folder: Path, files: dict[str, IO[bytes]]
    ) -> tuple[EncodedSplit, ...]:
        with ThreadPoolExecutor(max_workers=2, thread_name_prefix="encode") as pool:
            try:
                pending = [self._start(pool, split, files[tensor_name(split.name)]) for split in splits]
                self._wait(pending)
            except BaseException:
                self._given_up.set()
                pool.shutdown(cancel_futures=True)
                raise
        return tuple(_figures(entry, folder) for entry in pending)

    def _start(self, pool: ThreadPoolExecutor, split: SplitText, file: IO[bytes]) -> _Pending:
        text_hash = pool.submit(self._hash_text, split.text)
        step = f"encoding {split.name}"

        def report(_: str, done: int, total: int) -> None:
            self._report(step, done, total)

        report(step, 0, len(split.text))
        ids = _encode(self._tokenizer, split, self._special, report)
        return _Pending(
            split,
            ids,
            text_hash,
            written=pool.submit(write_tensor, ids, file, self._check),
            round_trip=pool.submit(self._prove_round_trip, split, ids),
            ids_hash=pool.submit(self._hash_ids, ids),
        )

    def _wait(self, pending: Sequence[_Pending]) -> None:
        unfinished: set[Future[Any]] = {future for entry in pending for future in entry.futures()}
        total = len(unfinished)
        while unfinished:
            self._report("checking and writing", total - len(unfinished), total)
            finished, unfinished = wait(unfinished, timeout=0.05, return_when=FIRST_COMPLETED)
            for future in finished:
                future.result()

    def _check(self) -> None:
        if self._given_up.is_set():
            raise Cancelled("encoding was cancelled")

    def _check_report(self, step: str, done: int, total: int) -> None:  # noqa: ARG002
        self._check()

    def _hash_text(self, text: str) -> str:
        return self._hash(text.encode("utf-8"))

    def _hash_ids(self, ids: npt.NDArray[np.int64]) -> str:
        return self._hash(np.ascontiguousarray(ids, dtype="<i8").view(np.uint8).data)

    def _hash(self, content: bytes | memoryview) -> str:
        view = memoryview(content)
        digest = hashlib.sha256()
        for start in range(0, len(view), _PIECE):
            self._check()
            digest.update(view[start : start + _PIECE])
        return digest.hexdigest()

    def _prove_round_trip(self, split: SplitText, ids: npt.NDArray[np.int64]) -> None:
        if len(ids) and (int(ids.min()) < 0 or int(ids.max()) >= self._tokenizer.vocab_size):
            raise DatasetError(f"the {split.name} split was encoded to ids outside the vocabulary; nothing was written")
        if not self._same(split.text, self._tokenizer.decode(ids, report=self._check_report), ids):
            raise DatasetError(f"the {split.name} split did not survive encoding and decoding; nothing was written")

    def _same(self, text: str, decoded: str, ids: npt.NDArray[np.int64]) -> bool:
        """Whether `decoded` is what the ids of `text` must decode to."""
        tokenizer = self._tokenizer
        if decoded == text or tokenizer.lossless:
            return decoded == text
        # What does not keep the text as it is must keep all else: its words, or at least its own ids.
        return decoded == tokenizer.normalise(text) or bool(
            np.array_equal(tokenizer.encode_array(decoded, self._check_report, self._special), ids)
        )


def _figures(entry: _Pending, folder: Path) -> EncodedSplit:
    return EncodedSplit(
        name=entry.split.name,
        path=folder / tensor_name(entry.split.name),
        characters=len(entry.split.text),
        tokens=len(entry.ids),
        minimum_id=int(entry.ids.min()) if len(entry.ids) else None,
        maximum_id=int(entry.ids.max()) if len(entry.ids) else None,
        dtype=str(entry.ids.dtype),
        text_sha256=entry.text_hash.result(),
        ids_sha256=entry.ids_hash.result(),
    )
