"""The corpus: its splits in figures, and a passage of it whose tokens grow while merges are learned."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content

from bpe_tui.errors import BPEError, MissingCharactersError
from bpe_tui.terminal import bytes_size, cell_width, count, fit, visible
from bpe_tui.tui.cutting import cut
from bpe_tui.tui.missing import name_missing
from bpe_tui.tui.widgets.styled_lines import Line, StyledLines
from bpe_tui.tui.widgets.token_lines import Piece, byte_pieces, tokens_over, wrap, wrap_pieces
from bpe_tui.tui.wording import in_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt
    from textual.app import ComposeResult

    from bpe_tui.bpe.encoder import TextEncoder
    from bpe_tui.tui.workspace import OpenCorpus

PASSAGE = 2_400
"""Characters of a passage. More than most screens hold, few enough to encode on every tick."""


class Passage(StyledLines, can_focus=True):
    """A piece of text, token by token. It stands still; only the looks of the tokens change."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__(id="passage")
        self._ascii_only = ascii_only
        self._text = ""
        self._wrapped: list[list[Piece]] = []
        self._wrapped_for: tuple[object, ...] = ()
        self._lengths: Sequence[int] = ()
        self._in_bytes = False

    def show_text(self, text: str, lengths: Sequence[int], *, in_bytes: bool = False) -> None:
        """Show `text`, whose tokens have `lengths` characters or bytes each; none if it is not cut into tokens."""
        self._text, self._lengths, self._in_bytes = text, lengths, in_bytes and not text.isascii()
        self._draw()

    def on_resize(self) -> None:
        """Break the lines anew."""
        self._draw()

    def _draw(self) -> None:
        # A character that tokens share is drawn as its bytes, so it matters where tokens begin, if only there.
        inside = frozenset(_starts_inside(self._text, self._lengths)) if self._in_bytes else frozenset()
        width, height = self.size
        wanted = (self._text, width, height, self._in_bytes, inside)
        if wanted != self._wrapped_for:
            self._wrapped_for = wanted
            if not self.size:
                self._wrapped = []
            elif self._in_bytes:
                found = byte_pieces(self._text, inside, ascii_only=self._ascii_only)
                self._wrapped = wrap_pieces(found, width, height, ascii_only=self._ascii_only)
            else:
                self._wrapped = wrap(self._text, width, height, ascii_only=self._ascii_only)
        self.show_lines(tokens_over(self._wrapped, self._lengths))


def _starts_inside(text: str, lengths: Sequence[int]) -> set[int]:
    """Give the bytes at which tokens begin inside of what is drawn as one: a character with the marks on it."""
    starts = set(accumulate(lengths))
    place = 0
    for character in text:
        if not visible(character).startswith("◌"):
            starts.discard(place)
        place += len(character.encode("utf-8", "surrogatepass"))
    starts.discard(place)
    return starts


