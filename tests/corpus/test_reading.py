"""One file: its text comes out exactly as it stands, or the error says where and why not."""

from __future__ import annotations

import io
import os
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_tui.corpus import read_blocks, read_text, reading
from bpe_tui.corpus.model import Invalid
from bpe_tui.corpus.reading import CHUNK_BYTES, Reading, decode
from bpe_tui.errors import Cancelled, CorpusError


def write(folder: Path, content: bytes, name: str = "text.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_text_comes_as_it_is(tmp_path: Path) -> None:
    text = "one\r\ntwo\rthree\n\n  four\t\x1b[31m‮[/x]\u2028 𝔘 \ufeff end"
    read = read_text(write(tmp_path, text.encode()))
    assert read.text == text
    assert read.bytes == len(text.encode())
    assert read.source == tmp_path / "text.txt"
    assert read.notes == ("2 carriage returns (U+000D) kept",)


def test_empty_file(tmp_path: Path) -> None:
    read = read_text(write(tmp_path, b""))
    assert (read.text, read.bytes, read.notes) == ("", 0, ("the file is empty",))


@pytest.mark.parametrize("name", ["with space.txt", "a,b.txt", "größe-日本.txt", "-dash.txt", "[red].txt"])
def test_any_name(tmp_path: Path, name: str) -> None:
    assert read_text(write(tmp_path, b"abc", name)).text == "abc"


@pytest.mark.parametrize(
    ("codec", "mark", "note"),
    [
        ("utf-8", b"\xef\xbb\xbf", "byte order mark dropped"),
        ("utf-16-le", b"\xff\xfe", "decoded as UTF-16 little-endian"),
        ("utf-16-be", b"\xfe\xff", "decoded as UTF-16 big-endian"),
        ("utf-32-le", b"\xff\xfe\0\0", "decoded as UTF-32 little-endian"),
        ("utf-32-be", b"\0\0\xfe\xff", "decoded as UTF-32 big-endian"),
    ],
)
def test_a_byte_order_mark_is_dropped_and_told(tmp_path: Path, codec: str, mark: bytes, note: str) -> None:
    text = "größe 日本 😀\n"
    path = write(tmp_path, mark + text.encode(codec))
    read = read_text(path)
    assert (read.text, read.bytes, read.notes) == (text, path.stat().st_size, (note,))


def test_a_mark_alone_is_an_empty_text(tmp_path: Path) -> None:
    assert read_text(write(tmp_path, b"\xef\xbb\xbf")).notes == ("byte order mark dropped", "the file is empty")


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"])
def test_an_invalid_byte_is_named_with_its_place(tmp_path: Path, prefix: bytes) -> None:
    path = write(tmp_path, prefix + "größe\n".encode() + b"caf\xe9 noir\n")
    with pytest.raises(CorpusError) as raised:
        read_text(path)
    assert raised.value.file == path
    assert raised.value.byte_offset == len(prefix) + 11
    assert raised.value.line == 2
    for part in (str(path), "0xE9", f"offset {len(prefix) + 11}", "line 2", "--invalid replace"):
        assert part in str(raised.value)
    read = read_text(path, invalid="replace")
    assert read.text == "größe\ncaf\ufffd noir\n"
    assert read.notes[-1] == f"1 invalid byte replaced by U+FFFD, the first at byte offset {len(prefix) + 11}, line 2"


def test_the_place_is_right_far_into_a_big_file(tmp_path: Path) -> None:
    line = "ein Satz über Bäume\n".encode()
    count = 3 * CHUNK_BYTES // len(line)
    path = write(tmp_path, line * count + b"\xff\n" + line)
    with pytest.raises(CorpusError) as raised:
        read_text(path)
    assert (raised.value.byte_offset, raised.value.line) == (count * len(line), count + 1)
    # The note on the replaced byte names the same place.
    assert f"offset {count * len(line)}, line {count + 1}" in read_text(path, invalid="replace").notes[0]


def test_a_cut_character_at_the_end(tmp_path: Path) -> None:
    path = write(tmp_path, b"ab" + "日".encode()[:2])
    with pytest.raises(CorpusError) as raised:
        read_text(path)
    assert raised.value.byte_offset == 2
    read = read_text(path, invalid="replace")
    assert read.text == "ab\ufffd"
    assert read.notes[0].startswith("2 invalid bytes replaced")


def test_surrogates_in_utf_8_are_invalid(tmp_path: Path) -> None:
    path = write(tmp_path, b"a\xed\xa0\x80b")
    with pytest.raises(CorpusError, match="0xED"):
        read_text(path)
    read = read_text(path, invalid="replace")
    assert read.text == "a\ufffd\ufffd\ufffdb"
    assert read.notes[0].startswith("3 invalid bytes")


def test_a_lone_surrogate_in_utf_16(tmp_path: Path) -> None:
    path = write(tmp_path, b"\xff\xfea\0\n\0\x00\xd8b\0")
    with pytest.raises(CorpusError, match="is not UTF-16") as raised:
        read_text(path)
    assert (raised.value.byte_offset, raised.value.line) == (6, 2)
    read = read_text(path, invalid="replace")
    assert read.text == "a\n\ufffdb"
    assert read.notes[1].startswith("2 invalid bytes")


def test_replacement_characters_of_the_text_itself_are_not_counted(tmp_path: Path) -> None:
    read = read_text(write(tmp_path, "\ufffd\ufffd".encode() + b"\xff"), invalid="replace")
    assert read.text == "\ufffd\ufffd\ufffd"
    assert read.notes[0].startswith("1 invalid byte ")


@pytest.mark.parametrize(
    ("codec", "name"),
    [("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE"), ("utf-32-le", "UTF-32LE"), ("utf-32-be", "UTF-32BE")],
)
@pytest.mark.parametrize("text", ["Plain words.\n", "Слово за словом, 12 раз.\n" * 9])
def test_wide_text_without_a_mark_is_called_out(tmp_path: Path, codec: str, name: str, text: str) -> None:
    path = write(tmp_path, text.encode(codec))
    with pytest.raises(CorpusError, match=f"iconv -f {name} -t UTF-8"):
        read_text(path)
    with pytest.raises(CorpusError, match="byte order mark"):
        read_text(path, invalid="replace")


def test_a_few_nuls_are_kept_and_told(tmp_path: Path) -> None:
    read = read_text(write(tmp_path, b"some/file\0another/name\0third\0"))
    assert read.text == "some/file\0another/name\0third\0"
    assert read.notes == ("3 NUL characters (U+0000) kept",)


def test_mostly_nuls_is_no_text(tmp_path: Path) -> None:
    path = write(tmp_path, b"text" + bytes(1000))
    with pytest.raises(CorpusError, match="is not text"):
        read_text(path)
    assert len(read_text(path, invalid="replace").text) == 1004


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\xc8", "gzip"),
        (b"PK\x03\x04\x14\0\0\0\x08\0\xb0\xe2", "zip archive"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "PNG"),
        (b"SQLite format 3\0\x10\0\x01\x01\xff", "SQLite"),
        (b"words and \0 then \xfe\xff", "binary data"),
    ],
)
def test_binary_files_are_recognised(tmp_path: Path, content: bytes, name: str) -> None:
    with pytest.raises(CorpusError, match=name):
        read_text(write(tmp_path, content))


