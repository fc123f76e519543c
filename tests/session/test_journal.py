"""What a run learned survives the death of its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bpe_tui
from bpe_tui.bpe import reference
from bpe_tui.session.checkpoint import latest, resume
from bpe_tui.session.journal import Journal, recover
from bpe_tui.session.run import Run
from bpe_tui.session.settings import RunSettings
from bpe_tui.session.state import RunState

WAIT = 120.0
TEXT = "Peter Piper picked a peck of pickled peppers; a peck of pickled peppers Peter Piper picked. " * 5
TARGET = 40


def rest(run: Run):
    return run.wait_until(lambda seen: not seen.state.busy and seen.state is not RunState.IDLE, WAIT)


def whole_run(target: int = TARGET) -> list[tuple[str, str]]:
    return [merge.pair for merge in reference.train(TEXT, target)[0]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def left_behind(make_splits, folder) -> Path:
    """The journal of a run that took nine steps, three at a time, and was never saved."""
    run = Run(make_splits(TEXT), RunSettings(None, TARGET), journal=Journal(folder))
    for _ in range(3):
        run.step(3)
        rest(run)
    run.close()
    (file,) = folder.iterdir()
    return file


CHILD = """
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("conftest_of_session", sys.argv[1])
conftest = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = conftest
spec.loader.exec_module(conftest)
from bpe_tui.session.journal import Journal
from bpe_tui.session.run import Run
from bpe_tui.session.settings import RunSettings
texts = {"train": sys.argv[3], "val": "", "test": ""}
parts = [conftest.TextSplit(name, text, Path(name)) for name, text in texts.items()]
journal = Journal(Path(sys.argv[2]))
run = Run(conftest.TextSplits(*parts), RunSettings(None, int(sys.argv[4])), journal=journal)
run.set_speed(20)
run.start()
run.wait_until(lambda seen: journal.holds(12) and seen.merges >= 12)
print("ready", flush=True)
run.wait_until(lambda seen: False)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_killed_process_loses_nothing(make_splits, folder) -> None:
    place = Path(bpe_tui.__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(Path(__file__).with_name("conftest.py")), str(folder), TEXT, str(TARGET)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(place)},
        text=True,
    )
    assert process.stdout is not None
    with process, process.stdout:
        assert process.stdout.readline() == "ready\n"
        assert recover(folder) == [], "a journal in use is left alone"
        process.send_signal(signal.SIGKILL)
        process.wait(WAIT)

    (found,) = recover(folder)
    assert found.problem is None
    assert found.checkpoint is not None
    assert len(found.checkpoint.merges) >= 12
    assert list(found.checkpoint.merges) == whole_run()[: len(found.checkpoint.merges)]
    assert list(folder.iterdir()) == []

    kept = latest()
    assert kept is not None
    run = resume(kept, make_splits(TEXT))
    run.start()
    rest(run)
    assert run.merge_strings() == whole_run()
    run.close()


def test_a_line_torn_by_the_end_costs_that_line_only(left_behind, folder) -> None:
    whole = left_behind.read_bytes()
    begins_of_lines = [place for place in range(len(whole)) if place == 0 or whole[place - 1] == 0x0A]
    assert len(begins_of_lines) >= 4
    for begin, kept in zip(begins_of_lines[1:], (0, 3, 6), strict=False):
        for torn in (whole[:begin], whole[: begin + 1], whole[: begin + 9], whole[:begin] + b"\0" * 40):
            left_behind.write_bytes(torn)
            found = recover(folder)
            merges = found[0].checkpoint.merges if found and found[0].checkpoint else ()
            # The header and the first batch are written together, as two lines.
            assert list(merges) == whole_run()[:kept]
            left_behind.unlink(missing_ok=True)


def test_a_header_that_never_arrived_leaves_nothing_to_recover(folder) -> None:
    folder.mkdir()
    file = folder / "20200101T000000.000000-1.jsonl"
    file.write_bytes(b'{"type":"bpe_tui_jou')
    assert recover(folder) == []
    assert file.exists(), "another program may be just about to write it"
    os.utime(file, (0, 0))
    assert recover(folder) == []
    assert not file.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"type":"something"}\n', "field type"),
        (b'{"type":"bpe_tui_journal","version":7}\n', "version 7"),
        (b'{"type":"bpe_tui_journal","version":2,"corpus":{}}\n', "name is missing"),
    ],
)
def test_a_journal_that_cannot_be_understood_is_told_and_kept(folder, content, words) -> None:
    folder.mkdir()
    file = folder / "other.jsonl"
    file.write_bytes(content)
    (found,) = recover(folder)
    assert found.checkpoint is None
    assert found.problem is not None
    assert words in found.problem
    assert str(file) in found.problem
    assert file.exists()


def test_rows_that_do_not_follow_on_those_before_end_what_is_recovered(left_behind, folder) -> None:
    with left_behind.open("ab") as file:
        file.write(b'{"first":9,"merges":[[0,1,9999]]}\n')
        file.write(b'{"first":9,"merges":[[0,1,2]]}\n')
    (found,) = recover(folder)
    assert found.checkpoint is not None
    assert list(found.checkpoint.merges) == whole_run()[:9]


def test_a_raised_target_is_recovered(make_splits, folder) -> None:
    run = Run(make_splits(TEXT), RunSettings(None, TARGET), journal=Journal(folder))
    run.step(3)
    rest(run)
    run.raise_target(TARGET + 5)
    run.step(1)
    rest(run)
    run.close()
    (found,) = recover(folder)
    assert found.checkpoint is not None
    assert found.checkpoint.settings.target_vocab_size == TARGET + 5
    assert len(found.checkpoint.merges) == 4


def test_a_run_that_was_saved_leaves_no_journal_and_one_that_goes_on_begins_anew(make_splits, folder) -> None:
    journal = Journal(folder)
    run = Run(make_splits(TEXT), RunSettings(None, TARGET), journal=journal)
    run.start()
    rest(run)
    assert len(list(folder.iterdir())) == 1
    journal.discard()
    assert list(folder.iterdir()) == []
    run.raise_target(TARGET + 3)
    run.wait_until(lambda seen: seen.vocab_size == TARGET + 3 and not seen.state.busy, WAIT)
    run.close()
    (found,) = recover(folder)
    assert found.checkpoint is not None
    assert list(found.checkpoint.merges) == whole_run(TARGET + 3)


def test_a_discarded_journal_stays_away_whatever_the_closing_run_still_does(make_splits, folder) -> None:
    journal = Journal(folder)
    run = Run(make_splits(TEXT), RunSettings(None, TARGET), journal=journal)
    run.set_speed(200)
    run.start()
    run.wait_until(lambda seen: seen.merges >= 2, WAIT)
    run.close(0)
    journal.discard()
    assert run.close(WAIT)
    assert not folder.exists() or list(folder.iterdir()) == []


def test_a_journal_that_cannot_be_written_is_a_notice_and_training_goes_on(make_splits, tmp_path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("in the way", encoding="utf-8")
    run = Run(make_splits(TEXT), RunSettings(None, TARGET), journal=Journal(blocked / "journal"))
    run.start()
    seen = rest(run)
    assert seen.state is RunState.DONE
    assert seen.notice is not None
    assert "journal cannot be written" in seen.notice
    assert run.merge_strings() == whole_run()
    run.close()


def test_a_run_that_never_learned_anything_writes_no_journal(make_splits, folder) -> None:
    run = Run(make_splits("abcdef"), RunSettings(None, 50), journal=Journal(folder))
    run.start()
    assert rest(run).merges == 0
    run.close()
    assert not folder.exists() or list(folder.iterdir()) == []