class CorpusPane(Vertical):
    """Splits and a passage."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__(id="corpus-pane", classes="pane")
        self._ascii_only = ascii_only
        self._corpus: OpenCorpus | None = None
        self._number = 0
        self._encoded: tuple[object, ...] = ()
        self.border_title = Content.assemble(("1", "$accent"), " Corpus")
        self.border_subtitle = Content.assemble(("[ ]", "$accent"), " passage")

    def compose(self) -> ComposeResult:
        """Figures above, the passage below."""
        yield StyledLines(id="splits")
        yield StyledLines(id="passage-title")
        yield Passage(ascii_only=self._ascii_only)

    def open(self, corpus: OpenCorpus | None) -> None:
        """Show another corpus, or none."""
        self._corpus = corpus
        self._number = 0
        self._encoded = ()
        self._show_splits()

    def on_resize(self) -> None:
        """Fit the figures to the width."""
        self._show_splits()

    def turn(self, passages: int) -> None:
        """Go that many passages on, or back; after the last comes the first."""
        total = len(self._passages())
        self._number = (self._number + passages) % total if total else 0
        self._encoded = ()

    def show(self, key: object, encoder: TextEncoder | None, lengths: npt.NDArray[np.int64]) -> None:
        """Show the passage as `encoder` cuts it; nothing is encoded while `key`, the tokenizer's state, stays the same.

        `lengths` are those of the tokens by id, in bytes or characters as the encoder has it.
        """
        wanted = (key, self._number, id(self._corpus))
        if wanted == self._encoded:
            return
        passages = self._passages()
        passage = self.query_one(Passage)
        title = self.query_one("#passage-title", StyledLines)
        if self._corpus is None or not passages:
            self._encoded = wanted
            title.show_lines([])
            passage.show_text("", ())
            return
        name, text, number, total = passages.take(self._number)
        head = f"{name} · passage {count(number + 1)} of {count(total)}"
        try:
            found = cut(encoder, text, lengths) if encoder is not None else None
        except BPEError as error:
            self._encoded = wanted
            message = name_missing(error) if isinstance(error, MissingCharactersError) else str(error)
            why = [((line, "warning"),) for line in in_lines(message, title.size.width or 60)]
            title.show_lines([(), ((head, "label"),), *why])
            passage.show_text(text, ())
            return
        self._encoded = wanted
        if found is None:
            title.show_lines([(), ((head, "label"),)])
            passage.show_text(text, ())
            return
        tokens = len(found.ids)
        each = f"{len(text) / tokens:.2f} characters a token" if tokens else ""
        room = title.size.width - cell_width(head)
        tail = next((f" · {part}" for part in (f"{count(tokens)} tokens, {each}", each) if len(part) + 3 <= room), "")
        lines: list[Line] = [(), ((head, "label"), (tail, "dim"))]
        if tokens and not found.lengths:
            lines.append((("where its tokens lie is not known", "dim"),))
        title.show_lines(lines)
        passage.show_text(found.text, found.lengths, in_bytes=found.in_bytes)

    def _passages(self) -> _Passages:
        return _Passages(self._corpus)

    def _show_splits(self) -> None:
        lines: list[Line] = []
        width = self.query_one("#splits").size.width or 60
        if self._corpus is None:
            lines = [(("no corpus is open", "dim"),)]
        else:
            head = f"{'split':<7}{'size':>10}{'characters':>13}{'distinct':>10}"
            lines.append(((fit(head, width), "dim"),))
            notes: list[str] = [*self._corpus.splits.notes]
            for split, distinct in zip(self._corpus.splits, self._corpus.distinct, strict=True):
                lines.append(
                    (
                        (f"{split.name:<7}", "label"),
                        (f"{bytes_size(split.bytes):>10}", ""),
                        (f"{count(len(split.text)):>13}{count(distinct):>10}", "figure"),
                    )
                )
                notes += [f"{split.name}: {note}" for note in split.notes]
            lines += [((line, "dim"),) for note in notes for line in in_lines(note, width)]
        self.query_one("#splits", StyledLines).show_lines(lines)


class _Passages:
    """The passages of a corpus: each split in pieces that begin at line starts where there are any."""

    def __init__(self, corpus: OpenCorpus | None) -> None:
        self._splits = [] if corpus is None else [split for split in corpus.splits if split.text]
        self._counts = [-(-len(split.text) // PASSAGE) for split in self._splits]

    def __len__(self) -> int:
        return sum(self._counts)

    def take(self, number: int) -> tuple[str, str, int, int]:
        """Give the name of the split, the text, the passage's number in its split, and how many the split has."""
        for split, passages in zip(self._splits, self._counts, strict=True):
            if number < passages:
                start = number * PASSAGE
                if start:
                    line_end = split.text.find("\n", start - 1, start + PASSAGE // 2)
                    start = line_end + 1 if line_end >= 0 else start
                return split.name, split.text[start : start + PASSAGE], number, passages
            number -= passages
        raise IndexError(number)
