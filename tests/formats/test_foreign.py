"""Tokenizers of other kinds: the same public surface, encoded by the program whose file it is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bpe_tui import BPETokenizer, TextError, TokenIdError, TokenizerFileError
from bpe_tui.formats.extras import MissingExtraError
from bpe_tui.formats.foreign import ForeignEncoderError, ForeignTokenizer

from .conftest import TEXT

tokenizers = pytest.importorskip("tokenizers")


def trained(model: Any, trainer: Any, normalizer: Any = None, pre: Any = None) -> Any:
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre or tokenizers.pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator([TEXT], trainer)
    tokenizer.enable_truncation(7)
    tokenizer.enable_padding(length=9)
    return tokenizer


def word_piece() -> Any:
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=120, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False
    )
    normalizer = tokenizers.normalizers.BertNormalizer()
    tokenizer = trained(tokenizers.models.WordPiece(unk_token="[UNK]"), trainer, normalizer)
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    tokenizer.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return tokenizer


def unigram() -> Any:
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=90, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
    )
    return trained(tokenizers.models.Unigram(), trainer, None, tokenizers.pre_tokenizers.Metaspace())


def word_level() -> Any:
    trainer = tokenizers.trainers.WordLevelTrainer(vocab_size=30, special_tokens=["[UNK]"], show_progress=False)
    return trained(tokenizers.models.WordLevel(unk_token="[UNK]"), trainer)


def suffix_bpe() -> Any:
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=120, special_tokens=["[UNK]"], end_of_word_suffix="</w>", show_progress=False
    )
    return trained(tokenizers.models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>"), trainer)


def prefix_bpe() -> Any:
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=120, special_tokens=["[UNK]"], continuing_subword_prefix="##", show_progress=False
    )
    return trained(tokenizers.models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"), trainer)


KINDS = {
    "WordPiece": word_piece,
    "Unigram": unigram,
    "WordLevel": word_level,
    "BPE with </w>": suffix_bpe,
    "BPE with ##": prefix_bpe,
}


@pytest.fixture(params=KINDS)
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[ForeignTokenizer, Any]:
    """Ours and theirs of the same file."""
    theirs = KINDS[request.param]()
    theirs.save(str(tmp_path / "t.json"))
    ours = BPETokenizer.from_file(tmp_path / "t.json")
    assert isinstance(ours, ForeignTokenizer)
    theirs.no_truncation()
    theirs.no_padding()
    return ours, theirs


def test_it_encodes_as_theirs_does(pair: tuple[ForeignTokenizer, Any]) -> None:
    ours, theirs = pair
    for special in ("text", "special"):
        theirs.encode_special_tokens = special == "text"
        for text in (TEXT, "", "the [UNK] <unk> [CLS] low", "漢字"):
            expected = theirs.encode(text, add_special_tokens=False)
            assert ours.encode(text, special=special) == expected.ids
            assert ours.decode(expected.ids) == theirs.decode(expected.ids, skip_special_tokens=False)
    assert ours.encode_array(TEXT).dtype == np.int64
    assert ours.encode_tokens("the low") == [ours.tokens[number] for number in ours.encode("the low")]


def test_its_public_surface_is_that_of_all_tokenizers(pair: tuple[ForeignTokenizer, Any]) -> None:
    ours, theirs = pair
    assert ours.vocab_size == len(ours.tokens) == theirs.get_vocab_size()
    assert ours.stoi == theirs.get_vocab()
    assert ours.itos == {number: token for token, number in ours.stoi.items()}
    assert len(ours.fingerprint()) == 64
    assert len(ours.token_lengths()) == ours.vocab_size
    assert ours.kind == "foreign"
    assert not ours.lossless
    left, right, new = ours.merge_ids()
    assert len(left) == len(right) == len(new) == len(ours.merges)
    assert (len(ours.merges) > 0) is (ours.model == "BPE")
    assert ours.special_tokens
    assert ours.model in ours.reason or ours.model == "BPE"
    assert set(ours.base_tokens).isdisjoint(ours.special_tokens)


def test_wrong_input_is_refused_as_by_all_tokenizers(pair: tuple[ForeignTokenizer, Any], tmp_path: Path) -> None:
    ours, _ = pair
    with pytest.raises(TokenIdError, match="id 9999 at place 1"):
        ours.decode([0, 9999])
    with pytest.raises(TextError, match="character 1 is a lone surrogate"):
        ours.encode("a\ud800")
    with pytest.raises(ForeignEncoderError, match="inspected and compared only"):
        ours.encoder()
    with pytest.raises(TokenizerFileError, match="inspected and compared, not written"):
        ours.save(tmp_path / "out.json")


def test_without_the_package_it_can_be_inspected_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word_piece().save(str(tmp_path / "t.json"))
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    monkeypatch.setattr("bpe_tui.formats.hugging_face_engine.installed", lambda _: False)
    ours = BPETokenizer.from_file(tmp_path / "t.json")
    assert "##" in "".join(ours.tokens)
    with pytest.raises(
        MissingExtraError, match=r"WordPiece tokenizer takes the package tokenizers.*pip install tokenizers"
    ):
        ours.encode("the")


def test_what_their_program_does_not_take_is_an_error_of_the_file(tmp_path: Path) -> None:
    word_piece().save(str(tmp_path / "t.json"))
    content = json.loads((tmp_path / "t.json").read_bytes())
    content["pre_tokenizer"] = {"type": "Nonsense"}
    (tmp_path / "t.json").write_text(json.dumps(content))
    with pytest.raises(TokenizerFileError, match="tokenizers cannot read the file"):
        BPETokenizer.from_file(tmp_path / "t.json")


@pytest.mark.parametrize(
    ("kind", "field", "value", "message"),
    [
        ("WordPiece", "unk_token", "[NONE]", r"'\[NONE\]', which is not in the vocabulary"),
        ("WordPiece", "vocab", {"a": 0, "b": 0}, "belongs to both"),
        ("Unigram", "unk_id", 5000, "5000, which is no id"),
        ("Unigram", "vocab", [["a", 0.0], ["a", 0.0]], "entry 1, 'a', is there already"),
        ("Unigram", "vocab", [["a"]], "entry 0 is"),
        ("Unigram", "vocab", [], "must be a list of tokens and their scores"),
        ("BPE with ##", "merges", [["t", "h"]], "without '##'"),
        ("BPE with ##", "merges", [["t", "##€"]], "'##€', which is not"),
    ],
)
def test_damage_is_found_before_their_program_sees_it(
    tmp_path: Path, kind: str, field: str, value: Any, message: str
) -> None:
    KINDS[kind]().save(str(tmp_path / "t.json"))
    content = json.loads((tmp_path / "t.json").read_bytes())
    content["model"][field] = value
    content["added_tokens"] = []
    (tmp_path / "t.json").write_text(json.dumps(content))
    with pytest.raises(TokenizerFileError, match=message):
        BPETokenizer.from_file(tmp_path / "t.json")


@pytest.mark.parametrize("kind", list(KINDS))
def test_long_texts_go_another_way_to_the_same_tokens(kind: str) -> None:
    from bpe_tui.formats.hugging_face_engine import _LONG, HuggingFaceEngine

    peer = KINDS[kind]()
    engine = HuggingFaceEngine(json.loads(peer.to_str()), kind)
    peer.no_truncation()
    peer.no_padding()
    text = TEXT * (_LONG // len(TEXT) + 1)
    found = peer.encode(text, add_special_tokens=False)
    assert engine.encode(text, special=False) == found.ids
    assert engine.encode_spans(text) == (found.ids, [end for _, end in found.offsets])
