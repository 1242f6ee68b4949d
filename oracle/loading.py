"""From a table file to arrays for answers, mapped from a folder beside the file or read.

The rows of a table file are arranged for look-ups once. The arrays are kept in a folder beside the
file, `oracle-000017.maps` for `oracle-000017.duckdb`. Later programs map them read-only: they start
at once, share the memory, and need no database. The folder records size, time and inode of its
source file and of its arrays, and digests of the arrays, which are checked whenever they are
mapped. If anything is missing, changed, stale or not trusted, the arrays are made again. If the
folder cannot be written, the arrays stay in memory. If an earlier file of the store has the same
table, its arrays are linked.
"""

import fcntl
import hashlib
import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.games.game_text import parse_game
from position_oracle.oracle.array_digest import array_digest
from position_oracle.oracle.families.resources import Arrays, StoredTable
from position_oracle.schema.errors import CorruptTableError, TableFileError
from position_oracle.schema.files import read_small, remove_all
from position_oracle.schema.games import Build
from position_oracle.schema.store import FILES, MAPS, current_file

if TYPE_CHECKING:
    from position_oracle.oracle.families.resources import Loader
    from position_oracle.schema.snapshot import Snapshot

FORMAT: Final = 6
"""Format of the folders; folders of other formats are made again."""

_INDEX: Final = "index"
"""Layout of an index: the digest of a JSON text, and the text."""

_MAX_INDEX: Final = 1 << 24
_DIGITS: Final = 32
_DRAFT: Final = ".maps-"
_ALIGNED: Final = 64
_WRITABLE_BY_OTHERS: Final = 0o022
_UNUSABLE: Final = (OSError, ValueError, KeyError, TypeError)
"""Errors of a folder that is missing, damaged, stale, or not trusted."""


def load_tables(db: Path, *, apart: bool = False) -> tuple[StoredTable, ...]:
    """Load all tables for answers, from the current file of a store or from one file.

    Args:
        db: the store or file.
        apart: whether a separate process makes missing or damaged arrays, so that this process
            never needs the memory for it.

    Raises:
        TableFileError: the file does not exist, or cannot be used.
    """
    path = current_file(db)
    folder = maps_of(path)
    mapped = _mapped(path, folder)
    if mapped is not None:
        return mapped
    if apart:
        arrange(path)
    with _alone(path.parent):
        return _mapped(path, folder) or _arranged(path, folder)


def arrange(db: Path) -> None:
    """Prepare the arrays of a store's current file in a separate process.

    That takes memory for all rows at once, which the process that serves or builds them then never
    holds. Nothing is raised: the process that loads the tables raises the error.
    """
    path = current_file(db)
    command = [sys.executable, "-P", "-m", "position_oracle.oracle.loading", str(path)]
    subprocess.run(  # noqa: S603 - this module
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait while another process prepares arrays of a folder, because that needs much memory."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _arranged(path: Path, folder: Path) -> tuple[StoredTable, ...]:
    for left in folder.parent.glob(f"{_DRAFT}*"):  # by a program that was killed
        remove_all(left)
    if _lay_out(path, folder) and (mapped := _mapped(path, folder)) is not None:
        return mapped
    return tuple(StoredTable(build, load()) for build, load in _answering(path))


def is_sound(path: Path) -> bool:
    """Return whether the mapped arrays of a table file are unchanged, or none exist."""
    folder = maps_of(path)
    try:
        is_stale = _index(folder)["file"] != _identity(path)
    except _UNUSABLE:
        return not folder.exists()
    return is_stale or _mapped(path, folder) is not None


def made_at(path: Path) -> int | None:
    """Return when the mapped arrays of a table file were made, in nanoseconds, or None."""
    try:
        return (maps_of(path) / _INDEX).lstat().st_mtime_ns
    except OSError:
        return None


def maps_of(path: Path) -> Path:
    """Return the folder of mapped arrays of a table file."""
    return path.with_suffix(MAPS)


def _answering(path: Path) -> Iterator[tuple[Build, Callable[[], Arrays]]]:
    """Yield the builds with answers in a file, each with the loader of its arrays."""
    from position_oracle.engine.jobs.position_values import KIND
    from position_oracle.oracle.core import prober_of
    from position_oracle.oracle.families.stored_positions import load_positions
    from position_oracle.schema.snapshot import Snapshot

    with Snapshot(path) as snapshot:
        for build in snapshot.builds():
            loaders = prober_of(parse_game(build.game).family).loaders
            load = {KIND: load_positions, **loaders}.get(build.kind)
            if load is not None:
                yield build, partial(_loaded, load, snapshot, build)


def _loaded(load: "Loader", snapshot: "Snapshot", build: Build) -> Arrays:
    """Load the arrays of a build; rows of which none can be made are those of a damaged file."""
    try:
        return load(snapshot, build)
    except TableFileError:
        raise
    except (ArithmeticError, LookupError, NotImplementedError, TypeError, ValueError) as error:
        raise CorruptTableError(
            f"{snapshot.path}: {build.game} {build.kind} cannot be loaded: {error}"
        ) from error


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:_DIGITS].encode()


