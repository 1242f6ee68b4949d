"""Files in shared folders: read without waiting, replaced and removed safely.

A program that writes to a shared folder must not follow a symbolic link of somebody else. So it
always writes a new file of its own.
"""

import errno
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TextIO, TypeAlias

from position_oracle.schema.errors import NotationError

FileStamp: TypeAlias = tuple[int, int, int]
"""A value that changes with a file: its number, size and time."""


def read_small(path: Path, most: int, *, links: bool = True) -> bytes:
    """Return the content of a file of at most `most` bytes.

    Args:
        path: the file.
        most: the maximum number of bytes.
        links: whether to follow a symbolic link.

    Raises:
        OSError: the file cannot be read, is a pipe (which might block), or has more bytes.
    """
    with open(path, "rb", opener=_at_once if links else _unlinked) as file:
        if stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is a pipe, not a file", str(path))
        return _content(file, path, most)


def read_text(path: Path, most: int) -> str:
    """Return the text of a file or pipe of at most `most` bytes in UTF-8.

    A byte order mark is left out.

    Raises:
        OSError: the file cannot be read, or has more bytes.
        NotationError: it is not text.
    """
    try:
        with path.open("rb") as file:
            return _content(file, path, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotationError(f"{path} is not text in UTF-8") from None


def _content(file: BinaryIO, path: Path, most: int) -> bytes:
    found = file.read(most + 1) or b""
    if len(found) > most:
        raise OSError(errno.EFBIG, f"has more than {most} bytes", str(path))
    return found


def file_stamp(path: Path) -> FileStamp | None:
    """Return a value that changes with a file; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def open_own(path: Path) -> TextIO:
    """Open a text file for reading and writing, made if missing; its content is kept.

    Raises:
        OSError: the path is a symbolic link, not a regular file, or a file with another name.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o666)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(descriptor)
        raise OSError(
            errno.EINVAL, "is not a regular file with a single name (no links)", str(path)
        )
    return os.fdopen(descriptor, "r+", encoding="utf-8")


def write_new(path: Path, data: bytes) -> None:
    """Write a new file; remove, rather than overwrite, a file or link with this name."""
    remove_all(path)
    with path.open("xb") as file:
        file.write(data)


def copy_new(source: Path, path: Path) -> None:
    """Copy a file to a new one.

    Raises:
        FileExistsError: the path exists already, perhaps as a symbolic link.
    """
    with source.open("rb") as old, path.open("xb") as new:
        shutil.copyfileobj(old, new, 1 << 20)


def remove_all(path: Path) -> None:
    """Remove a folder with its contents, or a file or link of this name, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)  # which would wait for a pipe
    else:
        with suppress(OSError):
            path.unlink()


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def _unlinked(path: str, flags: int) -> int:
    return _at_once(path, flags | os.O_NOFOLLOW)