def test_a_missing_file_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"nothing\.txt does not exist"):
        read_text(tmp_path / "nothing.txt")
    with pytest.raises(CorpusError, match=f"there is no folder {tmp_path}/a$"):
        read_text(tmp_path / "a" / "b" / "nothing.txt")
    write(tmp_path, b"")
    with pytest.raises(CorpusError, match="is a file, not a folder"):
        read_text(tmp_path / "text.txt" / "nothing.txt")


def test_links(tmp_path: Path) -> None:
    (tmp_path / "good").symlink_to(write(tmp_path, b"abc"))
    assert read_text(tmp_path / "good").text == "abc"
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    with pytest.raises(CorpusError, match=r"link to .*gone, which is missing"):
        read_text(tmp_path / "dangling")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    with pytest.raises(CorpusError, match="circle"):
        read_text(tmp_path / "round")


def test_impossible_names() -> None:
    with pytest.raises(CorpusError, match="cannot be the name of a file"):
        read_text("a\0b")
    with pytest.raises(CorpusError, match="cannot be read"):
        read_text("x" * 5000)


def test_what_is_not_a_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path, "folder"), (tmp_path / "pipe", "pipe"), (Path("/dev/zero"), "device")):
        with pytest.raises(CorpusError, match=f"is a {kind}"):
            read_text(path)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the names of sockets must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(CorpusError, match="is a socket"):
            read_text("s")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = write(tmp_path, b"abc")
    path.chmod(0)
    with pytest.raises(CorpusError, match="no permission"):
        read_text(path)


