"""`manifest.json`: which tokenizer made the files of ids beside it, from what text, with what result.

```json
{
  "type": "bpe_tui_encoded_splits",
  "version": 1,
  "fingerprint": "<SHA-256 of the tokenizer>",
  "vocab_size": 500,
  "kind": "character_bpe",
  "lossless": true,
  "splits": {
    "train": {"file": "train_ids.pt", "characters": 10, "tokens": 5, "minimum_id": 0, "maximum_id": 9,
              "dtype": "int64", "text_sha256": "…", "ids_sha256": "…"}
  }
}
```

`file` may end in `.npy`, too: the same ids as an array of NumPy's.
`kind` and `lossless` are those of the tokenizer; without them, a manifest is of characters and lossless. Not lossless
says that the ids decode to the words of the text with single spaces between them.
`ids_sha256` is taken over the ids as little-endian int64, so that it does not depend on the format of the file.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bpe_tui.dataset.id_files import FORMATS, FileFormat
from bpe_tui.dataset.model import EncodedDataset, EncodedSplit
from bpe_tui.errors import DatasetError
from bpe_tui.system_errors import explain

MANIFEST_NAME = "manifest.json"
TYPE = "bpe_tui_encoded_splits"
VERSION = 1
SPLIT_NAMES = ("train", "val", "test")

_SHA256 = re.compile(r"[0-9a-f]{64}")


def ids_name(split: str, file_format: FileFormat = "pt") -> str:
    """Give the file name of a split's ids."""
    return f"{split}_ids.{file_format}"


def manifest_json(dataset: EncodedDataset) -> str:
    """Give the text of the manifest, which ends with a newline."""
    document = {
        "type": TYPE,
        "version": VERSION,
        "fingerprint": dataset.fingerprint,
        "vocab_size": dataset.vocab_size,
        "kind": dataset.kind,
        "lossless": dataset.lossless,
        "splits": {
            split.name: {
                "file": split.path.name,
                "characters": split.characters,
                "tokens": split.tokens,
                "minimum_id": split.minimum_id,
                "maximum_id": split.maximum_id,
                "dtype": split.dtype,
                "text_sha256": split.text_sha256,
                "ids_sha256": split.ids_sha256,
            }
            for split in dataset.splits
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def read_manifest(folder: Path) -> EncodedDataset:
    """Read the manifest of `folder`. It is checked field by field; the files of ids themselves are not opened.

    Raises DatasetError, which names the file and the field, when it is missing, damaged or contradicts itself.
    """
    file = folder / MANIFEST_NAME
    try:
        document = json.loads(file.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise DatasetError(f"{folder} holds no {MANIFEST_NAME}; encode the splits into it first") from None
    except OSError as error:
        raise DatasetError(explain(error, "read", file)) from error
    except UnicodeDecodeError as error:
        raise _damaged(file, f"byte {error.start:,} is not UTF-8") from None
    except (json.JSONDecodeError, RecursionError) as error:
        where = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise _damaged(file, f"not valid JSON ({where})") from None
    return _Checker(file).dataset(folder, document)


class _Checker:
    """Takes the document apart and names the field that is wrong."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def dataset(self, folder: Path, document: Any) -> EncodedDataset:
        if not isinstance(document, dict):
            raise _damaged(self.file, "it is not a JSON object")
        if document.get("type") != TYPE:
            raise _damaged(self.file, f'field "type" is not "{TYPE}"')
        if document.get("version") != VERSION:
            raise _damaged(self.file, f'field "version" is not {VERSION}')
        vocab_size = self._count(document, "vocab_size", "vocab_size")
        entries = document.get("splits")
        if not isinstance(entries, dict) or not entries or not set(entries) <= set(SPLIT_NAMES):
            raise _damaged(self.file, f'field "splits" does not hold splits out of {", ".join(SPLIT_NAMES)}')
        kind, lossless = document.get("kind", "character_bpe"), document.get("lossless", True)
        if not isinstance(kind, str):
            raise _damaged(self.file, 'field "kind" is not text')
        if not isinstance(lossless, bool):
            raise _damaged(self.file, 'field "lossless" is neither true nor false')
        return EncodedDataset(
            folder=folder,
            kind=kind,
            lossless=lossless,
            fingerprint=self._digest(document, "fingerprint", "fingerprint"),
            vocab_size=vocab_size,
            splits=tuple(
                self._split(folder, name, entries[name], vocab_size, kind) for name in SPLIT_NAMES if name in entries
            ),
        )

    def _split(self, folder: Path, name: str, entry: Any, vocab_size: int, kind: str) -> EncodedSplit:
        where = f"splits.{name}"
        if not isinstance(entry, dict):
            raise _damaged(self.file, f'field "{where}" is not an object')
        file_name = entry.get("file")
        allowed = [ids_name(name, file_format) for file_format in FORMATS]
        if file_name not in allowed:
            names = " or ".join(f'"{one}"' for one in allowed)
            raise _damaged(self.file, f'field "{where}.file" is not {names}')
        if entry.get("dtype") != "int64":
            raise _damaged(self.file, f'field "{where}.dtype" is not "int64"')
        split = EncodedSplit(
            name=name,
            path=folder / file_name,
            characters=self._count(entry, "characters", f"{where}.characters"),
            tokens=self._count(entry, "tokens", f"{where}.tokens"),
            minimum_id=self._optional_id(entry, "minimum_id", f"{where}.minimum_id", vocab_size),
            maximum_id=self._optional_id(entry, "maximum_id", f"{where}.maximum_id", vocab_size),
            dtype="int64",
            text_sha256=self._digest(entry, "text_sha256", f"{where}.text_sha256"),
            ids_sha256=self._digest(entry, "ids_sha256", f"{where}.ids_sha256"),
        )
        # Up to four bytes, or a character and the end of its word, make tokens of their own.
        if split.tokens > split.characters * {"character_bpe": 1, "word_bpe": 2}.get(kind, 4):
            raise _damaged(self.file, f'field "{where}.tokens" is larger than "{where}.characters" allows')
        if (split.tokens == 0) != (split.minimum_id is None) or (split.tokens == 0) != (split.maximum_id is None):
            raise _damaged(self.file, f'fields "{where}.minimum_id" and "maximum_id" do not fit "tokens"')
        return split

    def _count(self, entry: dict[str, Any], key: str, where: str) -> int:
        value = entry.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise _damaged(self.file, f'field "{where}" is not a whole number')
        return value

    def _optional_id(self, entry: dict[str, Any], key: str, where: str, vocab_size: int) -> int | None:
        if key in entry and entry[key] is None:
            return None
        value = self._count(entry, key, where)
        if value >= vocab_size:
            raise _damaged(self.file, f'field "{where}" is outside the vocabulary of {vocab_size:,} tokens')
        return value

    def _digest(self, entry: dict[str, Any], key: str, where: str) -> str:
        value = entry.get(key)
        if not isinstance(value, str) or not _SHA256.fullmatch(value):
            raise _damaged(self.file, f'field "{where}" is not a SHA-256 in hexadecimal')
        return value


def _damaged(file: Path, what: str) -> DatasetError:
    return DatasetError(f"{file} is damaged: {what}; encode the splits again")
