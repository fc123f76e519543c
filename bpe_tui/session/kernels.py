"""Getting the compiled code ready without freezing anybody.

The first start on a machine compiles for some ten seconds, and Numba holds the interpreter while it does. So a child
process does it and leaves the machine code on disk; this process stays responsive, says what is going on and loads the
result. Every later start finds it there.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence

from bpe_tui.bpe import kernels as compiled
from bpe_tui.errors import BPEError, Cancelled
from bpe_tui.progress import Report, silent

_POLL = 0.05
"""Seconds between two looks at the child; also how fast cancelling is."""
_CHILD = (
    "import runpy, sys; count = int(sys.argv[1]); modules = sys.argv[2 : 2 + count]; "
    "sys.path[:] = sys.argv[2 + count :]; sys.argv[1:] = modules; "
    "runpy.run_module('bpe_tui.bpe.kernels', run_name='__main__', alter_sys=True)"
)
_one_at_a_time = threading.Lock()
_children: set[subprocess.Popen[bytes]] = set()
_compiled_here: set[str] = set()


class KernelError(BPEError):
    """The compiled code cannot be made on this machine."""


def modules_for(unit: str) -> Sequence[str]:
    """Give the modules that work on tokens made of `unit` needs: "bytes", "characters" or "words"."""
    return compiled.BYTES if unit == "bytes" else compiled.CHARACTERS


def ensure_compiled(report: Report = silent, modules: Sequence[str] = compiled.CHARACTERS) -> None:
    """Fill the cache of compiled code if it is cold; gives back at once if it is warm. Any thread; others wait.

    Only `modules` are compiled: what is not needed yet is not waited for.

    `report` is called every 50 ms with the seconds that it has taken so far, and may raise Cancelled: the child process
    is then killed. It is killed too when this process exits. Raises KernelError if compiling fails.
    """
    if _is_ready(modules):
        return
    begun = time.monotonic()
    while not _one_at_a_time.acquire(timeout=_POLL):
        _say(report, begun)
    try:
        if not _is_ready(modules):
            _compile(report, begun, modules)
            # Even if the cache does not look warm to the next caller: doing it again would not change that.
            _compiled_here.update(modules)
    finally:
        _one_at_a_time.release()


def _is_ready(modules: Sequence[str]) -> bool:
    return _compiled_here.issuperset(modules) or compiled.cache_is_warm(modules)


def load(report: Report = silent, modules: Sequence[str] = compiled.CHARACTERS) -> None:
    """Import the compiled code into this process: about a second, in the calling thread, which should be no user
    interface's. `report` may raise Cancelled between two modules. Raises KernelError.
    """
    for number, module in enumerate(modules):
        report("loading the compiled code", number, len(modules))
        try:
            importlib.import_module(f"bpe_tui.bpe.kernels.{module}")
        except ImportError as error:
            raise KernelError(
                f"the compiled code cannot be loaded: {error}; install bpe-tui and its dependencies again"
            ) from error
    # What is loaded stays: looking through its half a million objects for garbage takes 50 ms each time.
    gc.freeze()


def _compile(report: Report, begun: float, modules: Sequence[str]) -> None:
    # The child inherits no terminal: what it prints must not disturb the screen. Its own session keeps the terminal's
    # ctrl+c and hang-up away from it; this process decides when it ends. It finds modules where this process does.
    command = [sys.executable, "-P", "-c", _CHILD, str(len(modules)), *modules, *sys.path]
    with tempfile.TemporaryFile() as output:
        try:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=os.name == "posix"
            )
        except OSError as error:
            raise KernelError(f"the compiler cannot be started: {sys.executable}: {error.strerror}") from error
        _children.add(child)
        try:
            while True:
                _say(report, begun)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(_POLL)
                    break
        except BaseException:
            _kill(child)
            raise
        finally:
            _children.discard(child)
        if child.returncode != 0:
            output.seek(0)
            raise KernelError(_why(child.returncode, output.read().decode("utf-8", "replace")))


def _say(report: Report, begun: float) -> None:
    if not threading.main_thread().is_alive():
        raise Cancelled("the program is ending")
    report("compiling for the first start (once on this machine)", int(time.monotonic() - begun), 0)


def _why(code: int, output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    # The last line of a traceback is the one that says what it was.
    said = f": {lines[-1]}" if lines else ""
    how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
    return (
        f"the code that trains cannot be compiled on this machine ({how}){said}; "
        f"run `{sys.executable} -m bpe_tui.bpe.kernels` to see all of it"
    )


def _kill(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()


@atexit.register
def _kill_all() -> None:
    for child in list(_children):
        _kill(child)
