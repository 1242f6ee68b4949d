"""Files that others may have put there: read without waiting, never whole if endless; removed."""

import errno
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path


def read_small(path: Path, most: int) -> bytes:
    """What a file has, of at most so many bytes.

    Raises:
        OSError: it cannot be read, is a pipe, which might never give anything, or has more bytes.
    """
    with open(path, "rb", opener=_at_once) as file:
        if stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is a pipe, no file", str(path))
        found = file.read(most + 1) or b""
    if len(found) > most:
        raise OSError(errno.EFBIG, f"has more than {most} bytes", str(path))
    return found


def remove_all(path: Path) -> None:
    """Remove a folder with all that is in it, or what stands in its place, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)  # which would wait for a pipe
    else:
        with suppress(OSError):
            path.unlink()


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
