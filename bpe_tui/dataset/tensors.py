"""The only door to torch: ids to `.pt` files and back. torch is loaded when a function here is called, not before."""

from __future__ import annotations

import threading
from io import BufferedReader
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from bpe_tui.corpus.opening import open_regular
from bpe_tui.errors import CorpusError, DatasetError
from bpe_tui.system_errors import explain

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 16 << 20
TORCH_MEMORY = 190_000_000
"""Bytes that torch takes by being loaded."""


def start_loading_torch() -> None:
    """Load torch in a thread of its own, for a caller who has other work to do before the first tensor."""
    threading.Thread(target=_load, name="load torch").start()


def write_tensor(ids: npt.NDArray[np.int64], file: IO[bytes], check: Callable[[], None]) -> None:
    """Write `ids` as a one-dimensional int64 tensor in torch's own format.

    `check` is called between pieces of at most 16 MB; what it raises ends the writing. Raises OSError.
    """
    import torch

    # torch would warn that it cannot keep its hands off a read-only array.
    writable = ids if ids.flags.writeable else ids.copy()
    sink = _Sink(file, check)
    try:
        torch.save(torch.from_numpy(writable), cast("IO[bytes]", sink))
    except BaseException:
        # torch turns an error of the file into its own about an unexpected position; people need the first one.
        if sink.error is not None:
            raise sink.error from None
        raise


def read_tensor(path: Path) -> npt.NDArray[np.int64]:
    """Read the ids of a `.pt` file; only plain tensors are accepted, never pickled code.

    Raises DatasetError when the file cannot be read or is no one-dimensional tensor of whole numbers.
    """
    import torch

    try:
        with open_regular(path) as raw, BufferedReader(raw) as file:
            value = torch.load(file, map_location="cpu", weights_only=True)
    except CorpusError as error:
        raise DatasetError(str(error)) from error
    except OSError as error:
        raise DatasetError(explain(error, "read", path)) from error
    except Exception as error:  # torch raises what it likes for a damaged file: RuntimeError, EOFError, pickle's …
        raise DatasetError(f"{path} is not a tensor file: it is damaged or something else; encode again") from error
    if not isinstance(value, torch.Tensor) or value.dim() != 1 or value.is_floating_point() or value.is_complex():
        raise DatasetError(f"{path} does not hold a one-dimensional tensor of token ids; name a file of ids")
    return np.asarray(value.to(torch.int64).numpy())


def _load() -> None:
    import torch  # noqa: F401


class _Sink:
    """A file for torch.save that writes in pieces and remembers what went wrong."""

    def __init__(self, file: IO[bytes], check: Callable[[], None]) -> None:
        self._file = file
        self._check = check
        self.error: BaseException | None = None

    def write(self, content: bytes) -> int:
        try:
            view = memoryview(content)
            for start in range(0, len(view), _CHUNK):
                self._check()
                self._file.write(view[start : start + _CHUNK])
        except BaseException as error:
            self.error = self.error or error
            raise
        return len(view)

    def flush(self) -> None:
        self._file.flush()
