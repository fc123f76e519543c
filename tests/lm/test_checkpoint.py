"""A checkpoint says what it belongs to, and whatever does not belong to it is refused in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from bpe_tui import BPETokenizer, FingerprintMismatchError
from bpe_tui.lm.checkpoint import Checkpoint, check_tokenizer, load_model, read_checkpoint, write_checkpoint
from bpe_tui.lm.data import ModelData
from bpe_tui.lm.errors import CheckpointFileError
from bpe_tui.lm.runs import begin_run, resume_run

from .conftest import SHAPE, TEXT, settings


@pytest.fixture
def trained(data: ModelData, tmp_path: Path) -> Path:
    begin_run(data, tmp_path / "run", SHAPE, settings(2, evaluations=0, samples=0)).run()
    return tmp_path / "run"


def test_a_checkpoint_holds_what_going_on_takes(trained: Path, data: ModelData) -> None:
    checkpoint = read_checkpoint(trained)
    assert checkpoint.fingerprint == data.fingerprint
    assert checkpoint.data_digest == data.digest
    assert checkpoint.state["progress"]["step"] == 2
    assert checkpoint.state["optimiser"]["state"]
    assert "cpu" in checkpoint.state["random"]
    assert read_checkpoint(trained / "checkpoint.pt").config == checkpoint.config
    model = load_model(checkpoint)
    assert not model.training
    assert torch.equal(model.norm.weight, checkpoint.state["model"]["norm.weight"])


def test_loading_costs_nobody_their_random_numbers(trained: Path) -> None:
    before = torch.get_rng_state()
    load_model(read_checkpoint(trained))
    assert torch.equal(before, torch.get_rng_state())


def test_another_tokenizer_is_refused_with_both_fingerprints(trained: Path, tokenizer: BPETokenizer) -> None:
    checkpoint = read_checkpoint(trained)
    # As many tokens, but others.
    other = BPETokenizer(tokenizer.base_tokens, [*tokenizer.merges[:-1], ("n", "e")])
    assert other.vocab_size == tokenizer.vocab_size
    with pytest.raises(FingerprintMismatchError) as caught:
        check_tokenizer(checkpoint, other, Path("other.json"))
    message = str(caught.value)
    for part in (tokenizer.fingerprint()[:16], other.fingerprint()[:16], "other.json", "checkpoint.pt"):
        assert part in message
    assert "vocabulary" not in message


def test_another_vocabulary_size_is_said_not_left_to_a_shape(
    trained: Path, tokenizer: BPETokenizer, make_data: Callable[..., ModelData]
) -> None:
    other = BPETokenizer(tokenizer.base_tokens, tokenizer.merges[:2])
    with pytest.raises(FingerprintMismatchError, match=r"vocabulary of 19 tokens, the tokenizer one of 16"):
        resume_run(make_data(other, "other"), trained)


def test_going_on_with_another_text_is_refused(
    trained: Path, tokenizer: BPETokenizer, make_data: Callable[..., ModelData]
) -> None:
    other = make_data(tokenizer, "other", train=TEXT * 21)
    with pytest.raises(FingerprintMismatchError) as caught:
        resume_run(other, trained)
    assert "is not the data that" in str(caught.value)
    assert other.digest[:16] in str(caught.value)
    assert read_checkpoint(trained).data_digest[:16] in str(caught.value)


def test_the_same_data_in_another_place_is_the_same(
    trained: Path, tokenizer: BPETokenizer, make_data: Callable[..., ModelData]
) -> None:
    assert resume_run(make_data(tokenizer, "moved"), trained).training.progress.step == 2


def damage(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        content = torch.load(path, weights_only=True)
        change(content)
        torch.save(content, path)

    return apply


def flipped(path: Path) -> bytes:
    """Give the content of a checkpoint with one bit of one weight turned over."""
    content = bytearray(path.read_bytes())
    weight = torch.load(path, weights_only=True)["state"]["model"]["token_embedding.weight"]
    content[content.index(weight.numpy().tobytes()) + 7] ^= 1
    return bytes(content)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-200]), "damaged or something else"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "damaged or something else"),
        (lambda path: path.write_bytes(flipped(path)), "damaged or something else"),
        (lambda path: path.write_bytes(b""), "damaged or something else"),
        (lambda path: path.write_bytes(b"PK no"), "damaged or something else"),
        (lambda path: path.write_text("hello", encoding="utf-8"), "damaged or something else"),
        (lambda path: torch.save(torch.arange(3), path), "no checkpoint of a MiniGPT"),
        (lambda path: path.unlink(), "there is no checkpoint"),
        (damage(lambda content: content.update(version=99)), "has version 99"),
        (damage(lambda content: content.pop("fingerprint")), "a field is missing or wrong"),
        (damage(lambda content: content["config"].update(num_heads=3)), "16 cannot be shared out"),
        (damage(lambda content: content["config"].update(vocab_size=5)), "says 5 tokens, its weights are for 19"),
        (damage(lambda content: content["state"]["model"].pop("norm.weight")), "not those of the model"),
    ],
)
def test_damaged_files_are_refused_in_words(trained: Path, spoil: Callable[[Path], None], words: str) -> None:
    spoil(trained / "checkpoint.pt")
    with pytest.raises(CheckpointFileError, match=words):
        load_model(read_checkpoint(trained))


def test_code_in_a_file_is_not_run(trained: Path, tmp_path: Path) -> None:
    import pickle

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "run_by_the_file",))

    (trained / "checkpoint.pt").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(CheckpointFileError):
        read_checkpoint(trained)
    assert not (tmp_path / "run_by_the_file").exists()


def test_a_checkpoint_that_cannot_be_written_leaves_the_old_one(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = read_checkpoint(trained)
    before = checkpoint.path.read_bytes()

    def full(content: object, file: Any) -> None:
        file.write(b"half")
        raise RuntimeError("[enforce fail at inline_container.cc:659] . unexpected pos 64 vs 0\nframe #0")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(CheckpointFileError, match="cannot write"):
        write_checkpoint(checkpoint)
    assert checkpoint.path.read_bytes() == before
    assert not list(trained.glob(".bpe-tui-*"))


def test_writing_and_reading_gives_the_same(trained: Path, tmp_path: Path) -> None:
    import dataclasses

    checkpoint = read_checkpoint(trained)
    copy: Checkpoint = dataclasses.replace(checkpoint, path=tmp_path / "deep/copy.pt")
    write_checkpoint(copy)
    again = read_checkpoint(tmp_path / "deep/copy.pt")
    assert (again.config, again.settings, again.loop) == (checkpoint.config, checkpoint.settings, checkpoint.loop)
    for name, tensor in checkpoint.state["model"].items():
        assert torch.equal(tensor, again.state["model"][name])
