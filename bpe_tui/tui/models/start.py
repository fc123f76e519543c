"""Asking what to train: data, tokenizer, folder, how long and how large. What cannot work is said before it starts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Select, Static

from bpe_tui.errors import BPEError
from bpe_tui.lm.config import MiniGPTConfig
from bpe_tui.lm.errors import ModelSettingsError, RunFolderError
from bpe_tui.lm.process import LOG_NAME
from bpe_tui.lm.run_folder import CONTROL_NAME, RUN_NAME
from bpe_tui.session.settings import parse_number
from bpe_tui.system_errors import explain
from bpe_tui.tui.dialogs.base import Choice, Dialog
from bpe_tui.tui.models.desk import RUNS_FOLDER
from bpe_tui.tui.widgets.completing_field import CompletingField
from bpe_tui.tui.widgets.field import Field
from bpe_tui.tui.wording import readable
from bpe_tui.tui.workspace import TOKENIZER_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.tui.app import BpeTuiApp

GIVEN_NAME: Final = "given_tokenizer.json"
"""Where the tokenizer at hand is written, in the folder of the training."""
_LEFTOVERS: Final = {GIVEN_NAME, LOG_NAME, CONTROL_NAME}
"""All that a training leaves behind that never came to begin."""
_UNITS: Final = ("minutes", "steps", "characters")
_LISTED: Final = 12
"""Possible paths that are listed."""
_SIZES: Final = (
    ("block-size", "context", "128", "tokens that it sees"),
    ("embedding-dim", "width", "128", "a multiple of the heads"),
    ("num-heads", "heads", "4", "of attention, in each layer"),
    ("num-layers", "layers", "4", ""),
    ("batch-size", "batch", "32", "windows a step"),
)


class _Unit(Select[str], inherit_bindings=False):
    """What is counted. The arrows go on to the next field, as they do from all others: they open no list."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "show_overlay", show=False)]


@dataclass(frozen=True, slots=True)
class StartWish:
    """A training to start: its folder, and the other arguments of its process."""

    folder: Path
    arguments: tuple[str, ...]


class StartDialog(Dialog[StartWish]):
    """Gives what to start; what is wrong is said below the fields."""

    width: ClassVar[int] = 76

    def __init__(self, app: BpeTuiApp) -> None:
        super().__init__(
            "Train a language model",
            [Choice("start", "Start", main=True)],
            hint="tab completes paths · ↑↓ fields · enter: start · esc leaves",
        )
        self._data = str(app.encoded_folder)
        self._at_hand: BPETokenizer | None = app.workspace.tokenizer() if app.situation().tokenizer else None

    def body(self) -> Iterable[Widget]:
        """Give the fields and the line that says what is wrong."""
        at_hand = self._at_hand is not None
        yield _row("data", "encoded splits", CompletingField(self._data, id="data"), "e makes that folder")
        tokenizer = CompletingField(
            "" if at_hand else str(TOKENIZER_FILE), placeholder="the one at hand", id="tokenizer"
        )
        yield _row("tokenizer", "tokenizer", tokenizer, "a file, or empty")
        yield _row("out", "into", CompletingField(str(free_folder()), id="out"), "a new folder")
        unit = _Unit([(name, name) for name in _UNITS], value="minutes", allow_blank=False, id="unit")
        unit.compact = True
        yield _row("amount", "for", Field("5", id="amount"), "", unit)
        for name, label, value, what in _SIZES:
            yield _row(name, label, Field(value, id=name), what)
        yield Static("", id="message", classes="message")

    def on_mount(self) -> None:
        """Put the cursor into the first field."""
        self.query_one("#data", Input).focus()

    def on_input_changed(self) -> None:
        """Take back the complaint about what stood there before."""
        self.say("#message", "")

    def on_completing_field_several(self, event: CompletingField.Several) -> None:
        """List what the path can become, in one line."""
        event.stop()
        names = [readable(path.name) + ("/" if path.is_dir() else "") for path in event.paths[:_LISTED]]
        more = f"  and {len(event.paths) - _LISTED} more" if len(event.paths) > _LISTED else ""
        self.say("#message", "  ".join(names) + more, "$quiet")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Start."""
        event.stop()
        self.choose("start")

    def choose(self, choice: str) -> None:  # noqa: ARG002
        """Check and give what was asked for."""
        self.run_worker(self._check(), exclusive=True)

    async def _check(self) -> None:
        try:
            wish = await asyncio.to_thread(
                checked,
                {field.id or "": field.value.strip() for field in self.query(Input)},
                str(self.query_one("#unit", Select).value),
                self._at_hand,
            )
        except (BPEError, OSError) as error:
            said = str(error) if isinstance(error, BPEError) else explain(error, "read", Path(self._data))
            self.say("#message", readable(said))
        else:
            self.dismiss(wish)


def checked(typed: dict[str, str], unit: str, at_hand: BPETokenizer | None) -> StartWish:
    """Give the training that the fields describe, after proving that its parts belong together. Raises BPEError."""
    from bpe_tui.formats import read
    from bpe_tui.lm.data import open_data

    data, out = Path(typed["data"]).expanduser(), Path(typed["out"]).expanduser()
    if not typed["out"] or out.is_file():
        raise RunFolderError("name a new folder for the training")
    if (out / RUN_NAME).exists():
        raise RunFolderError(f"{out} holds a training already: name another folder, or add that one with a")
    if not typed["data"] or not data.is_dir():
        raise RunFolderError(f"there is no folder {data}: e on the main screen encodes the splits into one")
    sizes = {name: parse_number(typed[name], label) for name, label, _, _ in _SIZES}
    amount = _amount(typed["amount"], unit)
    if typed["tokenizer"]:
        file = Path(typed["tokenizer"]).expanduser()
        tokenizer = read(file)
    elif at_hand is not None:
        file, tokenizer = out / GIVEN_NAME, at_hand
    else:
        raise RunFolderError("no tokenizer is at hand: name the file of the one that encoded the splits")
    opened = open_data(data, tokenizer)
    shape = {name.replace("-", "_"): size for name, size in sizes.items() if name != "batch-size"}
    MiniGPTConfig(vocab_size=opened.vocab_size, **shape)
    if sizes["batch-size"] < 1:
        raise ModelSettingsError("batch must be at least 1")
    if not typed["tokenizer"]:
        # Which makes the folder, or says why that cannot be.
        tokenizer.save(file)
    options = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    return StartWish(out, ("--data", str(data), "--tokenizer", str(file), f"--{unit}", amount, *options))


def _amount(text: str, unit: str) -> str:
    if unit != "minutes":
        return str(max(1, parse_number(text, unit)))
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0.0 < minutes < 1e6:
        raise ModelSettingsError(f"minutes must be a number larger than 0, not {text!r}")
    return f"{minutes:g}"


def free_folder() -> Path:
    """Give a folder for the next training that is not there, or holds only what a failed start left."""
    number = 1
    while _taken(folder := RUNS_FOLDER / f"model-{number}"):
        number += 1
    return folder


def _taken(folder: Path) -> bool:
    try:
        return any(entry.name not in _LEFTOVERS for entry in folder.iterdir())
    except FileNotFoundError:
        return False
    except OSError:
        # A file, or a folder that may not be looked into.
        return True


def _row(name: str, label: str, field: Field, explanation: str, extra: Widget | None = None) -> Horizontal:
    if name in {"data", "tokenizer", "out"}:
        field.styles.width = 26
    beside = extra if extra is not None else Static(Content.styled(explanation, "$quiet"), classes="explanation")
    return Horizontal(Static(Content.styled(label, "$quiet"), classes="name"), field, beside, classes="field")
