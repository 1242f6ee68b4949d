"""Put small faults into copies of the product, one at a time, and see whether the tests notice.

    python -m tests.mutation --count 100 --seed 9 --within oracle/families clients

First all tests are run once, with probes in all blocks of the product. Then for each fault the
tests that reach its block are run, until the first that fails; several faults at a time, each in a
copy of its own. In the end the tests that failed are run on the sound copy: one that fails there
too has noticed nothing (`unsound`). Results are kept; a further call goes on with those faults that
are not caught yet, and probes only test files that are new. The functions that tests are missing of
are named.
"""

import argparse
import hashlib
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from position_oracle.engine.solvers.compile_cache import SOURCES
from tests.conftest import STORE
from tests.mutation.faults import choose, sources
from tests.mutation.nearness import Imports
from tests.mutation.probes import RECORD
from tests.mutation.reach import Reach, block_at, forget, read, with_probes
from tests.mutation.source import Fault

ROOT: Final = Path(__file__).resolve().parents[2]
MEMORY: Final = 12 << 30
TEST_SECONDS: Final = 60
"""A test that takes longer has noticed the fault. Without a fault tests take seconds."""

UNTIL_FIRST: Final = (
    "--exitfirst",
    *("-o", f"faulthandler_timeout={TEST_SECONDS}"),
    *("-o", "faulthandler_exit_on_timeout=true"),
)
"""Options of pytest for tests that may notice a fault."""

SINCE: Final = 946_684_800

FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)
CRASHED: Final = re.compile(r"(?:Fatal Python error|Timeout).*")
ENOUGH: Final = 0.9


