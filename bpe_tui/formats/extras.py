"""Packages of others that do what is not ours to do; they are wanted only when such a tokenizer is used."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from bpe_tui.errors import BPEError


class MissingExtraError(BPEError):
    """A package that is needed for a tokenizer of another kind is not installed."""


def installed(package: str) -> bool:
    """Whether a package is there, without loading it."""
    return importlib.util.find_spec(package) is not None


def require(package: str, purpose: str) -> Any:
    """Give the module of a package. Raises MissingExtraError, which says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} takes the package {package}, which is not installed: pip install {package}"
        ) from error
