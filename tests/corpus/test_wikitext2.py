"""Getting WikiText-2 from a server of our own: the good case and everything that a network does to people."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import io
import socket
import threading
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bpe_tui.corpus import get_wikitext2, read_splits
from bpe_tui.corpus import wikitext2 as module
from bpe_tui.errors import Cancelled, CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = {
    "wiki.train.tokens": b" \n = A = \n \n words @-@ words \n" * 9000,
    "wiki.valid.tokens": b" \n = B = \n",
    "wiki.test.tokens": "größe \n".encode(),
}


def pack(files: dict[str, bytes], folder: str = "wikitext-2/") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(folder + name, content)
    return stream.getvalue()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


ARCHIVE = pack(FILES)


class Server(http.server.ThreadingHTTPServer):
    """Answers by path; `release` lets a stalled answer end."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.archive = ARCHIVE
        self.release = threading.Event()
        self.asked: list[tuple[str, str]] = []

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{path}"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        server = self.server
        server.asked.append((self.path, self.headers.get("User-Agent", "")))
        archive = server.archive
        if self.path == "/gone":
            self.send_error(404)
        elif self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/good")
            self.end_headers()
        elif self.path == "/silent":
            server.release.wait(30)
        elif self.path == "/nonsense":
            self.wfile.write(b"what?\r\n\r\n")
        else:
            self.send_response(200)
            if self.path != "/no-length":
                self.send_header("Content-Length", str(len(archive)))
            self.end_headers()
            if self.path in ("/broken", "/stalled"):
                self.wfile.write(archive[: len(archive) // 2])
                self.wfile.flush()
                if self.path == "/stalled":
                    server.release.wait(30)
            else:
                with contextlib.suppress(OSError):
                    self.wfile.write(archive)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.release.set()
        server.shutdown()
        thread.join()


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*")) if folder.exists() else []


def test_download_check_and_unpack(server: Server, tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    folder = tmp_path / "new, größe" / "wikitext-2"
    fetched = get_wikitext2(
        folder, url=server.url("good"), sha256=sha256(ARCHIVE), report=lambda *step: heard.append(step)
    )
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    assert [path.name for path in fetched.files] == list(FILES)
    assert fetched.source == server.url("good")
    assert ("downloading", len(ARCHIVE), len(ARCHIVE)) in heard
    assert ("unpacking wiki.train.tokens", len(FILES["wiki.train.tokens"]), len(FILES["wiki.train.tokens"])) in heard
    # What came is a corpus as it is, and the server was not told a name that some servers refuse.
    assert read_splits(folder).test.text == "größe \n"
    assert "python" not in server.asked[0][1].lower()


@pytest.mark.parametrize("path", ["moved", "no-length"])
def test_other_good_answers(server: Server, tmp_path: Path, path: str) -> None:
    get_wikitext2(tmp_path, url=server.url(path), sha256=sha256(ARCHIVE).upper())
    assert left_in(tmp_path) == sorted(FILES)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("gone", "404 Not Found"),
        ("broken", f"the connection broke after {len(ARCHIVE) // 2:,} of {len(ARCHIVE):,} bytes"),
        ("stalled", "no answer for 0.2 seconds"),
        ("silent", "no answer for 0.2 seconds|no answer in time"),
        ("nonsense", "is not HTTP"),
    ],
)
def test_what_networks_do(server: Server, tmp_path: Path, path: str, reason: str) -> None:
    folder = tmp_path / "out"
    with pytest.raises(CorpusError, match=reason) as raised:
        get_wikitext2(folder, url=server.url(path), sha256=sha256(ARCHIVE), timeout=0.2)
    message = str(raised.value)
    for part in (server.url(path), "nothing was changed", "--archive FILE", f"wiki.test.tokens in {folder}"):
        assert part in message
    assert "\n" not in message
    assert not folder.exists()


def test_a_wrong_hash_unpacks_nothing(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with pytest.raises(CorpusError, match=sha256(ARCHIVE)):
        get_wikitext2(folder, url=server.url("good"))  # expects the published archive
    assert not folder.exists()


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/x.zip"
    with pytest.raises(CorpusError, match="refused"):
        get_wikitext2(tmp_path, url=url)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://x/y", "wikitext.zip", "http://[bad/x"])
def test_addresses_that_are_none(tmp_path: Path, url: str) -> None:
    with pytest.raises(CorpusError, match="could not be downloaded"):
        get_wikitext2(tmp_path / "out", url=url)
    assert not (tmp_path / "out").exists()


def test_a_name_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def offline(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", offline)
    with pytest.raises(CorpusError, match="cannot be reached: Temporary failure in name resolution"):
        get_wikitext2(tmp_path, url="http://wikitext.example/x.zip")


def test_the_second_address_helps_when_the_first_fails(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = (server.url("gone"), server.url("broken"), server.url("good"))
    monkeypatch.setattr(module, "WIKITEXT2_URLS", urls)
    assert get_wikitext2(tmp_path, sha256=sha256(ARCHIVE)).source == urls[2]
    assert left_in(tmp_path) == sorted(FILES)


def test_both_failures_are_told(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WIKITEXT2_URLS", (server.url("gone"), server.url("broken")))
    with pytest.raises(CorpusError, match=r"/gone: the server answers 404.*/broken: the connection broke"):
        get_wikitext2(tmp_path, sha256=sha256(ARCHIVE))


def test_cancelling_while_the_server_is_silent(server: Server, tmp_path: Path) -> None:
    calls = []

    def report(*step: object) -> None:
        calls.append(step)
        if len(calls) == 3:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        get_wikitext2(tmp_path / "out", url=server.url("silent"), report=report)
    assert not (tmp_path / "out").exists()


def test_more_than_expected_is_not_taken(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAXIMUM_ARCHIVE_BYTES", 100)
    with pytest.raises(CorpusError, match="more than the 100 bytes"):
        get_wikitext2(tmp_path, url=server.url("good"), sha256=sha256(ARCHIVE))


def test_files_in_the_way(server: Server, tmp_path: Path) -> None:
    (tmp_path / "wiki.valid.tokens").write_text("precious")
    with pytest.raises(CorpusError, match=r"already holds wiki\.valid\.tokens.*--overwrite"):
        get_wikitext2(tmp_path, url=server.url("good"), sha256=sha256(ARCHIVE))
    assert server.asked == []
    assert left_in(tmp_path) == ["wiki.valid.tokens"]
    get_wikitext2(tmp_path, url=server.url("good"), sha256=sha256(ARCHIVE), overwrite=True)
    assert (tmp_path / "wiki.valid.tokens").read_bytes() == FILES["wiki.valid.tokens"]


def test_a_folder_that_cannot_be_written(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(CorpusError, match="cannot be written"):
        get_wikitext2(tmp_path / "file", url=server.url("good"), sha256=sha256(ARCHIVE))


# -- from an archive on disk, and archives that mean harm


def get_archive(content: bytes, folder: Path) -> list[str]:
    path = folder / "the archive.zip"
    path.write_bytes(content)
    get_wikitext2(folder / "out", archive=path, sha256=sha256(content))
    return left_in(folder / "out")


def test_without_a_network(tmp_path: Path) -> None:
    assert get_archive(ARCHIVE, tmp_path) == sorted(FILES)


def test_without_a_network_the_archive_is_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(ARCHIVE)
    with pytest.raises(CorpusError, match="is not the archive expected"):
        get_wikitext2(tmp_path / "out", archive=path)
    with pytest.raises(CorpusError, match="does not exist"):
        get_wikitext2(tmp_path / "out", archive=tmp_path / "b.zip")
    assert not (tmp_path / "out").exists()


def test_names_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    evil = {"../../evil.txt": b"x", "/tmp/evil.txt": b"x", **{f"../../{name}": FILES[name] for name in FILES}}
    (tmp_path / "deep").mkdir()
    assert get_archive(pack(evil, folder=""), tmp_path / "deep") == sorted(FILES)
    assert left_in(tmp_path) == sorted(["deep", "the archive.zip", "out", *FILES])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive at all", "is not a zip archive"),
        (ARCHIVE[: len(ARCHIVE) // 2], "is not a zip archive"),
        (pack({name: FILES[name] for name in list(FILES)[:2]}), r"holds no wiki\.test\.tokens"),
        (pack({**FILES, "again/wiki.test.tokens": b""}), r"holds 2 wiki\.test\.tokens"),
        (ARCHIVE.replace(ARCHIVE[60:90], bytes(30), 1), "cannot be unpacked"),
    ],
)
def test_damaged_archives_leave_nothing(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(CorpusError, match=reason):
        get_archive(content, tmp_path)
    assert left_in(tmp_path / "out") == []


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpe_tui.corpus.unpacking.MAXIMUM_MEMBER_BYTES", 1000)
    with pytest.raises(CorpusError, match="at most 1,000"):
        get_archive(ARCHIVE, tmp_path)
    assert left_in(tmp_path / "out") == []


def test_a_bomb_that_lies_about_its_size(tmp_path: Path) -> None:
    true = len(FILES["wiki.train.tokens"]).to_bytes(4, "little")
    assert ARCHIVE.count(true) == 2  # in the entry and in the directory
    with pytest.raises(CorpusError, match=r"cannot be unpacked|bigger"):
        get_archive(ARCHIVE.replace(true, (10).to_bytes(4, "little")), tmp_path)
    assert left_in(tmp_path / "out") == []


# -- the published files


def test_the_pinned_hashes_are_of_the_published_files(shared: Path, tmp_path: Path, server: Server) -> None:
    published = {f"wiki.{name}.tokens": f"{name}.txt" for name in ("train", "valid", "test")}
    for name, (size, digest) in module.WIKITEXT2_FILES.items():
        content = (shared / "data" / "wikitext-2" / published[name]).read_bytes()
        assert (len(content), sha256(content)) == (size, digest)
        (tmp_path / name).write_bytes(content)
    # With them in place there is nothing to get.
    fetched = get_wikitext2(tmp_path, url=server.url("good"))
    assert fetched.source is None
    assert server.asked == []


def test_other_files_under_the_published_hash_of_the_archive(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WIKITEXT2_SHA256", sha256(ARCHIVE))
    sizes = {name: (len(content), sha256(content)) for name, content in FILES.items()}
    monkeypatch.setattr(module, "WIKITEXT2_FILES", {**sizes, "wiki.test.tokens": (9, "0" * 64)})
    with pytest.raises(CorpusError, match=r"wiki\.test\.tokens in the archive is not the one expected"):
        get_wikitext2(tmp_path / "out", url=server.url("good"))
    assert left_in(tmp_path / "out") == []
    monkeypatch.setattr(module, "WIKITEXT2_FILES", sizes)
    get_wikitext2(tmp_path / "out", url=server.url("good"))
    assert get_wikitext2(tmp_path / "out", url=server.url("gone")).source is None  # all there: nobody is asked
