"""Regular expressions for cutting text, as files of different programs have them.

The same expression does not mean the same everywhere. tokenizers runs Oniguruma in Ruby's dialect, where `$` is the end
of a line and `{1,3}+` a repeat of repeats; tiktoken and minbpe run engines where `$` is the end of the text and
`{1,3}+` is possessive.
"""

from __future__ import annotations

import re
from pathlib import Path

from bpe_tui.bpe import pretokenize
from bpe_tui.bpe.pretokenize import SplittingRule
from bpe_tui.errors import SplittingError
from bpe_tui.formats.files import wrong

CL100K_FOR_ONIGURUMA = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"""
    r"""|\s++\z|\s*[\r\n]|\s+(?!\S)|\s"""
)
"""The rule cl100k in the dialect of tokenizers."""

_DIFFERENT_IN_ONIGURUMA = re.compile(
    r"""
    \{[0-9,]+\}[+?] | \$ | (?<!\[)\^ | \\[AZzhHRXKGbBwWyYOQkgNCM0-9] | \(\?[^:!=i>] | \(\?i(?!:) | \(\?<! | \(\?<= | &&
    | \[:
    | \[[^\]]*\[ | \\[pP]\{\^
    """,
    re.VERBOSE,
)
"""What Oniguruma reads in another way than `regex`, or what might be."""


def rule_of_pattern(pattern: str, path: Path, field: str) -> SplittingRule:
    """Give the rule for a pattern in the dialect of tiktoken and minbpe. Raises TokenizerFileError."""
    try:
        return pretokenize.named_rule(pattern) or pretokenize.rule("pattern", pattern)
    except SplittingError as error:
        raise wrong(path, field, str(error)) from error


def rule_of_oniguruma(pattern: str) -> SplittingRule | None:
    """Give the rule for a pattern in the dialect of tokenizers, or None if it may not mean the same here."""
    if pattern == CL100K_FOR_ONIGURUMA:
        return pretokenize.RULES["cl100k"]
    if _DIFFERENT_IN_ONIGURUMA.search(pattern):
        return None
    try:
        return pretokenize.named_rule(pattern) or pretokenize.rule("pattern", pattern)
    except SplittingError:
        return None


def oniguruma_pattern(rule: SplittingRule) -> str | None:
    """Give the pattern of a rule in the dialect of tokenizers, or None if there is none that is sure to be the same."""
    if rule.name == "cl100k":
        return CL100K_FOR_ONIGURUMA
    if rule.pattern is None or _DIFFERENT_IN_ONIGURUMA.search(rule.pattern):
        return None
    return rule.pattern


def given_rule(split: str | SplittingRule | None) -> SplittingRule | None:
    """Give the rule that a user names: a rule, its name, or a regular expression. Raises SplittingError."""
    if split is None or isinstance(split, SplittingRule):
        return split
    if split in pretokenize.RULES or split in pretokenize.ALIASES:
        return pretokenize.rule(split)
    if re.fullmatch(r"[A-Za-z0-9_-]+", split):
        return pretokenize.rule(split)  # an unknown name: the error lists the known ones
    return pretokenize.named_rule(split) or pretokenize.rule("pattern", split)
