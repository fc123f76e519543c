"""sentencepiece's models: read without it, encoded by it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from bpe_tui import BPETokenizer, TokenizerFileError
from bpe_tui.formats.extras import MissingExtraError
from bpe_tui.formats.foreign import ForeignTokenizer

from .conftest import TEXT

sentencepiece = pytest.importorskip("sentencepiece")


def model(kind: str, vocab_size: int = 70) -> bytes:
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.splitlines()),
        model_writer=out,
        model_type=kind,
        vocab_size=vocab_size,
        minloglevel=2,
        user_defined_symbols=["<mask>"],
        hard_vocab_limit=False,
    )
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "name"), [("bpe", "BPE"), ("unigram", "Unigram"), ("char", "characters"), ("word", "words")]
)
def test_it_encodes_as_theirs_does(tmp_path: Path, kind: str, name: str) -> None:
    (tmp_path / "sp.model").write_bytes(model(kind))
    ours = BPETokenizer.from_file(tmp_path / "sp.model")
    assert isinstance(ours, ForeignTokenizer)
    assert ours.model == name
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "sp.model"))
    for text in (TEXT, "", "the <mask> low", "漢字 €"):
        ids = theirs.encode(text)
        assert ours.encode(text) == ids
        assert ours.decode(ids) == theirs.decode(ids)
    assert ours.tokens == [theirs.id_to_piece(number) for number in range(theirs.get_piece_size())]
    assert ours.special_tokens == {"<unk>": 0, "<s>": 1, "</s>": 2}
    assert len(ours.fingerprint()) == 64


def test_the_merges_of_a_bpe_model_are_shown(tmp_path: Path) -> None:
    (tmp_path / "sp.model").write_bytes(model("bpe"))
    ours = BPETokenizer.from_file(tmp_path / "sp.model")
    made = {left + right for left, right in ours.merges}
    assert made == {token for token in ours.tokens if len(token) > 1 and not token.startswith("<")}


def test_a_model_that_was_cut_off_never_loads(tmp_path: Path) -> None:
    content = model("bpe")
    for length in [*range(1, len(content), 211), len(content) - 1]:
        (tmp_path / "cut.model").write_bytes(content[:length])
        with pytest.raises(TokenizerFileError):
            BPETokenizer.from_file(tmp_path / "cut.model")


def test_a_piece_that_is_there_twice_is_named(tmp_path: Path) -> None:
    content = model("bpe")
    first = content[: 2 + content[1]]
    (tmp_path / "twice.model").write_bytes(first + content)
    with pytest.raises(TokenizerFileError, match="piece 1, '<unk>', is there already as 0"):
        BPETokenizer.from_file(tmp_path / "twice.model")


def test_without_the_package_it_can_be_inspected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sp.model").write_bytes(model("bpe"))
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    monkeypatch.setattr("bpe_tui.formats.sentencepiece_model.installed", lambda _: False)
    ours = BPETokenizer.from_file(tmp_path / "sp.model")
    assert ours.tokens[0] == "<unk>"
    with pytest.raises(MissingExtraError, match=r"takes the package sentencepiece.*pip install sentencepiece"):
        ours.encode("the")
