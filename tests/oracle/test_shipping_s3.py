"""Tables from the S3 server of moto: connections that break, a changed file, a full disk."""

import os
import shutil
import socket
import socketserver
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import obstore
import obstore.store
import pytest

from position_oracle.oracle import shipping
from position_oracle.oracle.shipping import file_digest, pull, push
from position_oracle.schema.errors import CorruptTableError, DiskFullError, TableFileError
from position_oracle.schema.store import current_file
from tests.oracle.s3 import use_s3
from tests.oracle.server.stack import until
from tests.oracle.server.words import free_port, page

MOTO = shutil.which("moto_server")
URL = "s3://bucket/tables"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(MOTO is None, reason="needs moto_server (pip install 'moto[server]')"),
]


class Line(socketserver.ThreadingTCPServer):
    """A port that passes connections on to another port, and breaks some during an answer.

    Attributes:
        target: the other port.
        broken: how many of the next connections break.
        after: how many bytes of an answer pass before the break.
    """

    def __init__(self, target: int) -> None:
        super().__init__(("127.0.0.1", 0), Carrier)
        self.target, self.broken, self.after = target, 0, 300_000


class Carrier(socketserver.BaseRequestHandler):
    server: Line
    request: socket.socket

    def handle(self) -> None:
        """Carry bytes both ways until one side ends."""
        with socket.create_connection(("127.0.0.1", self.server.target)) as far:
            asking = threading.Thread(target=self._carry, args=(self.request, far, 1 << 60))
            asking.start()
            self._carry(far, self.request, self.server.after)
            asking.join()

    def _carry(self, source: socket.socket, target: socket.socket, most: int) -> None:
        brought = 0
        with suppress(OSError):
            while data := source.recv(1 << 16):
                brought += len(data)
                if brought > most and self.server.broken:
                    self.server.broken -= 1
                    break
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def moto() -> Iterator[int]:
    """Yield the port of the server, with an empty bucket."""
    port = free_port()
    command = [str(MOTO), "-H", "127.0.0.1", "-p", f"{port}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            until(lambda: page(port, "/moto-api/data.json")[0] == 200, server)
            address = f"http://127.0.0.1:{port}/bucket"
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            opener.open(urllib.request.Request(address, method="PUT"), timeout=60).close()
            yield port
        finally:
            server.terminate()


@pytest.fixture
def line(moto: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """The port before the server, with settings for it in the environment."""
    monkeypatch.setattr(shipping, "PIECE", 1 << 20)
    retry = {"max_retries": 3, "retry_timeout": timedelta(seconds=10)}
    monkeypatch.setattr(shipping, "_RETRY", retry)
    with Line(moto) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        use_s3(monkeypatch, f"http://127.0.0.1:{found.server_address[1]}")
        yield found
        found.shutdown()
        thread.join()


def names(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()}


def test_there_and_back(store: Path, tmp_path: Path, line: Line) -> None:
    digest = push(store, URL)
    pulled = pull(tmp_path / "data", URL)
    assert (pulled.digest, pulled.is_new) == (digest, True)
    assert file_digest(current_file(tmp_path / "data")) == file_digest(current_file(store))
    assert not pull(tmp_path / "data", URL).is_new


def test_connections_that_break(store: Path, tmp_path: Path, line: Line) -> None:
    digest = push(store, URL)
    line.broken = 3
    assert pull(tmp_path / "data", URL).digest == digest
    assert line.broken == 0
    line.broken, line.after = 1_000_000, 2_000
    with pytest.raises(TableFileError):
        pull(tmp_path / "other", URL)
    assert names(tmp_path / "other") == {".lock"}


def test_another_file_under_the_name(store: Path, tmp_path: Path, line: Line) -> None:
    digest = push(store, URL)
    content = bytearray(current_file(store).read_bytes())
    content[len(content) // 3] ^= 1
    there = obstore.store.from_url(URL, client_options={"allow_http": True})
    obstore.put(there, f"{digest}.duckdb", bytes(content))
    with pytest.raises(CorruptTableError, match="SHA-256"):
        pull(tmp_path / "data", URL)
    assert names(tmp_path / "data") == {".lock"}


@pytest.fixture
def disk(tmp_path: Path, store: Path) -> Iterator[Path]:
    """A file system with room for the tables and little more."""
    place = tmp_path / "disk"
    place.mkdir()
    size = current_file(store).stat().st_size + (2 << 20)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_full(store: Path, disk: Path, line: Line) -> None:
    push(store, URL)
    filler = disk / "filler"

    def fill(*_: int) -> None:
        with suppress(OSError), filler.open("ab") as file:
            while True:
                file.write(bytes(1 << 16))
                file.flush()

    with pytest.raises(DiskFullError):  # another program writes while the tables arrive
        pull(disk / "data", URL, observer=fill)
    assert names(disk / "data") == {".lock"}
    with pytest.raises(DiskFullError):  # there is too little room from the start
        pull(disk / "data", URL)
    filler.unlink()
    assert pull(disk / "data", URL).is_new