def test_no_permission_by_whatever_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path, b"abc")
    monkeypatch.setattr("bpe_tui.corpus.opening.os.open", refuse)
    with pytest.raises(CorpusError, match="no permission"):
        read_text(path)


def test_a_disk_that_fails_while_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    path = write(tmp_path, b"abc")
    monkeypatch.setattr("bpe_tui.corpus.reading.decode", fail)
    with pytest.raises(CorpusError, match="Input/output error"):
        read_text(path)


def test_reports_reach_the_whole_file_and_can_cancel(tmp_path: Path) -> None:
    size = 2 * CHUNK_BYTES + 17
    path = write(tmp_path, b"x" * size)
    heard: list[tuple[str, int, int]] = []
    read_text(path, report=lambda step, done, total: heard.append((step, done, total)))
    assert {step for step, _, _ in heard} == {"reading text.txt"}
    assert {total for _, _, total in heard} == {size}
    assert [done for _, done, _ in heard] == [0, CHUNK_BYTES, 2 * CHUNK_BYTES, size]

    def cancel(step: str, done: int, total: int) -> None:
        if done:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        read_text(path, report=cancel)


def test_a_wrong_choice_is_a_mistake_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ignore"):
        read_text(write(tmp_path, b""), invalid="ignore")  # type: ignore[arg-type]


class Dribble(io.BytesIO):
    """Gives at most three bytes at a time, as a slow pipe does."""

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return super().readinto(buffer[:3])


CODECS = ["utf-8", "utf-8-sig", "utf-16", "utf-32"]


@settings(max_examples=300)
@given(
    st.text().filter(lambda text: "\0" not in text and not text.startswith("\ufeff")),
    st.sampled_from(CODECS),
    st.integers(8, 40),
)
def test_reading_in_pieces_is_reading_at_once(text: str, codec: str, chunk: int) -> None:
    content = text.encode(codec)
    for source in (io.BytesIO(content), Dribble(content)):
        read = decode(source, len(content), Path("f"), chunk_bytes=chunk)
        assert read.text == text
        assert read.bytes == len(content)


PARTS = [b"a", b"\n", "é".encode(), "日".encode(), "😀".encode(), b"\x80", b"\xe6", b"\xf0\x9f", b"\xff", b"\xed\xa0"]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PARTS), max_size=40), st.integers(8, 20))
def test_replacing_in_pieces_is_replacing_at_once(parts: list[bytes], chunk: int) -> None:
    content = b"." + b"".join(parts)
    read = decode(io.BytesIO(content), len(content), Path("f"), invalid="replace", chunk_bytes=chunk)
    assert read.text == content.decode("utf-8", "replace")
    # Independent count: surrogateescape makes one surrogate of every byte that is no text.
    strange = sum("\udc80" <= character <= "\udcff" for character in content.decode("utf-8", "surrogateescape"))
    assert any("invalid byte" in note for note in read.notes) == bool(strange)
    if strange:
        assert read.notes[0].startswith(f"{strange:,} invalid byte")
        with pytest.raises(CorpusError) as raised:
            decode(io.BytesIO(content), len(content), Path("f"), chunk_bytes=chunk)
        with pytest.raises(UnicodeDecodeError) as expected:
            content.decode()
        assert raised.value.byte_offset == expected.value.start
        assert raised.value.line == 1 + content.count(b"\n", 0, expected.value.start)


def test_a_file_may_grow_while_it_is_read() -> None:
    read = decode(io.BytesIO(b"abc" * 100), 10, Path("f"), chunk_bytes=16)
    assert (read.text, read.bytes) == ("abc" * 100, 300)


def cut_short(path: Path) -> None:
    os.truncate(path, 700_000)


def written_on(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more\n")


def written_over(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"X" * 3_000_000)
    # Also where the clock of the file system is a coarse one.
    os.utime(path, ns=(1, 1))


@pytest.mark.parametrize("change", [cut_short, written_on, written_over])
@pytest.mark.parametrize("read", [read_text, lambda path, report: list(read_blocks(path, report=report))])
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, change: Callable[[Path], None], read: Callable[..., object]
) -> None:
    path = write(tmp_path, b"abc def\n" * 400_000)
    reports: list[int] = []

    def report(_: str, done: int, __: int) -> None:
        reports.append(done)
        if len(reports) == 2:
            change(path)

    with pytest.raises(CorpusError, match="was written to while it was read") as raised:
        read(path, report=report)
    assert raised.value.file == path
    # Nothing is wrong with it once it stays as it is.
    read(path, report=lambda *_: None)


