"""Added tokens of a tokenizer.json, with the ids that Hugging Face's tokenizers gives them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bpe_tui.formats.files import is_id, short, wrong

FLAGS = ("special", "single_word", "lstrip", "rstrip", "normalized")


@dataclass(frozen=True, slots=True)
class AddedTokens:
    """The added tokens of a file, checked."""

    tokens: tuple[dict[str, Any], ...]
    """As in the file, every flag there."""
    ids: dict[str, int]
    special: dict[str, int]
    """Those that are special."""
    disagreement: str | None
    """The first token for which the file says another id, for people."""


def read_added_tokens(value: object, vocabulary: dict[str, int], path: Path) -> AddedTokens:
    """Check the field `added_tokens` and give what it holds. Raises TokenizerFileError.

    tokenizers gives a token that is in the model's vocabulary the id that it has there and every other one the next
    free id, whatever the file says; so do we, and keep in `disagreement` what the file says.
    """
    if value is None:
        value = []
    if not isinstance(value, list):
        raise wrong(path, "added_tokens", "must be a list")
    tokens: list[dict[str, Any]] = []
    ids: dict[str, int] = {}
    owners = {number: token for token, number in vocabulary.items()}
    following = len(vocabulary)
    disagreement = None
    for place, entry in enumerate(value):
        token = _token(entry, place, path)
        content, number = token["content"], token["id"]
        if content in ids:
            raise wrong(path, "added_tokens", f"entry {place}, {short(content)}, is there already")
        given = vocabulary.get(content, following)
        if number != given and disagreement is None:
            disagreement = f"{short(content)} says id {number}, but tokenizers gives it {given}"
        if owners.setdefault(given, content) != content:
            raise wrong(
                path, "added_tokens", f"id {given} would belong to both {short(owners[given])} and {short(content)}"
            )
        following += content not in vocabulary
        ids[content] = given
        tokens.append({**token, "id": given})
    return AddedTokens(
        tuple(tokens), ids, {token["content"]: token["id"] for token in tokens if token["special"]}, disagreement
    )


def _token(entry: object, place: int, path: Path) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise wrong(path, "added_tokens", f"entry {place} is {short(entry)}, which is no token")
    content, number = entry.get("content"), entry.get("id")
    if not isinstance(content, str) or not content:
        raise wrong(path, "added_tokens", f"entry {place} has no content")
    try:
        content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise wrong(path, "added_tokens", f"entry {place} holds a lone surrogate, which is no text") from error
    if not is_id(number):
        raise wrong(path, "added_tokens", f"{short(content)} has the id {short(number)}, which is no id")
    flags = {flag: entry.get(flag, flag == "normalized" and not entry.get("special")) for flag in FLAGS}
    for flag, said in flags.items():
        if not isinstance(said, bool):
            raise wrong(path, "added_tokens", f"{short(content)} has {flag} {short(said)}, not true or false")
    return {"content": content, "id": number, **flags}
