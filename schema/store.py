"""Stores: the folders of table files, the pointer to the current file, and its replacement.

A store is a folder, or a single `.duckdb` file. A folder holds

    CURRENT                  the name of the current file: the only thing ever overwritten
    oracle-000017.duckdb     published files, never changed; older ones go when new ones come
    oracle-000017.maps/      arrays made from it, for programs that answer; made again if missing
    .draft-000018.duckdb     an unfinished file; without a living writer it is a leftover
    .lock                    held by the one process that may write

Files have new names because DuckDB keeps returning the old content of a name for as long as any
handle of the process is open on it. A single file has no such protection: processes that hold it
open go on reading the old content until they close it.
"""

import errno
import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from position_oracle.schema.errors import BuildError, CorruptTableError, MissingTableError
from position_oracle.schema.files import open_own, read_small, remove_all, write_new

DEFAULT_PLACE: Final = "data"
PLACE_VARIABLE: Final = "ORACLE_DB"
POINTER: Final = "CURRENT"
KEPT_BEFORE_CURRENT: Final = 2
"""Number of published files kept besides the current one; readers may still be opening them."""

FILES: Final = ".duckdb"
"""Suffix of table files."""

MAPS: Final = ".maps"
"""Suffix of the folder of arrays beside a table file; see `oracle.loading`."""

_PUBLISHED: Final = re.compile(r"oracle-([0-9]{6,12})\.duckdb")
_LEFTOVER: Final = re.compile(r"\.draft-[0-9]{6,12}\.duckdb(\.wal|\.tmp)?|\.CURRENT\.new")
_LOCK: Final = ".lock"
_SHOULD: Final = "it should name a file like oracle-000001.duckdb"
_MAX_POINTER: Final = 4096
_NO_FILE: Final = {errno.EFBIG, errno.EINVAL, errno.EISDIR, errno.ELOOP}
"""Errors of a pointer that is too long, a pipe, a folder, or a symbolic link."""


def default_place() -> Path:
    """Return the default store: `ORACLE_DB`, else the folder `data`."""
    return Path(os.environ.get(PLACE_VARIABLE) or DEFAULT_PLACE)