@pytest.mark.parametrize("end", [b"x", b"\x00\xd8"])
def test_a_broken_file_with_a_mark_is_not_called_binary(tmp_path: Path, end: bytes) -> None:
    content = "hello".encode("utf-16-le")
    with pytest.raises(CorpusError, match="is not UTF-16: the file has its byte order mark, but is damaged") as raised:
        read_text(write(tmp_path, b"\xff\xfe" + content + end))
    assert raised.value.byte_offset == 12


def test_reading_from_several_threads(tmp_path: Path) -> None:
    path = write(tmp_path, "日本\n".encode() * 100_000)
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(read_text(path).text)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["日本\n" * 100_000] * 4


# -- the collection of hostile files

READABLE = {
    "blns.json": (), "blns.txt": (), "empty.txt": ("the file is empty",),
    "crlf_msg_26.txt": ("46 carriage returns (U+000D) kept",),
    "py_utf8_bom_sig.txt": ("byte order mark dropped",), "utf8_bom.srt": ("byte order mark dropped",),
    "synthetic_lone_cr.txt": ("16 carriage returns (U+000D) kept",),
    "synthetic_nul_controls.txt": ("3 NUL characters (U+0000) kept", "1 carriage return (U+000D) kept"),
    "utf16be_bom.srt": ("decoded as UTF-16 big-endian",), "utf16le_bom.srt": ("decoded as UTF-16 little-endian",),
    "utf32le_bom.srt": ("decoded as UTF-32 little-endian",),
    "utf8_sequence_0x10ffff.txt": ("1 carriage return (U+000D) kept",),
}  # fmt: skip
WIDE = {"utf16le_nobom.txt", "utf16le_plane1.html"}


def test_every_hostile_file_is_read_or_explained(shared: Path) -> None:
    files = sorted((shared / "data" / "edge").iterdir())
    assert {path.name for path in files} >= READABLE.keys() | WIDE
    for path in files:
        content = path.read_bytes()
        if path.name in READABLE:
            read = read_text(path)
            assert read.notes == READABLE[path.name], path.name
            codec = "utf-16" if "utf16" in path.name else "utf-32" if "utf32" in path.name else "utf-8-sig"
            assert read.text == content.decode(codec)
        elif path.name in WIDE:
            with pytest.raises(CorpusError, match="UTF-16LE"):
                read_text(path)
        else:
            with pytest.raises(CorpusError) as raised:
                read_text(path)
            with pytest.raises(UnicodeDecodeError) as expected:
                content.decode()
            assert raised.value.byte_offset == expected.value.start, path.name
            assert read_text(path, invalid="replace").text == content.decode("utf-8", "replace")


def test_wikitext_2_whole(shared: Path) -> None:
    path = shared / "data" / "wikitext-2" / "train.txt"
    read = read_text(path)
    assert (len(read.text), read.bytes, read.notes) == (10_780_437, 10_797_148, ())
    assert read.text.encode() == path.read_bytes()


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=5),
            st.text().map(str.encode),
            st.sampled_from([b"\r\n\0 and so on " * 9, b"\xff\xfe", b"\xef\xbb\xbf"]),
        )
    ),
    st.integers(8, 70),
    st.sampled_from(["error", "replace"]),
)
def test_blocks_of_utf8_are_the_text(parts: list[bytes], size: int, invalid: Invalid) -> None:
    """The same text, notes and failures as when it is read as text, wherever it is cut."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(reading, "PIECE_BYTES", size):
        path = Path(folder) / "text.txt"
        path.write_bytes(b"".join(parts))

        def found(read: Callable[[Reading], bytes]) -> tuple[object, ...]:
            one = Reading(path, invalid)
            try:
                return read(one), one.notes, one.bytes, one.characters
            except CorpusError as error:
                return str(error), error.byte_offset, error.line

        as_text = found(lambda one: "".join(one.texts()).encode())
        assert found(lambda one: b"".join(one.utf8())) == as_text
