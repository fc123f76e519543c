"""Reading files of ids. torch is loaded when a `.pt` file is read, not before."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bpe_tui.corpus.opening import open_regular
from bpe_tui.errors import CorpusError, DatasetError
from bpe_tui.system_errors import explain


def read_ids(path: Path) -> npt.NDArray[np.int64]:
    """Read the ids of a `.pt` or `.npy` file. Those of a `.npy` file stay in the file until they are looked at.

    Raises DatasetError when the file cannot be read or holds no whole numbers in one dimension.
    """
    return read_array(path) if path.suffix == ".npy" else read_tensor(path)


def read_array(path: Path) -> npt.NDArray[np.int64]:
    """Give the ids of a `.npy` file, mapped and read-only if they are int64; only plain arrays are accepted.

    Raises DatasetError when the file cannot be read or is no one-dimensional array of whole numbers.
    """
    try:
        with open_regular(path):
            value = np.load(path, mmap_mode="r", allow_pickle=False)
    except CorpusError as error:
        raise DatasetError(str(error)) from error
    except OSError as error:
        raise DatasetError(explain(error, "read", path)) from error
    except Exception as error:  # ValueError, EOFError, whatever a damaged header leads to
        raise DatasetError(f"{path} is not a NumPy file: it is damaged or something else; encode again") from error
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "iu":
        raise DatasetError(f"{path} does not hold a one-dimensional array of token ids; name a file of ids")
    return np.asarray(value.astype(np.int64, copy=False))


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