def main() -> int:
    """Run the faults not caught yet. Return 1 if fewer than 90 % are caught in the end, else 0."""
    options = _options()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    copies = [_Copy.of(options.place / f"copy-{number}") for number in range(options.jobs)]
    first = copies[0]
    chosen = choose(first.tree, options.count, options.seed, options.within)
    has_python = any(fault.path.endswith(".py") for fault in chosen)
    reach = _reach(first, options) if has_python else Reach()
    for copy in copies[1:]:
        copy.share_kernels(first)
    runner = _Runner(copies, reach, options)
    kept = options.place / f"results-{options.seed}.json"
    results: dict[str, list[str]] = json.loads(kept.read_text()) if kept.exists() else {}
    waiting = [f for f in chosen if results.get(str(f), [""])[0] not in options.keep]
    with ThreadPoolExecutor(options.jobs) as pool:
        for fault, found in zip(waiting, pool.map(runner.verdict, waiting), strict=True):
            results[str(fault)] = list(found)
            kept.write_text(json.dumps(results, indent=1))
            print(fault, *found, sep="  ", flush=True)
    noticed = {by for verdict, by in results.values() if verdict == "caught" and "::" in by}
    _, failing = _run(first, first.kernels, sorted(noticed), options)
    for fault_text, (verdict, by) in results.items():
        if verdict == "caught" and by in failing.splitlines():
            results[fault_text] = ["unsound", by]
    kept.write_text(json.dumps(results, indent=1))
    return _report(chosen, results, runner)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--within", nargs="*", default=[""], help="beginnings of paths")
    parser.add_argument("--among", nargs="*", default=["tests"], help="tests that are run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="faults at a time")
    parser.add_argument("--tests", type=int, default=8, help="how many test files")
    parser.add_argument("--keep", nargs="*", default=["caught"], help="verdicts that stand")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one fault")
    parser.add_argument("--deselect", nargs="*", default=[], help="tests that fail without a fault")
    parser.add_argument("--place", type=Path, default=ROOT / "build" / "mutants")
    return parser.parse_args()


def _report(chosen: Sequence[Fault], results: dict[str, list[str]], runner: "_Runner") -> int:
    """Name the functions that need tests, and the number of faults that were caught."""
    counted = Counter(results[str(fault)][0] for fault in chosen)
    missing = [fault for fault in chosen if results[str(fault)][0] != "caught"]
    for fault in sorted(missing, key=str):
        where, near = runner.place(fault), runner.files(fault)[:2]
        print(f"missing: a test of {where} that notices {fault}; perhaps in {' or '.join(near)}")
    print(*(f"{verdict}: {number}" for verdict, number in counted.items()), sep=", ")
    return 0 if counted["caught"] >= ENOUGH * len(chosen) else 1


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of the committed files, with compiled kernels of its own."""

    tree: Path
    kernels: Path

    @classmethod
    def of(cls, place: Path) -> "_Copy":
        """Return a fresh copy. Its kernels stay compiled if none of their sources has changed."""
        tree = place / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        command = ["git", "archive", "HEAD"]
        archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(tree, filter="data")
        for path in tree.rglob("*.py"):  # kernels stay compiled from one commit to another
            os.utime(path, (SINCE, SINCE))
        digest = hashlib.sha256()
        for path in sorted(path for top in SOURCES for path in (tree / top).rglob("*.py")):
            digest.update(path.read_bytes())
        kernels = place / f"kernels-{digest.hexdigest()[:8]}"
        for old in set(place.glob("kernels-*")) - {kernels}:
            shutil.rmtree(old)
        kernels.mkdir(exist_ok=True)
        return cls(tree, kernels)

    def share_kernels(self, other: "_Copy") -> None:
        """Take over the kernels of another copy. numba names folders by the places of sources."""
        for folder in {path.parent for top in SOURCES for path in (self.tree / top).rglob("*.py")}:
            part = folder.relative_to(self.tree)
            place, source = self.folder_of_kernels(part), other.folder_of_kernels(part)
            if source.exists():
                shutil.copytree(source, place, dirs_exist_ok=True)

    def folder_of_kernels(self, part: Path) -> Path:
        """Return the folder in which numba keeps the compiled code of this folder of sources."""
        imported = self.tree.absolute() / "position_oracle" / part
        return self.kernels / f"{part.name}_{hashlib.sha1(str(imported).encode()).hexdigest()}"  # noqa: S324

    @contextmanager
    def changed(self, path: str, text: bytes) -> Iterator[None]:
        """Return a copy in which one source has another text."""
        place = self.tree / path
        source, stat = place.read_bytes(), place.stat()
        place.write_bytes(text)
        try:
            yield
        finally:
            place.write_bytes(source)
            os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    @contextmanager
    def kernels_of_fault(self, users: Iterable[str]) -> Iterator[Path]:
        """Return the kernels that the fault cannot reach.

        Kernels compiled with the fault are dropped.
        """
        own = self.tree.parent / "kernels-of-fault"
        shutil.rmtree(own, ignore_errors=True)
        reached = shutil.ignore_patterns(*(f"{Path(user).stem}.*.nb?" for user in users))
        shutil.copytree(self.kernels, own, ignore=reached)
        yield own


class _Runner:
    """Runs the tests that may notice a fault."""

    def __init__(self, copies: Sequence[_Copy], reach: Reach, options: argparse.Namespace) -> None:
        self._free: SimpleQueue[_Copy] = SimpleQueue()
        for copy in copies:
            self._free.put(copy)
        self._reach = reach
        self._options = options
        self._imports = Imports(copies[0].tree)
        tree = copies[0].tree
        self._compiled = {
            path.relative_to(tree).as_posix()
            for top in SOURCES
            for path in (tree / top).rglob("*.py")
        }
        self._texts = {
            path.relative_to(tree).as_posix(): path.read_bytes() for path in sources(tree)
        }

    def files(self, fault: Fault) -> list[str]:
        """Return all test files, nearest first."""
        among = tuple(self._options.among)
        return [test for test in self._imports.tests(fault.path) if test.startswith(among)]

    def block(self, fault: Fault) -> str | None:
        """The block that contains a fault."""
        if fault.path.endswith(".js"):
            return None
        return block_at(fault.path, self._texts[fault.path], fault.start)

    def place(self, fault: Fault) -> str:
        """The function that contains a fault, or the module."""
        block = self.block(fault)
        return fault.path if block is None else block.split(":")[1]

    def verdict(self, fault: Fault) -> tuple[str, str]:
        """Return whether a test notices the fault, and which test."""
        parts = self._reach.choose(self.block(fault), self.files(fault), self._options.tests)
        if not parts:
            return "survived", "no test reaches it"
        copy = self._free.get()
        users = self._imports.users(fault.path) if fault.path in self._compiled else ()
        is_built_by_it = fault.path.startswith(("schema", "engine"))
        store = {} if is_built_by_it else {STORE: copy.kernels / "store"}
        try:
            with (
                copy.changed(fault.path, fault.applied(self._texts[fault.path])),
                copy.kernels_of_fault(users) as kernels,
            ):
                found = "survived", ""
                for tests in parts:
                    if found[0] == "survived":
                        found = _run(copy, kernels, tests, self._options, *UNTIL_FIRST, **store)
                return found
        finally:
            self._free.put(copy)


def _reach(copy: _Copy, options: argparse.Namespace) -> Reach:
    """Run the test files that changed since they were last probed; at first, run all of them.

    If much of the product has changed, all are run again.
    """
    record, kept = (options.place / f"reach.{end}" for end in ("jsonl", "json"))
    tests = _digests(copy.tree, options.among)
    before = json.loads(kept.read_text()) if kept.exists() else {"blocks": {}, "tests": {}}
    numbers: dict[str, int] = before["blocks"]
    known = len(numbers)
    probed = {
        path.relative_to(copy.tree).as_posix(): path.read_bytes()
        for path in sources(copy.tree)
        if path.suffix == ".py"
    }
    with_them = {path: with_probes(path, text, numbers) for path, text in probed.items()}
    if known < ENOUGH * len(numbers):
        before["tests"] = {}
    changed = sorted(test for test in tests if before["tests"].get(test) != tests[test])
    if changed:
        forget(record, before["tests"].keys() - set(changed))
        for path, text in with_them.items():
            (copy.tree / path).write_bytes(text)
        plugin = ("-p", "tests.mutation.recorder", "--numprocesses=auto", "--dist=worksteal")
        _run(copy, copy.kernels, changed, options, *plugin, **{RECORD: record})
        for path, text in probed.items():
            (copy.tree / path).write_bytes(text)
        kept.write_text(json.dumps({"blocks": numbers, "tests": before["tests"] | tests}))
    return read(record, list(numbers), numbers.keys())


def _digests(tree: Path, among: Iterable[str]) -> dict[str, str]:
    found = {
        path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((tree / "tests").rglob("test_*.py"))
    }
    return {name: digest for name, digest in found.items() if name.startswith(tuple(among))}


def _run(
    copy: _Copy,
    kernels: Path,
    tests: Sequence[str],
    options: argparse.Namespace,
    *flags: str,
    **variables: Path,
) -> tuple[str, str]:
    """Return whether tests notice the fault, and their names or the end of the output.

    Raises:
        RuntimeError: no test was run.
    """
    if not tests:
        return "survived", ""
    place = copy.tree.parent
    command = [
        *("nice", "-n", "5", sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=no"),
        *("-p", "no:cacheprovider", "--hypothesis-profile=mutants"),
        f"--basetemp={place.resolve() / 'tmp'}",
        *(f"--deselect={test}" for test in options.deselect),
        *flags,
        *tests,
    ]
    places = {
        "NUMBA_CACHE_DIR": kernels,
        "XDG_CACHE_HOME": place / "cache",
        "PYTHONPATH": copy.tree,
    }
    set_here = {name: str(path.resolve()) for name, path in (places | variables).items()}
    with subprocess.Popen(
        command,
        cwd=copy.tree,
        env=os.environ | set_here | {"COLUMNS": "500"},
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            told, _ = process.communicate(timeout=None if RECORD in variables else options.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return "unfinished", process.communicate()[0][-200:]
    if RECORD in variables:
        variables[RECORD].with_suffix(".log").write_text(told)
    if process.returncode == 0:
        return "survived", ""
    noticed = FAILED.findall(told) or CRASHED.findall(told)
    if process.returncode > 0 and not noticed:
        raise RuntimeError(f"the tests could not be run:\n{told[-2000:]}")
    return "caught", "\n".join(noticed) or f"signal {-process.returncode}"


if __name__ == "__main__":
    sys.exit(main())
