"""The one table of actions. Keys, footer, help, command palette and menu are all read from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bpe_tui.session.state import RunState
from bpe_tui.tui.situation import Situation

GROUPS: Final = ("Train", "Tokenizer", "Corpus", "View", "App")


def _always(situation: Situation) -> bool:  # noqa: ARG001
    return True


def _no_reason(situation: Situation) -> str:  # noqa: ARG001
    return ""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that the user can do."""

    id: str
    keys: tuple[str, ...]
    """Textual's names of the keys, the one to show first."""
    label: str
    """Two or three words, for the footer and the menu."""
    help: str
    """One sentence, for the help and the command palette."""
    group: str
    when: Callable[[Situation], bool] = _always
    """Whether it applies."""
    why_not: Callable[[Situation], str] = _no_reason
    """Why it does not, as a sentence that says what to do; read only when it does not apply."""
    footer: Callable[[Situation], bool] = lambda _: False
    """Whether the footer offers it now; it also has to apply."""
    everywhere: bool = False
    """Whether its key works in text fields and dialogs too."""

    @property
    def key(self) -> str:
        """The key as people write it, empty if there is none."""
        return shown_key(self.keys[0]) if self.keys else ""


_SHOWN_KEYS: Final = {
    "full_stop": ".",
    "plus": "+",
    "slash": "/",
    "question_mark": "?",
    "comma": ",",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def shown_key(key: str) -> str:
    """Give a key as people write it: `.` for `full_stop`, `shift+tab` as it is."""
    return _SHOWN_KEYS.get(key, key)


def _busy_reason(situation: Situation) -> str:
    if situation.job:
        return f"busy {situation.job}; ctrl+c stops that"
    if situation.run.busy:
        return f"the run is {situation.run.value}; space pauses it, x stops it"
    return ""


def _can_train(now: Situation) -> bool:
    return now.corpus and not now.job and not now.under_way


def _why_not_train(now: Situation) -> str:
    if now.run is RunState.PAUSED:
        return "the run is paused: space continues it, x stops it"
    return _busy_reason(now) or "no corpus is open: o opens one"


def _can_pause(now: Situation) -> bool:
    return now.run in {RunState.TRAINING, RunState.COUNTING, RunState.PAUSED, RunState.STOPPED}


def _why_not_pause(now: Situation) -> str:
    if now.loaded:
        return "a loaded tokenizer is not training: t trains a new one"
    if now.run is RunState.DONE:
        return "the run is done: + raises the target, t trains anew"
    return "nothing is training: t starts"


def _can_step(now: Situation) -> bool:
    ready = now.run in {RunState.IDLE, RunState.PAUSED, RunState.STOPPED}
    return ready and now.corpus and not now.job


def _why_not_step(now: Situation) -> str:
    if now.run is RunState.DONE:
        return _why_not_pause(now)
    if now.run is RunState.FAILED:
        return "the run failed: t trains anew"
    return _busy_reason(now) or "no corpus is open: o opens one"


def _can_raise(now: Situation) -> bool:
    return now.run in {RunState.PAUSED, RunState.DONE, RunState.STOPPED} and not now.loaded and not now.job


def _why_not_raise(now: Situation) -> str:
    if now.loaded:
        return "a loaded tokenizer has no run to go on with: t trains a new one"
    return _busy_reason(now) or "there is no run to go on with: t starts one"


def _can_use(now: Situation) -> bool:
    return now.tokenizer and not now.working


def _why_not_use(now: Situation) -> str:
    return _busy_reason(now) or "there is no tokenizer yet: t trains one, l loads one"


def _can_save(now: Situation) -> bool:
    return _can_use(now) and not now.unwritable


def _why_not_save(now: Situation) -> str:
    return _why_not_use(now) if not _can_use(now) else now.unwritable


def _can_encode(now: Situation) -> bool:
    return _can_use(now) and now.corpus


def _why_not_encode(now: Situation) -> str:
    return _why_not_use(now) if not _can_use(now) else "no corpus is open: o opens one"


def _idle(now: Situation) -> bool:
    return not now.working


def _in(*panes: str) -> Callable[[Situation], bool]:
    return lambda now: now.pane in panes


ACTIONS: Final[tuple[Action, ...]] = (
    # Train
    Action(
        "train",
        ("t",),
        "Train",
        "Train a tokenizer on the corpus with the settings as they are.",
        "Train",
        _can_train,
        _why_not_train,
        footer=lambda now: not now.under_way,
    ),
    Action(
        "pause",
        ("space",),
        "Pause / continue",
        "Pause the run, or let it go on.",
        "Train",
        _can_pause,
        _why_not_pause,
        footer=lambda _: True,
    ),
    Action(
        "step",
        ("full_stop",),
        "One merge",
        "Learn one merge, then pause.",
        "Train",
        _can_step,
        _why_not_step,
        footer=lambda now: now.run in {RunState.PAUSED, RunState.STOPPED},
    ),
    Action(
        "steps",
        ("n",),
        "Several merges…",
        "Learn as many merges as you say, then pause.",
        "Train",
        _can_step,
        _why_not_step,
        footer=lambda now: now.run in {RunState.PAUSED, RunState.STOPPED},
    ),
    Action(
        "stop",
        ("x",),
        "Stop",
        "Stop the run and keep the merges learned so far.",
        "Train",
        lambda now: now.under_way,
        lambda _: "nothing is training",
        footer=lambda _: True,
    ),
    Action(
        "raise",
        ("plus",),
        "Raise target…",
        "Set a higher target vocabulary and go on from where the run is.",
        "Train",
        _can_raise,
        _why_not_raise,
        footer=lambda now: now.run.ended,
    ),
    Action("slower", ("v",), "Slower", "Hold the run back, to watch merge by merge.", "Train"),
    Action("faster", ("V",), "Faster", "Hold the run back less, up to full speed.", "Train"),
    Action(
        "settings",
        ("comma",),
        "Settings…",
        "Alphabet, splitting rule, ties, special tokens, how much to learn, refresh rate, theme.",
        "Train",
        footer=lambda now: now.run is RunState.IDLE,
    ),
    Action(
        "resume",
        ("R",),
        "Resume interrupted run",
        "Go on with the run that was interrupted last time.",
        "Train",
        lambda now: now.interrupted and not now.job and not now.under_way,
        lambda now: (
            (_busy_reason(now) or "the run is paused: x stops it")
            if now.interrupted
            else "no interrupted run is at hand"
        ),
    ),
    Action(
        "models",
        ("M",),
        "Language models",
        "Train a small language model on encoded splits and watch its curves, also beside those of others. "
        "It trains on when the app is left.",
        "Train",
    ),
    # Tokenizer
    Action(
        "save",
        ("s",),
        "Save",
        "Write the tokenizer to its file.",
        "Tokenizer",
        _can_save,
        _why_not_save,
        footer=lambda now: now.merges > 0,
    ),
    Action(
        "save-as",
        ("S",),
        "Save as…",
        "Write the tokenizer to a file you name, in a format of your choice.",
        "Tokenizer",
        _can_save,
        _why_not_save,
    ),
    Action(
        "load",
        ("l",),
        "Load tokenizer…",
        "Open a tokenizer in place of the one at hand: bpe-tui's, GPT-2's, Hugging Face's, tiktoken's, minbpe's.",
        "Tokenizer",
        lambda now: _idle(now) and not now.under_way,
        lambda now: _busy_reason(now) or "the run is paused: x stops it first",
    ),
    Action(
        "fingerprint",
        ("f",),
        "Fingerprint…",
        "Show the SHA-256 that tells this tokenizer from every other.",
        "Tokenizer",
        _can_use,
        _why_not_use,
    ),
    # Corpus
    Action(
        "open",
        ("o",),
        "Open corpus…",
        "Open another corpus: one that comes with bpe-tui, a folder or a file.",
        "Corpus",
        lambda now: _idle(now) and not now.under_way,
        lambda now: _busy_reason(now) or "the run is paused: x stops it first",
        footer=lambda now: not now.corpus or now.run is RunState.IDLE,
    ),
    Action(
        "encode",
        ("e",),
        "Encode splits",
        "Encode all splits to .pt files, each proven by decoding it again.",
        "Corpus",
        _can_encode,
        _why_not_encode,
        footer=lambda now: now.merges > 0,
    ),
    Action(
        "encode-to",
        ("E",),
        "Encode to…",
        "Encode all splits into a folder you name.",
        "Corpus",
        _can_encode,
        _why_not_encode,
    ),
    Action(
        "passage-before",
        ("left_square_bracket",),
        "Passage before",
        "Show the passage before this one.",
        "Corpus",
        lambda now: now.corpus,
        lambda _: "no corpus is open: o opens one",
    ),
    Action(
        "passage-after",
        ("right_square_bracket",),
        "Next passage",
        "Show another passage of the corpus.",
        "Corpus",
        lambda now: now.corpus,
        lambda _: "no corpus is open: o opens one",
        footer=_in("corpus"),
    ),
    # View
    Action("pane-corpus", ("1",), "Corpus pane", "Go to the corpus.", "View"),
    Action("pane-tokenizer", ("2",), "Tokenizer pane", "Go to the tokenizer.", "View"),
    Action("pane-merges", ("3",), "Merges pane", "Go to the merge log.", "View"),
    Action("pane-vocabulary", ("4",), "Vocabulary pane", "Go to the vocabulary.", "View"),
    Action(
        "try",
        ("i",),
        "Try a text",
        "Type a text and see its tokens and ids, also while training.",
        "View",
        footer=_in("tokenizer"),
    ),
    Action(
        "filter",
        ("slash",),
        "Filter",
        "Show only the rows of this list that match.",
        "View",
        _in("merges", "vocabulary"),
        lambda _: "only the merge log and the vocabulary have a filter: 3 or 4 goes there",
        footer=_in("merges", "vocabulary"),
    ),
    Action(
        "follow",
        ("F",),
        "Follow the end",
        "Keep the newest merge in sight, or stop doing so.",
        "View",
        _in("merges"),
        lambda _: "only the merge log follows its end: 3 goes there",
        footer=_in("merges"),
    ),
    Action(
        "longest",
        ("b",),
        "Longest first",
        "Sort the vocabulary by length, longest token first.",
        "View",
        footer=_in("vocabulary"),
    ),
    Action(
        "sort",
        ("greater_than_sign",),
        "Sort by next column",
        "Sort the vocabulary by the next column.",
        "View",
        footer=_in("vocabulary"),
    ),
    Action(
        "raw",
        ("w",),
        "Raw tokens",
        "Show tokens of bytes as their file writes them (Ġthe), or again as the text they are (·the).",
        "View",
        lambda now: now.raw_forms,
        lambda now: (
            "these tokens have no other form: only those of bytes are written in letters that stand for bytes"
            if now.tokenizer
            else "there is no tokenizer yet: t trains one, l loads one"
        ),
        footer=_in("vocabulary"),
    ),
    Action("reverse", ("r",), "Reverse order", "Turn the order of the vocabulary round.", "View"),
    Action(
        "lab",
        ("L",),
        "Lab",
        "Take the tokenizer apart: as of any merge, figures, curves, rules, sizes; beside others; samples to train on.",
        "View",
        footer=lambda now: now.merges > 0,
    ),
    # App
    Action(
        "menu",
        ("m", "f10"),
        "Menu",
        "Everything you can do, and why some of it does not apply now.",
        "App",
        footer=lambda _: True,
    ),
    Action("help", ("question_mark", "f1"), "Help", "All keys on one page.", "App", footer=lambda _: True),
    Action("palette", ("ctrl+p",), "Find a command…", "Type a few letters of what you want to do.", "App"),
    Action("screenshot", (), "Export screenshot…", "Write what you see to an SVG file.", "App"),
    Action("theme", (), "Next theme", "Switch to the next colour theme.", "App"),
    Action(
        "interrupt",
        ("ctrl+c",),
        "Stop the job",
        "Stop whatever is at work; with nothing at work, say how to quit.",
        "App",
        everywhere=True,
    ),
    Action("quit", ("q",), "Quit", "Leave; asks first if something would be lost.", "App", footer=lambda _: True),
    Action(
        "quit-anywhere",
        ("ctrl+q",),
        "Quit from anywhere",
        "Leave, also from a text field or a dialog.",
        "App",
        everywhere=True,
    ),
)

BY_ID: Final = {action.id: action for action in ACTIONS}
