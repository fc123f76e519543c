r"""Splitting rules: how a text is cut into pieces before byte pairs are counted or merged. No merge crosses a cut.

The named rules are those of published tokenizers. Their regular expressions stand here as the specification; the work
is done by hand-written scanners in `kernels.splitting`, which give the same cuts hundreds of times faster and in time
that grows with the text alone. Any other regular expression runs through the `regex` package.

Whatever the rule, the pieces joined give the text, byte for byte:

- The patterns of the named rules match every character. Text between the matches of a pattern of one's own becomes
  pieces, too, as with Hugging Face's `Split(…, "isolated")`; tiktoken drops it. Empty matches are passed over.
- A byte that is no UTF-8 (stray, overlong, part of a surrogate, cut off) is a character of its own that is no letter,
  mark, number or white space.

Classes of characters are Unicode 16.0's (`character_classes`), and `(?i:` takes the long s (U+017F) for an s, as in
tiktoken and tokenizers. A pattern of one's own has the classes of the installed `regex`, which may be newer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bpe_tui.bpe import character_classes
from bpe_tui.bpe.alphabet import code_points
from bpe_tui.errors import SplittingError
from bpe_tui.progress import Report, silent

Data = str | bytes | bytearray | memoryview | npt.NDArray[np.uint8]
"""What can be split: text, or the bytes of a text (UTF-8, or nearly so), for example of a mapped file."""

BLOCK = 1 << 17
"""Bytes scanned between two reports: what is found there is still in the processor's cache when it is used."""
PATTERN_SECONDS = 5.0
"""How long a pattern of one's own may search for one match, in seconds, and"""
PATTERN_SECONDS_A_CHARACTER = 1e-7
"""how much longer for each character of the text, for patterns that match rarely."""

