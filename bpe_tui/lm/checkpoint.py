"""A model on disk, with all that it takes to go on training it and to know what it belongs to.

The file is torch's own format and holds tensors and plain values only; it is read without running any code of it.
"""

from __future__ import annotations

import dataclasses
import errno
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import torch

from bpe_tui.atomic import atomic_writer
from bpe_tui.errors import FingerprintMismatchError
from bpe_tui.lm.config import MiniGPTConfig
from bpe_tui.lm.errors import CheckpointFileError
from bpe_tui.lm.model import MiniGPT
from bpe_tui.lm.run_folder import CHECKPOINT_NAME
from bpe_tui.lm.settings import TrainingSettings
from bpe_tui.system_errors import explain

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.lm.data import ModelData

TYPE = "bpe_tui_minigpt"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model in training at one moment."""

    path: Path
    config: MiniGPTConfig
    settings: TrainingSettings
    fingerprint: str
    """Of the tokenizer."""
    data_digest: str
    """Of the manifest of the data."""
    data_folder: str
    """Where the data was, for people."""
    state: dict[str, Any]
    """What `Training.state` gave."""
    loop: dict[str, Any]
    """What the loop around the training remembers, see `loop`."""


def write_checkpoint(checkpoint: Checkpoint) -> None:
    """Write the file, whole or not at all. Raises CheckpointFileError."""
    content = {
        "type": TYPE,
        "version": VERSION,
        "config": dataclasses.asdict(checkpoint.config),
        "settings": checkpoint.settings.as_dict(),
        "fingerprint": checkpoint.fingerprint,
        "data_digest": checkpoint.data_digest,
        "data_folder": checkpoint.data_folder,
        "state": checkpoint.state,
        "loop": checkpoint.loop,
    }
    try:
        with atomic_writer(checkpoint.path) as file:
            try:
                torch.save(content, file)
            except RuntimeError as error:
                # What torch makes of a full disk.
                raise OSError(None, f"it could not be written to the end ({error})".splitlines()[0]) from error
    except OSError as error:
        raise CheckpointFileError(explain(error, "write", checkpoint.path)) from error


def read_checkpoint(place: Path) -> Checkpoint:
    """Read a checkpoint file, or the one in the folder of a training.

    Raises CheckpointFileError when there is none, or it is damaged or something else.
    """
    path = place / CHECKPOINT_NAME if place.is_dir() else place
    try:
        with path.open("rb") as file:
            content = _content(file)
    except FileNotFoundError:
        raise CheckpointFileError(
            f"there is no checkpoint {path}; name the folder that `lm train --out` wrote, or a file in it"
        ) from None
    except OSError as error:
        raise CheckpointFileError(explain(error, "read", path)) from error
    except _UnreadableError as error:
        raise CheckpointFileError(
            f"{path} is no checkpoint: it is damaged or something else; train again, or name another file"
        ) from error
    if not isinstance(content, dict) or content.get("type") != TYPE:
        raise CheckpointFileError(f"{path} is no checkpoint of a MiniGPT; name a file that `lm train` wrote")
    if content.get("version") != VERSION:
        raise CheckpointFileError(
            f"{path} has version {content.get('version')!r}, only {VERSION} can be read; train again with this bpe-tui"
        )
    try:
        checkpoint = Checkpoint(
            path=path,
            config=MiniGPTConfig(**content["config"]),
            settings=TrainingSettings.from_dict(content["settings"]),
            fingerprint=str(content["fingerprint"]),
            data_digest=str(content["data_digest"]),
            data_folder=str(content["data_folder"]),
            state=dict(content["state"]),
            loop=dict(content["loop"]),
        )
        weights = checkpoint.state["model"]["token_embedding.weight"]
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path, f"a field is missing or wrong ({error})") from error
    if weights.shape[0] != checkpoint.config.vocab_size:
        raise _damaged(
            path, f"it says {checkpoint.config.vocab_size:,} tokens, its weights are for {weights.shape[0]:,}"
        )
    return checkpoint


class _UnreadableError(Exception):
    """What stands in a file is no checkpoint, or not all of it."""


def _content(file: IO[bytes]) -> Any:
    """Give what torch has saved in a file. Raises _UnreadableError, and OSError when the system cannot read it."""
    try:
        # torch does not look at the checksums of its archive: damaged weights would be weights like any others.
        with zipfile.ZipFile(file) as archive:
            damaged = archive.testzip()
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise _UnreadableError from error
    except Exception as error:  # zipfile raises what it likes for a damaged file
        raise _UnreadableError from error
    if damaged is not None:
        raise _UnreadableError
    file.seek(0)
    with warnings.catch_warnings():
        # What it has to say of foreign files is said by whoever calls this, in words for people.
        warnings.simplefilter("ignore")
        try:
            return torch.load(file, map_location="cpu", weights_only=True)
        except Exception as error:  # and so does torch: RuntimeError, EOFError, pickle's …
            raise _UnreadableError from error


def check_tokenizer(checkpoint: Checkpoint, tokenizer: BPETokenizer, tokenizer_path: Path | None = None) -> None:
    """Make sure that the model was trained on this tokenizer's tokens. Raises FingerprintMismatchError."""
    fingerprint = tokenizer.fingerprint()
    if fingerprint == checkpoint.fingerprint and tokenizer.vocab_size == checkpoint.config.vocab_size:
        return
    of = f" {tokenizer_path}" if tokenizer_path is not None else ""
    sizes = ""
    if tokenizer.vocab_size != checkpoint.config.vocab_size:
        sizes = (
            f"; the model has a vocabulary of {checkpoint.config.vocab_size:,} tokens, "
            f"the tokenizer one of {tokenizer.vocab_size:,}"
        )
    raise FingerprintMismatchError(
        f"{checkpoint.path} was trained with another tokenizer: the model has fingerprint "
        f"{checkpoint.fingerprint[:16]}…, the tokenizer{of} has {fingerprint[:16]}…{sizes}; "
        "name the tokenizer that it was trained with, or train a model with this one",
        file=tokenizer_path,
    )


def check_data(checkpoint: Checkpoint, data: ModelData, *, same_text: bool) -> None:
    """Make sure that the data was encoded by the model's tokenizer, and with `same_text`, is what it was trained on.

    Raises FingerprintMismatchError.
    """
    check_tokenizer(checkpoint, data.tokenizer)
    if same_text and data.digest != checkpoint.data_digest:
        raise FingerprintMismatchError(
            f"{data.dataset.folder} is not the data that {checkpoint.path} was trained on: the model saw data with "
            f"digest {checkpoint.data_digest[:16]}… (then in {checkpoint.data_folder}), "
            f"this one has {data.digest[:16]}…; "
            "name that data to go on, or another --out to train on this one from the start"
        )


def load_model(checkpoint: Checkpoint, device: torch.device | None = None) -> MiniGPT:
    """Give the model of a checkpoint, ready to be asked. Raises CheckpointFileError when its weights do not fit it."""
    random = torch.get_rng_state()
    model = MiniGPT(checkpoint.config)
    # Its first weights, which are about to go, shall cost nobody their random numbers.
    torch.set_rng_state(random)
    try:
        model.load_state_dict(cast("dict[str, Any]", checkpoint.state["model"]))
    except (RuntimeError, TypeError, AttributeError) as error:
        raise _damaged(checkpoint.path, "its weights are not those of the model that it describes") from error
    return model.to(device or torch.device("cpu")).eval()


def _damaged(path: Path, what: str) -> CheckpointFileError:
    return CheckpointFileError(f"{path} is damaged: {what}; train again, or name another file")
