"""Standard streams as they come in real life: cut off, full, closed, in a narrow encoding; and disks that are full."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import RunCommand, files_below

Start = Callable[..., subprocess.Popen[bytes]]


def test_a_reader_that_has_enough_is_no_error_and_the_job_goes_on(process: Start, corpus: Path, at_home: Path) -> None:
    """`bpe-tui build | head -1`."""
    with process("build", "--target-vocab-size", 40) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        err = running.stderr.read().decode()
    assert running.returncode == 0, err
    assert "error" not in err
    assert "Broken" not in err
    assert (at_home / "data/encoded_bpe/manifest.json").exists()


@pytest.mark.usefixtures("tokenizer_file")
@pytest.mark.parametrize(
    "arguments", [["--help"], ["tokenize", "low " * 5000], ["inspect", "tokenizer/bpe_tokenizer.json"]]
)
def test_output_that_nobody_reads_at_all(process: Start, arguments: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    running = process(*arguments, stdout=write_end)
    os.close(write_end)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 0
    assert b"Broken" not in err
    assert b"Traceback" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.usefixtures("tokenizer_file")
@pytest.mark.parametrize(
    "arguments", [["encode", "low"], ["decode", "1"], ["fingerprint", "tokenizer/bpe_tokenizer.json"]]
)
def test_a_full_disk_behind_standard_output(process: Start, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        running = process(*arguments, stdout=full)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "error: standard output cannot be written: No space left on device" in err.decode()
    assert "Traceback" not in err.decode()


@pytest.mark.usefixtures("tokenizer_file")
def test_closed_streams(process: Start) -> None:
    command = ["encode", "low"]
    for closed in ((0,), (1,), (2,), (0, 1, 2)):

        def close(closed: tuple[int, ...] = closed) -> None:
            for descriptor in closed:
                os.close(descriptor)

        running = process(*command, preexec_fn=close)
        running.communicate(timeout=60)
        assert running.returncode == 0, closed
    running = process("encode", preexec_fn=lambda: os.close(0))
    _, err = running.communicate(timeout=60)
    assert running.returncode == 2
    assert b"standard input is closed" in err


@pytest.mark.parametrize("closed", [0, 1])
def test_the_app_without_a_stream_at_all(closed: int, process: Start) -> None:
    running = process(preexec_fn=lambda: os.close(closed))
    _, err = running.communicate(timeout=60)
    assert running.returncode == 1
    assert err.decode().startswith("error: the app needs a terminal")


def test_an_encoding_that_knows_no_arrows(process: Start, corpus: Path) -> None:
    running = process("build", "--target-vocab-size", 40, environment={"PYTHONIOENCODING": "ascii"})
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert b" -> " in out
    assert (out + err).isascii()


def test_no_colour_codes_where_no_terminal_is(process: Start, corpus: Path) -> None:
    running = process("build", "--target-vocab-size", 40, environment={"FORCE_COLOR": "1"})
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0
    assert b"\x1b" not in out + err


def limit_files_to(size: int) -> Callable[[], None]:
    """A disk that is full for files beyond a size, as far as the kernel is concerned."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize(("size", "place"), [(1000, "encoded_bpe"), (10, "bpe_tokenizer.json")])
def test_a_file_that_may_not_grow(process: Start, corpus: Path, at_home: Path, size: int, place: str) -> None:
    before = files_below(at_home)
    # Enough for the tokenizer of some hundred bytes, not for the tensors; or for neither.
    running = process("build", "--target-vocab-size", 16, preexec_fn=limit_files_to(size))
    _, err = running.communicate(timeout=60)
    assert running.returncode == 1
    last = err.decode().splitlines()[-1]
    assert last.startswith("error: ")
    assert place in last
    assert "Traceback" not in err.decode()
    left = set(files_below(at_home)) - set(before)
    assert left <= ({"tokenizer/bpe_tokenizer.json"} if size == 1000 else set())
    assert not (at_home / "data/encoded_bpe").exists()


@pytest.mark.parametrize("calls", range(8))
def test_a_disk_that_fills_up_at_any_time(
    calls: int, command: RunCommand, corpus: Path, at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes so many more files until there is no room."""
    done = 0
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        nonlocal done
        done += 1
        if done > calls:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    before = files_below(at_home)
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fsync)
        result = command("build", "--target-vocab-size", 30)
    left = set(files_below(at_home)) - set(before)
    if result.code == 0:
        assert len(left) == 5
        return
    assert result.code == 1
    assert "disk is full" in result.error.lower() or "No space left" in result.error
    assert left <= {
        "tokenizer/bpe_tokenizer.json",
        *(f"data/encoded_bpe/{name}_ids.pt" for name in ("train", "val", "test")),
    }
    # Whatever stands is whole, and the next try simply works.
    assert not [name for name in left if ".partial" in name]
    again = command("build", "--target-vocab-size", 30, "--overwrite")
    assert again.code == 0, again.err
