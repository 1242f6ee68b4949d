"""The cache of compiled kernels: one private folder for each state and place of the sources.

numba checks only the file of a kernel itself, so a change in another file that the kernel uses
would leave stale machine code. Therefore a hash names the folder. It covers all sources that
compiled code depends on, their place, and the Python version, because numba does not find code
compiled for another place.

The process runs the code in its cache. So it trusts a folder only if the folder belongs to the user
and nobody else may write into it. Otherwise it uses a new private folder.
"""

import atexit
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

SOURCES: Final = ("engine", "schema", "oracle/families")
"""Folders of all modules with compiled functions, and of all constants used in them."""

ROOT: Final = Path(__file__).resolve().parents[2]
"""The folder of the sources."""

KEPT: Final = 8
"""Number of folders of earlier states that are kept."""


def use_compile_cache() -> None:
    """Set numba's cache folder for these sources, unless NUMBA_CACHE_DIR is set.

    The place is `$XDG_CACHE_HOME/position-oracle` (usually `~/.cache/position-oracle`).
    """
    if "NUMBA_CACHE_DIR" in os.environ or "numba" in sys.modules:
        return
    base = _base()
    for choose in (lambda: _folder_below(base), _passing_folder):
        with suppress(OSError):
            if (folder := choose()) is not None:
                os.environ["NUMBA_CACHE_DIR"] = str(folder)
                return


def source_hash(root: Path = ROOT) -> str:
    """Return 16 hexadecimal digits that change with any source that compiled code depends on.

    They also change with the folder of the sources and the version of Python.
    """
    digest = hashlib.blake2b(f"{root}\n{sys.version}\n".encode(), digest_size=8)
    for path in sorted(path for folder in SOURCES for path in (root / folder).rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_private(folder: Path) -> bool:
    """Return whether a path is a real folder that only the user owns and may write."""
    found = folder.lstat()
    others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not others_write


def _base() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "position-oracle"


def _folder_below(base: Path) -> Path | None:
    """Return the folder of these sources, made if missing; None if it cannot be trusted."""
    base.parent.mkdir(parents=True, exist_ok=True)
    base.mkdir(mode=0o700, exist_ok=True)
    folder = base / source_hash()
    is_new = not folder.exists()
    folder.mkdir(mode=0o700, exist_ok=True)
    if not (is_private(base) and is_private(folder) and os.access(folder, os.W_OK)):
        return None
    if is_new:
        _remove_old(base)
    return folder


def _passing_folder() -> Path:
    """Make a private folder that is deleted when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="position-oracle-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _remove_old(base: Path) -> None:
    folders = sorted(
        (path for path in base.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime
    )
    for folder in folders[:-KEPT]:
        shutil.rmtree(folder, ignore_errors=True)
