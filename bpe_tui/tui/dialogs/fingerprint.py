"""The fingerprint card: the SHA-256 of the tokenizer, to read, to copy, to keep in a file."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from bpe_tui import atomic
from bpe_tui.session.failure import explain
from bpe_tui.terminal import count
from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.dialogs.question import shown_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget


def clipboard_bytes(text: str) -> int:
    """Give how many bytes the OSC 52 sequence takes that hands `text` to the terminal's clipboard."""
    return len(b"\x1b]52;c;") + len(base64.b64encode(text.encode("utf-8"))) + len(b"\a")


class FingerprintCard(Dialog[Path]):
    """Shows the fingerprint; gives the path it was written to, if it was."""

    width = 76

    def __init__(self, fingerprint: str, merges: int, vocab_size: int, saved: Path | None) -> None:
        super().__init__(
            "Fingerprint",
            [Choice("copy", "Copy", "c", main=True), Choice("file", "Write to a file", "w"), Choice("close", "Close")],
        )
        self._fingerprint = fingerprint
        self._file = Path("tokenizer") / "fingerprint.txt" if saved is None else saved.with_suffix(".fingerprint.txt")
        self._about = f"{count(merges)} merges, {count(vocab_size)} tokens"

    def body(self) -> Iterable[Widget]:
        """Give the fingerprint and the line that says what became of it."""
        yield Static(Content(self._about), id="text")
        yield Static(Content.styled(self._fingerprint, "bold"), id="fingerprint")
        yield Static(
            Content.styled(
                "SHA-256 of base tokens and merges. Two tokenizers with the same one encode alike.", "$quiet"
            )
        )
        yield Static("", id="message", classes="message")

    def choose(self, choice: str) -> None:
        """Copy, write or close."""
        if choice == "copy":
            self.app.copy_to_clipboard(self._fingerprint)
            sent = clipboard_bytes(self._fingerprint)
            self.say(
                "#message",
                f"{sent} bytes were sent to the terminal (OSC 52). Not every terminal takes them: "
                f"w writes the fingerprint to {shown_path(self._file)} instead.",
                "$success",
            )
        elif choice == "file":
            try:
                # "x" would be simpler, but a file of the same content is no loss.
                if self._file.exists() and self._file.read_text(encoding="utf-8") != self._fingerprint + "\n":
                    self.say("#message", f"{shown_path(self._file)} exists already and holds something else; it stays")
                    return
                atomic.write_text(self._file, self._fingerprint + "\n")
            except (OSError, ValueError) as error:
                self.say("#message", explain(error, "write the fingerprint"))
                return
            self.say("#message", f"written to {shown_path(self._file)}", "$success")
        else:
            self.dismiss(None)