# Regular expressions, with where they were published.
GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
"""OpenAI's gpt-2, `src/encoder.py`; also of Hugging Face's ByteLevel. It serves r50k and p50k, too."""
GPT2_TIKTOKEN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
"""The same in tiktoken's `openai_public.py` (`r50k_pat_str`): equal cuts on every text."""
CL100K = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
"""tiktoken's `openai_public.py` (`cl100k_base`). White space at the very end of the text is one piece."""
LLAMA3 = (
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"""
    r"""|\s*[\r\n]+|\s+(?!\S)|\s+"""
)
"""Llama 3's tokenizer.json. It is cl100k as tiktoken had it at first and Hugging Face's files still have it: white
space at the very end of the text is cut behind its last line end."""
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
"""tokenizer.json of Qwen 2, 2.5 and 3: Llama 3's with single digits."""
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + _CONTRACTION + "|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + _CONTRACTION + "|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""tiktoken's `openai_public.py` (`o200k_base`; o200k_harmony has the same)."""


@dataclass(frozen=True, slots=True)
class SplittingRule:
    """How to cut a text into pieces. Two rules that are equal cut every text alike."""

    name: str
    """none, whitespace, gpt2, cl100k, o200k, llama3, qwen2, or pattern."""
    pattern: str | None
    """The regular expression; None for the rule `none`."""
    number: int
    """The number of the rule in `kernels.splitting`; -1 for a pattern of one's own."""
    unicode_version: str
    """What the classes of characters are taken from: a version of Unicode, or of the `regex` package."""


_PATTERNS = {
    "none": None,
    "whitespace": r"\s+|\S+",
    "gpt2": GPT2,
    "cl100k": CL100K,
    "o200k": O200K,
    "llama3": LLAMA3,
    "qwen2": QWEN2,
}

RULES = {
    name: SplittingRule(name, pattern, number, character_classes.UNICODE_VERSION)
    for number, (name, pattern) in enumerate(_PATTERNS.items())
}
"""The named rules. `none` leaves the text whole; `whitespace` cuts it into runs of white space and runs of all else."""

ALIASES = {
    "r50k": "gpt2",
    "p50k": "gpt2",
    "r50k_base": "gpt2",
    "p50k_base": "gpt2",
    "p50k_edit": "gpt2",
    "cl100k_base": "cl100k",
    "o200k_base": "o200k",
    "o200k_harmony": "o200k",
}
"""Other names of the same rules: tiktoken's."""

OTHER_SPELLINGS = {
    GPT2_TIKTOKEN: "gpt2",
    r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""": "gpt2",
    r"""'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""": "gpt2",
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"""
    r"""|\s*[\r\n]|\s+(?!\S)|\s+""": "llama3",
}
"""Further ways in which the patterns of named rules are written in files, with the rule that cuts every text alike."""


def rule(name: str, pattern: str | None = None) -> SplittingRule:
    """Give the rule of that name (one of RULES or ALIASES), or for the name "pattern" one that runs `pattern`.

    Raises SplittingError (a ValueError) if there is no such rule, or if the pattern is no regular expression.
    """
    if name == "pattern":
        if pattern is None:
            raise SplittingError("the splitting rule 'pattern' needs a regular expression: give one")
        _compiled(pattern)
        import regex

        return SplittingRule("pattern", pattern, -1, f"regex {regex.__version__}")
    if pattern is not None:
        raise SplittingError(f"the splitting rule '{name}' has a pattern of its own: for yours, use the rule 'pattern'")
    found = RULES.get(ALIASES.get(name, name))
    if found is None:
        raise SplittingError(f"there is no splitting rule '{name}': use one of {', '.join(RULES)}, pattern")
    return found


def named_rule(pattern: str) -> SplittingRule | None:
    """Give the named rule that cuts as `pattern` does, if it is a known spelling of one, else None.

    It cuts as an engine with Unicode 16.0 would that reads the pattern as tiktoken and tokenizers do.
    """
    for found in RULES.values():
        if found.pattern == pattern:
            return found
    name = OTHER_SPELLINGS.get(pattern)
    return RULES[name] if name else None


def as_bytes(text: Data) -> npt.NDArray[np.uint8]:
    """Give the bytes of a text as an array, which may be read-only; bytes are not copied.

    A lone surrogate in a str is written as its three bytes, which are no UTF-8.
    """
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogatepass")
    return np.frombuffer(text, np.uint8)


def split(text: Data, rule: SplittingRule, report: Report = silent) -> npt.NDArray[np.int64]:
    """Give where each piece of `text` ends, in bytes, ascending; the last is the length of the text.

    `report` gets bytes done and in all. Raises SplittingError if a pattern of one's own takes too long.
    """
    data = as_bytes(text)
    if rule.number < 0:
        return _split_by_pattern(data, rule, report)
    parts = [part.copy() for part in scan(data, rule, report=report)]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def scan(
    data: npt.NDArray[np.uint8], rule: SplittingRule, start: int = 0, *, block: int = BLOCK, report: Report = silent
) -> Iterator[npt.NDArray[np.int64]]:
    """Give the ends of the pieces of `data` from `start` on, where a piece must start, about `block` bytes at a time.

    Only for named rules. What is given is written over when more is asked for.
    """
    from bpe_tui.bpe.kernels import splitting

    table = character_classes.table()
    total = len(data)
    size = max(block, 1)
    room = np.empty(0, np.int64)
    while start < total:
        stop = min(start + size, total)
        if len(room) < stop - start:
            room = np.empty(stop - start, np.int64)
        pieces, resume = splitting.split(rule.number, data, start, stop, stop == total, room, table)
        if pieces:
            yield room[:pieces]
            size = max(block, 1)
        else:
            size *= 2  # a piece longer than the block: it must be seen whole
        start = resume
        report("splitting", start, total)


def scan_between(
    data: npt.NDArray[np.uint8], rule: SplittingRule, start: int, stop: int, report: Report = silent
) -> Iterator[npt.NDArray[np.int64]]:
    """Give the same up to `stop`, where a piece must end. What follows is looked at: a piece can depend on it."""
    for ends in scan(data, rule, start, report=report):
        if ends[-1] >= stop:
            yield ends[: np.searchsorted(ends, stop, side="right")]
            return
        yield ends


def split_documents(
    data: npt.NDArray[np.uint8],
    stops: npt.NDArray[np.int64],
    rule: SplittingRule,
    room: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Give where the pieces of texts end that follow on each other in `data`, and how many come up to each text's end.

    The texts end at `stops`. Each is cut by itself. `room` takes as many entries as there are bytes. Raises
    SplittingError if a pattern of one's own takes too long.
    """
    if rule.number < 0:
        starts = stops - np.diff(stops, prepend=0)
        parts = [split(data[start:stop], rule) + start for start, stop in zip(starts, stops, strict=True)]
        return np.concatenate([np.zeros(0, np.int64), *parts]), np.cumsum([len(part) for part in parts], dtype=np.int64)
    from bpe_tui.bpe.kernels import splitting

    counts = np.empty(len(stops), np.int64)
    pieces = splitting.split_documents(rule.number, data, stops, room, counts, character_classes.table())
    return room[:pieces], counts


def safe_place(data: npt.NDArray[np.uint8], rule: SplittingRule, start: int) -> int:
    """Give a place behind `start` where a piece of `data` surely begins, so that another thread can scan from there.

    It is the length of the data if no place is found, and always for `none` and patterns of one's own. Why a place is
    safe is told in `kernels.splitting.safe_place`.
    """
    if rule.number < 0:
        return len(data)
    from bpe_tui.bpe.kernels import splitting

    found = int(splitting.safe_place(rule.number, data, start, len(data), character_classes.table()))
    return found if found >= 0 else len(data)


def cuts_surely(rule: SplittingRule) -> bool:
    """Whether there are places where the rule surely cuts, if a text has such characters."""
    return rule.number > RULES["none"].number


def safe_character(text: str, rule: SplittingRule, start: int = 0, reach: int = 1 << 10) -> int:
    """Give what `safe_place` does for a text, in characters. So many are looked at first."""
    while start < len(text):
        content = text[start : start + reach].encode("utf-8", "surrogatepass")
        place = safe_place(as_bytes(content), rule, 0)
        if place < len(content):
            return start + len(content[:place].decode("utf-8", "surrogatepass"))
        if start + reach >= len(text):
            break
        reach *= 4
    return len(text)


def pieces(text: Data, rule: SplittingRule) -> list[bytes]:
    """Give the pieces themselves: for texts that are small enough for a list."""
    data = as_bytes(text).tobytes()
    ends = split(data, rule).tolist()
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _compiled(pattern: str) -> Any:
    """Give `pattern` compiled; `regex` keeps those it has compiled."""
    import regex

    try:
        return regex.compile(pattern)
    except regex.error as error:
        place = "" if error.pos is None else f" at position {error.pos}"
        raise SplittingError(f"the pattern {pattern!r} is no regular expression: {error.msg}{place}") from None
    except RecursionError:
        raise SplittingError("the pattern is nested too deeply: write it with fewer brackets") from None


def _split_by_pattern(data: npt.NDArray[np.uint8], rule: SplittingRule, report: Report) -> npt.NDArray[np.int64]:
    compiled = _compiled(rule.pattern or "")
    text = data.tobytes().decode("utf-8", "surrogateescape")
    total = len(text)
    most = PATTERN_SECONDS + total * PATTERN_SECONDS_A_CHARACTER
    patience = 0.1
    ends: list[int] = []
    place = 0
    finished = False
    while not finished:
        before = place
        try:
            # `concurrent` lets other threads run while it searches. When the time is up, the search is taken up again
            # behind the last match, or with more time if there was none: so a cancelled job ends soon, and a pattern
            # that never ends is found out.
            for match in compiled.finditer(text, place, timeout=min(patience, most), concurrent=True):
                start, end = match.span()
                if start == end:
                    continue
                if start > place:
                    ends.append(start)
                ends.append(end)
                place = end
            finished = True
        except TimeoutError:
            if place == before and patience >= most:
                raise SplittingError(
                    f"the pattern {rule.pattern!r} found no match within {most:.0f} seconds from character {place:,} "
                    "on: rewrite it so that it cannot match the same text in many ways (repeats inside of repeats)"
                ) from None
            patience = patience * 2 if place == before else 0.1
        report("splitting", place, total)
    if place < total:
        ends.append(total)
    found = np.array(ends, np.int64)
    return found if text.isascii() or not ends else _byte_offsets(text)[found]


def _byte_offsets(text: str) -> npt.NDArray[np.int64]:
    """Give the byte offset of each character, and of the end; a surrogate stands for one byte that is no UTF-8."""
    points = code_points(text)
    surrogates = (points >= 0xD800) & (points < 0xE000)
    widths = 1 + (points >= 0x80).astype(np.int64) + ((points >= 0x800) & ~surrogates) + (points >= 0x10000)
    widths[surrogates] = 1
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(widths)])
