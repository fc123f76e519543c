"""sentencepiece's `.model` files, in: BPE, Unigram, word and character models. Encoding is done by sentencepiece.

The file is a protocol buffer (sentencepiece_model.proto), of which the few fields that matter are read here: pieces
(1: text, score, type), the trainer's settings (2: kind of model), and that nothing is cut off.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bpe_tui.errors import TokenizerFileError
from bpe_tui.formats.extras import installed, require
from bpe_tui.formats.files import short, wrong
from bpe_tui.formats.foreign import ForeignEncoderError, ForeignTokenizer, guarded

PACKAGE = "sentencepiece"
MODELS = {1: "Unigram", 2: "BPE", 3: "words", 4: "characters"}
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Types of pieces."""

Field = tuple[int, int | bytes]


class _DamagedError(Exception):
    """The bytes are no protocol buffer; the message says where."""


class SentencePieceEngine:
    """Encodes and decodes by sentencepiece, which is loaded when it is first needed."""

    package = PACKAGE

    def __init__(self, raw: bytes, model: str) -> None:
        self._raw = raw
        self._model = model
        self._lock = threading.Lock()
        self._loaded: Any = None

    def processor(self) -> Any:
        """Give sentencepiece's processor. Raises MissingExtraError, ForeignEncoderError."""
        with self._lock:
            if self._loaded is None:
                package = require(PACKAGE, f"encoding with this sentencepiece {self._model} model")
                self._loaded = guarded(PACKAGE, "read the model", lambda: package.SentencePieceProcessor(
                    model_proto=self._raw
                ))  # fmt: skip
            return self._loaded

    def encode(self, text: str, special: bool) -> list[int]:  # noqa: ARG002 - it never finds control symbols in text
        """Give the ids of a text."""
        processor = self.processor()
        ids: list[int] = guarded(PACKAGE, "encode the text", lambda: processor.encode(text, out_type=int))
        return ids

    def encode_spans(self, text: str) -> tuple[list[int], list[int]]:
        """Give the ids of a text, and at which character of it each of them ends."""
        processor = self.processor()

        def encode() -> tuple[list[int], list[int]]:
            try:
                found = processor.encode(text, return_type="offset_mapping")
            except TypeError:  # an older package
                pieces = processor.encode(text, out_type="immutable_proto").pieces
                return [piece.id for piece in pieces], [piece.end for piece in pieces]
            return found["ids"], [end for _, end in found["offsets"]]

        spans: tuple[list[int], list[int]] = guarded(PACKAGE, "encode the text", encode)
        return spans

    def decode(self, ids: list[int]) -> str:
        """Give the text of ids."""
        processor = self.processor()
        text: str = guarded(PACKAGE, "decode the ids", processor.decode, ids)
        return text


def looks_like(head: bytes) -> bool:
    """Whether the beginning of a file is that of a sentencepiece model: a first piece with a text in it."""
    return len(head) > 4 and head[0] == 0x0A and head[2] == 0x0A and head[1] < 0x80 and head[3] + 2 <= head[1]


def loads(raw: bytes, path: Path) -> ForeignTokenizer:
    """Make a tokenizer of a file's content. Raises TokenizerFileError."""
    try:
        pieces, kind = _content(raw)
    except _DamagedError as error:
        raise TokenizerFileError(
            f"{path}: {error}; the file is cut off or no sentencepiece model", file=path
        ) from error
    if kind is None:
        raise TokenizerFileError(f"{path}: the settings of the trainer are missing; the file is cut off", file=path)
    model = MODELS.get(kind)
    if model is None:
        raise wrong(path, "model_type", f"is {kind}, which is not known")
    ids: dict[str, int] = {}
    special_tokens: dict[str, int] = {}
    unknown = 0
    for number, (piece, kind_of_piece) in enumerate(pieces):
        if not piece:
            raise wrong(path, "pieces", f"piece {number} is empty")
        if piece in ids:
            raise wrong(path, "pieces", f"piece {number}, {short(piece)}, is there already as {ids[piece]}")
        ids[piece] = number
        unknown += kind_of_piece == UNKNOWN
        if kind_of_piece in (UNKNOWN, CONTROL):
            special_tokens[piece] = number
    if unknown != 1:
        raise wrong(path, "pieces", f"there must be one piece for what is unknown, not {unknown}")
    engine = SentencePieceEngine(raw, model)
    if installed(PACKAGE):
        try:
            engine.processor()
        except ForeignEncoderError as error:
            raise TokenizerFileError(f"{path}: {error}", file=path) from error
    return ForeignTokenizer(
        model=model,
        tokens=[piece for piece, _ in pieces],
        merges=_merges(pieces, ids) if model == "BPE" else [],
        special_tokens=special_tokens,
        engine=engine,
        reason="it is a sentencepiece model, which normalises text and knows words by ▁",
        source=raw,
    )


