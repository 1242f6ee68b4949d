"""Table files at a remote address: pushed once, and pulled by every machine that answers.

A folder of an object store (s3://, gs://, az://), a web server (https://) or a shared disk (file:)
holds

    SHA256.duckdb    table files, named by their SHA-256, never changed
    CURRENT          the SHA-256 of the file to pull, a line; the only thing ever overwritten

A pulled file is published only if its SHA-256 equals its name. Keys of object stores come from the
environment variables of their own programs (`AWS_ACCESS_KEY_ID`, ...).
"""

import errno
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from position_oracle.engine.amounts import size_text
from position_oracle.engine.jobs.resources import free_disk
from position_oracle.schema.addresses import is_loopback
from position_oracle.schema.errors import (
    CorruptTableError,
    DiskFullError,
    MissingTableError,
    NotationError,
    TableFileError,
)
from position_oracle.schema.extras import from_extra
from position_oracle.schema.snapshot import Snapshot
from position_oracle.schema.store import FILES, POINTER, Store, current_file, remove

PIECE: Final = 8 << 20
"""Bytes of one request. Each request is retried separately, so that a broken connection costs
little."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_MOST_POINTER: Final = 80
"""Maximum number of bytes of the line that names the current file."""

_RETRY: Final = {"max_retries": 8, "retry_timeout": timedelta(minutes=3)}
_SCHEMES: Final = {"s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "https", "http", "file"}

ByteProgress = Callable[[int, int], None]
"""Callback with the bytes received, and the total bytes."""


class Pulled(NamedTuple):
    """The result of a pull.

    Attributes:
        path: the current table file.
        digest: the SHA-256 of the file.
        is_new: whether the file was pulled now; False if it was there already.
    """

    path: Path
    digest: str
    is_new: bool


def push(place: Path, url: str) -> str:
    """Put the current table file of a store at an address, as the file to pull.

    Returns:
        The SHA-256 of the file.

    Raises:
        TableFileError: there is no table file, or the address cannot be written.
        NotationError: the address is not valid.
        MissingExtraError: the library for the address is not installed.
    """
    path = current_file(place)
    digest, there = file_digest(path), _Address(url)
    with there.errors():
        there.put(f"{digest}{FILES}", path)
        there.put(POINTER, f"{digest}\n".encode())
    return digest


def pull(
    place: Path, url: str, digest: str | None = None, observer: ByteProgress = lambda *_: None
) -> Pulled:
    """Pull a table file from an address into a store, and publish it.

    Nothing is pulled if the current file is the requested one. If anything fails, the current file
    stays.

    Args:
        place: the store.
        url: the address of the folder.
        digest: SHA-256 of the file; None for the current file of the address.
        observer: callback for the progress.

    Raises:
        CorruptTableError: the received data are not the file, or not a table file.
        TableFileError: the file does not exist, the address cannot be read, the disk is full, or
            this program cannot read the file.
        BuildError: another process writes to the store.
        NotationError: the address or digest is not valid, or the address is not safe.
        MissingExtraError: the library for the address is not installed.
    """
    if digest is not None and not _DIGEST.fullmatch(digest):
        raise NotationError(f"{digest[:80]!r} is not a SHA-256; it has 64 digits of 0-9 and a-f")
    there, store = _Address(url, is_checked=digest is not None), Store.at(place)
    with there.errors():
        digest = digest or there.current()
        size = there.size(f"{digest}{FILES}")
    with store.locked(f"a pull from {there.name}"):
        current = store.current()
        if current is not None and file_digest(current) == digest:
            return Pulled(current, digest, is_new=False)
        if size > (free := free_disk(store.folder)):
            raise DiskFullError(
                f"the tables at {there.name} have {size_text(size)}; {size_text(free)} are free"
                f" in {store.folder}"
            )
        draft = store.begin_draft()
        try:
            with there.errors():
                _fetch(there, f"{digest}{FILES}", size, draft, observer)
            if (found := file_digest(draft)) != digest:
                raise CorruptTableError(f"{there.name}: the SHA-256 is {found}, not {digest}")
            with Snapshot(draft) as snapshot:  # this program can read it
                snapshot.builds()
            return Pulled(store.publish(draft), digest, is_new=True)
        finally:
            remove(draft)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(there: "_Address", name: str, size: int, path: Path, observer: ByteProgress) -> None:
    with path.open("xb") as file:
        for start in range(0, size, PIECE):
            file.write(there.part(name, start, min(start + PIECE, size)))
            observer(file.tell(), size)


class _Address:
    """A remote folder of table files; obstore does the transport."""

    def __init__(self, url: str, *, is_checked: bool = True) -> None:
        """Set the address.

        Args:
            url: the address.
            is_checked: whether the caller compares the data with a known digest.
        """
        parts = urlsplit(url)
        if parts.scheme not in _SCHEMES:
            raise NotationError(f"{url[:80]!r} is not an address; write e.g. s3://bucket/tables")
        is_plain = parts.scheme == "http"
        if is_plain and not is_checked and not is_loopback(f"{parts.hostname}:{parts.port or 80}"):
            raise NotationError(f"{url[:80]} is not encrypted; use https, or give the SHA-256")
        self.name = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
        with from_extra("tables"):
            import obstore.store
        self._obstore: Any = obstore
        options: dict[str, Any] = {"retry_config": _RETRY}
        if is_plain:
            options["client_options"] = {"allow_http": True}
        if parts.scheme == "file":
            options = {"mkdir": True}
        with self.errors():
            self._store: Any = obstore.store.from_url(url, **options)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Translate the errors of the transport, and those of a full disk."""
        from obstore.exceptions import BaseError, NotFoundError

        try:
            yield
        except (NotFoundError, FileNotFoundError) as error:
            raise MissingTableError(f"{self.name} has no such table file") from error
        except BaseError as error:
            text = " ".join(str(error).partition("\n\nDebug source")[0].split())[:300]
            raise TableFileError(f"{self.name} cannot be reached: {text}") from error
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT}:
                raise DiskFullError(f"no room for the tables of {self.name}") from error
            raise

    def current(self) -> str:
        """Return the SHA-256 of the file to pull."""
        if (size := self.size(POINTER)) > _MOST_POINTER:
            raise CorruptTableError(f"{self.name}: {POINTER} has {size_text(size)}, no SHA-256")
        text = bytes(self._obstore.get(self._store, POINTER).bytes()).decode(errors="replace")
        if not _DIGEST.fullmatch(text.strip()):
            raise CorruptTableError(f"{self.name}: {POINTER} says {text!r}, which is no SHA-256")
        return text.strip()

    def size(self, name: str) -> int:
        """Return the size of a file in bytes."""
        found: int = self._obstore.head(self._store, name)["size"]
        return found

    def part(self, name: str, start: int, end: int) -> bytes:
        """Return a part of a file."""
        return bytes(self._obstore.get_range(self._store, name, start=start, end=end))

    def put(self, name: str, content: Path | bytes) -> None:
        """Write a file."""
        self._obstore.put(self._store, name, content)
