"""Writing whole or not at all: what is left behind when it goes wrong is what was there before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bpe_tui.atomic import atomic_writer, write_text


def test_nothing_is_left_of_a_write_that_failed(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()

    def fail() -> None:
        with atomic_writer(tmp_path / "old" / "new" / "deep" / "file") as file:
            file.write(b"part")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.rglob("*")) == [tmp_path / "old"]


def test_folders_made_for_two_files_stay_for_the_one_that_stands(tmp_path: Path) -> None:
    def fail() -> None:
        with atomic_writer(tmp_path / "new" / "one"):
            write_text(tmp_path / "new" / "two", "whole")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [path.name for path in tmp_path.rglob("*")] == ["new", "two"]


@pytest.mark.parametrize("name", ["nul\0", "lone\ud800", "x" * 300, "folder", "circle", "file/x", "new/" + "x" * 300])
def test_names_that_cannot_be_written_raise_what_people_can_be_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    (tmp_path / "circle").symlink_to("circle")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OSError, match=r".+"):
        write_text(tmp_path / name, "new")
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "circle").is_symlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match="a device or pipe stands there"):
            write_text(tmp_path / name, "new")
    assert (tmp_path / "link").is_fifo()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    for content in ("first", "second"):
        write_text(tmp_path / "link", content)
        assert (tmp_path / "file").read_text() == content
    assert (tmp_path / "link").is_symlink()
