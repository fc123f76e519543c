"""What kind of tokenizer it is, in a few words: alphabet, splitting rule, ties, special tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_tui.session.settings import DEFAULT_SPLIT, Alphabet
from bpe_tui.terminal import count, visible
from bpe_tui.tui.wording import readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.session.settings import RunSettings

Facts = tuple[tuple[str, str], ...]
"""Labels and what stands behind them, safe to write to a terminal."""

_SPECIALS_NAMED = 6


def describe_settings(settings: RunSettings) -> Facts:
    """Describe what a run with these settings makes."""
    parts = [str(settings.alphabet)]
    if settings.alphabet is Alphabet.BYTES:
        parts.append(_rule(settings.split or DEFAULT_SPLIT, settings.pattern))
    elif settings.alphabet is Alphabet.WORDS:
        parts.append(f"punctuation {'cut off' if settings.punctuation == 'separate' else 'kept'}")
        if settings.word_marker == "glued":
            parts.append("</w> glued to the last character")
    parts.append(f"ties {settings.tie_rule}")
    return (("kind", " · ".join(parts)), *_specials(settings.special_tokens))


def describe_tokenizer(tokenizer: BPETokenizer) -> Facts:
    """Describe a tokenizer from a file."""
    if tokenizer.kind == "foreign":
        model, package = getattr(tokenizer, "model", "foreign"), getattr(tokenizer, "package", "another package")
        kind = f"{model} · encoded by {package}, to look at only"
        reason = readable(str(getattr(tokenizer, "reason", "")))
        return (("kind", kind), ("because", reason), *_specials(tokenizer.special_tokens))
    parts = [{"byte_bpe": "bytes", "word_bpe": "words"}.get(tokenizer.kind, "characters")]
    rule = getattr(tokenizer, "rule", None)
    if rule is not None:
        parts.append(_rule(rule.name, rule.pattern))
    if getattr(tokenizer, "by_rank", False):
        parts.append("lowest id merges first")
    punctuation = getattr(tokenizer, "punctuation", None)
    if punctuation is not None:
        parts.append(f"punctuation {'cut off' if punctuation == 'separate' else 'kept'}")
    ties = getattr(tokenizer, "ties", None)
    if ties is not None:
        parts.append(f"ties {ties}")
    if not tokenizer.lossless:
        parts.append("white space is not kept" if tokenizer.kind == "word_bpe" else "text is normalised")
    return (("kind", " · ".join(parts)), *_specials(tokenizer.special_tokens))


def _rule(name: str, pattern: str | None) -> str:
    return f"rule {visible(pattern)}" if name == "pattern" and pattern else f"rule {name}"


def _specials(tokens: Iterable[str]) -> Facts:
    tokens = list(tokens)
    if not tokens:
        return ()
    named = " ".join(visible(token) for token in tokens[:_SPECIALS_NAMED])
    rest = len(tokens) - _SPECIALS_NAMED
    return (("specials", f"{count(len(tokens))}: {named}" + (f" and {count(rest)} more" if rest > 0 else "")),)
