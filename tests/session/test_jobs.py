"""The jobs that both faces call: read, load, save, encode, find."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer
from bpe_tui.errors import BPEError, Cancelled, CorpusError, FingerprintMismatchError, TokenizerFileError
from bpe_tui.session import jobs
from bpe_tui.session.job import Job, JobState

TEXT = "low lower lowest, slow slower slowest\n" * 20


@pytest.fixture(scope="module")
def tokenizer() -> BPETokenizer:
    return BPETokenizer.train(TEXT, 30, verbose=False)


@pytest.fixture
def corpus_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "a corpus, with ünusual name"
    folder.mkdir()
    for name in ("train", "val", "test"):
        (folder / f"{name}.txt").write_text(TEXT, encoding="utf-8", newline="")
    return folder


def test_a_tokenizer_is_saved_proven_and_loaded_again(tokenizer, tmp_path) -> None:
    file = tmp_path / "new folder" / "tokenizer.json"
    saved = jobs.save_tokenizer(tokenizer, file)
    assert (saved.path, saved.vocab_size, saved.merges) == (file, 30, len(tokenizer.merges))
    assert saved.bytes == file.stat().st_size
    loaded = jobs.load_tokenizer(file)
    assert loaded.fingerprint == saved.fingerprint == tokenizer.fingerprint()
    assert loaded.tokenizer.merges == tokenizer.merges


def test_a_file_that_exists_is_not_replaced_unasked(tokenizer, tmp_path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text("precious", encoding="utf-8")
    with pytest.raises(TokenizerFileError, match=r"tokenizer\.json exists already"):
        jobs.save_tokenizer(tokenizer, file, overwrite=False)
    assert file.read_text(encoding="utf-8") == "precious"
    jobs.save_tokenizer(tokenizer, file)
    assert json.loads(file.read_text(encoding="utf-8"))["type"] == "character_bpe"


def test_a_tokenizer_that_reads_back_as_another_is_reported(tokenizer, tmp_path, monkeypatch) -> None:
    other = BPETokenizer(["a"], [])
    monkeypatch.setattr("bpe_tui.formats.write", lambda _tokenizer, path, _format: other.save(path))
    monkeypatch.setattr("bpe_tui.formats.read", lambda *_: other)
    monkeypatch.setattr(BPETokenizer, "save", lambda _self, path: Path(path).write_text("{}", encoding="utf-8"))
    with pytest.raises(FingerprintMismatchError, match="reads back with fingerprint"):
        jobs.save_tokenizer(tokenizer, tmp_path / "tokenizer.json")


def test_a_damaged_file_fails_the_job_with_its_name(tmp_path) -> None:
    file = tmp_path / "broken.json"
    file.write_text("{", encoding="utf-8")
    job = Job("load the tokenizer", lambda report: jobs.load_tokenizer(file, report)).start()
    assert job.wait(60)
    end = job.snapshot()
    assert end.state is JobState.FAILED
    assert end.error is not None
    assert "broken.json" in end.error


def test_a_corpus_is_read_as_a_job(corpus_folder) -> None:
    splits = Job("read", lambda report: jobs.read_corpus(corpus_folder, report=report)).start().outcome()
    assert splits.train.text == TEXT
    with pytest.raises(CorpusError, match="nowhere"):
        jobs.read_corpus(corpus_folder / "nowhere")


def test_the_splits_are_encoded_as_a_job(tokenizer, corpus_folder, tmp_path) -> None:
    splits = jobs.read_corpus(corpus_folder)
    folder = tmp_path / "encoded"
    encoded = Job("encode", lambda report: jobs.encode(tokenizer, splits, folder, report=report)).start().outcome()
    assert encoded.fingerprint == tokenizer.fingerprint()
    assert [split.characters for split in encoded.splits] == [len(TEXT)] * 3
    other = BPETokenizer.train(TEXT, 20, verbose=False)
    with pytest.raises(BPEError, match="encoded"):
        jobs.encode(other, splits, folder)


def test_encoding_that_is_called_off_leaves_nothing(tokenizer, corpus_folder, tmp_path) -> None:

    def call_off(step: str, done: int, total: int) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        jobs.encode(tokenizer, jobs.read_corpus(corpus_folder), tmp_path / "encoded", report=call_off)
    assert not (tmp_path / "encoded").exists() or list((tmp_path / "encoded").iterdir()) == []


def test_the_places_of_a_token_are_found(tokenizer) -> None:
    ids = tokenizer.encode(TEXT)
    found = jobs.find_places(tokenizer, TEXT, ids[0], limit=3)
    assert found[0].offset == 0
    assert len(found) == 3
