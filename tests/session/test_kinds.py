"""Runs on words and on bytes: the same laws as for characters, through settings, checkpoints and journals."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.special import SpecialTokenError
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.session.checkpoint import CheckpointError, read_checkpoint, resume, write_checkpoint
from bpe_tui.session.journal import Journal, recover
from bpe_tui.session.run import Run
from bpe_tui.session.settings import Alphabet, RunSettings, SettingsError
from bpe_tui.session.state import RunState

WAIT = 120
TEXT = "the cat sat on the mat, the rat sat on the cat.<|end|>\nDo cats sit? They sat; the cats sat!\n" * 6
VAL = "a new hat: ünder the mät\n"

KINDS = {
    "characters": RunSettings(None, 60),
    "words": RunSettings(None, 50, alphabet="words", special_tokens=("<|end|>",), punctuation="separate"),
    "glued words": RunSettings(None, 75, alphabet="words", ties="lexicographic"),
    "bytes": RunSettings(None, 270, alphabet="bytes", special_tokens=("<|end|>", "[PAD]")),
    "raw bytes": RunSettings(None, 270, alphabet="bytes", split="cl100k", ties="bytes"),
    "pieces of one's own": RunSettings(None, 270, alphabet="bytes", pattern=r"\w+|\W", ties="first"),
}


def finished(run: Run) -> Run:
    run.start()
    seen = run.wait_until(lambda snapshot: snapshot.state.ended, WAIT)
    assert seen.state is RunState.DONE, seen.error
    assert run.close(WAIT)
    return run


def at_once(name: str) -> BPETokenizer:
    """The tokenizer that the library gives without a session."""
    base = sorted(set(TEXT + VAL))
    if name == "characters":
        return BPETokenizer.train(TEXT, 60, 2, base, verbose=False)
    if name == "words":
        return WordBPETokenizer.train(
            TEXT, 50, 2, base, verbose=False, punctuation="separate", special_tokens=["<|end|>"]
        )
    if name == "glued words":
        return WordBPETokenizer.train(TEXT, 75, 2, base, verbose=False, marker="glued", ties="lexicographic")
    settings = KINDS[name]
    return ByteBPETokenizer.train(
        TEXT,
        270,
        2,
        verbose=False,
        rule=settings.splitting_rule(),
        ties=settings.tie_rule,
        special_tokens=settings.special_tokens,
    )


@pytest.mark.parametrize("name", KINDS)
def test_a_run_makes_the_tokenizer_of_its_kind(make_splits, name) -> None:
    run = finished(Run(make_splits(TEXT, VAL), KINDS[name]))
    tokenizer, seen = run.tokenizer(), run.snapshot()
    assert tokenizer.fingerprint() == at_once(name).fingerprint()
    assert tokenizer.kind == seen.kind
    assert len(tokenizer.itos) == seen.total_vocab_size == run.settings.target_vocab_size
    assert seen.progress == 1.0
    ids = run.encoder().encode(VAL)
    assert ids.tolist() == tokenizer.encode(VAL)
    assert tokenizer.decode(ids) == tokenizer.normalise(VAL)
    lengths = run.encoder().token_lengths()
    assert int(lengths[ids].sum()) >= len(tokenizer.normalise(VAL))
    assert not any("<|" in token or "|>" in token for token in seen.tokens[: seen.vocab_size]) or name not in (
        "words",
        "bytes",
    )


@pytest.mark.parametrize("name", KINDS)
def test_a_checkpoint_and_a_journal_go_on_as_if_nothing_had_happened(make_splits, tmp_path, name) -> None:
    whole = finished(Run(make_splits(TEXT, VAL), KINDS[name])).tokenizer()
    first = Run(make_splits(TEXT, VAL), KINDS[name], journal=Journal(tmp_path / "journal"))
    first.step(7)
    first.wait_until(lambda seen: seen.state is RunState.PAUSED and seen.merges == 7, WAIT)
    kept = write_checkpoint(tmp_path / "run.json", first)
    first.close(WAIT)
    assert read_checkpoint(tmp_path / "run.json") == kept
    recovered = [found.checkpoint for found in recover(tmp_path / "journal")]
    assert [found.merges for found in recovered] == [kept.merges]
    for checkpoint in (read_checkpoint(tmp_path / "run.json"), recovered[0]):
        assert checkpoint.settings == KINDS[name]
        second = resume(checkpoint, make_splits(TEXT, VAL))
        assert len(second.tokenizer().merges) == 7
        assert finished(second).tokenizer().fingerprint() == whole.fingerprint()


def test_a_checkpoint_of_one_kind_goes_on_only_as_that_kind(make_splits, tmp_path) -> None:
    run = Run(make_splits(TEXT, VAL), KINDS["words"])
    run.step(3)
    run.wait_until(lambda seen: seen.state is RunState.PAUSED, WAIT)
    kept = write_checkpoint(tmp_path / "run.json", run)
    run.close(WAIT)
    with pytest.raises(CheckpointError, match="not the one that this checkpoint was trained on"):
        resume(replace(kept, settings=KINDS["bytes"]), make_splits(TEXT, VAL))


def test_the_target_can_be_raised_with_special_tokens(make_splits) -> None:
    run = finished_but_open = Run(make_splits(TEXT, VAL), KINDS["bytes"])
    run.start()
    run.wait_until(lambda seen: seen.state is RunState.DONE, WAIT)
    assert run.snapshot().total_vocab_size == 270
    run.raise_target(275)
    run.wait_until(lambda seen: seen.state is RunState.DONE and seen.total_vocab_size == 275, WAIT)
    assert finished_but_open.close(WAIT)


def test_a_special_token_that_is_a_base_token_fails_the_run(make_splits) -> None:
    run = Run(make_splits(TEXT, VAL), RunSettings(None, 300, alphabet="bytes", special_tokens=("a",)))
    run.start()
    seen = run.wait_until(lambda snapshot: snapshot.state.ended, WAIT)
    assert seen.state is RunState.FAILED
    assert "'a' is equal to the token with id" in str(seen.error)
    run.close(WAIT)
    with pytest.raises(SpecialTokenError):
        run.tokenizer()


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_settings_survive_as_plain_data(settings) -> None:
    assert RunSettings.from_dict(settings.as_dict()) == settings


def test_settings_from_before_there_were_kinds_mean_characters() -> None:
    old = {"training_characters": None, "target_vocab_size": 500, "minimum_pair_frequency": 2}
    assert RunSettings.from_dict(old) == RunSettings(None)


def test_what_is_not_said_follows_from_the_alphabet() -> None:
    assert RunSettings().tie_rule == "first"
    assert RunSettings(alphabet="bytes").tie_rule == "lowest-id"
    assert RunSettings(alphabet="bytes").splitting_rule().name == "gpt2"
    assert RunSettings(alphabet="words").word_marker == "own"
    assert RunSettings(alphabet="words", ties="lexicographic").word_marker == "glued"
    assert RunSettings(alphabet="bytes", pattern=r"\w+").splitting_rule().pattern == r"\w+"


@pytest.mark.parametrize(
    ("others", "field", "what"),
    [
        ({"alphabet": "letters"}, "alphabet", "one of characters, words, bytes"),
        ({"ties": "bytes"}, "ties", "with characters must be one of first"),
        ({"ties": "lexicographic", "alphabet": "bytes"}, "ties", "lowest-id, bytes, first"),
        ({"split": "gpt2"}, "split", "bytes only"),
        ({"split": "gpt9", "alphabet": "bytes"}, "split", "no splitting rule 'gpt9'"),
        ({"split": "pattern", "alphabet": "bytes"}, "pattern", "needs a regular expression"),
        ({"pattern": "(", "alphabet": "bytes"}, "pattern", "no regular expression"),
        ({"pattern": "a", "split": "gpt2", "alphabet": "bytes"}, "split", "pattern of its own"),
        ({"punctuation": "separate"}, "punctuation", "words only"),
        ({"punctuation": "drop", "alphabet": "words"}, "punctuation", "keep or separate"),
        ({"marker": "glued"}, "marker", "words only"),
        ({"marker": "x", "alphabet": "words"}, "marker", "own or glued"),
        ({"special_tokens": ("a",)}, "special_tokens", "words or bytes"),
        ({"special_tokens": ("",), "alphabet": "words"}, "special_tokens", "at least one"),
        ({"special_tokens": ("a", "a"), "alphabet": "bytes"}, "special_tokens", "given twice"),
        ({"special_tokens": ["a"], "alphabet": "bytes"}, "special_tokens", "must be strings"),
        ({"special_tokens": ("\ud800",), "alphabet": "bytes"}, "special_tokens", "not valid text"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(others, field, what) -> None:
    with pytest.raises(SettingsError, match=what) as caught:
        RunSettings(**others)
    assert caught.value.field == field


@pytest.mark.parametrize(("field", "value"), [("alphabet", 3), ("ties", ["x"]), ("special_tokens", "ab"), ("split", 1)])
def test_damaged_settings_are_refused(field, value) -> None:
    with pytest.raises(SettingsError) as caught:
        RunSettings.from_dict({**KINDS["bytes"].as_dict(), field: value})
    assert caught.value.field == field


def test_every_kind_has_a_name() -> None:
    assert [alphabet.kind for alphabet in Alphabet] == ["character_bpe", "word_bpe", "byte_bpe"]
    assert len({settings.kind for settings, _ in itertools.product(KINDS.values(), "x")}) == 3
