"""A copy of the committed files, in which tests run, perhaps with a fault."""

import hashlib
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from position_oracle.engine.solvers.compile_cache import SOURCES

ROOT: Final = Path(__file__).resolve().parents[2]
HANGS_SECONDS: Final = 120
"""A test that takes longer waits for ever."""

UNTIL_FIRST: Final = (
    "--exitfirst",
    *("-p", "tests.mutation.limit"),
    *("-o", f"faulthandler_timeout={HANGS_SECONDS}"),
    *("-o", "faulthandler_exit_on_timeout=true"),
)
"""Options of pytest for tests that may notice a fault."""

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
        place = place.resolve()
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
        imported = self.tree / "position_oracle" / part
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
        variables: Mapping[str, object] | None = None,
    ) -> tuple[str, str]:
        """Run tests. Return the verdict, and the failed tests or the end of the output.

        Args:
            tests: What pytest runs.
            flags: Options of pytest.
            kernels: Compiled kernels, in place of those of the copy.
            limit: Seconds after which the tests are ended.
            variables: More variables of the environment.

        Raises:
            RuntimeError: the tests could not be run.
        """
        place = self.tree.parent
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=no"),
            *("-p", "no:cacheprovider", "--hypothesis-profile=mutants"),
            *(f"--basetemp={place / 'tmp'}", *flags, *tests),
        ]
        set_here = {
            "NUMBA_CACHE_DIR": kernels or self.kernels,
            "XDG_CACHE_HOME": place / "cache",
            "PYTHONPATH": self.tree,
            "COLUMNS": 500,
            **(variables or {}),
        }
        with subprocess.Popen(
            command,
            cwd=self.tree,
            env=os.environ | {name: str(value) for name, value in set_here.items()},
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


def _verdict(code: int, told: str) -> tuple[str, str]:
    if code == 0:
        return "survived", ""
    noticed = FAILED.findall(told) or CRASHED.findall(told)
    if code > 0 and not noticed:
        raise RuntimeError(f"the tests could not be run:\n{told[-2000:]}")
    return "caught", "\n".join(noticed) or signal.Signals(-code).name
