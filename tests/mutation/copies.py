"""A copy of the committed files, in which tests run, perhaps with a fault."""

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from position_oracle.engine.solvers.compile_cache import SOURCES

ROOT: Final = Path(__file__).resolve().parents[2]
FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)
CRASHED: Final = re.compile(
    "(?:Fatal Python error|Timeout|ImportError while loading conftest|ERROR: not found:).*"
)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the committed files, with compiled kernels of its own."""

    tree: Path
    kernels: Path

    @classmethod
    def of(cls, place: Path) -> "Copy":
        """Return a fresh copy. Its kernels stay compiled if none of their sources has changed."""
        tree = place / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        command = ["git", "archive", "HEAD"]
        archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(tree, filter="data")
        digest = hashlib.sha256()
        for path in sorted(path for top in SOURCES for path in (tree / top).rglob("*.py")):
            digest.update(path.read_bytes())
        kernels = place / f"kernels-{digest.hexdigest()[:8]}"
        for old in set(place.glob("kernels-*")) - {kernels}:
            shutil.rmtree(old)
        kernels.mkdir(exist_ok=True)
        return cls(tree, kernels)

    def share_kernels(self, other: "Copy") -> None:
        """Take over the kernels of another copy. numba names folders by the places of sources."""
        for folder in {path.parent for top in SOURCES for path in (self.tree / top).rglob("*.py")}:
            part = folder.relative_to(self.tree)
            place, source = self._folder_of_kernels(part), other._folder_of_kernels(part)
            if source.exists():
                shutil.copytree(source, place, dirs_exist_ok=True)

    def _folder_of_kernels(self, part: Path) -> Path:
        """Return the folder in which numba keeps the compiled code of this folder of sources."""
        imported = self.tree.absolute() / "position_oracle" / part
        return self.kernels / f"{part.name}_{hashlib.sha1(str(imported).encode()).hexdigest()}"  # noqa: S324

    @property
    def store(self) -> Path:
        """The common store of the tests."""
        return self.kernels / "store"

    @contextmanager
    def changed(self, path: str, text: bytes) -> Iterator[None]:
        """Give one source another text for a while."""
        place = self.tree / path
        source = place.read_bytes()
        place.write_bytes(text)
        try:
            yield
        finally:
            place.write_bytes(source)

    def kernels_without(self, patterns: Iterable[str]) -> Path:
        """Return a folder with the kernels, but for files of some patterns."""
        own = self.tree.parent / "kernels-of-fault"
        shutil.rmtree(own, ignore_errors=True)
        shutil.copytree(self.kernels, own, ignore=shutil.ignore_patterns("store*", *patterns))
        return own

    def run(
        self,
        tests: Sequence[str],
        *flags: str,
        kernels: Path | None = None,
        limit: float | None = None,
        variables: dict[str, Path] | None = None,
    ) -> tuple[str, str]:
        """Run tests. Return the verdict, and the failed tests or the end of the output.

        Args:
            tests: What pytest runs.
            flags: Options of pytest.
            kernels: Compiled kernels, in place of those of the copy.
            limit: Seconds after which the tests are ended.
            variables: More variables of the environment, with paths.

        Raises:
            RuntimeError: the tests could not be run.
        """
        place = self.tree.parent
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=no"),
            *("-p", "no:cacheprovider", "--hypothesis-profile=mutants"),
            *(f"--basetemp={place.resolve() / 'tmp'}", *flags, *tests),
        ]
        places = {
            "NUMBA_CACHE_DIR": kernels or self.kernels,
            "XDG_CACHE_HOME": place / "cache",
            "PYTHONPATH": self.tree,
            **(variables or {}),
        }
        with subprocess.Popen(
            command,
            cwd=self.tree,
            env=os.environ
            | {name: str(path.resolve()) for name, path in places.items()}
            | {"COLUMNS": "500"},
            text=True,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            try:
                told, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                return "unfinished", process.communicate()[0][-200:]
        return _verdict(process.returncode, told)


def until_first(seconds: float) -> tuple[str, ...]:
    """Return options of pytest: a test that fails, or takes longer, has noticed a fault."""
    return (
        "--exitfirst",
        *("-o", f"faulthandler_timeout={seconds:.0f}"),
        *("-o", "faulthandler_exit_on_timeout=true"),
    )


def _verdict(code: int, told: str) -> tuple[str, str]:
    if code == 0:
        return "survived", ""
    noticed = FAILED.findall(told) or CRASHED.findall(told)
    if code > 0 and not noticed:
        raise RuntimeError(f"the tests could not be run:\n{told[-2000:]}")
    return "caught", "\n".join(noticed) or f"signal {-code}"