def _identity(path: Path) -> dict[str, int]:
    status = path.stat()
    return {"size": status.st_size, "time": status.st_mtime_ns, "inode": status.st_ino}


def _mapped(path: Path, folder: Path) -> tuple[StoredTable, ...] | None:
    """Return the tables of a folder that was made from the file; None if it was not."""
    try:
        index = _index(folder)
        if index["file"] != _identity(path):
            return None
        return tuple(_read(folder, entry) for entry in index["tables"])
    except _UNUSABLE:
        return None


def _index(folder: Path) -> dict[str, Any]:
    """Read the index of a folder; raise one of _UNUSABLE if it is incomplete or not trusted."""
    if not _is_trusted(folder):  # before anything in it is opened
        raise ValueError(folder)
    text = read_small(folder / _INDEX, _MAX_INDEX)
    index: dict[str, Any] = json.loads(text[_DIGITS:])
    if text[:_DIGITS] != _digest(text[_DIGITS:]) or index["format"] != FORMAT:
        raise ValueError(folder)
    return index


def _read(folder: Path, entry: Mapping[str, Any]) -> StoredTable:
    build = dict(entry["build"])
    build["started_at"] = datetime.fromisoformat(build["started_at"])
    return StoredTable(Build(**build), _map(folder / entry["file"], entry))


def _map(file: Path, entry: Mapping[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of a file; a write would only change this process's copy."""
    _check(file, entry)
    # One mapping for all arrays, because each mapping keeps a file open.
    bytes_ = np.memmap(file, np.uint8, "c") if file.stat().st_size else np.empty(0, np.uint8)
    return {name: _part(bytes_, **stored) for name, stored in entry["arrays"].items()}


def _part(
    mapped: npt.NDArray[np.uint8], offset: int, dtype: str, shape: list[int]
) -> np.ndarray[Any, Any]:
    size = prod(shape) * np.dtype(dtype).itemsize
    part = np.asarray(mapped).view(np.ndarray)[offset : offset + size]
    return part.view(dtype).reshape(shape)


def _check(file: Path, entry: Mapping[str, Any]) -> None:
    if _identity(file) != entry["identity"] or array_digest(file) != entry["digest"]:
        raise ValueError(file)


def _is_trusted(folder: Path) -> bool:
    """Return whether a path is a real folder that only this user or root can have written."""
    status = folder.lstat()
    is_ours = status.st_uid in {os.getuid(), 0} and not status.st_mode & _WRITABLE_BY_OTHERS
    return is_ours and stat.S_ISDIR(status.st_mode)


def _lay_out(path: Path, folder: Path) -> bool:
    """Write the arrays of a file to a folder, table by table; return whether that succeeded."""
    try:
        draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=folder.parent))
    except OSError:
        return False
    try:
        tables = []
        for number, (build, load) in enumerate(_answering(path)):
            file = draft / f"{number}.bin"
            kept = _linked(file, build) or _written(file, load())
            tables.append(kept | {"build": _record(build), "file": file.name})
        index = {"format": FORMAT, "file": _identity(path), "tables": tables}
        text = json.dumps(index).encode()
        (draft / _INDEX).write_bytes(_digest(text) + text)
        remove_all(folder)
        draft.chmod(0o755)
        draft.rename(folder)
    except OSError:
        return False
    finally:
        remove_all(draft)
    return True


def _record(build: Build) -> dict[str, Any]:
    return asdict(build) | {"started_at": build.started_at.isoformat()}


def _results(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key that two tables share exactly if their rows are equal."""
    return tuple(record[name] for name in ("game", "kind", "limit", "checksum"))


def _linked(file: Path, build: Build) -> dict[str, Any] | None:
    """Return a link to the arrays of the same table in another published file, or None."""
    for folder in file.parent.parent.glob(f"*{MAPS}"):
        with suppress(*_UNUSABLE):
            index = _index(folder)
            if index["file"] != _identity(folder.with_suffix(FILES)):
                continue
            for entry in index["tables"]:
                if _results(entry["build"]) == _results(_record(build)):
                    _check(folder / entry["file"], entry)
                    os.link(folder / entry["file"], file)
                    return dict(entry)
    return None


def _written(file: Path, table: Arrays) -> dict[str, Any]:
    arrays = {}
    with file.open("xb") as stream:  # never write into arrays that others use
        for name, array in table.items():
            stream.seek(-(-stream.tell() // _ALIGNED) * _ALIGNED)
            offset, shape = stream.tell(), list(array.shape)
            np.asarray(array).tofile(stream)
            arrays[name] = {"offset": offset, "dtype": array.dtype.str, "shape": shape}
    return {"identity": _identity(file), "digest": array_digest(file), "arrays": arrays}


if __name__ == "__main__":
    load_tables(Path(sys.argv[1]))
