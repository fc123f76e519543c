"""The first start compiles in another process, silently, and can be called off."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import bpe_tui
from bpe_tui.bpe import kernels as compiled
from bpe_tui.errors import Cancelled
from bpe_tui.session import kernels
from bpe_tui.session.job import Job, JobState
from bpe_tui.session.kernels import KernelError, ensure_compiled

WAIT = 120.0
PLACE = Path(bpe_tui.__file__).parents[1]


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "cache_is_warm", lambda _: False)
    monkeypatch.setattr(kernels, "_compiled_here", set())


def test_a_warm_cache_needs_no_child(monkeypatch) -> None:
    monkeypatch.setattr(compiled, "cache_is_warm", lambda _: True)
    monkeypatch.setattr(subprocess, "Popen", None)
    ensure_compiled()


@pytest.mark.usefixtures("cold")
def test_a_child_that_fails_is_told_in_its_last_words(monkeypatch) -> None:
    monkeypatch.setattr(kernels, "_CHILD", "raise SystemError('no such instruction: vfoo')")
    with pytest.raises(KernelError) as caught:
        ensure_compiled()
    assert "exit code 1" in str(caught.value)
    assert "no such instruction: vfoo" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("cold")
def test_an_interpreter_that_is_gone_is_told(monkeypatch) -> None:
    monkeypatch.setattr(sys, "executable", str(PLACE / "no such python"))
    with pytest.raises(KernelError, match="no such python"):
        ensure_compiled()


@pytest.mark.usefixtures("cold")
def test_calling_it_off_kills_the_child(monkeypatch) -> None:
    children = []
    real = subprocess.Popen

    def started(*arguments, **options):
        children.append(real(*arguments, **options))
        return children[-1]

    monkeypatch.setattr(kernels, "_CHILD", "import threading; threading.Event().wait()")
    monkeypatch.setattr(subprocess, "Popen", started)
    job = Job("compile", ensure_compiled).start()
    while job.snapshot().step == "compile":
        assert not job.wait(0.01)
    assert "first start" in job.snapshot().step
    job.cancel()
    assert job.wait(WAIT)
    assert job.snapshot().state is JobState.CANCELLED
    assert children[0].returncode not in {None, 0}


@pytest.mark.usefixtures("cold")
def test_two_who_need_it_at_once_share_one_child(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(kernels, "_CHILD", f"open({str(tmp_path / 'count')!r}, 'a').write('x')")
    both = threading.Barrier(2)

    def together(report) -> None:
        both.wait(WAIT)
        ensure_compiled(report)

    jobs = [Job("compile", together).start() for _ in range(2)]
    for job in jobs:
        job.outcome()
    assert (tmp_path / "count").read_text() == "x"


@pytest.mark.usefixtures("cold")
def test_who_waits_for_another_can_give_up(monkeypatch) -> None:
    def impatient(step: str, done: int, total: int) -> None:
        raise Cancelled("enough")

    with kernels._one_at_a_time, pytest.raises(Cancelled):
        ensure_compiled(impatient)


def run_python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(PLACE), **environment},
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )


def test_the_very_first_start_fills_the_cache_without_a_word_and_without_loading_numba(tmp_path) -> None:
    code = """
import sys
from bpe_tui.bpe import kernels as compiled
from bpe_tui.session.kernels import ensure_compiled, load
assert not compiled.cache_is_warm()
steps = set()
ensure_compiled(lambda step, done, total: steps.add(step))
assert compiled.cache_is_warm(compiled.CHARACTERS)
assert len(steps) == 1, steps
assert "numba" not in sys.modules
load()
from bpe_tui import BPETokenizer
print(BPETokenizer.train("abab", 3, verbose=False).merges)
"""
    ended = run_python(code, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert (ended.stdout, ended.stderr, ended.returncode) == ("[('a', 'b')]\n", "", 0)


@pytest.mark.parametrize(
    "job",
    [
        "train('characters'); jobs.encode_array(BPETokenizer('ab', []), 'abab')",
        "train('words')",
        "train('bytes')",
        "tokenizer = byte_tokenizer(CHARACTERS, [], rule('gpt2'), 'bytes'); jobs.encode_array(tokenizer, 'to be')",
        "jobs.find_places(byte_tokenizer(CHARACTERS, [], rule('gpt2'), 'bytes').encoder(), 'to be', 98)",
        "jobs.load_tokenizer(ranks, split='gpt2')",
    ],
)
def test_no_job_loads_compiled_code_that_was_not_made_ready_before(tmp_path, job: str) -> None:
    code = f"""
