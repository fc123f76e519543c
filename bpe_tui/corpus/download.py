"""Fetching one file over the network so that it comes whole and right, or not at all.

The bytes are received in a thread of their own: a connection that stalls in a place where nothing can interrupt it
(looking up a name, waiting for an answer) still leaves the caller free to report and to be cancelled.
"""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from typing import IO, TYPE_CHECKING

from bpe_tui.errors import BPEError
from bpe_tui.progress import Report, silent

if TYPE_CHECKING:
    from http.client import HTTPResponse

CHUNK_BYTES = 1 << 16
_POLL_SECONDS = 0.05

# Some servers turn away the name that urllib gives by itself.
_HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; bpe-tui)", "Accept-Encoding": "identity"}


class DownloadError(BPEError):
    """A file that could not be fetched. The message names the address and what went wrong."""


def download(
    url: str,
    file: IO[bytes],
    *,
    sha256: str | None,
    maximum_bytes: int,
    timeout: float = 30.0,
    report: Report = silent,
) -> int:
    """Write what stands at `url` (http or https) into `file` and give its size in bytes.

    `timeout` is how many seconds may pass without a byte. `report` hears of bytes at least every 50 ms.

    Raises DownloadError when the server cannot be reached, refuses, stalls, breaks off, sends more than
    `maximum_bytes`, or when the SHA-256 of what came is not `sha256`; Cancelled when `report` does; OSError when
    `file` cannot be written.
    """
    if not url.startswith(("http://", "https://")):
        raise DownloadError(f"{url}: not an address that begins with http:// or https://")
    digest = hashlib.sha256()
    done = 0
    receiver = _Receiver(url, timeout)
    receiver.start()
    try:
        heard = time.monotonic()
        while True:
            report("downloading", done, receiver.total)
            try:
                chunk = receiver.chunks.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if time.monotonic() - heard > timeout:
                    raise DownloadError(f"{url}: no answer for {timeout:g} seconds, after {done:,} bytes") from None
                continue
            if isinstance(chunk, DownloadError):
                raise chunk
            if chunk is None:
                break
            heard = time.monotonic()
            done += len(chunk)
            if done > maximum_bytes:
                raise DownloadError(f"{url}: sends more than the {maximum_bytes:,} bytes expected at most")
            digest.update(chunk)
            file.write(chunk)
    finally:
        receiver.abandon()
    if done < receiver.total:
        raise DownloadError(f"{url}: the connection broke after {done:,} of {receiver.total:,} bytes")
    report("downloading", done, done)
    if sha256 is not None and digest.hexdigest() != sha256.lower():
        raise DownloadError(
            f"{url}: what came is not what was expected: its SHA-256 is {digest.hexdigest()}, not {sha256.lower()}"
        )
    return done


class _Receiver(threading.Thread):
    """Receives in the background; `chunks` gives bytes, then None at the end or the error."""

    def __init__(self, url: str, timeout: float) -> None:
        super().__init__(name="bpe-tui download", daemon=True)
        self.chunks: queue.Queue[bytes | DownloadError | None] = queue.Queue(maxsize=16)
        self.total = 0
        self._url = url
        self._timeout = timeout
        self._abandoned = threading.Event()

    def abandon(self) -> None:
        """Let the thread end as soon as it notices; what it still receives is thrown away."""
        self._abandoned.set()

    def run(self) -> None:
        # Imported here: urllib takes a tenth of a second that nobody who downloads nothing should wait.
        import http.client
        import urllib.error
        import urllib.request

        try:
            request = urllib.request.Request(self._url, headers=_HEADERS)
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                self._receive(response)
            self._put(None)
        except urllib.error.HTTPError as error:
            self._fail(f"the server answers {error.code} {error.reason}")
            error.close()
        except urllib.error.URLError as error:
            self._fail(f"cannot be reached: {_reason(error.reason)}")
        except TimeoutError:
            self._fail(f"no answer for {self._timeout:g} seconds")
        except http.client.IncompleteRead as error:
            self._fail(f"the connection broke: {len(error.partial):,} bytes into a part of the answer")
        except http.client.HTTPException as error:
            self._fail(f"the answer is not HTTP: {type(error).__name__} {error}")
        except (OSError, ValueError) as error:
            self._fail(f"the connection broke: {_reason(error)}")

    def _receive(self, response: HTTPResponse) -> None:
        length = response.headers.get("Content-Length", "")
        self.total = int(length) if length.isdigit() else 0
        while not self._abandoned.is_set():
            # read1 gives what is there: progress shows, and a stall is noticed, on slow lines too.
            chunk = response.read1(CHUNK_BYTES)
            if not chunk:
                break
            self._put(chunk)

    def _fail(self, reason: str) -> None:
        # What a server says of itself may hold anything; the message stays one line.
        self._put(DownloadError(f"{self._url}: {' '.join(reason.split())}"))

    def _put(self, item: bytes | DownloadError | None) -> None:
        while not self._abandoned.is_set():
            try:
                self.chunks.put(item, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return


def _reason(reason: object) -> str:
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    if isinstance(reason, OSError):
        return reason.strerror or str(reason)
    return str(reason)