def _merges(pieces: list[tuple[str, int]], ids: dict[str, int]) -> list[tuple[int, int, int]]:
    """Give how each piece comes about: of the pairs of better pieces that make it, the one met first.

    A BPE model lists pieces by rank and no merges; any two neighbours that make a piece merge. The pair shown is the
    one whose later part has the lowest rank.
    """
    merges: list[tuple[int, int, int]] = []
    for number, (piece, kind) in enumerate(pieces):
        if kind != NORMAL or len(piece) < 2:
            continue
        found = (
            (ids[piece[:cut]], ids[piece[cut:]])
            for cut in range(1, len(piece))
            if piece[:cut] in ids and piece[cut:] in ids
        )
        best = min(found, key=lambda pair: (max(_rank(pair[0], pieces), _rank(pair[1], pieces)), pair), default=None)
        if best is not None:
            merges.append((*best, number))
    return merges


def _rank(number: int, pieces: list[tuple[str, int]]) -> int:
    # Single characters come last in the list, but are there from the start.
    return number if len(pieces[number][0]) > 1 else -1


def _content(raw: bytes) -> tuple[list[tuple[str, int]], int | None]:
    """Give the pieces with their types, and the kind of model. Raises _DamagedError."""
    pieces: list[tuple[str, int]] = []
    kind: int | None = None
    for number, value in _fields(raw, 0, len(raw)):
        if number == 1 and isinstance(value, bytes):
            pieces.append(_piece(value, len(pieces)))
        elif number == 2 and isinstance(value, bytes):
            kind = 1  # the default, when the field is not there
            for inner, setting in _fields(value, 0, len(value)):
                if inner == 3 and isinstance(setting, int):
                    kind = setting
    if not pieces:
        raise _DamagedError("it holds no pieces")
    return pieces, kind


def _piece(value: bytes, place: int) -> tuple[str, int]:
    text, kind = b"", NORMAL
    for number, inner in _fields(value, 0, len(value)):
        if number == 1 and isinstance(inner, bytes):
            text = inner
        elif number == 3 and isinstance(inner, int):
            kind = inner
    try:
        return text.decode("utf-8"), kind
    except UnicodeDecodeError as error:
        raise _DamagedError(f"piece {place} is not UTF-8") from error


def _fields(raw: bytes, start: int, end: int) -> Iterator[Field]:
    """Give (number, value) for each field of a message. Raises _DamagedError."""
    place = start
    while place < end:
        began = place
        key, place = _varint(raw, place, end)
        number, wire = key >> 3, key & 7
        if number == 0:
            raise _DamagedError(f"byte {began:,} begins no field")
        if wire == 0:
            value, place = _varint(raw, place, end)
            yield number, value
            continue
        if wire == 2:
            length, place = _varint(raw, place, end)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise _DamagedError(f"byte {began:,} begins no field")
        if place + length > end:
            raise _DamagedError(f"the field at byte {began:,} goes on behind the end")
        content = raw[place : place + length]
        place += length
        yield number, content if wire != 5 else struct.unpack("<I", content)[0]


def _varint(raw: bytes, place: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if place >= end:
            raise _DamagedError(f"the number at byte {place:,} goes on behind the end")
        byte = raw[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise _DamagedError(f"the number at byte {place - 10:,} is too long")
