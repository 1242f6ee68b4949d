"""Fresh environments, and the package as users install it."""

import atexit
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from scripts.release import PACKAGE, ROOMS, build

ROOT = Path(__file__).parents[2]
OFFLINE = ("dns error", "error sending request", "Network is unreachable", "Could not connect")


def run(
    *command: str | Path, cwd: Path, variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, without the PYTHONPATH of this process."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | (variables or {}),
        capture_output=True,
        text=True,
        check=False,
    )


def uv(*arguments: str | Path, place: Path = ROOT, variables: dict[str, str] | None = None) -> str:
    """Run uv, which must succeed. The test is skipped if there is no package index."""
    done = run(sys.executable, "-m", "uv", *arguments, cwd=place, variables=variables)
    if done.returncode and any(sign in done.stderr for sign in OFFLINE):
        pytest.skip(f"needs a package index: {done.stderr.strip().splitlines()[-1][:120]}")
    assert done.returncode == 0, done.stderr
    return done.stdout


def copy_source(place: Path) -> Path:
    """Copy the current sources of the package into a folder, and return it."""
    skipped = shutil.ignore_patterns("__pycache__", "*.nb?")
    for name in (*ROOMS, PACKAGE):
        shutil.copytree(ROOT / name, place / name, symlinks=True, ignore=skipped)
    for name in ("pyproject.toml", "requirements.lock", "LICENSE"):
        shutil.copy(ROOT / name, place)
    return place


@cache
def built() -> tuple[Path, Path, Path]:
    """Return the source in a folder, and the wheel and source archive built from it."""
    place = Path(mkdtemp(prefix="position-oracle-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    source = copy_source(place)
    return source, *build(source, place / "dist")


class Environment:
    """A new environment, with the versions of the lock."""

    def __init__(self, place: Path, python: str | Path = sys.executable) -> None:
        uv("venv", "--quiet", "--python", python, place)
        self.python = place / "bin/python"
        self.bin = place / "bin"

    def install(self, *requirements: str | Path) -> None:
        lock = ("--constraint", ROOT / "requirements.lock")
        uv("pip", "install", "--quiet", "--python", self.python, *lock, *requirements)

    def run(self, program: str, *arguments: str, cwd: Path) -> str:
        """Run a program, which must succeed without warnings, and return its output."""
        done = run(self.python, "-c", program, *arguments, cwd=cwd)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout
