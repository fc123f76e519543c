"""Encoding the splits of a corpus into tensors of ids, with a manifest that says what they are."""

from bpe_tui.dataset.encoding import encode_splits
from bpe_tui.dataset.manifest import read_manifest
from bpe_tui.dataset.model import EncodedDataset, EncodedSplit

__all__ = ["EncodedDataset", "EncodedSplit", "encode_splits", "read_manifest"]
