"""From a table file to arrays that answer: mapped from a folder beside the file, or read from it.

The rows of a table file are arranged for look-ups once, and the arrays kept in a folder beside it,
`oracle-000017.maps` for `oracle-000017.duckdb`. Later programs map them read-only: they start at
once, share the memory, and need no database. The folder names the file that it was made from by
size, time and inode, and so it names its own arrays; where anything is missing, changed, stale or
not to be trusted, the arrays are made again, and where the folder cannot be written they are kept
in memory.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.games.game_text import parse_game
from oracle.families.base import StoredTable
from schema.games import Build

FORMAT: Final = 3
"""Format of the folders; others are made again."""

_INDEX: Final = "index"
"""The digest of a JSON text, and the text."""

_DIGITS: Final = 32
_DRAFT: Final = ".maps-"
_WRITABLE_BY_OTHERS: Final = 0o022


def load_tables(db: Path) -> tuple[StoredTable, ...]:
    """All that answers from the current file of a store, or from one file.

    Raises:
        TableFileError: there is no such file, or it cannot be used.
    """
    from schema.store import current_file

    path = current_file(db)
    folder = maps_of(path)
    mapped = _mapped(path, folder)
    if mapped is not None:
        return mapped
    with _alone(path.parent):
        return _mapped(path, folder) or _arranged(path, folder)


def arrange(db: Path) -> None:
    """Lay out the tables of a store's current file in a process that ends with it.

    That takes memory for all rows at once, which whoever serves or builds them then never holds.
    Nothing is raised: whoever loads the tables is told what is wrong with them.
    """
    from schema.store import current_file

    path = current_file(db)
    if _mapped(path, maps_of(path)) is None:
        command = [sys.executable, "-P", "-m", "oracle.loading", str(path)]
        subprocess.run(  # noqa: S603 - this module
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait while another process arranges tables of a folder, which takes time and memory."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _arranged(path: Path, folder: Path) -> tuple[StoredTable, ...]:
    for left in folder.parent.glob(f"{_DRAFT}*"):  # by a program that was killed
        shutil.rmtree(left, ignore_errors=True)
    made = tuple(_made(path))
    if not _write(path, folder, made):
        return made
    return _mapped(path, folder) or made


def maps_of(path: Path) -> Path:
    """The folder of mapped arrays of a table file."""
    from schema.store import MAPS

    return path.with_suffix(MAPS)


def _made(path: Path) -> Iterator[StoredTable]:
    """The tables of a file, out of its rows."""
    from oracle.core import family_of
    from schema.snapshot import Snapshot

    with Snapshot(path) as snapshot:
        for build in snapshot.builds():
            load = family_of(parse_game(build.game).family).loaders.get(build.kind)
            if load is not None:
                yield StoredTable(build, load(snapshot, build))


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:_DIGITS].encode()


def _identity(path: Path) -> dict[str, int]:
    status = path.stat()
    return {"size": status.st_size, "time": status.st_mtime_ns, "inode": status.st_ino}


def _mapped(path: Path, folder: Path) -> tuple[StoredTable, ...] | None:
    """The tables of a folder that was made from the file; None where it was not."""
    try:
        if not _is_trusted(folder):
            return None
        text = (folder / _INDEX).read_bytes()
        index = json.loads(text[_DIGITS:])
        if text[:_DIGITS] != _digest(text[_DIGITS:]):
            return None
        if (index["format"], index["file"]) != (FORMAT, _identity(path)):
            return None
        return tuple(_read(folder, entry) for entry in index["tables"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _read(folder: Path, entry: Mapping[str, Any]) -> StoredTable:
    build = dict(entry["build"])
    build["started_at"] = datetime.fromisoformat(build["started_at"])
    arrays = {name: _map(folder, **stored) for name, stored in entry["arrays"].items()}
    return StoredTable(Build(**build), arrays)


def _map(
    folder: Path, file: str, dtype: str, shape: list[int], identity: dict[str, int]
) -> np.ndarray[Any, Any]:
    """An array of a file; private to this process if written to, which nobody does."""
    if _identity(folder / file) != identity:
        raise ValueError(file)
    if 0 in shape:
        return np.empty(shape, dtype)
    mapped = np.memmap(folder / file, dtype, "c", shape=tuple(shape))
    return np.asarray(mapped).view(np.ndarray)


def _is_trusted(folder: Path) -> bool:
    """Whether nobody but this user and root can have written the folder."""
    status = folder.stat()
    return status.st_uid in {os.getuid(), 0} and not status.st_mode & _WRITABLE_BY_OTHERS


def _write(path: Path, folder: Path, tables: tuple[StoredTable, ...]) -> bool:
    """Keep the arrays of a file beside it; whether that could be done."""
    try:
        draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=folder.parent))
    except OSError:
        return False
    try:
        entries = [_written(draft, number, table) for number, table in enumerate(tables)]
        index = {"format": FORMAT, "file": _identity(path), "tables": entries}
        text = json.dumps(index).encode()
        (draft / _INDEX).write_bytes(_digest(text) + text)
        shutil.rmtree(folder, ignore_errors=True)
        draft.chmod(0o755)
        draft.rename(folder)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        return False
    return True


def _written(folder: Path, number: int, table: StoredTable) -> dict[str, Any]:
    arrays = {}
    for place, (name, array) in enumerate(table.arrays.items()):
        file = f"{number}-{place}.bin"
        np.asarray(array).tofile(folder / file)
        arrays[name] = {
            "file": file,
            "dtype": array.dtype.str,
            "shape": list(array.shape),
            "identity": _identity(folder / file),
        }
    build = asdict(table.build) | {"started_at": table.build.started_at.isoformat()}
    return {"build": build, "arrays": arrays}


if __name__ == "__main__":
    load_tables(Path(sys.argv[1]))
