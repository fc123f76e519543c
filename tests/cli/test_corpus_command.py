"""`bpe-tui corpus`, as a user calls it: in a process of its own."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


def bpe_tui(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "bpe_tui", *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def assert_fails(process: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert process.returncode == 1, process.stderr
    line = process.stderr.splitlines()[-1]
    assert line.startswith("error: ")
    assert "Traceback" not in process.stderr
    for part in parts:
        assert part in line


@pytest.fixture
def wikitext(tmp_path: Path) -> Path:
    folder = tmp_path / "wiki text, größe"
    folder.mkdir()
    for name in ("train", "valid", "test"):
        (folder / f"wiki.{name}.tokens").write_text(f" \n = {name} = \n \n well @-@ known \n", "utf-8")
    return folder


def test_list_names_the_bible_first(tmp_path: Path) -> None:
    listed = bpe_tui("corpus", "list", cwd=tmp_path)
    assert listed.returncode == 0
    assert listed.stdout.startswith("king-james-bible")
    corpora = json.loads(bpe_tui("corpus", "list", "--json", cwd=tmp_path).stdout)
    assert corpora[0]["name"] == "king-james-bible"
    assert all(Path(corpus["folder"], "train.txt").is_file() for corpus in corpora)


def test_show_a_shipped_corpus_by_name(tmp_path: Path) -> None:
    shown = bpe_tui("corpus", "show", "newest-widest", cwd=tmp_path)
    assert shown.returncode == 0
    train = next(line for line in shown.stdout.splitlines() if line.startswith("train"))
    assert train.split()[:5] == ["train", "95", "B", "95", "12"]


def test_show_as_json(tmp_path: Path) -> None:
    (tmp_path / "book é.txt").write_bytes("\ufeff".encode() + "größe\r\n".encode() * 100)
    figures = json.loads(bpe_tui("corpus", "show", "book é.txt", "--json", cwd=tmp_path).stdout)
    assert figures["name"] == "book é"
    assert figures["characters"] == 700
    assert figures["distinct_characters"] == 7
    assert "one file, cut into three at line ends" in figures["notes"][0]
    assert [split["characters"] for split in figures["splits"]] == [630, 35, 35]
    assert figures["notes"][1:] == ["byte order mark dropped", "100 carriage returns (U+000D) kept"]


def test_show_splits_named_one_by_one(tmp_path: Path, wikitext: Path) -> None:
    (tmp_path / "mine.txt").write_text("abc")
    shown = bpe_tui("corpus", "show", wikitext, "--train", "mine.txt", cwd=tmp_path)
    assert shown.returncode == 0
    assert "mine.txt" in shown.stdout
    assert "wiki.valid.tokens" in shown.stdout


def test_show_what_is_not_there(tmp_path: Path) -> None:
    assert_fails(bpe_tui("corpus", "show", "nothing", cwd=tmp_path), "nothing does not exist")
    assert_fails(bpe_tui("corpus", "show", ".", cwd=tmp_path), "no train, val and test", "wiki.{train,valid,test}.raw")


def test_show_an_invalid_byte(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"ab\nc\xff\n" * 10)
    assert_fails(bpe_tui("corpus", "show", "bad.txt", cwd=tmp_path), "byte 0xFF at byte offset 4, line 2")
    shown = bpe_tui("corpus", "show", "bad.txt", "--invalid", "replace", cwd=tmp_path)
    assert shown.returncode == 0
    assert "10 invalid bytes replaced by U+FFFD" in shown.stdout


def test_names_that_would_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m[red]\nb.txt").write_text("one\ntwo\nthree\n")
    shown = bpe_tui("corpus", "show", "a\x1b[31m[red]\nb.txt", cwd=tmp_path)
    assert shown.returncode == 0
    assert "\x1b" not in shown.stdout + shown.stderr
    assert_fails(bpe_tui("corpus", "show", "gone\x1b[31m\n", cwd=tmp_path), "gone")


def test_clean_then_show(tmp_path: Path, wikitext: Path) -> None:
    cleaned = bpe_tui("corpus", "clean", wikitext, "out put", cwd=tmp_path)
    assert cleaned.returncode == 0
    assert (tmp_path / "out put" / "wikitext2_val_clean.txt").read_text() == "= valid =\n\nwell-known\n"
    assert "wikitext2_test_clean.txt" in cleaned.stdout
    assert bpe_tui("corpus", "show", "out put", cwd=tmp_path).returncode == 0

    again = bpe_tui("corpus", "clean", wikitext, "out put", "--drop-headings", cwd=tmp_path)
    assert_fails(again, "already holds", "--overwrite")
    figures = bpe_tui("corpus", "clean", wikitext, "out put", "--drop-headings", "--overwrite", "--json", cwd=tmp_path)
    assert json.loads(figures.stdout)["splits"][1]["characters"] == len("well-known\n")
    assert (tmp_path / "out put" / "wikitext2_val_clean.txt").read_text() == "well-known\n"


def test_clean_goes_where_build_looks(tmp_path: Path, wikitext: Path) -> None:
    assert bpe_tui("corpus", "clean", wikitext, cwd=tmp_path).returncode == 0
    assert (tmp_path / "data" / "processed" / "wikitext2_train_clean.txt").is_file()


@pytest.fixture
def published(tmp_path: Path, wikitext: Path) -> Iterator[tuple[str, bytes]]:
    """A server with an archive of the right shape: its address and the archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path in wikitext.iterdir():
            archive.write(path, f"wikitext-2/{path.name}")
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "a.zip").write_bytes(stream.getvalue())

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", stream.getvalue()
        server.shutdown()
        thread.join()


def test_get(tmp_path: Path, published: tuple[str, bytes]) -> None:
    address, archive = published
    digest = hashlib.sha256(archive).hexdigest()
    got = bpe_tui("corpus", "get", "wikitext-2", "--url", f"{address}/a.zip", "--sha256", digest, cwd=tmp_path)
    assert got.returncode == 0, got.stderr
    assert "bpe-tui corpus clean" in got.stdout
    assert (tmp_path / "data" / "wikitext-2" / "wiki.valid.tokens").is_file()


def test_get_what_is_not_right(tmp_path: Path, published: tuple[str, bytes]) -> None:
    address, archive = published
    wrong = bpe_tui("corpus", "get", "wikitext-2", "out", "--url", f"{address}/a.zip", cwd=tmp_path)
    assert_fails(wrong, "SHA-256", hashlib.sha256(archive).hexdigest())
    gone = bpe_tui("corpus", "get", "wikitext-2", "out", "--url", f"{address}/b.zip", cwd=tmp_path)
    assert_fails(gone, "404", "--archive FILE", "wiki.train.tokens")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["get"],
        ["get", "wikipedia"],
        ["clean"],
        ["get", "wikitext-2", "--sha256", "abc"],
        ["get", "wikitext-2", "--timeout", "0"],
        ["get", "wikitext-2", "--timeout", "soon"],
        ["show", "--invalid", "ignore"],
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str]) -> None:
    process = bpe_tui("corpus", *arguments, cwd=tmp_path)
    assert process.returncode == 2
    assert "error: " in process.stderr