def current_file(place: "Store | Path | str | None" = None) -> Path:
    """Return the current table file of a store; by default of the default store.

    Raises:
        MissingTableError: the store has no published file.
        CorruptTableError: the pointer is damaged.
    """
    return Store.at(place).require_current()


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of table files, or one file.

    Attributes:
        place: the folder or file; it need not exist before the first build.
    """

    place: Path

    @classmethod
    def at(cls, place: "Store | Path | str | None" = None) -> "Store":
        """Return the store at a place; the default store if no place is given."""
        if isinstance(place, Store):
            return place
        return cls(default_place() if place is None else Path(place))

    @property
    def is_file(self) -> bool:
        """Whether the store is one file: an existing one, or a name that ends in `.duckdb`."""
        return self.place.is_file() or (self.place.suffix == ".duckdb" and not self.place.is_dir())

    @property
    def folder(self) -> Path:
        """The folder in which files are written."""
        return self.place.parent if self.is_file else self.place

    def current(self) -> Path | None:
        """Return the current table file, or None before the first publication.

        Raises:
            CorruptTableError: the pointer does not name a table file.
            MissingTableError: the pointer names a missing file.
        """
        if self.is_file:
            return self.place if self.place.exists() else None
        pointer = self.place / POINTER
        try:
            name = read_small(pointer, _MAX_POINTER, links=False).decode(errors="replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno not in _NO_FILE:
                raise
            why = (error.strerror or "").lower()
            raise CorruptTableError(f"{pointer} {why}; {_SHOULD}") from error
        if not _PUBLISHED.fullmatch(name):
            raise CorruptTableError(f"{pointer} says {name[:60]!r}; {_SHOULD}")
        if not (path := self.place / name).is_file():
            raise MissingTableError(f"{pointer} names {name}, which is not in {self.place}")
        return path

    def require_current(self) -> Path:
        """Return the current table file.

        Raises:
            MissingTableError: the store has no published file, or the file is missing.
            CorruptTableError: the pointer is damaged.
        """
        if (path := self.current()) is None:
            what = "table file" if self.is_file else "published table file in"
            raise MissingTableError(f"no {what} {self.place}; oracle build writes one")
        return path

    def published(self) -> list[Path]:
        """Return the table files of the folder by number, whether current or not."""
        if self.is_file:
            return [self.place] if self.place.exists() else []
        found = (path for path in self.place.iterdir() if _PUBLISHED.fullmatch(path.name))
        return sorted(found, key=_number)

    @contextmanager
    def locked(self, purpose: str) -> Iterator[None]:
        """Hold the lock for writing, one writer at a time.

        The lock belongs to the process: the system releases it when the process ends in any way, so
        there are no stale locks.

        Args:
            purpose: the writer's work, which other writers see in their error.

        Raises:
            BuildError: another writer holds the lock (the message names it), or the lock is not a
                regular file, such as a symbolic link, which is not followed.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / (f".{self.place.name}.lock" if self.is_file else _LOCK)
        try:
            lock = open_own(path)
        except OSError as error:
            if error.errno not in _NO_FILE:
                raise
            raise BuildError(
                f"{path} is not a lock file of its own; remove it, if no build is running"
            ) from error
        with lock as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise BuildError(_busy(self.place, file.read())) from None
            file.truncate(0)
            since = datetime.now(UTC).isoformat(timespec="seconds")
            json.dump({"process": os.getpid(), "since": since, "purpose": purpose}, file)
            file.flush()
            yield

    def scratch(self, work: str, limit: str) -> Path:
        """Return the folder for unfinished work up to a limit; delete those of other limits.

        Call it with the lock held; the folder need not exist.
        """
        folder = self.folder / f".work-{work}-{limit}"
        for other in self.folder.glob(f".work-{work}-*"):
            if other != folder or other.is_symlink():
                remove_all(other)
        return folder

    def begin_draft(self) -> Path:
        """Remove leftovers and name a new file to write; call it with the lock held."""
        if self.is_file:
            draft = self.place.with_name(f".{self.place.name}.draft")
            remove(draft)
            return draft
        numbers = [_number(path) for path in self.published()]
        for path in self.place.iterdir():
            if _LEFTOVER.fullmatch(path.name):
                remove(path)
        return self.place / f".draft-{max(numbers, default=0) + 1:06d}.duckdb"

    def publish(self, draft: Path) -> Path:
        """Make a finished draft the current file, durably; call it with the lock held.

        The draft gets its final name first, then the pointer is replaced: at any moment the
        pointer names a whole file. Afterwards the oldest files are removed.
        """
        final = self.place if self.is_file else self.place / draft.name.replace(".draft", "oracle")
        _sync(draft)
        draft.replace(final)
        _sync(self.folder)
        if not self.is_file:
            self._point_to(final)
            self._prune(final)
        return final

    def roll_back(self) -> Path:
        """Make the previous file current again; call it with the lock held.

        Raises:
            MissingTableError: there is no previous file.
        """
        current = self.require_current()
        others = [] if self.is_file else self.published()
        before = [path for path in others if _number(path) < _number(current)]
        if not before:
            raise MissingTableError(f"{self.place} has no table file before {current.name}")
        self._point_to(before[-1])
        return before[-1]

    def _point_to(self, path: Path) -> None:
        pointer = self.place / ".CURRENT.new"
        write_new(pointer, f"{path.name}\n".encode())
        _sync(pointer)
        pointer.replace(self.place / POINTER)
        _sync(self.place)

    def _prune(self, current: Path) -> None:
        older = [path for path in self.published() if _number(path) < _number(current)]
        for path in older[: max(0, len(older) - KEPT_BEFORE_CURRENT)]:
            remove(path)


def remove(path: Path) -> None:
    """Remove a file, and the files of DuckDB and the oracle beside it, if they exist."""
    beside = (path.with_name(path.name + suffix) for suffix in (".wal", ".tmp"))
    for each in (path, *beside, path.with_suffix(MAPS)):
        remove_all(each)


def _number(path: Path) -> int:
    match = _PUBLISHED.fullmatch(path.name)
    assert match is not None, path  # noqa: S101 - only called for names that match
    return int(match[1])


def _sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk, so that it survives a power failure."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _busy(place: Path, text: str) -> str:
    try:
        holder = json.loads(text)
        who = f"{holder['purpose']}, process {holder['process']} since {holder['since']}"
    except (ValueError, KeyError, TypeError):
        who = "another process"
    return f"{place} is being written by {who}; wait for it to end, or use another --db"
