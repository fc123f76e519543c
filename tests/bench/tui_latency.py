"""How fast the app answers, measured through a real pseudo-terminal. Prints figures and asserts no time.

    python tests/bench/tui_latency.py [--target 300000] [--keys 60]

First paint: from starting the process to the first pane on the screen. Keys: from writing a key to the terminal until
the bytes come back that only that key can cause, idle and while training at full speed on the whole
train split. Training: seconds that the app's run took against those of `bpe-tui train` with the same settings.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BIBLE = ROOT / "corpora" / "king-james-bible"
WIKITEXT = Path(os.environ.get("BPE_TUI_SHARED", ROOT.parent / "shared")) / "data" / "wikitext-2"
ROWS, COLUMNS = 45, 160
# No character of these is in the corpus or on the screen, so its bytes are the echo of the key.
SOON = 60
"""Milliseconds within which an answer feels immediate."""
LETTERS = "αβγδεζηθικλμνξοπρστυφχψωАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"


class App:
    """The app on a terminal of its own."""

    def __init__(self, here: Path, corpus: Path) -> None:
        self.started = time.perf_counter()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            environment = {name: value for name, value in os.environ.items() if not name.startswith("SSH_")}
            environment |= {
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "PYTHONPATH": str(ROOT),
                "XDG_STATE_HOME": str(here / "state"),
            }
            os.chdir(here)
            os.execve(sys.executable, [sys.executable, "-m", "bpe_tui", "--corpus", str(corpus)], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.tail = b""

    def read(self, seconds: float) -> bytes:
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        if not ready:
            return b""
        with contextlib.suppress(OSError):
            data = os.read(self.terminal, 1 << 16)
            self.tail = (self.tail + data)[-1_000_000:]
            return data
        return b""

    def wait_for(self, wanted: bytes, seconds: float = 120) -> float:
        """Read until `wanted` comes; gives the time at which it was there."""
        self.tail = b""
        end = time.perf_counter() + seconds
        while wanted not in self.tail:
            if time.perf_counter() > end:
                raise SystemExit(f"waited in vain for {wanted!r}")
            self.read(0.5)
        return time.perf_counter()

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def answer(self, keys: str, wanted: bytes) -> float:
        """Give the seconds from a key to its answer."""
        while self.read(0):
            pass
        begun = time.perf_counter()
        self.press(keys)
        return self.wait_for(wanted) - begun

    def settle(self, seconds: float = 1.5) -> None:
        while self.read(seconds):
            pass

    def close(self) -> str:
        """Read to the end; gives what the app said on the normal screen."""
        self.tail = b""
        while self.read(5):
            pass
        os.waitpid(self.pid, 0)
        os.close(self.terminal)
        rest = self.tail.rsplit(b"\x1b[?1049l", 1)[-1].decode("utf-8", "replace")
        return re.sub(r"\x1b\[[0-9;?<>=]*[a-zA-Z]", "", rest)


@contextlib.contextmanager
def opened(here: Path, corpus: Path = BIBLE) -> Iterator[App]:
    """Open the app and make sure that it is gone afterwards."""
    app = App(here, corpus)
    try:
        yield app
    finally:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(app.pid, 9)
            os.waitpid(app.pid, 0)


def report(what: str, seconds: list[float]) -> None:
    """Print one line of figures in milliseconds."""
    ordered = sorted(1000 * value for value in seconds)
    at = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    print(f"{what:<44} median {statistics.median(ordered):6.0f} ms   95% {at:6.0f} ms   most {ordered[-1]:6.0f} ms")


def keys(app: App, count: int, what: str) -> None:
    """Measure typing, turning pages and opening the menu."""
    app.press("i")
    app.settle(0.5)
    letters = [app.answer(key, key.encode()) for key in LETTERS[:count]]
    report(f"a letter in the line to type in, {what}", letters)
    app.press("\x1b")
    app.settle(0.5)
    app.press("1")
    app.settle(0.3)
    turns = [app.answer("]", b"passage") for _ in range(max(10, count // 3))]
    report(f"the next passage, {what}", turns)
    menu = []
    for _ in range(max(10, count // 4)):
        menu.append(app.answer("m", b"enter does it"))
        app.press("\x1b")
        app.settle(0.3)
    report(f"the menu, {what}", menu)
    presses = [*letters, *turns, *menu]
    quick = sum(1000 * seconds <= SOON for seconds in presses) / len(presses)
    print(f"of all {len(presses)} key presses, {what}: {quick:.1%} drawn within {SOON} ms")


def train(app: App, target: int) -> None:
    """Set the training going on all of the text."""
    app.answer(",", b"Use these settings")
    app.press("all\t")
    app.settle(0.5)
    app.press(f"{target}\r")
    app.settle(1)
    app.press("t")
    app.wait_for(b"learning merges")


def train_in_app(here: Path, corpus: Path, target: int) -> float:
    """Give the seconds of a run that nobody disturbs, as the app tells them when it is left."""
    with opened(here, corpus) as app:
        app.wait_for(corpus.name.encode())
        app.settle(3)
        train(app, target)
        app.wait_for(b"not saved", 600)
        app.settle()
        app.press("q")
        app.settle(0.5)
        app.press("d")
        told = app.close()
    found = re.search(r"characters in ([0-9.]+) s", told)
    if found is None:
        raise SystemExit(f"the app did not tell how long it trained: {told}")
    return float(found[1])


def train_by_command(here: Path, arguments: argparse.Namespace) -> float:
    """Give the seconds of the same run by `bpe-tui train`, as that tells them."""
    command = [
        sys.executable,
        "-m",
        "bpe_tui",
        "train",
        str(arguments.corpus),
        "--training-characters",
        "all",
        "--json",
    ]
    command += ["--target-vocab-size", str(arguments.target), "--output", str(here / "tokenizer.json")]
    ended = subprocess.run(command, cwd=here, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
    return float(json.loads(ended.stdout)["training"]["seconds"])


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus = WIKITEXT if WIKITEXT.is_dir() else BIBLE
    parser.add_argument("--corpus", type=Path, default=corpus, help=f"what to train on (default: {corpus.name})")
    parser.add_argument("--target", type=int, default=300_000, help="vocabulary to train to")
    parser.add_argument("--keys", type=int, default=60, help="letters to type")
    parser.add_argument("--runs", type=int, default=5, help="runs in the app and by the command, in turn")
    arguments = parser.parse_args()
    count = min(arguments.keys, len(LETTERS))
    subprocess.run([sys.executable, "-m", "bpe_tui.bpe.kernels"], cwd=ROOT, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        paints, corpora = [], []
        for _ in range(5):
            with opened(here) as app:
                paints.append(app.wait_for(b"Corpus") - app.started)
                corpora.append(app.wait_for(b"king-james-bible") - app.started)
                app.settle()
                app.press("q")
                app.close()
        report("first paint", paints)
        report("corpus read and shown", corpora)
        with opened(here, arguments.corpus) as app:
            app.wait_for(arguments.corpus.name.encode())
            app.settle(3)
            keys(app, count, "idle")
            train(app, arguments.target)
            keys(app, count, "training")
            app.press("x")
            app.settle()
            app.press("q")
            app.settle(0.5)
            app.press("d")
            app.close()
        # In turn, since the machine's speed drifts.
        pairs = [
            (train_in_app(here, arguments.corpus, arguments.target), train_by_command(here, arguments))
            for _ in range(arguments.runs)
        ]
        for what, seconds in zip(("in the app", "bpe-tui train"), zip(*pairs, strict=True), strict=True):
            print(f"training, {what:<34} median {statistics.median(seconds):6.2f} s of {len(seconds)} runs")


if __name__ == "__main__":
    main()