import base64, sys
from pathlib import Path
from bpe_tui import BPETokenizer
from bpe_tui.bpe.byte_alphabet import CHARACTERS
from bpe_tui.bpe.byte_training import byte_tokenizer
from bpe_tui.bpe.pretokenize import rule
from bpe_tui.progress import silent
from bpe_tui.session import jobs, kernels, kinds
from bpe_tui.session.engine import make_trainer
from bpe_tui.session.settings import RunSettings

ready = set()
def note(_report, modules=kernels.compiled.CHARACTERS):
    ready.update(modules)
kernels.ensure_compiled, kernels.load = note, lambda *_: None

def train(alphabet):
    settings = RunSettings(None, 300, alphabet=alphabet)
    class Splits:
        base_characters = lambda self: list(" beotrn")
    make_trainer("to be or not to be", settings, kinds.base_tokens(settings, Splits()), (), silent).advance()

ranks = Path(sys.argv[1])
ranks.write_bytes(b"".join(b"%b %d\\n" % (base64.b64encode(bytes([byte])), byte) for byte in range(256)))
{job}
place = kernels.compiled.__name__ + "."
used = {{name.removeprefix(place) for name in sys.modules if name.startswith(place)}} & set(kernels.compiled.MODULES)
print(sorted(used - ready), bool(used))
"""
    ended = run_python(code, str(tmp_path / "ranks.tiktoken"))
    assert (ended.stdout, ended.stderr, ended.returncode) == ("[] True\n", "", 0)


@pytest.mark.skipif(os.name != "posix", reason="asks for a process by its id")
def test_the_child_dies_with_a_program_that_ends_meanwhile(tmp_path) -> None:
    code = """
import sys, threading
from pathlib import Path
from bpe_tui.bpe import kernels as compiled
from bpe_tui.session import kernels
from bpe_tui.session.job import Job
compiled.cache_is_warm = lambda _: False
kernels._CHILD = "import os, threading; print(os.getpid(), flush=True); threading.Event().wait()"
started = threading.Event()
real = kernels.subprocess.Popen
def popen(*arguments, **options):
    child = real(*arguments, **options)
    print(child.pid, flush=True)
    started.set()
    return child
kernels.subprocess.Popen = popen
Job("compile", kernels.ensure_compiled).start()
started.wait()
"""
    ended = run_python(code)
    assert ended.returncode == 0, ended.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(ended.stdout), 0)


def test_the_cache_is_warm_only_for_these_very_sources_and_this_python(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    sources = tmp_path / "kernels"
    sources.mkdir()
    (sources / "training.py").write_text("one")
    monkeypatch.setattr(compiled, "_HERE", sources)
    assert not compiled.cache_is_warm(["training"])
    compiled.mark_as_compiled("training")
    assert compiled.cache_is_warm(["training"])
    assert not compiled.cache_is_warm(["training", "encoding"])
    first = compiled.cache_folder()
    # A kernel in one file may be part of the machine code of another: any change of any file counts.
    (sources / "other.py").write_text("two")
    assert not compiled.cache_is_warm(["training"])
    compiled.mark_as_compiled("training")
    assert not first.exists()
    monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-399")
    assert not compiled.cache_is_warm(["training"])
