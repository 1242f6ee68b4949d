"""Tables travel as one file, which arrives whole or not at all, also if network or disk fails."""

import errno
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from position_oracle.oracle import shipping
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.shipping import file_digest, pull, push
from position_oracle.schema.errors import (
    CorruptTableError,
    DiskFullError,
    FileTooNewError,
    MissingTableError,
    NotationError,
    TableFileError,
)
from position_oracle.schema.store import Store, current_file
from tests.oracle.s3 import use_s3

pytest.importorskip("obstore")


class Bucket(ThreadingHTTPServer):
    """An object store over HTTP, with the part of S3 that one file at a time needs.

    Attributes:
        files: the content of each stored file, by path.
        broken: how many of the next answers break off in the middle.
        asked: how many requests there were.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.parts: dict[tuple[str, int], bytes] = {}
        self.broken = self.asked = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Bucket

    def do_PUT(self) -> None:
        """Store a file, or a part of one."""
        body = self.rfile.read(int(self.headers["content-length"]))
        path, _, query = self.path.partition("?")
        if number := re.search(r"partNumber=(\d+)", query):
            self.server.parts[path, int(number[1])] = body
        else:
            self.server.files[path] = body
        self._answer(200, b"")

    def do_POST(self) -> None:
        """Begin a file of several parts, or complete it."""
        self.rfile.read(int(self.headers["content-length"] or 0))
        path, _, query = self.path.partition("?")
        if query.startswith("uploads"):
            kind = "InitiateMultipartUploadResult"
        else:
            kind, parts = "CompleteMultipartUploadResult", self.server.parts
            found = sorted(key for key in parts if key[0] == path)
            self.server.files[path] = b"".join(parts.pop(key) for key in found)
        names = f"<Bucket>b</Bucket><Key>{path}</Key><UploadId>1</UploadId><ETag>1</ETag>"
        self._answer(200, f"<{kind}>{names}</{kind}>".encode())

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.server.asked += 1
        content = self.server.files.get(self.path)
        if content is None:
            self._answer(404, b"")
        elif asked := self.headers["range"]:
            start, end = map(int, asked.removeprefix("bytes=").split("-"))
            part = content[start : end + 1]
            self._answer(206, part, f"bytes {start}-{start + len(part) - 1}/{len(content)}")
        else:
            self._answer(200, content)

    def _answer(self, status: int, body: bytes, part: str = "") -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.send_header("etag", '"1"')
        self.send_header("last-modified", "Sun, 29 Nov 2026 10:00:00 GMT")
        if part:
            self.send_header("content-range", part)
        self.end_headers()
        if self.command == "HEAD":
            return
        if self.server.broken and part:
            self.server.broken -= 1
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        else:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def bucket() -> Iterator[Bucket]:
    with Bucket() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """An S3 bucket `tables`, with settings for it in the environment."""
    with bucket() as server:
        use_s3(monkeypatch, server.address)
        yield server


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "PIECE", 1 << 20)
    monkeypatch.setattr(
        shipping, "_RETRY", {"max_retries": 3, "retry_timeout": timedelta(seconds=5)}
    )


def holds(place: Path, store: Path) -> bool:
    """Return whether a place has the tables of a store, and check that no draft is left."""
    assert not [path for path in place.iterdir() if path.name.startswith(".draft")]
    return file_digest(current_file(place)) == file_digest(current_file(store))


def test_through_a_folder(store: Path, tmp_path: Path) -> None:
    url = f"file://{tmp_path}/bucket"
    digest = push(store, url)
    assert digest == file_digest(current_file(store))
    pulled = pull(tmp_path / "data", url)
    assert (pulled.digest, pulled.is_new) == (digest, True)
    assert holds(tmp_path / "data", store)
    again = pull(tmp_path / "data", url)
    assert (again.path, again.is_new) == (pulled.path, False)


def test_through_s3(store: Path, tmp_path: Path, s3: Bucket) -> None:
    seen: list[tuple[int, int]] = []
    digest = push(store, "s3://bucket/tables")
    assert f"/bucket/tables/{digest}.duckdb" in s3.files
    size = current_file(store).stat().st_size
    pulled = pull(tmp_path / "data", "s3://bucket/tables", observer=lambda *n: seen.append(n))
    assert pulled.digest == digest
    assert seen[-1] == (size, size)
    assert holds(tmp_path / "data", store)


def test_from_a_web_server_and_by_digest(store: Path, tmp_path: Path, s3: Bucket) -> None:
    digest = push(store, "s3://bucket/tables")
    del s3.files["/bucket/tables/CURRENT"]
    with pytest.raises(MissingTableError):
        pull(tmp_path / "data", f"{s3.address}/bucket/tables")
    assert pull(tmp_path / "data", f"{s3.address}/bucket/tables", digest).digest == digest
    with pytest.raises(MissingTableError, match="no such table file"):
        pull(tmp_path / "data", f"{s3.address}/bucket/tables", "0" * 64)


def test_a_connection_that_breaks_is_made_again(store: Path, tmp_path: Path, s3: Bucket) -> None:
    push(store, "s3://bucket/tables")
    s3.broken = 2
    assert pull(tmp_path / "data", "s3://bucket/tables").is_new
    assert s3.broken == 0
    assert holds(tmp_path / "data", store)


def test_a_connection_that_always_breaks_changes_nothing(
    store: Path, tmp_path: Path, s3: Bucket
) -> None:
    shutil.copytree(store, tmp_path / "data")
    before = current_file(tmp_path / "data")
    push(store, "s3://bucket/tables")
    s3.files = {path: content + b"x" for path, content in s3.files.items()}  # gives another size
    s3.files["/bucket/tables/CURRENT"] = b"1" * 64
    s3.files["/bucket/tables/" + "1" * 64 + ".duckdb"] = bytes(5 << 20)
    s3.broken = 1000
    with pytest.raises(TableFileError):
        pull(tmp_path / "data", "s3://bucket/tables")
    assert current_file(tmp_path / "data") == before
    assert holds(tmp_path / "data", store)


@pytest.mark.parametrize("damage", ["bit", "short", "pointer", "long pointer"])
def test_a_wrong_file_is_refused(store: Path, tmp_path: Path, s3: Bucket, damage: str) -> None:
    shutil.copytree(store, tmp_path / "data")
    before = current_file(tmp_path / "data")
    with before.open("ab") as file:  # makes another file than the one to pull
        file.write(b"\0")
    name = f"/bucket/tables/{push(store, 's3://bucket/tables')}.duckdb"
    content = bytearray(s3.files[name])
    if damage == "bit":
        content[len(content) // 2] ^= 4
    elif damage == "short":
        del content[-100:]
    elif damage == "long pointer":
        s3.files["/bucket/tables/CURRENT"] += b" " * (1 << 20)
    else:
        s3.files["/bucket/tables/CURRENT"] = b"nonsense"
    s3.files[name] = bytes(content)
    with pytest.raises(CorruptTableError, match="SHA-256"):
        pull(tmp_path / "data", "s3://bucket/tables")
    assert current_file(tmp_path / "data") == before


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_full_disk(
    store: Path, tmp_path: Path, s3: Bucket, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    push(store, "s3://bucket/tables")
    if when == "before":
        monkeypatch.setattr(shipping, "free_disk", lambda _: 1000)
    else:

        def full(*_: object) -> bytes:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(shipping._Address, "part", full)
    with pytest.raises(DiskFullError):
        pull(tmp_path / "data", "s3://bucket/tables")
    assert [path.name for path in (tmp_path / "data").iterdir()] == [".lock"]


def test_tables_of_a_later_program_are_not_published(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"file://{tmp_path}/bucket"
    push(store, url)
    monkeypatch.setattr("position_oracle.schema.tables.FORMAT_VERSION", 0)
    with pytest.raises(FileTooNewError):
        pull(tmp_path / "data", url)
    assert Store.at(tmp_path / "data").current() is None


@pytest.mark.parametrize("url", ["", "data", "ftp://host/tables", "http://example.org/tables"])
def test_invalid_and_unsafe_addresses_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(NotationError, match=r"not an address|not encrypted"):
        pull(tmp_path / "data", url)


def test_commands_and_rollback(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, place = f"file://{tmp_path}/bucket", str(tmp_path / "data")
    assert run(["tables", "push", url, "--db", str(store)]) == 0
    digest = capsys.readouterr().out.strip()
    assert run(["tables", "pull", url, "--db", place]) == 0
    assert digest in capsys.readouterr().out
    with Store(Path(place)).locked("a test"):
        draft = Store(Path(place)).begin_draft()
        shutil.copyfile(current_file(store), draft)
        assert Store(Path(place)).publish(draft).name == "oracle-000002.duckdb"
    assert run(["tables", "rollback", "--db", place]) == 0
    assert current_file(Path(place)).name == "oracle-000001.duckdb"
    assert run(["tables", "rollback", "--db", place]) == 1
    assert "no table file before" in capsys.readouterr().err
    assert run(["tables", "pull", url, "--sha256", "nonsense", "--db", place]) == 2
    assert run(["tables", "--db", place, "pull", url]) == 2
