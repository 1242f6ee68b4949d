"""Where compiled kernels are cached: one folder for each state of the sources.

numba checks only the file of a kernel itself, so that a change in another file which the kernel
uses would leave stale machine code behind. The folder is named by a hash of all sources that
compiled code depends on instead.
"""

import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import Final

KERNEL_SOURCES: Final = (
    "engine/solvers/**/*.py",
    "engine/games/position.py",
    "oracle/families/**/kernels.py",
)
"""Files with compiled functions, and with constants that they take in; tests hold the list."""

KEPT: Final = 4
"""How many folders of earlier states are kept."""


def use_compile_cache() -> None:
    """Point numba to the folder of these sources, unless NUMBA_CACHE_DIR is set already.

    The place is `$XDG_CACHE_HOME/position-oracle` (usually `~/.cache/position-oracle`); where that
    cannot be written, numba's own default stays.
    """
    if "NUMBA_CACHE_DIR" in os.environ or "numba" in sys.modules:
        return
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "position-oracle"
    folder = base / source_hash()
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            return
        if is_new:
            _remove_old(base)
    except OSError:
        return
    os.environ["NUMBA_CACHE_DIR"] = str(folder)


def source_hash() -> str:
    """16 hexadecimal digits that change with any source that compiled code may depend on."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted({path for pattern in KERNEL_SOURCES for path in root.glob(pattern)}):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _remove_old(base: Path) -> None:
    folders = sorted(
        (path for path in base.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime
    )
    for folder in folders[:-KEPT]:
        shutil.rmtree(folder, ignore_errors=True)
