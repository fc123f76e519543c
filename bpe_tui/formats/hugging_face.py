"""Hugging Face's tokenizer.json, in.

A BPE whose pipeline is exactly ours becomes a `ByteBPETokenizer` (or, without bytes and pieces, a `BPETokenizer`), and
needs no package. Everything else becomes a `ForeignTokenizer` that says why.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bpe_tui.bpe.byte_alphabet import BYTES, NEVER_IN_TEXT
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.pretokenize import SplittingRule
from bpe_tui.bpe.tokenizer import BPETokenizer
from bpe_tui.errors import TokenizerFileError
from bpe_tui.formats.files import is_id, refuse_repeats, short, token_ids, wrong
from bpe_tui.formats.foreign import ForeignTokenizer
from bpe_tui.formats.hugging_face_added import AddedTokens, read_added_tokens
from bpe_tui.formats.hugging_face_engine import HuggingFaceEngine
from bpe_tui.formats.hugging_face_pipeline import NotOursError, byte_pipeline, is_plain


@dataclass(frozen=True, slots=True)
class Model:
    """The model of a tokenizer.json, checked."""

    type: str
    vocabulary: dict[str, int]
    merges: list[tuple[str, str]]
    results: list[str]
    """What each merge makes."""


def load(content: dict[str, Any], path: Path, rule: SplittingRule | None = None) -> BPETokenizer:
    """Make a tokenizer of what the file holds. Raises TokenizerFileError that names the field."""
    if rule is not None:
        raise wrong(path, "pre_tokenizer", "the file says how text is cut into pieces; leave the splitting rule out")
    raw = content.get("model")
    if not isinstance(raw, dict):
        raise wrong(path, "model", "must be an object")
    model = _model(raw, path)
    added = read_added_tokens(content.get("added_tokens"), model.vocabulary, path)
    try:
        return _ours(content, raw, model, added, path)
    except NotOursError as error:
        return _foreign(content, model, added, str(error), path)


def _ours(content: dict[str, Any], raw: dict[str, Any], model: Model, added: AddedTokens, path: Path) -> BPETokenizer:
    if model.type != "BPE":
        raise NotOursError(f"it is {model.type}, no BPE")
    if added.disagreement:
        raise NotOursError(f"its added tokens disagree with its vocabulary: {added.disagreement}")
    if raw.get("dropout"):
        raise NotOursError("it leaves merges out at random (dropout)")
    for field in ("continuing_subword_prefix", "end_of_word_suffix"):
        if raw.get(field):
            raise NotOursError(f"its tokens carry marks ({field} {short(raw[field])})")
    vocabulary = {token: number for token, number in model.vocabulary.items() if token not in added.ids}
    needed = {part for pair in model.merges for part in pair}.union(model.results)
    for token in added.ids:
        if token in needed:
            raise NotOursError(f"the added token {short(token)} is a part of merges, too")
    if is_plain(content):
        return _characters(raw, vocabulary, model, added)
    pipeline = byte_pipeline(content, added.tokens)
    _check_bytes(vocabulary, added, path)
    for token in vocabulary:
        if any(character not in BYTES for character in token):
            raise NotOursError(f"the token {short(token)} is not made of bytes")
    try:
        return ByteBPETokenizer(
            vocabulary,
            model.merges,
            pipeline.rule,
            added.special,
            whole_pieces=bool(raw.get("ignore_merges")),
            preparation=pipeline.preparation,
            text_only=True,
        )
    except ValueError as error:
        raise TokenizerFileError(f"{path}: {error}", file=path) from error


def _check_bytes(vocabulary: dict[str, int], added: AddedTokens, path: Path) -> None:
    """Tell a file that has lost single bytes from one that was trained without them. Raises both errors."""
    missing = [character for character in BYTES if character not in vocabulary]
    if not missing:
        return
    used = {character for token in vocabulary for character in token}
    highest = max([*vocabulary.values(), *added.ids.values()])
    gaps = highest + 1 - len({*vocabulary.values(), *added.ids.values()})
    if NEVER_IN_TEXT.issuperset(missing) and not gaps:
        return
    named = ", ".join(f"0x{BYTES[character]:02X}" for character in missing[:8])
    if used.intersection(missing) or gaps:
        raise wrong(path, "model.vocab", f"single bytes have no token ({named}); the vocabulary is damaged")
    raise NotOursError(f"it cannot encode all bytes ({len(missing)} have no token)")


def _characters(raw: dict[str, Any], vocabulary: dict[str, int], model: Model, added: AddedTokens) -> BPETokenizer:
    """Give the tokenizer of a BPE on the characters of whole texts."""
    if added.ids or raw.get("unk_token") or raw.get("byte_fallback") or raw.get("ignore_merges"):
        raise NotOursError("it is a BPE of characters with tokens for what it does not know")
    by_id = sorted(vocabulary, key=vocabulary.__getitem__)
    base = [token for token in by_id if len(token) == 1]
    try:
        tokenizer = BPETokenizer(base, model.merges)
    except ValueError as error:
        raise NotOursError(f"it is a BPE of characters, but {error}") from None
    if tokenizer.tokens != by_id or tokenizer.stoi != vocabulary or len(set(model.results)) != len(model.results):
        raise NotOursError("it is a BPE of characters whose ids are not in the order of the merges")
    return tokenizer


def _foreign(content: dict[str, Any], model: Model, added: AddedTokens, reason: str, path: Path) -> ForeignTokenizer:
    ids = {**model.vocabulary, **added.ids}
    highest = max(ids.values(), default=-1)
    if highest >= 2 * len(ids) + 100_000:
        raise wrong(path, "model.vocab", f"the highest id is {highest:,}, but there are only {len(ids):,} tokens")
    tokens = [""] * (highest + 1)
    for token, number in ids.items():
        tokens[number] = token
    merges = [
        (model.vocabulary[left], model.vocabulary[right], model.vocabulary[result])
        for (left, right), result in zip(model.merges, model.results, strict=True)
    ]
    engine = HuggingFaceEngine(content, model.type)
    engine.check(path)
    source = {name: value for name, value in content.items() if name not in ("truncation", "padding")}
    return ForeignTokenizer(
        model=model.type,
        tokens=tokens,
        merges=merges,
        special_tokens=added.special,
        engine=engine,
        reason=reason,
        source=json.dumps(source, sort_keys=True).encode("ascii"),
        unit="bytes" if '"ByteLevel"' in json.dumps(content.get("pre_tokenizer")) else "characters",
    )


def _model(raw: dict[str, Any], path: Path) -> Model:
    kind = raw.get("type") or _kind_without_name(raw)
    if kind == "BPE":
        vocabulary = token_ids(raw.get("vocab"), path, "model.vocab")
        merges = _merges(raw.get("merges"), path)
        return Model("BPE", vocabulary, merges, _results(raw, vocabulary, merges, path))
    if kind in ("WordPiece", "WordLevel"):
        vocabulary = token_ids(raw.get("vocab"), path, "model.vocab")
        unknown = raw.get("unk_token")
        if not isinstance(unknown, str) or unknown not in vocabulary:
            raise wrong(path, "model.unk_token", f"is {short(unknown)}, which is not in the vocabulary")
        return Model(kind, vocabulary, [], [])
    if kind == "Unigram":
        return Model("Unigram", _unigram_vocabulary(raw, path), [], [])
    raise wrong(path, "model.type", f"is {short(kind)}, but only BPE, WordPiece, WordLevel and Unigram are known")


def _kind_without_name(raw: dict[str, Any]) -> str | None:
    """Give the kind of a model in an older file, which does not name it."""
    if "merges" in raw:
        return "BPE"
    if isinstance(raw.get("vocab"), list):
        return "Unigram"
    if "max_input_chars_per_word" in raw or "continuing_subword_prefix" in raw:
        return "WordPiece"
    return "WordLevel" if "vocab" in raw else None


def _merges(value: object, path: Path) -> list[tuple[str, str]]:
    if not isinstance(value, list):
        raise wrong(path, "model.merges", "must be a list")
    merges: list[tuple[str, str]] = []
    for rank, entry in enumerate(value):
        parts = entry.split(" ") if isinstance(entry, str) else entry
        if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) and part for part in parts):
            raise wrong(path, "model.merges", f"entry {rank} is {short(entry)}, which is no pair of tokens")
        merges.append((parts[0], parts[1]))
    refuse_repeats(merges, path, lambda _: "model.merges")
    return merges


def _results(raw: dict[str, Any], vocabulary: dict[str, int], merges: list[tuple[str, str]], path: Path) -> list[str]:
    prefix = raw.get("continuing_subword_prefix") or ""
    if not isinstance(prefix, str):
        raise wrong(path, "model.continuing_subword_prefix", f"is {short(prefix)}, which is no text")
    results: list[str] = []
    for rank, (left, right) in enumerate(merges):
        for part in (left, right):
            if part not in vocabulary:
                raise wrong(path, "model.merges", f"merge {rank} uses {short(part)}, which is not in the vocabulary")
        if prefix and not right.startswith(prefix):
            raise wrong(path, "model.merges", f"merge {rank} has {short(right)} on the right, without {short(prefix)}")
        result = left + right[len(prefix) :]
        if result not in vocabulary:
            raise wrong(path, "model.merges", f"merge {rank} makes {short(result)}, which is not in the vocabulary")
        results.append(result)
    return results


def _unigram_vocabulary(raw: dict[str, Any], path: Path) -> dict[str, int]:
    value = raw.get("vocab")
    if not isinstance(value, list) or not value:
        raise wrong(path, "model.vocab", "must be a list of tokens and their scores")
    vocabulary: dict[str, int] = {}
    for number, entry in enumerate(value):
        if (
            not isinstance(entry, list)
            or len(entry) != 2
            or not isinstance(entry[0], str)
            or not isinstance(entry[1], (int, float))
        ):
            raise wrong(path, "model.vocab", f"entry {number} is {short(entry)}, which is no token with a score")
        if entry[0] in vocabulary:
            raise wrong(path, "model.vocab", f"entry {number}, {short(entry[0])}, is there already")
        vocabulary[entry[0]] = number
    unknown = raw.get("unk_id")
    if unknown is not None and (not is_id(unknown) or unknown >= len(value)):
        raise wrong(path, "model.unk_id", f"is {short(unknown)}, which is no id of the vocabulary")
    return vocabulary
