"""A run put aside goes on as if it had never stopped, on the same corpus only, and damage is told, not guessed at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui.bpe import reference
from bpe_tui.session import checkpoint
from bpe_tui.session.checkpoint import CheckpointError, latest, read_checkpoint, resume, stored, write_checkpoint
from bpe_tui.session.run import Run
from bpe_tui.session.settings import RunSettings
from bpe_tui.session.state import RunState

WAIT = 120.0
TEXT = "she sells sea shells by the sea shore; the shells she sells are sea shells, surely. " * 4


def rest(run: Run):
    return run.wait_until(lambda seen: not seen.state.busy and seen.state is not RunState.IDLE, WAIT)


@pytest.fixture
def put_aside(make_splits, tmp_path: Path) -> Path:
    """A checkpoint after seven merges."""
    run = Run(make_splits(TEXT, "a valley"), RunSettings(None, 45))
    run.step(7)
    rest(run)
    file = tmp_path / "a folder, with ünusual name" / "run.json"
    write_checkpoint(file, run)
    run.close()
    return file


@settings(max_examples=150, deadline=None)
@given(
    text=st.one_of(st.text("ab", min_size=2, max_size=100), st.text("abc \né𝄞", min_size=2, max_size=150)),
    extra=st.integers(1, 25),
    steps=st.integers(0, 20),
)
def test_a_resumed_run_learns_what_an_uninterrupted_one_learns(
    make_splits, tmp_path_factory, text, extra, steps
) -> None:
    target = len(set(text)) + extra
    file = tmp_path_factory.mktemp("checkpoint") / "run.json"
    first = Run(make_splits(text), RunSettings(None, target))
    if steps:
        first.step(steps)
        rest(first)
    written = write_checkpoint(file, first)
    first.close()

    kept = read_checkpoint(file)
    assert kept == written
    second = resume(kept, make_splits(text))
    second.start()
    seen = rest(second)
    expected, reason = reference.train(text, target)
    assert seen.state is RunState.DONE
    assert seen.stop_reason == reason
    assert second.merge_strings() == [merge.pair for merge in expected]
    assert seen.log.frequency[: seen.merges].tolist() == [merge.frequency for merge in expected]
    assert second.close(WAIT)


def test_a_step_after_resuming_is_one_new_merge(put_aside, make_splits) -> None:
    run = resume(read_checkpoint(put_aside), make_splits(TEXT, "a valley"))
    assert len(run.merge_strings()) == 7
    run.step()
    assert rest(run).merges == 8
    run.close()


def test_a_checkpoint_of_a_resumed_run_that_was_never_started_loses_nothing(put_aside, make_splits, tmp_path) -> None:
    run = resume(read_checkpoint(put_aside), make_splits(TEXT, "a valley"))
    again = write_checkpoint(tmp_path / "again.json", run)
    assert again.merges == read_checkpoint(put_aside).merges
    assert len(again.merges) == 7


def test_a_raised_target_is_kept(make_splits, tmp_path) -> None:
    run = Run(make_splits(TEXT), RunSettings(None, 30))
    run.raise_target(33)
    assert write_checkpoint(tmp_path / "run.json", run).settings.target_vocab_size == 33
    assert read_checkpoint(tmp_path / "run.json").settings.target_vocab_size == 33


@pytest.mark.parametrize(
    ("train", "val", "words"),
    [
        (TEXT + "x", "a valley", "had 336 characters, it now has 337"),
        (TEXT.replace("surely", "SURELY"), "a valley", "not in content"),
        (TEXT, "no hill", 'no longer in the corpus: "v" (U+0076)'),
        (TEXT, "a valley!", 'new in the corpus: "!" (U+0021)'),
    ],
)
def test_another_corpus_is_refused_and_what_differs_is_named(put_aside, make_splits, train, val, words) -> None:
    with pytest.raises(CheckpointError) as caught:
        resume(read_checkpoint(put_aside), make_splits(train, val))
    assert words in str(caught.value)
    assert "train.txt" in str(caught.value)


def test_a_checkpoint_holds_any_character(make_splits, tmp_path) -> None:
    text = "\x1b[31m[/red]\u202e\x00\ufeff𝄞\r\n" * 3
    run = Run(make_splits(text), RunSettings(None, 30))
    run.start()
    rest(run)
    write_checkpoint(tmp_path / "run.json", run)
    assert (tmp_path / "run.json").read_bytes().isascii()
    assert read_checkpoint(tmp_path / "run.json").merges == tuple(run.merge_strings())
    run.close()


def damage(file: Path, change) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content.pop("type"), "field type"),
        (lambda content: content.update(version=99), "version 99"),
        (lambda content: content.pop("settings"), "settings is missing"),
        (lambda content: content["settings"].update(target_vocab_size="many"), "target vocabulary must be"),
        (lambda content: content["settings"].pop("training_characters"), "training_characters"),
        (lambda content: content.pop("corpus"), "corpus"),
        (lambda content: content["corpus"].update(base_tokens=["ab"]), "base_tokens"),
        (lambda content: content["corpus"]["base_tokens"].pop(), "base_sha256"),
        (lambda content: content.update(merges=None), "merges is missing"),
        (lambda content: content["merges"].append(["a"]), "merges[7]"),
        (lambda content: content["merges"].insert(2, ["qq", "a"]), 'merge 2 uses the token "qq"'),
        (lambda content: content.update(created="yesterday"), "created"),
    ],
)
def test_a_damaged_checkpoint_is_refused_with_file_and_field(put_aside, change, words) -> None:
    damage(put_aside, change)
    with pytest.raises(CheckpointError) as caught:
        read_checkpoint(put_aside)
    assert words in str(caught.value)
    assert str(put_aside) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b'{"type": "character_bpe"}', b"\xff\xfe", b"[" * 100_000])
def test_other_files_are_no_checkpoints(tmp_path, content) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"other\.json"):
        read_checkpoint(file)


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(CheckpointError, match=r"none\.json does not exist"):
        read_checkpoint(tmp_path / "none.json")


def test_the_default_folder_keeps_the_newest_few(make_splits, state_folder) -> None:
    assert latest() is None
    run = Run(make_splits(TEXT), RunSettings(None, 45))
    stranger = state_folder / "checkpoints" / "mine.json"
    stranger.parent.mkdir(parents=True)
    stranger.write_text("{}", encoding="utf-8")
    for _ in range(checkpoint.KEPT + 3):
        run.step()
        rest(run)
        write_checkpoint(None, run)
    run.close()
    assert len(stored()) == checkpoint.KEPT
    assert stranger.exists()
    newest = latest()
    assert newest is not None
    assert len(newest.merges) == checkpoint.KEPT + 3
    checkpoint.discard(newest)
    checkpoint.discard(newest)
    older = latest()
    assert older is not None
    assert len(older.merges) == checkpoint.KEPT + 2
