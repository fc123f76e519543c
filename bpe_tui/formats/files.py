"""What all readers and writers of tokenizer files share: getting at the bytes, and complaints that name the place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

from bpe_tui.atomic import atomic_writer
from bpe_tui.corpus.opening import open_regular
from bpe_tui.errors import CorpusError, TokenizerFileError

LARGEST = 1 << 31
"""Bytes of the largest file that is read at all; the largest tokenizers have a hundredth of that."""
LONGEST_TOKEN = 1 << 16
"""Bytes of the longest token that is believed."""


def wrong(path: Path, field: str | None, what: str) -> TokenizerFileError:
    """Give the error for a field of a file, or a line (`field` then reads "line 7")."""
    place = "" if field is None else f"{field}: " if field.startswith("line ") else f"field {field!r}: "
    return TokenizerFileError(f"{path}: {place}{what}", file=path, field=field)


def read_bytes(path: Path) -> bytes:
    """Give the content of a regular file. Raises TokenizerFileError."""
    try:
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is no regular file" if path.exists() else "does not exist"
            raise TokenizerFileError(f"{path}: the file {what}; give the path of a tokenizer file", file=path)
        if path.stat().st_size > LARGEST:
            raise TokenizerFileError(f"{path}: more than 2 GB, which no tokenizer file has", file=path)
        # It may be exchanged for a pipe just now, and some files of the system wait for a writer as pipes do.
        with open_regular(path) as file:
            return file.readall() or b""
    except CorpusError as error:
        raise TokenizerFileError(str(error), file=path) from error
    except OSError as error:
        raise TokenizerFileError(f"{path}: cannot be read: {error.strerror or error}", file=path) from error


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write files that belong together: each whole, none before all are ready. Raises TokenizerFileError."""
    path = next(iter(contents))
    try:
        with ExitStack() as stack:
            for path, content in contents.items():
                stack.enter_context(atomic_writer(path)).write(content)
    except OSError as error:
        raise TokenizerFileError(
            f"{path}: the tokenizer cannot be saved: {error.strerror or error}; choose another place", file=path
        ) from error


def decode(raw: bytes, path: Path) -> str:
    """Give the text of a file that must be UTF-8. Raises TokenizerFileError."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TokenizerFileError(
            f"{path}: byte {error.start:,} is not UTF-8, so this is no tokenizer file", file=path
        ) from error


def parse_json(raw: bytes, path: Path) -> dict[str, Any]:
    """Give the object that a JSON file holds. Raises TokenizerFileError, also for a name that occurs twice in one."""
    if not raw.strip():
        raise TokenizerFileError(f"{path}: the file is empty; save the tokenizer again", file=path)
    text = decode(raw, path)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            seen: set[str] = set()
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise TokenizerFileError(f"{path}: {short(twice)} is there twice; which one counts is not clear", file=path)
        return made

    try:
        content = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise TokenizerFileError(
            f"{path}: line {error.lineno}, column {error.colno}: not valid JSON ({error.msg}); the file is cut off or "
            "no tokenizer file",
            file=path,
        ) from error
    except TokenizerFileError:
        raise
    except (RecursionError, ValueError) as error:
        raise TokenizerFileError(f"{path}: not a tokenizer file: {error}", file=path) from error
    if not isinstance(content, dict):
        raise TokenizerFileError(
            f"{path}: holds a JSON {type(content).__name__}, but a tokenizer file holds an object", file=path
        )
    return content


def is_id(value: object) -> bool:
    """Whether a value from a file is a whole number that can be an id."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31


def token_ids(value: object, path: Path, field: str) -> dict[str, int]:
    """Give token to id from a field that must hold just that, no id twice. Raises TokenizerFileError."""
    if not isinstance(value, dict):
        raise wrong(path, field, "must be an object of tokens and their ids")
    owners: dict[int, str] = {}
    for token, number in value.items():
        if not is_id(number):
            raise wrong(path, field, f"token {short(token)} has the id {short(number)}, which is no id")
        if number in owners:
            raise wrong(path, field, f"id {number} belongs to both {short(owners[number])} and {short(token)}")
        owners[number] = token
    return value


def token_pairs(value: object, path: Path, field: str) -> list[tuple[str, str]]:
    """Give the merges from a field that must hold pairs of strings, none twice. Raises TokenizerFileError."""
    if not isinstance(value, list):
        raise wrong(path, field, "must be a list of pairs")
    merges: list[tuple[str, str]] = []
    for rank, pair in enumerate(value):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) and part for part in pair):
            raise wrong(path, field, f"entry {rank} must be a pair of strings, not {short(pair)}")
        merges.append((pair[0], pair[1]))
    refuse_repeats(merges, path, lambda _: field)
    return merges


def refuse_repeats(merges: list[tuple[str, str]], path: Path, field: Any) -> None:
    """Raise TokenizerFileError if a merge is there twice; `field` gives the place of a merge by its rank."""
    if len(set(merges)) == len(merges):
        return
    first: dict[tuple[str, str], int] = {}
    for rank, pair in enumerate(merges):
        if pair in first:
            raise wrong(
                path,
                field(rank),
                f"merge {rank} ({short(pair[0])}, {short(pair[1])}) is there already as {first[pair]}",
            )
        first[pair] = rank


def refuse_unknown(merges: Iterable[tuple[str, str]], known: Mapping[str, int], path: Path, field: Any) -> None:
    """Raise TokenizerFileError if a merge uses or makes a string that is no token; `field` as for repeats."""
    for rank, (left, right) in enumerate(merges):
        if left in known and right in known and left + right in known:
            continue
        for part in (left, right):
            if part not in known:
                raise wrong(path, field(rank), f"merge {rank} uses {short(part)}, which is not in the vocabulary")
        raise wrong(path, field(rank), f"merge {rank} makes {short(left + right)}, which is not in the vocabulary")


def short(value: object) -> str:
    """Show a value from a file, on one line and not without end."""
    shown = repr(value) if isinstance(value, str) and value.isprintable() else ascii(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def quoted_pairs(merges: Iterable[tuple[str, str]]) -> list[str]:
    """Give merges as JSON, each a list of two strings."""
    return [f"[{quoted(left)}, {quoted(right)}]" for left, right in merges]


def quoted_ids(tokens: Iterable[tuple[str, int]]) -> list[str]:
    """Give tokens and ids as entries of a JSON object."""
    return [f"{quoted(token)}: {number}" for token, number in tokens]


quoted = json.encoder.encode_basestring
"""A string as JSON, its characters as they are."""


def joined(name: str, brackets: str, entries: list[str]) -> str:
    """Give a field of JSON with one entry a line."""
    content = "\n    " + ",\n    ".join(entries) + "\n  " if entries else ""
    return f"  {json.dumps(name)}: {brackets[0]}{content}{brackets[1]}"


def refuse(path: Path, what: str) -> NoReturn:
    """Raise the error for a tokenizer that a format cannot hold."""
    raise TokenizerFileError(f"{path}: {what}", file=path)
