"""Whether the pipeline of a tokenizer.json is one that is exactly ours, and which.

What is ours: text, cut at added tokens, in Unicode's normalisation form C or as it is, cut by one rule, as bytes. The
arrangements of normalizer and pre-tokenizer that come to that are taken; any other is refused with the reason, since a
part that is overlooked makes wrong ids.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from bpe_tui.bpe.preparation import AddedToken, Preparation
from bpe_tui.bpe.pretokenize import RULES, SplittingRule
from bpe_tui.formats.files import short
from bpe_tui.formats.patterns import rule_of_oniguruma


class NotOursError(Exception):
    """A file is in order, but its pipeline is not ours; the message says in what, for people."""


@dataclass(frozen=True, slots=True)
class BytePipeline:
    """What a byte-level tokenizer does before it merges."""

    rule: SplittingRule
    preparation: Preparation | None


def is_plain(content: dict[str, Any]) -> bool:
    """Whether text goes to the model as it is."""
    return (
        _steps(content.get("normalizer"), "normalizers") == [] == _steps(content.get("pre_tokenizer"), "pretokenizers")
    )


def byte_pipeline(content: dict[str, Any], added_tokens: tuple[dict[str, Any], ...]) -> BytePipeline:
    """Give the pipeline of a file. Raises NotOursError."""
    normalization = _normalization(_steps(content.get("normalizer"), "normalizers"))
    rule, prefix_space = _cutting(_steps(content.get("pre_tokenizer"), "pretokenizers"))
    tokens = tuple(_added(token) for token in added_tokens)
    needed = normalization or prefix_space or any(_needs_preparation(token) for token in tokens)
    return BytePipeline(rule, Preparation(tokens, normalization, prefix_space) if needed else None)


def _steps(value: object, field: str) -> list[dict[str, Any]]:
    """Give the steps of a sequence, with sequences inside it laid open."""
    if value is None:
        return []
    if not isinstance(value, dict):
        raise NotOursError(f"a step of its pipeline is {short(value)}")
    if value.get("type") != "Sequence":
        return [value]
    parts = value.get(field)
    if not isinstance(parts, list):
        raise NotOursError("a sequence in its pipeline has no steps")
    return [step for part in parts for step in _steps(part, field)]


def _normalization(steps: list[dict[str, Any]]) -> str | None:
    for step in steps:
        if step.get("type") != "NFC":
            raise NotOursError(f"its normalizer {step.get('type')} changes the text")
    return "NFC" if steps else None


def _cutting(steps: list[dict[str, Any]]) -> tuple[SplittingRule, bool]:
    if not steps or steps[-1].get("type") != "ByteLevel":
        kinds = ", ".join(str(step.get("type")) for step in steps) or "nothing"
        raise NotOursError(f"its pre-tokenizer is {kinds}, not ByteLevel")
    byte_level = steps[-1]
    prefix_space = bool(byte_level.get("add_prefix_space", True))
    own_rule = bool(byte_level.get("use_regex", True))
    if len(steps) == 1:
        return RULES["gpt2" if own_rule else "none"], prefix_space
    if len(steps) > 2 or steps[0].get("type") != "Split":
        kinds = ", ".join(str(step.get("type")) for step in steps)
        raise NotOursError(f"its pre-tokenizer cuts the text in several steps ({kinds})")
    split = steps[0]
    if own_rule or prefix_space:
        raise NotOursError("its pre-tokenizer cuts the text by a pattern and then again")
    if split.get("behavior") != "Isolated":
        raise NotOursError(f"its pre-tokenizer cuts with the behavior {short(split.get('behavior'))}")
    pattern = split.get("pattern")
    expression = pattern.get("Regex") if isinstance(pattern, dict) else None
    if expression is None and isinstance(pattern, dict) and isinstance(pattern.get("String"), str):
        expression = re.escape(pattern["String"])
    if not isinstance(expression, str):
        raise NotOursError(f"its pre-tokenizer cuts by {short(pattern)}")
    rule = rule_of_oniguruma(expression)
    if rule is None:
        raise NotOursError(f"its pattern {short(expression)} may not mean the same to another engine")
    return rule, False


def _added(token: dict[str, Any]) -> AddedToken:
    if token["single_word"]:
        raise NotOursError(f"the added token {short(token['content'])} is found as a single word only")
    return AddedToken(
        token["content"], token["id"], token["special"], token["normalized"], token["lstrip"], token["rstrip"]
    )


def _needs_preparation(token: AddedToken) -> bool:
    return not token.special or token.left_strip or token.right_strip
